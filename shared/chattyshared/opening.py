"""Opening a knowledge graph by what the user called it: ``demo``, files, or a URL."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Sequence
from pathlib import Path

from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph

DEMO = "demo"


def open_kg(
    specs: Sequence[str], *, store: Path | None = None, cache_dir: Path | None = None, timeout: float = 60
) -> KnowledgeGraph:
    """Open ``demo``, one or more RDF files, or one URL of a SPARQL endpoint.

    ``store`` is a folder in which the triples of files are kept, so that the next start need not parse them;
    ``cache_dir`` keeps indexes of labels between runs; ``timeout`` are the seconds that one query may take.

    Raises:
        ConfigError: nothing given, an unknown name, URLs mixed with files, a file that is missing or broken, no triple.
        EndpointError: the server does not answer.
    """
    kinds = {_kind(spec) for spec in specs}
    if not specs:
        raise ConfigError("no knowledge graph given: name 'demo', RDF files, or the URL of a SPARQL endpoint")
    if len(kinds) > 1 or (kinds != {"file"} and len(specs) > 1):
        raise ConfigError("a knowledge graph is either 'demo', or RDF files, or one URL, not a mixture of them")
    if kinds == {"url"}:
        graph = _remote(specs[0], cache_dir=cache_dir, timeout=timeout)
    elif kinds == {DEMO}:
        graph = _demo(store=store, cache_dir=cache_dir, timeout=timeout)
    else:
        files = [Path(spec) for spec in specs]
        graph = _local(files, ", ".join(path.name for path in files), store, cache_dir, timeout)
    if not graph.size():
        raise ConfigError(f"{graph.name}: holds no triple")
    return graph


def _kind(spec: str) -> str:
    if spec.startswith(("http://", "https://")):
        return "url"
    if spec == DEMO:
        return DEMO
    if not os.path.exists(spec):  # noqa: PTH110 - a path's own method raises where a name is impossible
        raise ConfigError(f"{spec}: no such file (a knowledge graph is 'demo', RDF files, or a URL with http or https)")
    return "file"


def _demo(*, store: Path | None, cache_dir: Path | None, timeout: float) -> KnowledgeGraph:
    resource = importlib.resources.files("chattydata") / "demo.ttl"
    with importlib.resources.as_file(resource) as path:
        return _local([path], DEMO, store, cache_dir, timeout)


def _local(
    files: Sequence[Path], name: str, store: Path | None, cache_dir: Path | None, timeout: float
) -> KnowledgeGraph:
    endpoint = LocalEndpoint(files, store=store, timeout=timeout)
    return KnowledgeGraph(endpoint, name=name, cache_dir=cache_dir or store)


def _remote(url: str, *, cache_dir: Path | None, timeout: float) -> KnowledgeGraph:
    from chattyshared.endpoint.remote import RemoteEndpoint  # its client takes a while to import

    endpoint = RemoteEndpoint(url, timeout=timeout)
    endpoint.probe()
    return KnowledgeGraph(endpoint, indexed=False, cache_dir=cache_dir)

"""Opening a knowledge graph by what the user called it: ``demo``, files, or a URL."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.connection_options import TIMEOUT, Reach
from chattyshared.endpoint.download import fetch, is_file_url, shown_url
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.profile_detection import detect, first_look
from chattyshared.kg.profile_file import Stated, read_profile
from chattyshared.option_specs import near
from chattyshared.profile import Profile

DEMO = "demo"


def open_kg(
    specs: Sequence[str], *, store: Path | None = None, cache_dir: Path | None = None, reach: Reach | None = None
) -> KnowledgeGraph:
    """Open ``demo``, one or more RDF files (or URLs of such), or one URL of a SPARQL endpoint.

    ``store`` is a folder in which the triples of files are kept, so that the next start need not parse them;
    ``cache_dir`` keeps indexes of labels, and answers of servers, between runs; ``reach`` says how it is asked.

    Raises:
        ConfigError: nothing given, an unknown name, URLs mixed with files, a file that is missing or broken, no triple.
        EndpointError: the server does not answer.
    """
    kinds = {_kind(spec) for spec in specs}
    if not specs:
        raise ConfigError("no knowledge graph given: name 'demo', RDF files, or the URL of a SPARQL endpoint")
    if len(kinds) > 1 or (kinds != {"file"} and len(specs) > 1):
        raise ConfigError("a knowledge graph is either 'demo', or RDF files, or one URL, not a mixture of them")
    asked = reach or Reach()
    stated = read_profile(asked.profile) if asked.profile else Stated()
    asked = replace(
        asked,
        timeout=asked.timeout or stated.timeout or TIMEOUT,
        per_second=asked.per_second or stated.per_second,
        functions=asked.functions or stated.functions,
    )
    if kinds == {"url"}:
        graph = _remote(specs[0], cache_dir, asked, stated)
    elif kinds == {DEMO}:
        graph = _demo(store, cache_dir, asked, stated)
    else:
        graph = _files(specs, store, cache_dir, asked, stated)
    if not graph.size():
        raise ConfigError(f"{graph.name}: holds no triple")
    return graph


def _kind(spec: str) -> str:
    if is_file_url(spec):
        return "file"
    if spec.startswith(("http://", "https://")):
        return "url"
    if spec == DEMO:
        return DEMO
    if not os.path.exists(spec):  # noqa: PTH110 - a path's own method raises where a name is impossible
        meant = "" if Path(spec).name != spec else near(spec, [DEMO])
        raise ConfigError(
            f"{spec}: no such file{meant} (a knowledge graph is 'demo', RDF files, or a URL with http or https)"
        )
    return "file"


def _files(
    specs: Sequence[str], store: Path | None, cache_dir: Path | None, asked: Reach, stated: Stated
) -> KnowledgeGraph:
    """Open files, and what URLs of files hold; these go by their URLs, wherever the copy lies."""
    fetched = {spec: fetch(spec, cache_dir) for spec in specs if is_file_url(spec)}
    names = [shown_url(spec) if spec in fetched else Path(spec).name for spec in specs]
    files = [fetched.get(spec) or Path(spec) for spec in specs]
    try:
        return _local(files, ", ".join(names), store, cache_dir, asked, stated)
    except ConfigError as error:
        said = str(error)
        for spec, path in fetched.items():
            said = said.replace(str(path), shown_url(spec))
        raise ConfigError(said) from error


def _demo(store: Path | None, cache_dir: Path | None, asked: Reach, stated: Stated) -> KnowledgeGraph:
    resource = importlib.resources.files("chattydata") / "demo.ttl"
    with importlib.resources.as_file(resource) as path:
        return _local([path], DEMO, store, cache_dir, asked, stated)


def _local(  # noqa: PLR0913
    files: Sequence[Path], name: str, store: Path | None, cache_dir: Path | None, asked: Reach, stated: Stated
) -> KnowledgeGraph:
    endpoint = LocalEndpoint(files, store=store, timeout=asked.timeout or TIMEOUT, functions=asked.functions)
    return KnowledgeGraph(endpoint, _profile(endpoint, stated), name=name, cache_dir=cache_dir or store)


def _remote(url: str, cache_dir: Path | None, asked: Reach, stated: Stated) -> KnowledgeGraph:
    from chattyshared.endpoint.remote import RemoteEndpoint  # its client takes a while to import
    from chattyshared.endpoint.result_cache import NAME, KeptAnswers

    endpoint = RemoteEndpoint(url, asked, timeout=asked.timeout or TIMEOUT)
    endpoint.probe()
    graph = KnowledgeGraph(endpoint, _profile(endpoint, stated), indexed=False, cache_dir=cache_dir)
    if cache_dir is not None and asked.keeps:
        # What was read until here tells the KG from what it was before; from here on, what it says is kept.
        endpoint.keep(KeptAnswers(cache_dir / NAME, f"{graph.fingerprint()} {endpoint.name}"))
    return graph


def _profile(endpoint: Endpoint, stated: Stated) -> Profile | None:
    """Return what a file states, with the rest detected; None where it states nothing."""
    if not stated.kg:
        return None
    if stated.is_whole:
        return stated.over(Profile())
    if "types" in stated.kg:
        return stated.over(detect(endpoint, stated=stated.over(Profile())))
    return stated.over(first_look(endpoint)[1])

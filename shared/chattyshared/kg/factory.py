"""Opening a knowledge graph by what the user called it: ``demo``, files, or a URL."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.connection_options import DEFAULT_TIMEOUT, ConnectionOptions
from chattyshared.endpoint.download import fetch_file, is_file_url, redact_url
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.profile_detection import detect_profile, detect_profile_with_statistics
from chattyshared.kg.profile_file import ProfileSettings, read_profile
from chattyshared.option_specs import did_you_mean
from chattyshared.profile import Profile

DEMO = "demo"


def open_kg(
    specs: Sequence[str],
    *,
    store: Path | None = None,
    cache_dir: Path | None = None,
    connection: ConnectionOptions | None = None,
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
    asked = connection or ConnectionOptions()
    stated = read_profile(asked.profile_path) if asked.profile_path else ProfileSettings()
    asked = replace(
        asked,
        timeout=asked.timeout or stated.timeout or DEFAULT_TIMEOUT,
        requests_per_second=asked.requests_per_second or stated.per_second,
        functions=asked.functions or stated.functions,
    )
    if kinds == {"url"}:
        graph = _remote(specs[0], cache_dir, asked, stated)
    elif kinds == {DEMO}:
        graph = _demo(store, cache_dir, asked, stated)
    else:
        graph = _files(specs, store, cache_dir, asked, stated)
    if not graph.count_triples():
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
        meant = "" if Path(spec).name != spec else did_you_mean(spec, [DEMO])
        raise ConfigError(
            f"{spec}: no such file{meant} (a knowledge graph is 'demo', RDF files, or a URL with http or https)"
        )
    return "file"


def _files(
    specs: Sequence[str], store: Path | None, cache_dir: Path | None, asked: ConnectionOptions, stated: ProfileSettings
) -> KnowledgeGraph:
    """Open files, and what URLs of files hold; these go by their URLs, wherever the copy lies."""
    fetched = {spec: fetch_file(spec, cache_dir) for spec in specs if is_file_url(spec)}
    names = [redact_url(spec) if spec in fetched else Path(spec).name for spec in specs]
    files = [fetched.get(spec) or Path(spec) for spec in specs]
    try:
        return _local(files, ", ".join(names), store, cache_dir, asked, stated)
    except ConfigError as error:
        said = str(error)
        for spec, path in fetched.items():
            said = said.replace(str(path), redact_url(spec))
        raise ConfigError(said) from error


def _demo(
    store: Path | None, cache_dir: Path | None, asked: ConnectionOptions, stated: ProfileSettings
) -> KnowledgeGraph:
    resource = importlib.resources.files("chattydata") / "demo.ttl"
    with importlib.resources.as_file(resource) as path:
        return _local([path], DEMO, store, cache_dir, asked, stated)


def _local(  # noqa: PLR0913
    files: Sequence[Path],
    name: str,
    store: Path | None,
    cache_dir: Path | None,
    asked: ConnectionOptions,
    stated: ProfileSettings,
) -> KnowledgeGraph:
    endpoint = LocalEndpoint(files, store=store, timeout=asked.timeout or DEFAULT_TIMEOUT, functions=asked.functions)
    return KnowledgeGraph(endpoint, _profile(endpoint, stated), name=name, cache_dir=cache_dir or store)


def _remote(url: str, cache_dir: Path | None, asked: ConnectionOptions, stated: ProfileSettings) -> KnowledgeGraph:
    from chattyshared.endpoint.remote import RemoteEndpoint  # its client takes a while to import
    from chattyshared.endpoint.result_cache import CACHE_FILE_NAME, ResultCache

    endpoint = RemoteEndpoint(url, asked, timeout=asked.timeout or DEFAULT_TIMEOUT)
    endpoint.check_available()
    graph = KnowledgeGraph(endpoint, _profile(endpoint, stated), use_index=False, cache_dir=cache_dir)
    if cache_dir is not None and asked.uses_cache:
        # What was read until here tells the KG from what it was before; from here on, what it says is kept.
        endpoint.use_cache(ResultCache(cache_dir / CACHE_FILE_NAME, f"{graph.fingerprint()} {endpoint.name}"))
    return graph


def _profile(endpoint: Endpoint, stated: ProfileSettings) -> Profile | None:
    """Return what a file states, with the rest detected; None where it states nothing."""
    if not stated.kg:
        return None
    if stated.is_complete:
        return stated.apply_to(Profile())
    if "types" in stated.kg:
        return stated.apply_to(detect_profile(endpoint, class_profile=stated.apply_to(Profile())))
    return stated.apply_to(detect_profile_with_statistics(endpoint)[1])

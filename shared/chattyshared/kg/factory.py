"""Open a knowledge graph by the user's name for it: ``demo``, files, or a URL."""

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
    """Open ``demo``, one or more RDF files (or their URLs), or one URL of a SPARQL endpoint.

    ``store`` is a folder for the parsed triples of files, so that the next start is faster; ``cache_dir`` keeps label
    indexes and results of servers between runs; ``connection`` holds the options of the connection.

    Raises:
        ConfigError: ``specs`` is empty, has an unknown name, or mixes URLs with files; a file is missing or broken; the
        KG has no triple.
        EndpointError: the server does not answer.
    """
    spec_kinds = {_spec_kind(spec) for spec in specs}
    if not specs:
        raise ConfigError("no knowledge graph given: name 'demo', RDF files, or the URL of a SPARQL endpoint")
    if len(spec_kinds) > 1 or (spec_kinds != {"file"} and len(specs) > 1):
        raise ConfigError("a knowledge graph is either 'demo', or RDF files, or one URL, not a mixture of them")
    options = connection or ConnectionOptions()
    settings = read_profile(options.profile_path) if options.profile_path else ProfileSettings()
    options = replace(
        options,
        timeout=options.timeout or settings.timeout or DEFAULT_TIMEOUT,
        requests_per_second=options.requests_per_second or settings.per_second,
        functions=options.functions or settings.functions,
    )
    if spec_kinds == {"url"}:
        graph = _open_remote(specs[0], cache_dir, options, settings)
    elif spec_kinds == {DEMO}:
        graph = _open_demo(store, cache_dir, options, settings)
    else:
        graph = _open_files(specs, store, cache_dir, options, settings)
    if not graph.count_triples():
        raise ConfigError(f"{graph.name}: holds no triple")
    return graph


def _spec_kind(spec: str) -> str:
    if is_file_url(spec):
        return "file"
    if spec.startswith(("http://", "https://")):
        return "url"
    if spec == DEMO:
        return DEMO
    if not os.path.exists(spec):  # noqa: PTH110 - a path's own method raises where a name is impossible
        suggestion = "" if Path(spec).name != spec else did_you_mean(spec, [DEMO])
        raise ConfigError(
            f"{spec}: no such file{suggestion} (a knowledge graph is 'demo', RDF files, or a URL with http or https)"
        )
    return "file"


def _open_files(
    specs: Sequence[str],
    store: Path | None,
    cache_dir: Path | None,
    options: ConnectionOptions,
    settings: ProfileSettings,
) -> KnowledgeGraph:
    """Open files and downloaded files; messages name the latter by their URLs."""
    fetched = {spec: fetch_file(spec, cache_dir) for spec in specs if is_file_url(spec)}
    names = [redact_url(spec) if spec in fetched else Path(spec).name for spec in specs]
    files = [fetched.get(spec) or Path(spec) for spec in specs]
    try:
        return _open_local(files, ", ".join(names), store, cache_dir, options, settings)
    except ConfigError as error:
        message = str(error)
        for spec, path in fetched.items():
            message = message.replace(str(path), redact_url(spec))
        raise ConfigError(message) from error


def _open_demo(
    store: Path | None, cache_dir: Path | None, options: ConnectionOptions, settings: ProfileSettings
) -> KnowledgeGraph:
    resource = importlib.resources.files("chattydata") / "demo.ttl"
    with importlib.resources.as_file(resource) as path:
        return _open_local([path], DEMO, store, cache_dir, options, settings)


def _open_local(  # noqa: PLR0913
    files: Sequence[Path],
    name: str,
    store: Path | None,
    cache_dir: Path | None,
    options: ConnectionOptions,
    settings: ProfileSettings,
) -> KnowledgeGraph:
    endpoint = LocalEndpoint(
        files, store=store, timeout=options.timeout or DEFAULT_TIMEOUT, functions=options.functions
    )
    return KnowledgeGraph(endpoint, _apply_settings(endpoint, settings), name=name, cache_dir=cache_dir or store)


def _open_remote(
    url: str, cache_dir: Path | None, options: ConnectionOptions, settings: ProfileSettings
) -> KnowledgeGraph:
    from chattyshared.endpoint.remote import RemoteEndpoint  # slow to import
    from chattyshared.endpoint.result_cache import CACHE_FILE_NAME, ResultCache

    endpoint = RemoteEndpoint(url, options, timeout=options.timeout or DEFAULT_TIMEOUT)
    endpoint.check_available()
    graph = KnowledgeGraph(endpoint, _apply_settings(endpoint, settings), use_index=False, cache_dir=cache_dir)
    if cache_dir is not None and options.uses_cache:
        # The fingerprint must come from the server, not from the cache, so the cache is attached after it.
        endpoint.use_cache(ResultCache(cache_dir / CACHE_FILE_NAME, f"{graph.fingerprint()} {endpoint.name}"))
    return graph


def _apply_settings(endpoint: Endpoint, settings: ProfileSettings) -> Profile | None:
    """Return the profile of a settings file, with the rest detected; None if the file states nothing."""
    if not settings.kg:
        return None
    if settings.is_complete:
        return settings.apply_to(Profile())
    if "types" in settings.kg:
        return settings.apply_to(detect_profile(endpoint, class_profile=settings.apply_to(Profile())))
    return settings.apply_to(detect_profile_with_statistics(endpoint)[1])

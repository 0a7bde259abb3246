"""Open a knowledge graph by the user's name for it, ``demo``, files, or a URL, or from a graph in memory."""

from __future__ import annotations

import importlib.resources
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chattyshared.check import truncate_middle
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.connection_options import DEFAULT_TIMEOUT, ConnectionOptions
from chattyshared.endpoint.download import fetch_file, is_file_url, redact_url
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.memory_graph import MemoryGraph
from chattyshared.endpoint.store_loading import store_digest
from chattyshared.errors import ConfigError
from chattyshared.formats.box import GRAPH, PROFILE, is_box, unpack_graph
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.profile_detection import detect_profile, detect_profile_with_statistics
from chattyshared.kg.profile_file import ProfileSettings, read_profile
from chattyshared.option_specs import did_you_mean
from chattyshared.profile import Profile
from chattyshared.progress import ShowProgress, hide_progress
from chattyshared.terms import is_writable

KGSource = str | os.PathLike[str] | MemoryGraph | KnowledgeGraph
"""What a knowledge graph is opened from; several files are a sequence."""
DEMO = "demo"
COUNTS_NAME = "counts-{}.json"
"""The file in the folder of a store with the numbers of its triples and entities, by the digest of its sources."""
KNOWN_SOURCES = (
    "'demo', RDF files, the URL of a SPARQL endpoint, a box, an rdflib.Graph, a pyoxigraph.Store, or a KnowledgeGraph"
)


def open_kg(
    source: KGSource | Iterable[KGSource],
    *,
    store: Path | None = None,
    cache_dir: Path | None = None,
    connection: ConnectionOptions | None = None,
    show_progress: ShowProgress = hide_progress,
) -> KnowledgeGraph:
    """Open ``demo``, one or more RDF files (or their URLs), one URL of a SPARQL endpoint, one graph in memory, or the
    snapshot in a box of ``chattygen box``.

    A graph in memory is an ``rdflib.Graph``, an ``rdflib.Dataset`` or a ``pyoxigraph.Store``; its content is read now,
    and later changes of it are not seen. A ``KnowledgeGraph`` is returned as it is. ``store`` is a folder for the
    parsed triples of files, so that the next start is faster; ``cache_dir`` keeps label indexes and results of servers
    between runs; ``connection`` holds the options of the connection. ``show_progress`` shows how far reading files and
    building indexes are.

    Raises:
        ConfigError: ``source`` is empty, is no such thing, has an unknown name, or mixes several kinds; a file is
        missing or broken; a graph in memory holds a term that is not valid; the KG has no triple.
        EndpointError: the server does not answer.
    """
    sources = _list_sources(source)
    kinds = {_source_kind(each) for each in sources}
    if not sources:
        raise ConfigError(f"no knowledge graph given: name {KNOWN_SOURCES}")
    if len(kinds) > 1 or (kinds != {"file"} and len(sources) > 1):
        raise ConfigError(
            "a knowledge graph is either 'demo', or RDF files, one URL, one box, or one graph in memory, not a mixture "
            "of them"
        )
    if store is not None and kinds in ({"memory"}, {"box"}):
        raise ConfigError("store keeps the triples of files: a graph in memory has none, and a box is small")
    first = sources[0]
    if isinstance(first, KnowledgeGraph):
        return first
    opening = _Opening(store, cache_dir, *_read_settings(connection or ConnectionOptions()), show_progress)
    if isinstance(first, MemoryGraph):
        graph = _open_local(first, None, opening)
    elif kinds == {"url"}:
        graph = _open_remote(str(first), opening)
    elif kinds == {DEMO}:
        graph = _open_demo(opening)
    elif kinds == {"box"}:
        graph = _open_box(Path(str(first)), opening)
    else:
        graph = _open_files([str(each) for each in sources], opening)
    if not graph.count_triples():
        raise ConfigError(f"{graph.name}: holds no triple")
    return graph


@dataclass(frozen=True, slots=True)
class _Opening:
    """The folders, options and settings with which a source is opened."""

    store: Path | None
    cache_dir: Path | None
    options: ConnectionOptions
    settings: ProfileSettings
    show_progress: ShowProgress


def _read_settings(options: ConnectionOptions) -> tuple[ConnectionOptions, ProfileSettings]:
    """Read the profile that options name, and complete the options by it."""
    settings = read_profile(options.profile_path) if options.profile_path else ProfileSettings()
    completed = replace(
        options,
        timeout=options.timeout or settings.timeout or DEFAULT_TIMEOUT,
        requests_per_second=options.requests_per_second or settings.per_second,
        functions=options.functions or settings.functions,
    )
    return completed, settings


def _list_sources(source: object) -> tuple[object, ...]:
    """Return one source as a tuple; graphs in memory and texts are iterable, too, but are one source."""
    if isinstance(source, str | os.PathLike | KnowledgeGraph | MemoryGraph):
        return (source,)
    if isinstance(source, Iterable) and not isinstance(source, bytes | Mapping):
        return tuple(source)
    raise _unknown_source(source)


def _source_kind(source: object) -> str:
    if isinstance(source, KnowledgeGraph):
        return "graph"
    if isinstance(source, MemoryGraph):
        return "memory"
    if isinstance(source, os.PathLike):
        return _check_file(str(source))
    if not isinstance(source, str):
        raise _unknown_source(source)
    if is_file_url(source):
        return "file"
    if source.startswith(("http://", "https://")):
        return "url"
    return DEMO if source == DEMO else _check_file(source)


def _check_file(path: str) -> str:
    if not os.path.exists(path):  # noqa: PTH110 - a path's own method raises where a name is impossible
        suggestion = "" if Path(path).name != path else did_you_mean(path, [DEMO])
        shown = truncate_middle(" ".join(path.split()))
        raise ConfigError(
            f"{shown}: no such file{suggestion} (a knowledge graph is 'demo', RDF files, or a URL with http or https)"
        )
    return "box" if is_box(Path(path)) else "file"


def _unknown_source(source: object) -> ConfigError:
    return ConfigError(f"{type(source).__name__} is no knowledge graph: give {KNOWN_SOURCES}")


def _open_files(specs: Sequence[str], opening: _Opening) -> KnowledgeGraph:
    """Open files and downloaded files; messages name the latter by their URLs."""
    fetched = {spec: fetch_file(spec, opening.cache_dir) for spec in specs if is_file_url(spec)}
    names = [redact_url(spec) if spec in fetched else Path(spec).name for spec in specs]
    files = [fetched.get(spec) or Path(spec) for spec in specs]
    try:
        return _open_local(files, ", ".join(names), opening)
    except ConfigError as error:
        message = str(error)
        for spec, path in fetched.items():
            message = message.replace(str(path), redact_url(spec))
        raise ConfigError(message) from error


def _open_demo(opening: _Opening) -> KnowledgeGraph:
    resource = importlib.resources.files("chattydata") / "demo.ttl"
    with importlib.resources.as_file(resource) as path:
        return _open_local([path], DEMO, opening, trusted=True)


def _open_box(path: Path, opening: _Opening) -> KnowledgeGraph:
    """Open the snapshot of a box, which is read by the profile of the graph that it was taken from."""
    folder, whole = unpack_graph(path)
    try:
        kept = read_profile(folder / PROFILE).kg
        _check_iris(kept)
        settings = replace(opening.settings, kg={**kept, **opening.settings.kg})
        kg = _open_local([folder / GRAPH], path.name, replace(opening, store=None, settings=settings))
        kg.whole = whole
        return kg
    except ConfigError as error:
        message = str(error).replace(str(folder), str(path))
        raise ConfigError(message if str(path) in message else f"{path}: {message}") from error


def _check_iris(stated: Mapping[str, Any]) -> None:
    """Check that queries can name the predicates and classes of an untrusted profile.

    Raises:
        ConfigError: names the first that they cannot.
    """
    for name, values in stated.items():
        if isinstance(values, bool):
            continue
        iris = ((iri,) for iri, _ in values) if name in ("names", "paths") else values
        texts = (text for value in iris for text in ((value,) if isinstance(value, str) else value))
        wrong = next((text for text in texts if name != "languages" and not is_writable(text)), None)
        if wrong is not None:
            raise ConfigError(f"its profile names {wrong!r:.100}, which is no IRI")


def _open_local(
    source: Sequence[Path] | MemoryGraph, name: str | None, opening: _Opening, *, trusted: bool = False
) -> KnowledgeGraph:
    options, store = opening.options, opening.store
    endpoint = LocalEndpoint(
        source,
        store=store,
        timeout=options.timeout or DEFAULT_TIMEOUT,
        functions=options.functions,
        show_progress=opening.show_progress,
        reading=options.reading,
        trusted=trusted,
    )
    return KnowledgeGraph(
        endpoint,
        _apply_settings(endpoint, opening.settings),
        name=name,
        cache_dir=opening.cache_dir or store,
        counts_path=store and store / COUNTS_NAME.format(store_digest(store)),
        show_progress=opening.show_progress,
    )


def _open_remote(url: str, opening: _Opening) -> KnowledgeGraph:
    from chattyshared.endpoint.remote import RemoteEndpoint  # slow to import
    from chattyshared.endpoint.result_cache import CACHE_FILE_NAME, ResultCache

    options, cache_dir = opening.options, opening.cache_dir
    endpoint = RemoteEndpoint(url, options, timeout=options.timeout or DEFAULT_TIMEOUT)
    endpoint.check_available()
    profile = _apply_settings(endpoint, opening.settings)
    graph = KnowledgeGraph(endpoint, profile, use_index=False, cache_dir=cache_dir)
    if cache_dir is not None and not options.no_cache:
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

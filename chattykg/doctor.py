"""The doctor: what an endpoint is, what works on it and what does not, and how its KG is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from chattyshared.endpoint import Endpoint, capabilities
from chattyshared.endpoint.capabilities import DiagnosticFinding
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.endpoint.dialect import detect_dialect
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import EndpointError, EndpointUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.profile import Profile
from chattyshared.text_table import Column, render_rows

HEAVY_QUERY_SECONDS = 30.0
"""Seconds that the one query that would take for ever is let run."""
_SHOWN = 4
_MARKS = {"works": " ", "differs": "~", "fails": "!"}


@dataclass(frozen=True, slots=True)
class DiagnosticReport:
    """What was found: the server's side (none for files), the graph's, and the profile, if the KG could be read."""

    name: str
    server: tuple[DiagnosticFinding, ...] = ()
    graph: tuple[DiagnosticFinding, ...] = ()
    profile: Profile | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as one object."""
        return {
            "name": self.name,
            "server": [asdict(one) for one in self.server],
            "graph": [asdict(one) for one in self.graph],
        }


def examine_server(
    remote: RemoteEndpoint, options: ConnectionOptions, *, on_progress: Callable[[str], None] = lambda _: None
) -> DiagnosticReport:
    """Examine a server and its KG; ``told`` hears what is looked at. One query, the last, runs up to half a minute.

    A server that goes away meanwhile is a finding, beside all that was found until then.

    Raises:
        EndpointUnavailable: the server is gone from the beginning.
    """
    found: list[DiagnosticFinding] = []
    try:
        for finding in _looked_at(remote, options):
            on_progress(finding.name)
            found.append(finding)
        on_progress("graph")
        graph, profile = _graph_of(remote)
    except EndpointUnavailable as error:
        if not found:
            raise
        gone = DiagnosticFinding("availability", "fails", f"behind {found[-1].name!r}: {_said(remote, error)}")
        return DiagnosticReport(remote.name, (*found, gone))
    on_progress("timeout")
    return DiagnosticReport(remote.name, (*found, _heaviest(remote, options)), graph, profile)


def _graph_of(remote: RemoteEndpoint) -> tuple[tuple[DiagnosticFinding, ...], Profile | None]:
    try:
        graph = KnowledgeGraph(remote, use_index=False)
        return tuple(_of_graph(graph)), graph.profile
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return (DiagnosticFinding("graph", "fails", f"cannot be read: {_said(remote, error)}"),), None


def _heaviest(remote: RemoteEndpoint, reach: ConnectionOptions) -> DiagnosticFinding:
    try:
        return capabilities.probe_timeout(remote, min(HEAVY_QUERY_SECONDS, reach.timeout or HEAVY_QUERY_SECONDS))
    except EndpointUnavailable as error:
        blocked = "one heavy query blocks it, even after we have given up on that"
        return DiagnosticFinding("timeout", "fails", f"{blocked} ({_said(remote, error)})")


def _said(remote: RemoteEndpoint, error: EndpointError) -> str:
    return str(error).removeprefix(f"{remote.name}: ")


def examine_files(kg: KnowledgeGraph) -> DiagnosticReport:
    """Examine a KG that lies in files: there is no server whose habits matter."""
    return DiagnosticReport(kg.name, (), tuple(_of_graph(kg)), kg.profile)


def render_report(report: DiagnosticReport) -> Iterator[str]:
    """Yield the lines of one page: the server, what works there and what does not, the graph."""
    yield report.name
    for title, findings in (("server", report.server), ("graph", report.graph)):
        if not findings:
            continue
        yield f"\n{title}"
        rows = [(_MARKS[finding.state], finding.name, finding.said) for finding in findings if finding.said]
        working = [finding.name for finding in findings if finding.state == "works" and not finding.said]
        if working:
            rows.append((_MARKS["works"], "works", ", ".join(working)))
        yield from render_rows((Column(), Column(min_width=16), Column()), rows, gap=1)
    if any(one.state != "works" for one in (*report.server, *report.graph)):
        yield "\n~ differs from the standard, and is dealt with   ! does not work"


def _looked_at(remote: RemoteEndpoint, reach: ConnectionOptions) -> Iterator[DiagnosticFinding]:
    yield DiagnosticFinding("answers in", "works", _pace(remote))
    yield DiagnosticFinding("engine", "works", capabilities.identify_engine(remote))
    yield _of_description(remote)
    yield DiagnosticFinding("access", "works", remote.authentication)
    if not reach.contact:
        yield DiagnosticFinding("contact", "works", "none is named: owners of public endpoints ask for one (--contact)")
    yield _of_named_graphs(remote)
    yield from capabilities.probe_features(remote)
    for look in (
        capabilities.probe_ask,
        capabilities.probe_row_limit,
        capabilities.probe_pagination,
        capabilities.probe_query_length,
    ):
        yield _looked(remote, look)


def _looked(remote: RemoteEndpoint, look: Callable[[RemoteEndpoint], DiagnosticFinding]) -> DiagnosticFinding:
    try:
        return look(remote)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding(look.__name__.removeprefix("of_"), "fails", _said(remote, error))


def _pace(remote: RemoteEndpoint) -> str:
    spans = []
    for _ in range(5):
        began = time.perf_counter()
        remote.ask("ASK { ?s ?p ?o }")
        spans.append(1000 * (time.perf_counter() - began))
    return f"{median(spans):.1f} ms (ASK, median of 5)"


def _of_description(remote: RemoteEndpoint) -> DiagnosticFinding:
    found = capabilities.read_service_description(remote)
    if not found:
        return DiagnosticFinding("description", "works", "it gives no description of itself")
    said = []
    for name, predicate in (("features", "feature"), ("languages", "supportedLanguage")):
        if values := sorted(
            {value.rpartition("#")[2] for key, value in found if key == capabilities.SERVICE_DESCRIPTION + predicate}
        ):
            said.append(f"{name} {', '.join(values)}")
    return DiagnosticFinding("description", "works", "; ".join(said) or f"{len(found)} triples")


def _of_named_graphs(remote: RemoteEndpoint) -> DiagnosticFinding:
    try:
        found = capabilities.list_graphs(remote)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding("named graphs", "differs", f"not told: {_said(remote, error)[:120]}")
    if not found:
        return DiagnosticFinding("named graphs", "works", "none")
    shown = ", ".join(f"{name} ({size:,} triples)" for name, size in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return DiagnosticFinding("named graphs", "works", f"{shown}{more}")


def _of_graph(kg: KnowledgeGraph) -> Iterator[DiagnosticFinding]:
    types = kg.types()
    known = len(kg.vocabulary.predicates)
    yield DiagnosticFinding("triples", "works", f"{kg.count_triples():,}; {known} predicates, {len(types)} classes")
    if not types:
        yield DiagnosticFinding(
            "classes", "fails", "nothing has a class: questions cannot say what kind of thing they mean"
        )
    else:
        shown = ", ".join(f"{one.label} ({one.count:,})" for one in types[:_SHOWN])
        yield DiagnosticFinding("classes", "works", f"stated by {', '.join(kg.profile.types)}: {shown}")
    yield _of_labels(kg)
    yield _of_search(kg)
    yield DiagnosticFinding("fingerprint", "works", kg.fingerprint())


def _of_labels(kg: KnowledgeGraph) -> DiagnosticFinding:
    profile = kg.profile
    if not profile.has_labels:
        return DiagnosticFinding("labels", "fails", "none at all: things are called by the local names of their IRIs")
    own = f" and one of its own for {len(profile.type_labels)} classes" if profile.type_labels else ""
    languages = ", ".join(tag or "no language" for tag in profile.languages)
    return DiagnosticFinding(
        "labels", "works", f"{', '.join(profile.labels) or 'none for all'}{own}; languages: {languages}"
    )


def _of_search(kg: KnowledgeGraph) -> DiagnosticFinding:
    """Search for the name of something that the KG holds."""
    types = kg.types()
    found = kg.entities(types[0].iri, limit=1) if types else ()
    if not found:
        return DiagnosticFinding("search", "differs", "nothing to search for")
    name = kg.label(found[0])
    kg.search([name])  # an index may be made first
    began = time.perf_counter()
    hits = kg.search([name])[name]
    took = f"{1000 * (time.perf_counter() - began):.0f} ms"
    way = _way(kg.endpoint, kg)
    if not any(hit.iri == str(found[0]) for hit in hits):
        return DiagnosticFinding("search", "fails", f"{way}; {name!r} is not found by its name")
    return DiagnosticFinding("search", "works", f"{way}; a name takes {took}")


def _way(endpoint: Endpoint, kg: KnowledgeGraph) -> str:
    if not isinstance(endpoint, RemoteEndpoint):
        return "by an index of our own"
    index = detect_dialect(endpoint, kg.profile.labels).name
    own = "no text index" if index == "plain" else f"text index of {index}"
    return f"{own}; names by an index of our own" if kg.is_indexed else own

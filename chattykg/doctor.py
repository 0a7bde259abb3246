"""Endpoint diagnostics: what works on a SPARQL endpoint and what does not, and how its KG is read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from random import Random
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
from chattyshared.text import Column, render_rows

HEAVY_QUERY_SECONDS = 30.0
"""The most seconds of the one query that would never end, which probes the timeout."""
_MAX_SHOWN = 4
"""Named graphs, and classes, that are listed."""
_MARKS = {"works": " ", "differs": "~", "fails": "!"}


@dataclass(frozen=True, slots=True)
class DiagnosticReport:
    """The findings about the server (none for files) and the graph, and the profile (None if the KG is unreadable)."""

    name: str
    server: tuple[DiagnosticFinding, ...] = ()
    graph: tuple[DiagnosticFinding, ...] = ()
    profile: Profile | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the findings as one object, without the profile."""
        return {
            "name": self.name,
            "server": [asdict(finding) for finding in self.server],
            "graph": [asdict(finding) for finding in self.graph],
        }


def examine_server(
    remote: RemoteEndpoint, options: ConnectionOptions, *, on_progress: Callable[[str], None] = lambda _: None
) -> DiagnosticReport:
    """Examine a server and its KG; the last query runs up to ``HEAVY_QUERY_SECONDS``.

    ``on_progress`` receives the name of each step. If the server stops answering later on, that is a finding too.

    Raises:
        EndpointUnavailable: the server does not answer from the start.
    """
    findings: list[DiagnosticFinding] = []
    try:
        for finding in _server_findings(remote, options):
            on_progress(finding.name)
            findings.append(finding)
        on_progress("graph")
        graph, profile = _examine_graph(remote)
    except EndpointUnavailable as error:
        if not findings:
            raise
        gone = DiagnosticFinding("availability", "fails", f"behind {findings[-1].name!r}: {_message(remote, error)}")
        return DiagnosticReport(remote.name, (*findings, gone))
    on_progress("timeout")
    return DiagnosticReport(remote.name, (*findings, _probe_timeout(remote, options)), graph, profile)


def _examine_graph(remote: RemoteEndpoint) -> tuple[tuple[DiagnosticFinding, ...], Profile | None]:
    try:
        graph = KnowledgeGraph(remote, use_index=False)
        return tuple(_graph_findings(graph)), graph.profile
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return (DiagnosticFinding("graph", "fails", f"cannot be read: {_message(remote, error)}"),), None


def _probe_timeout(remote: RemoteEndpoint, options: ConnectionOptions) -> DiagnosticFinding:
    try:
        return capabilities.probe_timeout(remote, min(HEAVY_QUERY_SECONDS, options.timeout or HEAVY_QUERY_SECONDS))
    except EndpointUnavailable as error:
        blocked = "one heavy query blocks it, even after we have given up on that"
        return DiagnosticFinding("timeout", "fails", f"{blocked} ({_message(remote, error)})")


def _message(remote: RemoteEndpoint, error: EndpointError) -> str:
    return str(error).removeprefix(f"{remote.name}: ")


def examine_files(kg: KnowledgeGraph) -> DiagnosticReport:
    """Examine a KG in files, without a server."""
    return DiagnosticReport(kg.name, (), tuple(_graph_findings(kg)), kg.profile)


def render_report(report: DiagnosticReport) -> Iterator[str]:
    """Yield the lines of the report: the findings about the server and the graph."""
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
    if any(finding.state != "works" for finding in (*report.server, *report.graph)):
        yield "\n~ differs from the standard, and is dealt with   ! does not work"


def _server_findings(remote: RemoteEndpoint, options: ConnectionOptions) -> Iterator[DiagnosticFinding]:
    yield DiagnosticFinding("answers in", "works", _response_time(remote))
    yield DiagnosticFinding("engine", "works", capabilities.identify_engine(remote))
    yield _describe_service(remote)
    yield DiagnosticFinding("access", "works", remote.authentication)
    if not options.contact:
        yield DiagnosticFinding(
            "contact", "works", "none is named: owners of public endpoints ask for one (--set contact=)"
        )
    yield _list_named_graphs(remote)
    yield from capabilities.probe_features(remote)
    for name, probe in (
        ("ask", capabilities.probe_ask),
        ("rows", capabilities.probe_row_limit),
        ("paging", capabilities.probe_pagination),
        ("size", capabilities.probe_query_length),
    ):
        yield _run_probe(remote, name, probe)


def _run_probe(
    remote: RemoteEndpoint, name: str, probe: Callable[[RemoteEndpoint], DiagnosticFinding]
) -> DiagnosticFinding:
    try:
        return probe(remote)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding(name, "fails", _message(remote, error))


def _response_time(remote: RemoteEndpoint) -> str:
    milliseconds = []
    for _ in range(5):
        started = time.perf_counter()
        remote.ask("ASK { ?s ?p ?o }")
        milliseconds.append(1000 * (time.perf_counter() - started))
    return f"{median(milliseconds):.1f} ms (ASK, median of 5)"


def _describe_service(remote: RemoteEndpoint) -> DiagnosticFinding:
    statements = capabilities.read_service_description(remote)
    if not statements:
        return DiagnosticFinding("description", "works", "it gives no description of itself")
    parts = []
    for name, predicate in (("features", "feature"), ("languages", "supportedLanguage")):
        if values := sorted(
            {
                value.rpartition("#")[2]
                for key, value in statements
                if key == capabilities.SERVICE_DESCRIPTION + predicate
            }
        ):
            parts.append(f"{name} {', '.join(values)}")
    return DiagnosticFinding("description", "works", "; ".join(parts) or f"{len(statements)} triples")


def _list_named_graphs(remote: RemoteEndpoint) -> DiagnosticFinding:
    try:
        graphs = capabilities.list_graphs(remote)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding("named graphs", "differs", f"not told: {_message(remote, error)[:120]}")
    if not graphs:
        return DiagnosticFinding("named graphs", "works", "none")
    shown = ", ".join(f"{name} ({size:,} triples)" for name, size in graphs[:_MAX_SHOWN])
    more = f" and {len(graphs) - _MAX_SHOWN} more" if len(graphs) > _MAX_SHOWN else ""
    return DiagnosticFinding("named graphs", "works", f"{shown}{more}")


def _graph_findings(kg: KnowledgeGraph) -> Iterator[DiagnosticFinding]:
    types = kg.types()
    predicate_count = len(kg.vocabulary.predicates)
    yield DiagnosticFinding(
        "triples", "works", f"{kg.count_triples():,}; {predicate_count} predicates, {len(types)} classes"
    )
    if not types:
        yield DiagnosticFinding(
            "classes", "fails", "nothing has a class: questions cannot say what kind of thing they mean"
        )
    else:
        shown = ", ".join(f"{entity_class.label} ({entity_class.count:,})" for entity_class in types[:_MAX_SHOWN])
        yield DiagnosticFinding("classes", "works", f"stated by {', '.join(kg.profile.types)}: {shown}")
    yield _describe_labels(kg)
    yield _try_search(kg)
    yield DiagnosticFinding("fingerprint", "works", kg.fingerprint())


def _describe_labels(kg: KnowledgeGraph) -> DiagnosticFinding:
    profile = kg.profile
    if not profile.has_labels:
        return DiagnosticFinding("labels", "fails", "none at all: things are called by the local names of their IRIs")
    own = f" and one of its own for {len(profile.type_labels)} classes" if profile.type_labels else ""
    languages = ", ".join(tag or "no language" for tag in profile.languages)
    return DiagnosticFinding(
        "labels", "works", f"{', '.join(profile.labels) or 'none for all'}{own}; languages: {languages}"
    )


def _try_search(kg: KnowledgeGraph) -> DiagnosticFinding:
    """Search for the label of an entity of the KG."""
    types = kg.types()
    entities = kg.sample_entities(types[0].iri, rng=Random(0), limit=1) if types else ()
    if not entities:
        return DiagnosticFinding("search", "differs", "nothing to search for")
    name = kg.label(entities[0])
    kg.search([name])  # the first search may build an index
    started = time.perf_counter()
    hits = kg.search([name])[name]
    duration = f"{1000 * (time.perf_counter() - started):.0f} ms"
    method = _search_method(kg.endpoint, kg)
    if not any(hit.iri == str(entities[0]) for hit in hits):
        return DiagnosticFinding("search", "fails", f"{method}; {name!r} is not found by its name")
    return DiagnosticFinding("search", "works", f"{method}; a name takes {duration}")


def _search_method(endpoint: Endpoint, kg: KnowledgeGraph) -> str:
    if not isinstance(endpoint, RemoteEndpoint):
        return "by an index of our own"
    index = detect_dialect(endpoint, kg.profile.labels).name
    own = "no text index" if index == "plain" else f"text index of {index}"
    return f"{own}; names by an index of our own" if kg.is_indexed else own

"""Capabilities and limits of a SPARQL server, found by probing queries, most of which need no data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import shorten
from typing import Literal as Choice

import pyoxigraph as ox

from chattyshared.endpoint.error_mapping import EndpointFailure, parse_response
from chattyshared.endpoint.paging import rows_query
from chattyshared.endpoint.rdf_files import MAX_PLAIN_BYTES
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import EndpointError, EndpointTimeout, EndpointUnavailable, ResultUnreadable
from chattyshared.literals import read_count

FindingState = Choice["works", "differs", "fails"]
FEATURES = (
    ("aggregates", "SELECT (COUNT(*) AS ?x) { VALUES ?y { 1 2 } }", "2"),
    ("GROUP BY, HAVING", "SELECT ?y (SUM(?z) AS ?x) { VALUES (?y ?z) { (1 2) (1 3) (2 9) } } GROUP BY ?y "
     "HAVING (COUNT(*) > 1)", "5"),
    ("subqueries", "SELECT ?x { { SELECT (MAX(?y) AS ?x) { VALUES ?y { 1 7 } } } }", "7"),
    ("VALUES", "SELECT ?x { VALUES (?x ?y) { (1 2) (3 4) } FILTER(?y = 4) }", "3"),
    ("BIND, IF", "SELECT ?x { BIND(IF(1 < 2, 8, 9) AS ?x) }", "8"),
    ("FILTER NOT EXISTS", "SELECT ?x { VALUES ?x { 1 2 } FILTER NOT EXISTS { VALUES ?x { 1 } } }", "2"),
    ("MINUS", "SELECT ?x { VALUES ?x { 1 2 } MINUS { VALUES ?x { 2 } } }", "1"),
    ("UNION, ORDER BY", "SELECT ?x { { BIND(2 AS ?x) } UNION { BIND(1 AS ?x) } } ORDER BY ?x LIMIT 1", "1"),
    ("REGEX, REPLACE", 'SELECT ?x { BIND(REPLACE("abc", "b", "") AS ?x) FILTER(REGEX(?x, "^A", "i")) }', "ac"),
    ("MD5", 'SELECT (MD5("a") AS ?x) {}', "0cc175b9c0f1b6a831c399e269772661"),
    ("languages", 'SELECT (LANG("a"@en) AS ?x) {}', "en"),
    ("characters beyond ASCII", 'SELECT (STRLEN("né𝄞") AS ?x) {}', "3"),
    ("errors leave variables unbound", "SELECT (COALESCE(1 / 0, 5) AS ?x) {}", "5"),
    ("property paths", "SELECT ?x { { SELECT ?s { ?s !<urn:chatty:none>/^!<urn:chatty:none> ?o } LIMIT 1 } "
     "BIND(6 AS ?x) }", "6"),
)  # fmt: skip
"""Features of SPARQL 1.1 that both products rely on: name, query, value of ``?x`` in its single row."""
VENDORS = (
    ("Virtuoso", "SELECT (<bif:sys_stat>('st_dbms_ver') AS ?x) {}"),
    ("Apache Jena", "SELECT (<http://jena.apache.org/ARQ/function#version>() AS ?x) {}"),
    ("Blazegraph", "SELECT (<http://www.bigdata.com/rdf#version>() AS ?x) {}"),
)
"""Functions that only one engine has: engine, query."""
MAX_PROBED_ROWS = 100_000
"""Rows that a server is asked for to find its row limit."""
SERVICE_DESCRIPTION = "http://www.w3.org/ns/sparql-service-description#"


@dataclass(frozen=True, slots=True)
class DiagnosticFinding:
    """The result of one probe: its name, its state, and a sentence."""

    name: str
    state: FindingState
    said: str


def _server_message(remote: RemoteEndpoint, error: EndpointError) -> str:
    """Return a server's message on one line, without our query, which some servers repeat."""
    message = str(error).removeprefix(f"{remote.name}: ").partition(" SPARQL query:")[0]
    return shorten(message, 120, placeholder=" ...")


def identify_engine(remote: RemoteEndpoint) -> str:
    """Return the name and version of the engine, from the HTTP header and from functions that only one engine has."""
    header = remote.server
    for name, query in VENDORS:
        try:
            rows = remote.select(query)
        except EndpointUnavailable:
            raise
        except EndpointError:
            continue
        if len(rows) == 1 and str(rows[0].get("x", "")):
            version = str(rows[0]["x"])
            if version in header and header.startswith(name):
                return header.strip().replace("/", " ", 1)
            return f"{name} {version}" + (f" ({header.strip()})" if header else "")
    return header.strip() or "does not say its name"


def read_service_description(remote: RemoteEndpoint) -> tuple[tuple[str, str], ...]:
    """Return the server's description of itself as pairs of predicate and object; empty without one of a usual size.

    The vocabulary is SPARQL 1.1 Service Description (``SERVICE_DESCRIPTION``).
    """
    try:
        body = remote.fetch_service_description().body
        quads = (
            ox.parse(body, ox.RdfFormat.TURTLE, base_iri="http://example.org/") if len(body) <= MAX_PLAIN_BYTES else ()
        )
        return tuple((quad.predicate.value, remote.redact(str(getattr(quad.object, "value", "")))) for quad in quads)
    except (EndpointError, ValueError, SyntaxError):
        return ()


def list_graphs(remote: RemoteEndpoint, *, max_graphs: int = 1000) -> tuple[tuple[str, int], ...]:
    """Return the named graphs with their numbers of triples, the largest first.

    Raises:
        EndpointError: the server does not answer, or not in time.
    """
    query = f"SELECT ?g (COUNT(*) AS ?n) {{ GRAPH ?g {{ ?s ?p ?o }} }} GROUP BY ?g LIMIT {max_graphs}"
    rows = remote.select(query)
    # Without named graphs, rdflib returns one row without a name.
    graphs = ((str(row["g"]), read_count(row["n"])) for row in rows if "g" in row and "n" in row)
    return tuple(sorted(graphs, key=lambda pair: (-pair[1], pair[0])))


def probe_features(remote: RemoteEndpoint) -> Iterator[DiagnosticFinding]:
    """Probe the features that both products rely on, one small query each."""
    for name, query, expected in FEATURES:
        try:
            rows = remote.select(query)
        except EndpointUnavailable:
            raise
        except EndpointError as error:
            yield DiagnosticFinding(name, "fails", _server_message(remote, error))
            continue
        values = [str(row.get("x", "")) for row in rows]
        state: FindingState = "works" if values == [expected] else "differs"
        yield DiagnosticFinding(name, state, "" if state == "works" else f"gives {values or 'nothing'}, not {expected}")


def probe_ask(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Probe the form in which a server answers ASK."""
    body = remote.fetch_response("ASK { VALUES ?x { 1 } FILTER(?x = 2) }", "ASK").body
    if b'"boolean"' in body:
        return DiagnosticFinding("ASK", "works", "answers by a truth value")
    return DiagnosticFinding("ASK", "differs", "answers by a table; it is read as the truth value that it means")


def probe_row_limit(remote: RemoteEndpoint, *, max_rows: int = MAX_PROBED_ROWS) -> DiagnosticFinding:
    """Find the row limit of a server, with a query that needs no data."""
    query = rows_query(max_rows)
    try:
        rows = parse_response(remote.fetch_response(query), query, redact=remote.redact)
        row_count = 0 if isinstance(rows, bool) else len(rows)
    except EndpointFailure as failure:
        if failure.row_limit:
            return DiagnosticFinding(
                "most rows", "differs", f"{failure.row_limit:,}; it says so, and is asked for pages of that size"
            )
        return DiagnosticFinding("most rows", "fails", failure.message)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding("most rows", "fails", str(error).removeprefix(f"{remote.name}: "))
    if row_count < max_rows:
        return DiagnosticFinding(
            "most rows", "differs", f"{row_count:,}, cut without a word; it is asked for pages of that size"
        )
    return DiagnosticFinding("most rows", "works", f"{max_rows:,} and perhaps more")


def probe_timeout(remote: RemoteEndpoint, seconds: float) -> DiagnosticFinding:
    """Find how a server ends an endless query, with one request of at most ``seconds`` seconds."""
    start = time.monotonic()
    try:
        rows = remote.select("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }")
    except EndpointTimeout as error:
        elapsed = time.monotonic() - start
        message = str(error).removeprefix(f"{remote.name}: ")
        if elapsed < 0.95 * seconds:
            return DiagnosticFinding(
                "timeout", "works", f"it gives up after {elapsed:.0f} s, and says so ({message[:80]})"
            )
        return DiagnosticFinding(
            "timeout", "works", f"no limit of its own within {seconds:g} s: we end the query ourselves"
        )
    except ResultUnreadable as error:
        return DiagnosticFinding("timeout", "fails", str(error).removeprefix(f"{remote.name}: "))
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding("timeout", "differs", f"refused: {str(error).removeprefix(f'{remote.name}: ')[:120]}")
    elapsed = time.monotonic() - start
    if not rows or not str(rows[0].get("n", "")):
        return DiagnosticFinding(
            "timeout", "fails", f"an empty answer after {elapsed:.0f} s: it would pass for the truth"
        )
    return DiagnosticFinding("timeout", "works", f"not found: the query took {elapsed:.1f} s")


def probe_pagination(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Compare pages of subjects with the same rows in one answer, and request a page far down a sorted answer."""
    query = "SELECT DISTINCT ?s WHERE { ?s ?p ?o }"
    expected = [row["s"] for row in remote.select(f"{query} LIMIT 30")]
    pages = [row["s"] for offset in (0, 10, 20) for row in remote.select(f"{query} LIMIT 10 OFFSET {offset}")]
    if expected != pages:
        same = "the same rows in another order" if set(expected) == set(pages) else "other rows"
        return DiagnosticFinding("paging", "differs", f"pages without ORDER BY hold {same} than one answer")
    try:
        remote.select("SELECT ?s WHERE { ?s ?p ?o } ORDER BY ?s LIMIT 10 OFFSET 20000")
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        message = _server_message(remote, error)
        return DiagnosticFinding("paging", "differs", f"OFFSET works, but not far down a sorted answer ({message})")
    return DiagnosticFinding("paging", "works", "OFFSET keeps its order, sorted or not")


def probe_query_length(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Send a query with a thousand IRIs, which is too long for a URL and must be posted."""
    iris = " ".join(f"<http://example.org/chatty/{number}>" for number in range(1000))
    try:
        remote.ask(f"ASK {{ VALUES ?s {{ {iris} }} ?s ?p ?o }}")
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return DiagnosticFinding("long queries", "fails", str(error).removeprefix(f"{remote.name}: ")[:160])
    return DiagnosticFinding("long queries", "works", "1,000 terms in one query, by POST")

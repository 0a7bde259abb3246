"""Capabilities and limits of a SPARQL server, found by probing queries, most of which need no data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from textwrap import shorten
from typing import Literal as Choice
from typing import TypeVar

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


T = TypeVar("T")


def _attempt(action: Callable[[], T]) -> T | EndpointError:
    """Return the result of an action, or its error.

    Raises:
        EndpointUnavailable: the server does not answer at all.
    """
    try:
        return action()
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return error


def _message(remote: RemoteEndpoint, error: EndpointError) -> str:
    """Return a server's message on one line, without our query, which some servers repeat."""
    message = str(error).removeprefix(f"{remote.name}: ").partition(" SPARQL query:")[0]
    return shorten(message, 120, placeholder=" ...")


def identify_engine(remote: RemoteEndpoint) -> str:
    """Return the name and version of the engine, from the HTTP header and from functions that only one engine has."""
    header = remote.server
    for name, query in VENDORS:
        rows = _attempt(partial(remote.select, query))
        version = str(rows[0].get("x", "")) if isinstance(rows, list) and len(rows) == 1 else ""
        if version and version in header and header.startswith(name):
            return header.strip().replace("/", " ", 1)
        if version:
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
        rows = _attempt(partial(remote.select, query))
        if isinstance(rows, EndpointError):
            yield DiagnosticFinding(name, "fails", _message(remote, rows))
            continue
        values = [str(row.get("x", "")) for row in rows]
        said = "" if values == [expected] else f"gives {values or 'nothing'}, not {expected}"
        yield DiagnosticFinding(name, "differs" if said else "works", said)


def probe_ask(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Probe the form in which a server answers ASK."""
    body = remote.fetch_response("ASK { VALUES ?x { 1 } FILTER(?x = 2) }", "ASK").body
    if b'"boolean"' in body:
        return DiagnosticFinding("ASK", "works", "answers by a truth value")
    return DiagnosticFinding("ASK", "differs", "answers by a table; it is read as the truth value that it means")


def probe_row_limit(remote: RemoteEndpoint, *, max_rows: int = MAX_PROBED_ROWS) -> DiagnosticFinding:
    """Find the row limit of a server, with a query that needs no data."""
    query = rows_query(max_rows)
    response = _attempt(partial(remote.fetch_response, query))
    if isinstance(response, EndpointError):
        return DiagnosticFinding("most rows", "fails", _message(remote, response))
    try:
        rows = parse_response(response, query, redact=remote.redact)
    except EndpointFailure as failure:
        if not failure.row_limit:
            return DiagnosticFinding("most rows", "fails", failure.message)
        said = f"{failure.row_limit:,}; it says so, and is asked for pages of that size"
        return DiagnosticFinding("most rows", "differs", said)
    if isinstance(rows, bool) or len(rows) < max_rows:
        said = f"{len(rows) if isinstance(rows, list) else 0:,}, cut without a word; it is asked for pages of that size"
        return DiagnosticFinding("most rows", "differs", said)
    return DiagnosticFinding("most rows", "works", f"{max_rows:,} and perhaps more")


def probe_timeout(remote: RemoteEndpoint, seconds: float) -> DiagnosticFinding:
    """Find how a server ends an endless query, with one request of at most ``seconds`` seconds."""
    start = time.monotonic()
    rows = _attempt(partial(remote.select, "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"))
    elapsed = time.monotonic() - start
    state: FindingState = "works"
    if isinstance(rows, EndpointTimeout):
        said = f"no limit of its own within {seconds:g} s: we end the query ourselves"
        if elapsed < 0.95 * seconds:
            said = f"it gives up after {elapsed:.0f} s, and says so ({_message(remote, rows)[:80]})"
    elif isinstance(rows, EndpointError):
        state = "fails" if isinstance(rows, ResultUnreadable) else "differs"
        said = f"{'refused: ' if state == 'differs' else ''}{_message(remote, rows)}"
    elif not rows or not str(rows[0].get("n", "")):
        state, said = "fails", f"an empty answer after {elapsed:.0f} s: it would pass for the truth"
    else:
        said = f"not found: the query took {elapsed:.1f} s"
    return DiagnosticFinding("timeout", state, said)


def probe_pagination(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Compare pages of subjects with the same rows in one answer, and request a page far down a sorted answer."""
    query = "SELECT DISTINCT ?s WHERE { ?s ?p ?o }"
    expected = [row["s"] for row in remote.select(f"{query} LIMIT 30")]
    pages = [row["s"] for offset in (0, 10, 20) for row in remote.select(f"{query} LIMIT 10 OFFSET {offset}")]
    if expected != pages:
        same = "the same rows in another order" if set(expected) == set(pages) else "other rows"
        return DiagnosticFinding("paging", "differs", f"pages without ORDER BY hold {same} than one answer")
    page = _attempt(partial(remote.select, "SELECT ?s WHERE { ?s ?p ?o } ORDER BY ?s LIMIT 10 OFFSET 20000"))
    if isinstance(page, EndpointError):
        said = f"OFFSET works, but not far down a sorted answer ({_message(remote, page)})"
        return DiagnosticFinding("paging", "differs", said)
    return DiagnosticFinding("paging", "works", "OFFSET keeps its order, sorted or not")


def probe_query_length(remote: RemoteEndpoint) -> DiagnosticFinding:
    """Send a query with a thousand IRIs, which is too long for a URL and must be posted."""
    iris = " ".join(f"<http://example.org/chatty/{number}>" for number in range(1000))
    truth = _attempt(partial(remote.ask, f"ASK {{ VALUES ?s {{ {iris} }} ?s ?p ?o }}"))
    if isinstance(truth, EndpointError):
        return DiagnosticFinding("long queries", "fails", _message(remote, truth))
    return DiagnosticFinding("long queries", "works", "1,000 terms in one query, by POST")

"""A real Virtuoso, where Debian's packages are installed: the same answers as the files', and its habits."""

import importlib.resources
from random import Random

import pytest
from chattyshared.endpoint import capabilities
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import ConfigError, EndpointTimeout, QueryRejected, ResultCut
from chattyshared.kg import KnowledgeGraph
from wire.virtuoso import GRAPH, Virtuoso, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}")
ROWS = 500


@pytest.fixture(scope="module")
def demo():
    with importlib.resources.as_file(importlib.resources.files("chattydata") / "demo.ttl") as path:
        yield path


@pytest.fixture(scope="module")
def store(demo):
    with Virtuoso([demo], full_text=True, rows=ROWS) as running:
        yield running


@pytest.fixture
def endpoint(store):
    return RemoteEndpoint(f"{store.url}?default-graph-uri={GRAPH}", timeout=20, retries=1)


def test_truth_is_read_off_a_table(endpoint):
    said = endpoint.fetch_response("ASK { ?s ?p ?o }", "ASK").body
    assert b"__ASK_RETVAL" in said and b'"boolean"' not in said
    assert capabilities.probe_ask(endpoint).state == "differs"
    assert (endpoint.ask("ASK { ?s ?p ?o }"), endpoint.ask("ASK { <http://e/none> ?p ?o }")) == (True, False)


@pytest.mark.parametrize("limit", ["", " LIMIT 5000"])
def test_cut_rows_are_asked_for_in_pages(demo, endpoint, limit):
    found = endpoint.select(f"SELECT ?s ?p ?o WHERE {{ ?s ?p ?o }}{limit}")
    assert len(found) == LocalEndpoint([demo]).triple_count == len({tuple(row.values()) for row in found}) > 5 * ROWS


def test_cut_rows_without_pages_are_an_error(endpoint):
    with pytest.raises(ResultCut, match=f"the server cut the answer at {ROWS} rows"):
        endpoint.select("SELECT ?s WHERE { ?s ?p ?o } # everything")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 10 OFFSET 200000",
        "SELECT ?x { ?y <http://e/p>* ?x }",
        f"ASK {{ VALUES ?x {{ {' '.join(f'<http://e/{number}>' for number in range(12_000))} }} ?x ?p ?o }}",
        "SELECT ?s WHERE { ?s ?p }",
        "SELECT (1 / 0 AS ?x) {}",
    ],
    ids=["sorted OFFSET", "free path", "12,000 VALUES", "syntax", "division by zero"],
)
def test_what_it_does_not_take_is_rejected_with_its_words(endpoint, query):
    with pytest.raises(QueryRejected, match="Virtuoso|Too many|SP0"):
        (endpoint.ask if query.startswith("ASK") else endpoint.select)(query)
    assert endpoint.ask("ASK {}")


HEAVY = "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . FILTER(STR(?c) < STR(?i)) }"


@pytest.mark.parametrize(
    "query", [f"SELECT (COUNT(*) AS ?n) {HEAVY}", f"SELECT ?a (COUNT(*) AS ?n) {HEAVY} GROUP BY ?a"]
)
def test_its_own_limit_of_time_is_told_by_a_header_alone(store, query):
    endpoint = RemoteEndpoint(f"{store.url}?default-graph-uri={GRAPH}&timeout=1000", timeout=30)
    assert endpoint.fetch_response(query).headers["X-SQL-State"] == "S1TAT"  # with status 200, and some rows or none
    with pytest.raises(EndpointTimeout, match="the server gave up at its time limit|longer than timeout=1000"):
        endpoint.select(query)


def test_rows_that_it_has_when_the_time_is_up_come_without_any_sign(store):
    query = "SELECT ?a ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . FILTER(STR(?c) < STR(?f) && STRLEN(STR(?c)) > 150) }"
    query = query.replace("?f) &&", "?f) && STR(?f) < STR(?i) &&")
    endpoint = RemoteEndpoint(f"{store.url}?default-graph-uri={GRAPH}&timeout=1000", timeout=30)
    reply = endpoint.fetch_response(query)
    assert reply.body.count(b'"a"') > 1 and "X-SQL-State" not in reply.headers
    with pytest.raises(EndpointTimeout, match="took longer than timeout=1000 in the address, and need not be whole"):
        endpoint.select(query)
    assert endpoint.select("SELECT ?s { ?s ?p ?o } LIMIT 3")


def test_its_limit_of_execution_time_is_an_error_with_its_words(demo):
    with Virtuoso([demo], seconds=2) as strict:
        endpoint = RemoteEndpoint(f"{strict.url}?default-graph-uri={GRAPH}", timeout=60)
        with pytest.raises(EndpointTimeout, match="HTTP 500: Virtuoso S1T00 Error SR171: Transaction timed out"):
            endpoint.select(f"SELECT (COUNT(*) AS ?n) {HEAVY}")
        assert endpoint.ask("ASK { ?s ?p ?o }")


def test_literals_in_the_old_spelling(demo, endpoint):
    query = "SELECT DISTINCT ?o { ?s ?p ?o FILTER(DATATYPE(?o) = <http://www.w3.org/2001/XMLSchema#date>) } ORDER BY ?o"
    assert b'"type": "typed-literal"' in endpoint.fetch_response(query).body
    assert endpoint.select(query) == LocalEndpoint([demo]).select(query) != []


def test_rand_is_one_number_for_the_whole_query_so_that_draws_are_ours(demo, endpoint):
    shuffled = "SELECT ?s { ?s ?p ?o } ORDER BY RAND() LIMIT 20"
    assert endpoint.select(shuffled) == endpoint.select(shuffled)
    kg, local = KnowledgeGraph(endpoint, use_index=False), KnowledgeGraph(LocalEndpoint([demo]))
    kind = max(kg.types(), key=lambda one: one.count).iri
    draws = [kg.sample_entities(kind, rng=Random(seed), limit=8) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert draws[0] == local.sample_entities(kind, rng=Random(1), limit=8)


def test_a_text_with_a_language_has_no_datatype_and_is_a_literal_all_the_same(endpoint):
    rows = endpoint.select('SELECT ("a"@en AS ?x) (DATATYPE("a"@en) AS ?d) {}')
    assert "d" not in rows[0] and rows[0]["x"].language == "en"
    named = KnowledgeGraph(endpoint, use_index=False).vocabulary.predicates[
        "http://www.w3.org/2000/01/rdf-schema#label"
    ]
    assert (named.object_kind, [name.rpartition("#")[2] for name in named.datatypes]) == ("literal", ["langString"])


def test_digest(store):
    store.isql("DB.DBA.USER_CREATE('reader', 'a word')", "USER_GRANT_ROLE('reader', 'SPARQL_SELECT')")
    place = f"{store.url}-auth?default-graph-uri={GRAPH}"
    known = RemoteEndpoint(place, ConnectionOptions(credentials=Credentials("reader", "a word")))
    assert known.ask("ASK { ?s ?p ?o }") and known.select("SELECT ?s { ?s ?p ?o } LIMIT 1")
    assert known.authentication == "as reader (Digest)"
    with pytest.raises(ConfigError, match="HTTP 401"):
        RemoteEndpoint(place, ConnectionOptions(credentials=Credentials("reader", "another"))).check_available()


def test_the_doctor_knows_it(endpoint):
    assert capabilities.identify_engine(endpoint).startswith("Virtuoso 07")
    assert GRAPH in dict(capabilities.list_graphs(endpoint))
    failing = {one.name for one in capabilities.probe_features(endpoint) if one.state != "works"}
    assert failing == {"errors leave variables unbound"}
    assert capabilities.probe_row_limit(endpoint, max_rows=1000).said.startswith(f"{ROWS}; it says so")

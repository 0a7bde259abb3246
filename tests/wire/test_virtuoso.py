"""A real Virtuoso, where Debian's packages are installed: the same answers as the files', and its habits."""

import importlib.resources
from contextlib import ExitStack

import pytest
from chattyshared.endpoint import abilities
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.endpoint.reaching import Reach
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import ConfigError, EndpointTimeout, QueryRejected, ResultCut
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import Rules
from wire.virtuoso import GRAPH, Virtuoso, missing

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

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


def test_the_same_dialogues_as_from_files(demo, store, endpoint):
    """Twice, by an index of ours and by its own text search."""
    made = [
        [one.dialogue for one in generate(kg, Rules(RULEBOOK), Options(dialogues=4, turns=5))]
        for kg in (
            KnowledgeGraph(LocalEndpoint([demo])),
            KnowledgeGraph(endpoint, indexed=False),
            KnowledgeGraph(endpoint, indexed=False, index_up_to=0),
        )
    ]
    assert len(made[0]) == 4
    assert made[1] == made[0] and made[2] == made[0]


def test_truth_is_read_off_a_table(endpoint):
    assert abilities.of_ask(endpoint).state == "differs"
    assert (endpoint.ask("ASK { ?s ?p ?o }"), endpoint.ask("ASK { <http://e/none> ?p ?o }")) == (True, False)


@pytest.mark.parametrize("limit", ["", " LIMIT 5000"])
def test_cut_rows_are_asked_for_in_pages(demo, endpoint, limit):
    found = endpoint.select(f"SELECT ?s ?p ?o WHERE {{ ?s ?p ?o }}{limit}")
    assert len(found) == LocalEndpoint([demo]).triples == len({tuple(row.values()) for row in found}) > 5 * ROWS


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


@pytest.mark.parametrize("parameter", ["&timeout=1000", ""])
def test_what_takes_too_long_is_no_empty_answer(store, parameter):
    """By its own limit, which is told by a header alone, and by ours."""
    endpoint = RemoteEndpoint(f"{store.url}?default-graph-uri={GRAPH}{parameter}", timeout=3 if parameter else 1)
    with pytest.raises(EndpointTimeout):
        endpoint.select("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . FILTER(STR(?c) < STR(?i)) }")


def test_digest(store):
    store.isql("DB.DBA.USER_CREATE('reader', 'a word')", "USER_GRANT_ROLE('reader', 'SPARQL_SELECT')")
    place = f"{store.url}-auth?default-graph-uri={GRAPH}"
    known = RemoteEndpoint(place, Reach(credentials=Credentials("reader", "a word")))
    assert known.ask("ASK { ?s ?p ?o }") and known.select("SELECT ?s { ?s ?p ?o } LIMIT 1")
    assert known.access == "as reader (Digest)"
    with pytest.raises(ConfigError, match="HTTP 401"):
        RemoteEndpoint(place, Reach(credentials=Credentials("reader", "another"))).probe()


def test_the_doctor_knows_it(endpoint):
    assert abilities.engine(endpoint).startswith("Virtuoso 07")
    assert GRAPH in dict(abilities.graphs(endpoint))
    failing = {one.name for one in abilities.features(endpoint) if one.state != "works"}
    assert failing == {"errors leave variables unbound"}
    assert abilities.of_rows(endpoint, most=1000).said.startswith(f"{ROWS}; it says so")


def test_it_leaves_nothing_behind(demo):
    with ExitStack() as open_ones:
        store = open_ones.enter_context(Virtuoso([demo]))
        folder = store.folder
        assert folder.exists()
    assert not folder.exists()

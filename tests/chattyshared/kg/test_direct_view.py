"""A server's lists, label nodes and blank nodes with a name are asked for by paths, in the same requests."""

from __future__ import annotations

from collections import Counter

import pyoxigraph as ox
import pytest
from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.results import convert_solutions
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.direct_view import DirectView, find_anchored
from chattyshared.profile import Profile
from rdflib import URIRef

TURTLE = """@prefix : <urn:x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
:alpha a :Book ; rdfs:label "Alpha" ; :author [ a :Person ; rdfs:label "J. Smith" ; :age 40 ] .
:alpha :topics ( :t1 ( :t2 ) ) .
:beta a :Book ; rdfs:label "Beta" ; :author [ a :Person ; rdfs:label "J. Smith" ; :age 33 ] ; :topics :t1 , () .
:t1 a :Topic ; rdfs:label "Tides" . :t2 a :Topic ; xl:prefLabel [ xl:literalForm "Winds" ] .
"""


class Server:
    """A store that was not made direct, behind the protocol of an endpoint; blank nodes cannot be named."""

    name = "server"

    def __init__(self, turtle: str) -> None:
        self.queries: list[str] = []
        self._store = ox.Store()
        self._store.load(turtle.encode(), format=ox.RdfFormat.TURTLE)

    def select(self, query: str) -> list[Row]:
        self.queries.append(query)
        solutions = self._store.query(query)
        assert isinstance(solutions, ox.QuerySolutions)
        return list(convert_solutions(solutions))

    def ask(self, query: str) -> bool:
        self.queries.append(query)
        return bool(self._store.query(query))

    def untrusted_view(self) -> Endpoint:
        return self


@pytest.fixture
def server() -> Server:
    return Server(TURTLE)


@pytest.fixture
def kg(server: Server) -> KnowledgeGraph:
    return KnowledgeGraph(server, use_index=False)


def column(kg: KnowledgeGraph, query: str) -> list[str]:
    return sorted(str(next(iter(row.values()))) for row in kg.endpoint.select(query))


def test_members_stand_in_the_place_of_their_list(kg: KnowledgeGraph):
    assert column(kg, "SELECT ?o WHERE { <urn:x:alpha> <urn:x:topics> ?o }") == ["urn:x:t1", "urn:x:t2"]
    assert column(kg, "SELECT ?o WHERE { <urn:x:beta> <urn:x:topics> ?o }") == ["urn:x:t1"]
    assert column(kg, "SELECT (COUNT(?o) AS ?n) WHERE { ?s <urn:x:topics> ?o . ?s a <urn:x:Book> }") == ["3"]
    assert kg.endpoint.ask("ASK { <urn:x:alpha> <urn:x:topics> <urn:x:t2> }")
    assert column(kg, "SELECT ?s WHERE { ?s ?p <urn:x:t2> FILTER(isIRI(?s)) }") == ["urn:x:alpha"]
    assert kg.vocabulary.predicates["urn:x:topics"].ranges == ("urn:x:Topic",)


def test_a_label_that_is_a_node_names_its_thing(kg: KnowledgeGraph):
    assert kg.label(URIRef("urn:x:t2")) == "Winds"
    assert [hit.iri for hit in kg.search(["winds"])["winds"]] == ["urn:x:t2"]


def test_the_name_of_a_blank_node_comes_in_the_same_request(kg: KnowledgeGraph, server: Server):
    before = len(server.queries)
    rows = kg.endpoint.select("SELECT DISTINCT ?who WHERE { <urn:x:alpha> <urn:x:author> ?who } LIMIT 9")
    assert len(server.queries) == before + 1
    assert [str(row["who"]) for row in rows] == ["urn:blank:urn%3Ax%3Aalpha:%28%3Curn%3Ax%3Aauthor%3E%29:J.%20Smith"]
    assert kg.label(URIRef(str(rows[0]["who"]))) == "J. Smith"


def test_a_blank_node_is_found_again_over_its_path(kg: KnowledgeGraph):
    for book, age in (("alpha", "40"), ("beta", "33")):
        who = column(kg, f"SELECT ?who WHERE {{ <urn:x:{book}> <urn:x:author> ?who }}")[0]
        assert column(kg, f"SELECT ?age WHERE {{ <{who}> <urn:x:age> ?age }}") == [age]
        edges = kg.neighbourhoods([URIRef(who)], direction="out")[URIRef(who)]
        assert age in {str(edge.object) for edge in edges}


def test_what_was_found_before_tells_which_of_one_name_is_meant():
    anchored, other = "urn:blank:urn%3Ax%3Aa:p:Ann", "urn:blank:urn%3Ax%3Ab:p:Ann"
    assert find_anchored("urn:blank:::Ann", [anchored, "urn:x:a"]) == anchored
    assert find_anchored("urn:blank:::Ann", [anchored, other]) == "urn:blank:::Ann"
    assert find_anchored("urn:x:a", [anchored]) == "urn:x:a"


def test_a_graph_without_such_things_is_asked_as_it_is():
    server = Server('<urn:x:a> a <urn:x:C> ; <http://www.w3.org/2000/01/rdf-schema#label> "A" .')
    kg = KnowledgeGraph(server, use_index=False)
    assert kg.endpoint is server


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p",
        "SELECT ?o WHERE { ?s <urn:x:p> ?o FILTER(!isBlank(?o)) }",
        "PREFIX x: <urn:x:> SELECT DISTINCT ?s { ?s x:p ?a ; x:q 'it'@en , 5.5 OPTIONAL { ?s x:r [ x:p ?b ] } }",
        "SELECT ?s WHERE { ?s ^<urn:x:q>|(<urn:x:p>/<urn:x:q>*)+ ?o . FILTER(?o != -5 && (?o > 4 || isIRI(?s))) }",
        "SELECT ?s WHERE { VALUES (?s ?o) { (<urn:x:a> 5) (UNDEF UNDEF) } ?s <urn:x:p> ?o MINUS { ?s a <urn:x:C> } }",
        "SELECT ?s WHERE { { SELECT ?s (MAX(?o) AS ?m) WHERE { ?s <urn:x:p> ?o } GROUP BY ?s } FILTER(?m = 5) }",
        "ASK { ?s <urn:x:p> ?o FILTER NOT EXISTS { ?o <urn:x:p> ?s } }",
    ],
)
def test_queries_keep_their_results_where_nothing_is_indirect(query: str):
    turtle = "@prefix : <urn:x:> . :a :p 5 , :b ; :q 'it'@en , 5.5 . :b :p :a , 'x' ; :q :a ; :r [ :p 7 ] ."
    server = Server(turtle)
    path = "<urn:x:p>/(<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>)*"
    label = ("http://www.w3.org/2000/01/rdf-schema#label",)
    view = DirectView(server, Profile(labels=label, paths=(("urn:x:p", path),), blank_things=True))
    if query.startswith("ASK"):
        assert view.ask(query) == server.ask(query)
    else:
        rows = [Counter(frozenset(row.items()) for row in each.select(query)) for each in (view, server)]
        assert rows[0] == rows[1]

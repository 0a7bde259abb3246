"""What gold queries match, and when it is too much."""

import pytest
from chattyshared.kg.factory import open_kg
from rdflib import BNode, URIRef

from chattygen.snapshot.extraction import drop_unstable_nodes, match_query
from chattygen.snapshot.reproduction import TurnLeftOut

TEXT = "@prefix : <http://ex.org/> . :a :p [ :q 1 ] . :b :p [ :q 2 ] . :c :p :d ."
QUERY = "SELECT ?v WHERE { ?x <http://ex.org/p> ?n . ?n <http://ex.org/q> ?v FILTER(?v > 1) }"


def test_the_triples_of_all_matches_are_kept_with_their_blank_nodes(open_turtle):
    endpoint = open_turtle(TEXT).endpoint
    triples = set(match_query(endpoint, QUERY, limit=2))
    assert len(triples) == 4 and len({o for _, _, o in triples if isinstance(o, BNode)}) == 2
    assert drop_unstable_nodes(endpoint, triples) == triples


def test_more_matches_than_the_limit_are_too_large(open_turtle):
    with pytest.raises(TurnLeftOut, match="^its patterns have 2 matches$"):
        list(match_query(open_turtle(TEXT).endpoint, QUERY, limit=1))


def test_blank_nodes_of_a_server_are_left_out(sparql_server):
    endpoint = open_kg(sparql_server(TEXT).url).endpoint
    triples = [(row["s"], row["p"], row["o"]) for row in endpoint.select("SELECT * WHERE { ?s ?p ?o }")]
    assert [o for _, _, o in drop_unstable_nodes(endpoint, triples)] == [URIRef("http://ex.org/d")]

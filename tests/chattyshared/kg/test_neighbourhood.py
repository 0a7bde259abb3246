import pytest
from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef

R, V = "http://ex.org/r/", "http://ex.org/v#"
KOELN, GERMANY, ANNA = URIRef(R + "Koeln"), URIRef(R + "Germany"), URIRef(R + "Anna")


def told(edges):
    return [(e.predicate.removeprefix(V), e.label, e.direction, e.cardinality) for e in edges if V in e.predicate]


def test_both_directions_with_labels_types_and_cardinalities(places):
    edges = KnowledgeGraph(places).neighbourhoods([KOELN])[KOELN]
    assert told(edges) == [
        ("code", "COL-0001", "out", 1),
        ("country", "Germany", "out", 1),
        ("opened", "1880-10-15", "out", 1),
        ("population", "1080000", "out", 1),
        ("born", "Anna Álvarez", "in", 1),
        ("visited", "Anna Álvarez", "in", 1),
    ]
    assert [e.types for e in edges if e.far_end == GERMANY] == [(V + "Country",)]


def test_cardinality_counts_what_shares_near_end_predicate_and_direction(places):
    edges = KnowledgeGraph(places).neighbourhoods([ANNA], direction="out")[ANNA]
    assert [e.cardinality for e in edges if e.predicate == URIRef(V + "visited")] == [3, 3, 3]


def test_a_hub_stays_bounded_and_no_predicate_crowds_out_the_others(turtle):
    text = "".join(f":p{n} v:lives :hub . " for n in range(300)) + ":boss v:rules :hub . :hub v:name 'Hub' ."
    edges = KnowledgeGraph(turtle(text)).neighbourhoods([URIRef(R + "hub")], limit=20)[URIRef(R + "hub")]
    incoming = [(e.predicate.removeprefix(V), e.cardinality) for e in edges if e.direction == "in"]
    assert sorted(set(incoming)) == [("lives", 300), ("rules", 1)]
    assert len(incoming) == 11


def test_several_entities_at_once_are_each_as_by_itself(places, counting):
    counted = counting(places)
    kg = KnowledgeGraph(places)
    many = kg.with_endpoint(counted).neighbourhoods(
        [KOELN, GERMANY, ANNA, URIRef(R + "Nowhere"), URIRef("http://ex.org/a> b")]
    )
    assert counted.count == 2
    assert {entity: kg.neighbourhoods([entity])[entity] for entity in many} == many
    assert many[URIRef(R + "Nowhere")] == () == many[URIRef("http://ex.org/a> b")]


def test_a_hub_among_others_is_bounded_as_by_itself(turtle):
    text = (
        "".join(f":p{n} v:lives :hub . " for n in range(30))
        + ":boss v:rules :hub , :hamlet , :farm , :mill , :inn ; v:name 'Boss' . "
    )
    kg = KnowledgeGraph(turtle(text))
    hub, boss = URIRef(R + "hub"), URIRef(R + "boss")
    for limit in (4, 10, 31, 40):
        alone = {entity: kg.neighbourhoods([entity], limit=limit)[entity] for entity in (hub, boss)}
        assert kg.neighbourhoods([hub, boss], limit=limit) == alone
    assert len(kg.neighbourhoods([hub], limit=31)[hub]) == 31


def test_predicates_of_terms_in_one_request(places, counting):
    endpoint = counting(places)
    kg = KnowledgeGraph(places).with_endpoint(endpoint)
    found = kg.predicates_of([GERMANY, Literal("Always on"), URIRef(R + "Unknown")])
    assert found[GERMANY][-1] == (V + "country", "in", 1)
    assert found[Literal("Always on")] == ((V + "motto", "in", 1),)
    assert found[URIRef(R + "Unknown")] == ()
    assert endpoint.count == 1


@pytest.mark.parametrize("name", ["Koeln", "Unknown"])
def test_types_leave_metadata_out(places, name):
    kg = KnowledgeGraph(places)
    term = URIRef(R + name)
    assert kg.types_of([term, URIRef(V + "City")]) == {
        term: (V + "City",) if name == "Koeln" else (),
        URIRef(V + "City"): (),
    }

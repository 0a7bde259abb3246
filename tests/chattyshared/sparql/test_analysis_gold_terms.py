from chattyshared.sparql.analysis import parse_linked_terms, parse_query_terms
from rdflib import Literal, URIRef

PORT = "PREFIX h: <https://harbor.example/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "


def test_vertices_and_predicates_are_told_apart_from_types_texts_and_functions():
    found = parse_query_terms(
        PORT
        + "SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a h:Ship ; h:port h:Oslo, <https://harbor.example/Turku> ; "
        '<https://harbor.example/built> "1990-01-01"^^xsd:date . FILTER(xsd:integer(?l) > 3) # <urn:no:1>\n }'
    )
    assert found is not None
    assert found.vertices == {"https://harbor.example/Oslo", "https://harbor.example/Turku"}
    assert found.predicates == {"https://harbor.example/port", "https://harbor.example/built"}
    assert (found.triple_count, found.result_kind, found.is_ordered) == (4, "count", False)


def test_a_class_behind_rdf_type_is_no_vertex_and_a_variable_ends_it():
    rdf = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    found = parse_query_terms(f"SELECT ?s {{ ?s {rdf} <urn:c:Ship> . ?s a ?c . <urn:v:Oslo> <urn:p:has> ?s }}")
    assert found is not None and found.vertices == {"urn:v:Oslo"} and found.predicates == {"urn:p:has"}


def test_a_class_may_stand_behind_its_subclasses():
    rdfs = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
    found = parse_query_terms(rdfs + "SELECT ?x { ?x a/rdfs:subClassOf* <urn:c:Ship> . ?x <urn:p:port> <urn:v:Oslo> }")
    assert found is not None and found.vertices == {"urn:v:Oslo"} and found.predicates == {"urn:p:port"}


def test_tight_tokens_values_paths_and_order():
    found = parse_query_terms("SELECT ?x { VALUES ?y {<urn:v:1>} ?y <urn:p:1>/<urn:p:2>?x } ORDER BY ?x")
    assert found is not None
    assert (found.vertices, found.predicates, found.is_ordered) == ({"urn:v:1"}, {"urn:p:1", "urn:p:2"}, True)


def test_ask_and_grouped_counts():
    ask = parse_query_terms("ASK { <urn:a:1> <urn:p:1> <urn:a:2> }")
    grouped = parse_query_terms("SELECT ?x (COUNT(?y) AS ?n) { ?x <urn:p:1> ?y } GROUP BY ?x")
    assert ask is not None and ask.result_kind == "boolean"
    assert grouped is not None and grouped.result_kind == "other"


def test_what_is_no_query_names_nothing():
    assert (
        parse_query_terms("")
        is parse_query_terms("SELECT nothing")
        is parse_query_terms("DELETE WHERE { ?s ?p ?o }")
        is None
    )


def test_what_mentions_are_linked_to_stands_in_the_order_of_the_query():
    query = """PREFIX v: <urn:v:> SELECT ?x { <urn:b> v:owner ?x .
        ?x v:kind "red"@en ; v:colour "blue" ; v:of <urn:a>, <urn:b> ;
        v:instance <urn:Class> ; v:length "4"^^v:metres FILTER(?x != "green") }"""
    assert parse_linked_terms(query, ["urn:v:instance"]) == (
        URIRef("urn:b"), Literal("red"), Literal("blue"), URIRef("urn:a"),
    )  # fmt: skip
    assert parse_linked_terms("DESCRIBE <urn:a>") == ()

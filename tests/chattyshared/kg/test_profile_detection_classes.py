"""Which predicates state classes: ``rdf:type`` wherever it covers the things, else one that is named and used so."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from chattyshared.endpoint import Endpoint
from chattyshared.kg import KnowledgeGraph, profile_detection, schema_extraction
from chattyshared.kg.profile_detection import detect_profile, detect_profile_with_statistics
from chattyshared.kg.statistics import KGStatistics, measure_statistics
from chattyshared.profile import SUBCLASS_PREDICATES, TYPE_PREDICATES, Profile
from rdflib import URIRef
from water_graph import TYPED, waters

V = "http://ex.org/v#"
Q, P = "https://waters.example/entity/Q", "https://waters.example/prop/P"
Turtle = Callable[[str], Endpoint]


def found(endpoint: Endpoint) -> tuple[str, ...]:
    return profile_detection.find_class_predicates(endpoint, measure_statistics(endpoint)).types


def things(*said: str) -> str:
    """Return ten things, each with a maker, a year and what is said of every one (``%n`` is its number)."""
    line = f":t%n v:maker :m ; v:year 190%n ; {' ; '.join(said)} .\n"
    return "".join(line.replace("%n", str(n)) for n in range(10))


def test_labels_tell_what_opaque_predicates_state(turtle: Turtle, counting: Any):
    endpoint = counting(turtle(waters()))
    counts = measure_statistics(endpoint)
    before = endpoint.count
    profile = profile_detection.find_class_predicates(endpoint, counts)
    assert (profile.types, profile.subclasses) == ((P + "1",), (*SUBCLASS_PREDICATES, P + "2"))
    assert endpoint.count - before <= 4


def test_a_graph_that_rdf_type_covers_costs_no_request_and_keeps_it(turtle: Turtle, counting: Any):
    endpoint = counting(turtle(things("a v:Tool", "v:category :c1", "v:type :c2")))
    counts = measure_statistics(endpoint)
    assert profile_detection.find_class_predicates(endpoint, counts) == Profile()
    assert endpoint.count == 2


@pytest.mark.parametrize("name", ["instanceOf", "type", "kind", "category", "is_a", "hasClass"])
def test_names_of_predicates_tell_it_too(turtle: Turtle, name: str):
    assert found(turtle(things(f"v:{name} :Tool"))) == (V + name,)


@pytest.mark.parametrize(
    "said",
    ["v:fuelType :diesel", "v:genre :rock", 'v:type "tool"', "v:type :own%n", "v:category :a , :b , :c"],
    ids=["another kind of type", "no such name", "texts", "each its own", "many of each"],
)
def test_what_is_not_used_like_a_class_is_none(turtle: Turtle, said: str):
    assert found(turtle(things(said))) == TYPE_PREDICATES


def test_a_type_that_few_things_have_is_a_fact_of_those(turtle: Turtle):
    engines = "".join(f":e{n} v:type :diesel .\n" for n in range(3))
    assert found(turtle(things("v:color :red") + engines)) == TYPE_PREDICATES


def test_things_beside_classes_of_the_schema_alone_count_as_untyped(turtle: Turtle):
    schema = "v:Tool a owl:Class . v:maker a owl:ObjectProperty . "
    assert found(turtle(schema + things("v:kind v:Tool"))) == (V + "kind",)


def test_the_best_named_of_several_is_taken(turtle: Turtle):
    assert found(turtle(things("v:category :c", "v:instanceOf :Tool"))) == (V + "instanceOf",)


def test_classes_are_counted_named_and_ordered_as_if_rdf_had_stated_them(turtle: Turtle):
    own, typed = KnowledgeGraph(turtle(waters())), KnowledgeGraph(turtle(TYPED))
    assert own.types() == typed.types()
    assert {t.label: t.count for t in own.types()}["canal"] == 4
    assert own.vocabulary.classes == typed.vocabulary.classes
    river = own.vocabulary.superclasses(Q + "101")
    assert river == {Q + "101", Q + "100"}
    flows = own.vocabulary.predicates[P + "3"]
    assert flows == typed.vocabulary.predicates[P + "3"] and flows.ranges == (Q + "103",)
    assert own.sample_entities(Q + "102", rng=Random(0), limit=9) == typed.sample_entities(
        Q + "102", rng=Random(0), limit=9
    )
    assert own.types_of([URIRef(Q + "500")]) == {URIRef(Q + "500"): (Q + "101",)}
    assert own.search(["Ammel"])["Ammel"][0].types == (Q + "101",)


def test_a_class_is_found_by_name_only_if_more_is_said_of_it(turtle: Turtle):
    text = waters() + 'q:999 p:14 q:300 . q:999 p:1 q:998 . q:998 rdfs:label "deity"@en . q:101 p:14 q:999 .'
    kg = KnowledgeGraph(turtle(text))
    assert kg.search(["river"])["river"][0].iri == Q + "101"
    assert Q + "103" not in {hit.iri for hit in kg.search(["town"])["town"]}


def test_the_predicates_that_state_classes_are_no_facts(turtle: Turtle):
    kg = KnowledgeGraph(turtle(waters()))
    assert {P + "1", P + "2"} <= kg.profile.metadata
    assert kg.vocabulary.predicates[P + "1"].is_metadata
    assert "type" in kg.vocabulary.predicates[P + "1"].alt_labels


def test_a_profile_may_name_several_predicates(turtle: Turtle):
    endpoint = turtle(things("v:kind :Tool") + ":x a :Tool ; v:maker :m1 . :y v:kind :Tool ; a :Tool .")
    kg = KnowledgeGraph(endpoint, replace(detect_profile(endpoint), types=(*TYPE_PREDICATES, V + "kind")))
    assert kg.profile.type_pattern("?s", "?c").endswith(f"|<{V}kind>) ?c")
    assert [(t.iri.rpartition("/")[2], t.count) for t in kg.types()] == [("Tool", 12)]
    assert len(kg.sample_entities("http://ex.org/r/Tool", rng=Random(0), limit=20)) == 12


def test_in_a_big_graph_wider_classes_are_looked_for_from_those_with_members(turtle: Turtle):
    endpoint = turtle(waters() + "q:100 p:2 q:900 . q:901 p:2 q:902 .")
    counts, profile = detect_profile_with_statistics(endpoint)
    big = KGStatistics({**counts.predicates, P + "99": 10**7}, counts.classes)
    assert not big.is_small
    classes = schema_extraction.extract_vocabulary(endpoint, profile, big).classes
    assert classes[Q + "100"].direct_superclasses == (Q + "900",)
    assert Q + "901" not in classes


def test_direct_claims_of_wikibase_bear_the_labels_of_their_properties(turtle: Turtle):
    claim, place = "<http://w.example/prop/direct/P7>", "http://w.example/prop/direct/P8"
    labels = (
        '<http://w.example/entity/P7> rdfs:label "instance of"@en . <http://w.example/entity/P8> rdfs:label "place" .'
    )
    kg = KnowledgeGraph(turtle(things(f"{claim} :Tool", f"<{place}> :shed") + labels))
    assert kg.profile.types == (claim.strip("<>"),)
    assert kg.vocabulary.predicates[place].label == "place"

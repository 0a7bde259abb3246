"""Statistics of a class: counts in both directions, a sample of the values, and failures."""

from chattyshared.errors import QueryRejected
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.class_statistics import measure_class
from chattyshared.profile import Profile
from poisoned_endpoint import Poisoned
from rdflib import Literal, URIRef

R, V = "http://ex.org/r/", "http://ex.org/v#"


def test_predicates_are_counted_in_both_directions(places):
    cities = KnowledgeGraph(places).class_statistics(f"{V}City")
    country = cities.find(f"{V}country")
    assert (cities.size, country.thing_count, country.triple_count, country.value_count) == (4, 4, 4, 3)
    assert country.values[0] == (URIRef(f"{R}USA"), 2) and country.sample_count == 4
    assert cities.find(f"{V}population").thing_count == 3
    assert cities.find(f"{V}country", is_inverse=True) is None
    visited = cities.find(f"{V}visited", is_inverse=True)
    assert (visited.thing_count, visited.triple_count, visited.value_count, visited.values) == (2, 2, 1, ())


def test_things_of_subclasses_count(places):
    assert KnowledgeGraph(places).class_statistics(f"{V}Place").find(f"{V}country").thing_count == 4


def test_a_thing_with_two_values_counts_once(turtle):
    statistics = KnowledgeGraph(turtle(":a a v:A ; v:p 1, 2 . :b a v:A ; v:p 2 .")).class_statistics(f"{V}A")
    use = statistics.find(f"{V}p")
    assert (use.thing_count, use.triple_count, use.value_count, use.sample_count) == (2, 3, 2, 2)
    assert use.values == ((Literal(2), 2), (Literal(1), 1))


def test_of_a_big_graph_only_what_things_state_is_counted(places):
    endpoint, profile = places, Profile()
    statistics = measure_class(endpoint, profile, [f"{V}City"], f"{V}City", is_small=False)
    assert statistics.find(f"{V}country").thing_count == 4
    assert statistics.find(f"{V}visited", is_inverse=True) is None


def test_a_class_is_read_once(counting, places):
    endpoint = counting(places)
    kg = KnowledgeGraph(endpoint)
    kg.class_statistics(f"{V}City")
    before = endpoint.count
    kg.with_endpoint(endpoint).class_statistics(f"{V}City")
    assert endpoint.count == before


def test_statistics_that_cannot_be_read_are_unknown(places):
    refused = Poisoned(places, "MD5", QueryRejected)
    assert KnowledgeGraph(refused).class_statistics(f"{V}City") is None

from dataclasses import replace

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.statistics import measure_predicates, measure_statistics
from chattyshared.profile import Profile
from rdflib import URIRef

V = "http://ex.org/v#"


def test_classes_have_labels_parents_and_counts(places):
    classes = KnowledgeGraph(places).vocabulary.classes
    city = classes[V + "City"]
    assert (city.label, city.direct_superclasses, city.instance_count) == ("city", (V + "Place",), 4)
    assert (classes[V + "Country"].label, classes[V + "Country"].instance_count) == ("country", 3)
    assert classes["http://www.w3.org/2002/07/owl#Ontology"].is_metadata
    assert list(classes)[0] == V + "City"


def test_labels_in_a_further_language_are_for_questions_in_it(places):
    vocabulary = KnowledgeGraph(places).vocabulary
    city = vocabulary.classes[V + "City"]
    assert (city.alt_labels, city.foreign_labels) == ((), (("de", "Stadt"),))
    assert (city.names_in("en"), city.names_in("de")) == (("city",), ("city", "Stadt"))
    assert vocabulary.languages >= {"de", "en"}


def test_a_cycle_of_subclasses_ends(places):
    vocabulary = KnowledgeGraph(places).vocabulary
    assert vocabulary.superclasses(V + "City") == {V + "City", V + "Place", V + "Thing"}
    both = vocabulary.superclasses(V + "City", V + "Place")
    assert both == vocabulary.superclasses(V + "City") | vocabulary.superclasses(V + "Place")
    assert vocabulary.superclasses() == frozenset()
    assert vocabulary.subclasses(V + "Thing") == {V + "City", V + "Place", V + "Thing"}


def test_predicates_are_described_as_they_are_used(places):
    predicates = KnowledgeGraph(places).vocabulary.predicates
    country = predicates[V + "country"]
    assert (country.label, country.comment, country.triple_count, country.subject_count) == (
        "country",
        "Where it lies.",
        4,
        4,
    )
    assert (country.object_kind, country.domains, country.ranges) == ("iri", (V + "City",), (V + "Country",))
    assert (country.is_functional, country.is_inverse_functional, country.is_metadata) == (True, False, False)
    assert country.example == ('The "Big" Apple\\Pie', "United States")
    population = predicates[V + "population"]
    assert population.datatypes == ("http://www.w3.org/2001/XMLSchema#integer",)
    assert (population.object_kind, population.is_functional, population.is_inverse_functional) == (
        "literal",
        True,
        True,
    )
    assert predicates[V + "visited"].is_functional is False
    assert predicates["http://www.w3.org/2000/01/rdf-schema#label"].languages == ("en", "de", "fr")


def test_samples_of_a_big_kg_say_the_same_as_counting_a_small_one(places):
    counts = measure_statistics(places)
    counted = measure_predicates(places, counts, Profile())
    inflated = replace(counts, predicates={p: n * 1_000_000 for p, n in counts.predicates.items()})
    assert not inflated.is_small
    sampled = measure_predicates(places, inflated, Profile())

    assert {p: replace(u, total=0) for p, u in sampled.items()} == {p: replace(u, total=0) for p, u in counted.items()}


def test_the_vocabulary_takes_few_requests(places, counting):
    endpoint = counting(places)
    kg = KnowledgeGraph(endpoint)
    detected = endpoint.count
    assert kg.vocabulary.predicates
    assert (detected, endpoint.count - detected) == (7, 9)
    assert kg.vocabulary is kg.with_endpoint(places).vocabulary


@pytest.mark.parametrize("named", [True, False])
def test_labels_of_many_terms_take_one_request(places, counting, named):
    kg = KnowledgeGraph(places)
    endpoint = counting(places)
    through = kg.with_endpoint(endpoint)
    assert kg.vocabulary
    terms = [URIRef("http://ex.org/r/" + name) for name in ("Koeln", "Anna", "Lonely_Island")]
    found = through.labels(terms if named else terms[:1])
    assert list(found.values()) == (["Cologne", "Anna Álvarez", "Lonely Island"] if named else ["Cologne"])
    assert through.label(URIRef(V + "country")) == "country"
    assert endpoint.count == 1


def test_predicates_that_bear_one_label_are_called_by_their_iris_where_these_say_more(turtle):
    made = turtle(
        'v:name rdfs:label "name"@en . v:member rdfs:label "name"@en . v:P45 rdfs:label "name"@en . '
        ':band v:name "The Owls" ; v:member :ann ; v:P45 "Owls" . :ann v:name "Ann" .'
    )
    predicates = KnowledgeGraph(made).vocabulary.predicates
    assert predicates[V + "name"].label == "name"
    assert (predicates[V + "member"].label, predicates[V + "member"].alt_labels) == ("member", ("name",))
    assert predicates[V + "P45"].label == "name"

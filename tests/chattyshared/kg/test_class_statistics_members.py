from collections import Counter
from random import Random

from chattyshared.kg import KnowledgeGraph, class_statistics
from chattyshared.kg.vocabulary import TypeCount
from chattyshared.profile import Profile

R, V = "http://ex.org/r/", "http://ex.org/v#"


def test_types_come_with_labels_and_counts(places):
    assert KnowledgeGraph(places).types() == (
        TypeCount(V + "City", "city", 4),
        TypeCount(V + "Country", "country", 3),
        TypeCount(V + "Person", "person", 1),
    )


def test_a_class_without_entities_stands_for_its_subclasses(places):
    assert len(KnowledgeGraph(places).sample_entities(V + "Place", rng=Random(0), limit=9)) == 4


def test_draws_from_huge_classes_are_distinct_and_repeat(turtle, counting):
    endpoint = counting(turtle("".join(f":e{n} a v:E . " for n in range(900))))
    drawn = class_statistics.sample_members(endpoint, Profile(), [V + "E"], 900, rng=Random(1), limit=50)
    assert (len(set(drawn)), endpoint.count) == (50, 1)
    assert drawn == class_statistics.sample_members(endpoint, Profile(), [V + "E"], 900, rng=Random(1), limit=50)


def test_a_drawn_part_of_a_class_is_kept_in_a_file(turtle, tmp_path, counting):
    endpoint = counting(turtle("".join(f":e{n} a v:E . " for n in range(30))))
    drawn = class_statistics.draw_members(endpoint, Profile(), [V + "E"], tmp_path / "kept.sqlite")
    endpoint.count = 0
    assert class_statistics.draw_members(endpoint, Profile(), [V + "E"], tmp_path / "kept.sqlite") == drawn
    assert (len(drawn), endpoint.count) == (30, 0)


def test_a_draw_from_a_stream_is_uniform():
    counts = Counter(
        item for seed in range(2000) for item in class_statistics.draw_from_stream("abcdefgh", 2, Random(seed))
    )
    assert all(430 < counts[item] < 570 for item in "abcdefgh")
    assert class_statistics.draw_from_stream("ab", 5, Random(0)) == ["a", "b"]


def test_literal_predicates_by_share(places):
    found = {p.iri.removeprefix(V): p for p in KnowledgeGraph(places).literal_predicates(V + "City")}
    assert list(found)[0] == "code" and found["code"].share == 1.0
    assert found["code"].samples == ("COL-0001", "PAR-0001", "PAR-0002", "QUO-0001")
    assert (found["population"].share, found["population"].datatype) == (
        0.75,
        "http://www.w3.org/2001/XMLSchema#integer",
    )
    label = found["http://www.w3.org/2000/01/rdf-schema#label"]
    assert (label.label, label.languages) == ("label", ("de", "en", "fr"))

"""What the things of a class have: counted, in both directions, and with subclasses."""

import pytest
from chattyshared.errors import ConfigError

from chattykg.exploration.class_statistics import count_class_predicates, count_values, find_class, find_predicate

VOCABULARY = "https://ships.example/vocab/"


def test_the_predicates_of_a_class_are_counted_with_its_subclasses(ships):
    found = count_class_predicates(ships, f"{VOCABULARY}Ship")
    counts = {(one.iri.removeprefix(VOCABULARY), one.is_inverse): one.count for one in found.predicates}
    assert found.size == 3
    assert counts["captain", False] == 3 and counts["crewSize", False] == 1
    ports = count_class_predicates(ships, f"{VOCABULARY}Harbor")
    assert {one.iri.removeprefix(VOCABULARY) for one in ports.predicates if one.is_inverse} == {
        "homeHarbor",
        "birthPlace",
    }


def test_the_values_of_a_predicate_are_counted(ships):
    found = count_values(ships, f"{VOCABULARY}color", f"{VOCABULARY}Ship", limit=1)
    assert (found.subjects, found.size, found.distinct) == (3, 3, 2)
    assert [(value.value, count) for value, count in found.values] == [("red", 2)]
    lengths = count_values(ships, f"{VOCABULARY}length", limit=10)
    assert (lengths.lowest.value, lengths.highest.value, lengths.class_iri) == ("120.5", "300", "")
    captains = count_values(ships, f"{VOCABULARY}captain", limit=10)
    assert [(value.label, count) for value, count in captains.values] == [("Ann Lee", 2), ("Bob Ray", 1)]
    assert captains.lowest is None


def test_classes_and_predicates_are_known_by_iri_or_name(ships):
    assert find_class(ships, " Ship ") == find_class(ships, f"<{VOCABULARY}Ship>") == f"{VOCABULARY}Ship"
    assert find_class(ships, "") == ""
    assert find_predicate(ships, "Home Harbor") == f"{VOCABULARY}homeHarbor"
    for text in ("submarine", "e:7", "\x00", "x" * 10_000):
        with pytest.raises(ConfigError, match="^no class is called"):
            find_class(ships, text)

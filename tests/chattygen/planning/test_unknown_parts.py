"""What a question can say that a graph may not know: lists by the sort of a thing."""

import pytest
from chattyshared.language.lexicon import load_lexicon

from chattygen.planning.unknown_parts import (
    class_kind_of,
    is_changing,
    list_classes,
    list_events,
    list_places,
    list_qualifiers,
    sort_of,
)

LISTS = load_lexicon("unanswerable")
SORTS = {*LISTS["sorts"].values(), "thing"}


@pytest.mark.parametrize(
    ("labels", "sort"),
    [(("film", "work"), "show"), (("Bus driver", "Person"), "person"), (("town",), "place"),
     (("Car Names",), "vehicle"), (("Resistor", "Product"), "product"), (("zorb",), "thing"), ((), "thing"),
     (("hotel",), "building")],
)  # fmt: skip
def test_the_nearest_class_decides_the_sort(labels: tuple[str, ...], sort: str) -> None:
    assert sort_of(labels) == sort


@pytest.mark.parametrize("sort", sorted(SORTS - {"thing"}))
def test_every_sort_has_qualifiers_events_and_places(sort: str) -> None:
    for table in ("qualifiers", "events", "place_phrases"):
        assert any(sort in entry["sorts"] for entry in LISTS[table]), table


def test_of_a_thing_of_an_unknown_sort_nothing_is_asked_at_random() -> None:
    assert not (*list_qualifiers(("zorb",), "entity"), *list_events(("zorb",)), *list_places(("zorb",), "entity"))


def test_the_lists_name_known_sorts_and_are_long_enough_to_draw_from() -> None:
    entries = [*LISTS["qualifiers"], *LISTS["events"], *LISTS["place_phrases"]]
    assert {sort for entry in entries for sort in entry["sorts"]} <= SORTS - {"thing"}
    assert set(LISTS["sorts"]) == set(LISTS["class_nouns"])
    assert len({word for entry in LISTS["qualifiers"] for word in entry["words"]}) >= 150


def test_a_class_is_of_the_kind_and_not_general() -> None:
    nouns = {candidate.part.text for candidate in list_classes(("album",), "set")}
    assert class_kind_of(("album",)) == "music" and "requiem" in nouns and "song" not in nouns
    assert not list_classes(("zorb",), "set")


def test_candidates_carry_what_must_be_absent() -> None:
    qualifier = next(c for c in list_qualifiers(("driver",), "set") if c.part.text == "vegan")
    assert qualifier.certificate.words == ("vegan",) and "diet" in qualifier.certificate.topics
    place = next(c for c in list_places(("driver",), "entity") if c.part.text == "Norway")
    assert place.certificate.words[0] == "Norway" and {"norwegian", "norse"} <= set(place.certificate.words)
    assert {c.part.phrase for c in list_events(("driver",))} >= {"When", "Why", "Where"}
    assert is_changing("population") and is_changing("list price") and not is_changing("birth date")

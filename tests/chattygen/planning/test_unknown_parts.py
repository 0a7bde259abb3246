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
    tells_private_life,
)

LISTS = load_lexicon("unanswerable")
SORTS = {*LISTS["sorts"].values(), "thing"}


@pytest.mark.parametrize(
    ("labels", "sort"),
    [(("film", "work"), "show"), (("Bus driver", "Person"), "person"), (("town",), "place"),
     (("Car Names",), "vehicle"), (("Resistor", "Product"), "product"), (("zorb",), "thing"), ((), "thing"),
     (("hotel",), "building"), (("department",), "section"), (("service",), "offering"),
     (("venue",), "thing")],
)  # fmt: skip
def test_the_nearest_class_decides_the_sort(labels: tuple[str, ...], sort: str) -> None:
    assert sort_of(labels) == sort


@pytest.mark.parametrize("sort", sorted(SORTS - {"thing"}))
def test_every_sort_has_something_that_people_wonder_about(sort: str) -> None:
    assert any(sort in entry["sorts"] for table in ("qualifiers", "events", "place_phrases") for entry in LISTS[table])


def test_private_life_is_asked_only_where_a_class_tells_it() -> None:
    assert tells_private_life(["staff", "married to"]) and not tells_private_life(["staff", "birth date"])
    for listed in (list_qualifiers, list_events, list_places):
        arguments = (("employee",),) if listed is list_events else (("employee",), "entity")
        texts = [{c.part.text for c in listed(*arguments, is_private=private)} for private in (False, True)]
        assert texts[0] < texts[1], listed
    assert "get married" not in {c.part.text for c in list_events(("supplier",), is_private=True)}


def test_an_agent_that_is_an_organization_is_a_company() -> None:
    assert sort_of(("supplier", "agent")) == "company" and sort_of(("employee", "agent")) == "person"
    assert sort_of(("orchestra",)) == "ensemble"
    assert {c.part.text for c in list_events(("supplier",))} >= {"be founded", "move its headquarters"}


def test_of_a_thing_of_an_unknown_sort_nothing_is_asked_at_random() -> None:
    assert not (*list_qualifiers(("zorb",), "entity"), *list_events(("zorb",)), *list_places(("zorb",), "entity"))


def test_the_lists_name_known_sorts_and_hold_no_long_tail() -> None:
    entries = [*LISTS["qualifiers"], *LISTS["events"], *LISTS["place_phrases"]]
    assert {sort for entry in entries for sort in entry["sorts"]} <= SORTS - {"thing"} | {"private"}
    assert set(LISTS["sorts"]) == set(LISTS["class_nouns"])
    assert 30 <= len({word for entry in LISTS["qualifiers"] for word in entry["words"]}) <= 60


def test_a_class_is_of_the_kind_and_not_general() -> None:
    nouns = {candidate.part.text for candidate in list_classes(("album",), "set")}
    assert class_kind_of(("album",)) == "music" and "requiem" in nouns and "song" not in nouns
    assert not list_classes(("zorb",), "set")


def test_candidates_carry_what_must_be_absent() -> None:
    qualifier = next(c for c in list_qualifiers(("driver",), "set", is_private=True) if c.part.text == "vegetarian")
    assert qualifier.certificate.words[0] == "vegetarian" and "diet" in qualifier.certificate.topics
    place = next(c for c in list_places(("driver",), "entity", is_private=True) if c.part.text == "Norway")
    assert place.certificate.words[0] == "Norway" and {"norwegian", "norse"} <= set(place.certificate.words)
    assert {c.part.phrase for c in list_events(("supplier",))} == {"When", "Where"}


def test_values_change_with_time_but_not_those_of_works() -> None:
    assert is_changing("population") and is_changing("list price") and not is_changing("birth date")
    assert is_changing("sponsor", ("club",)) and not is_changing("sponsor", ("film",))

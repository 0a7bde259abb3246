"""Options are told apart by class, fact or IRI; a reply chooses one by label, position or description."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer, Clarification, Value
from chattyshared.kg import KnowledgeGraph

from chattykg.conversation.clarification import (
    Description,
    choose_option,
    is_request,
    label_options,
    most_telling,
    points_at_option,
)

SHIPS = "https://ships.example/"


def options_of(kg: KnowledgeGraph, *names: str, hidden: frozenset[str] = frozenset()) -> list[str]:
    return [one.label for one in label_options([(f"{SHIPS}{name}", "Comet") for name in names], kg, hidden=hidden)]


def test_things_of_one_label_are_told_apart_by_their_classes(ships: KnowledgeGraph) -> None:
    assert options_of(ships, "comet", "comet2") == ["Comet (tanker)", "Comet (harbor)"]


def test_things_of_one_class_are_told_apart_by_a_fact_that_was_not_asked_for(ships: KnowledgeGraph) -> None:
    assert options_of(ships, "comet", "borealis") == ["Comet (captain Ann Lee)", "Comet (captain Bob Ray)"]
    mixed = ["Comet (captain Ann Lee)", "Comet (harbor)", "Comet (captain Bob Ray)"]
    assert options_of(ships, "comet", "comet2", "borealis") == mixed
    captain = frozenset((f"{SHIPS}vocab/captain",))
    assert options_of(ships, "comet", "borealis", hidden=captain) == [
        "Comet (home harbor Kiel Port)",
        "Comet (home harbor Lund Port)",
    ]


def test_other_labels_stay_as_they_are(ships: KnowledgeGraph) -> None:
    terms = [(f"{SHIPS}ann", "Ann Lee"), (f"{SHIPS}bob", "Bob Ray")]
    assert [one.label for one in label_options(terms, ships)] == ["Ann Lee", "Bob Ray"]


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("the harbor", 1), ("I mean the tanker, please", 0), ("the one in Norway", 1), ("second", 1), ("2", 1),
        ("the third one", None), ("comet (harbor)", 1), ("the red one", 0), ("the ship of Ann Lee", 0), ("Comet", None),
        ("the green one", None), ("the other one", None), ("3", None), ("No, I meant the Comet (tanker), sorry.", 0),
        ("the one of 2015", 0), ("Which harbor is in Norway?", None), ("list all harbors", None),
    ],
)  # fmt: skip
def test_a_reply_chooses_an_option(ships: KnowledgeGraph, reply: str, chosen: int | None) -> None:
    options = label_options([(f"{SHIPS}comet", "Comet"), (f"{SHIPS}comet2", "Comet")], ships)
    expected = None if chosen is None else options[chosen]
    assert choose_option(reply, Clarification("Which one?", options), ships) == expected


def test_own_names_tell_more_than_those_of_neighbours() -> None:
    about: dict[str, Any] = {
        "a": Description(frozenset(("marie", "curie")), frozenset(("pierre", "paris"))),
        "b": Description(frozenset(("pierre", "curie")), frozenset(("marie",))),
    }
    assert most_telling(["pierre"], about) == "b"
    assert most_telling(["paris"], about) == "a"
    assert most_telling(["curie"], about) == most_telling(["paris", "warsaw", "rome"], about) == ""


@pytest.mark.parametrize(("text", "expected"), [("the film", False), ("who is it", True), ("Oslo?", True), ("", True)])
def test_questions_and_requests_are_no_replies(text: str, expected: bool) -> None:
    assert is_request(text) is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Comet (harbor)", True), ("No, the second one", True), ("1", True), ("I meant the harbor", True),
        ("the one in Norway", True), ("No, the harbor.", True), ("the harbor", False), ("Who owns it?", False),
        ("only those after 1990", False),
        ("No, I want only those after 1990", False), ("I meant the ones in Norway", False), ("Borealis", False),
        ("the third", False), ("sort them by length", False),
    ],
)  # fmt: skip
def test_only_who_points_at_an_option_corrects_an_answer(ships: KnowledgeGraph, reply: str, expected: bool) -> None:
    options = label_options([(f"{SHIPS}comet", "Comet"), (f"{SHIPS}comet2", "Comet")], ships)
    answer = Answer((Value("300", "number"),), clarification=Clarification("Which one?", options))
    assert points_at_option(reply, answer) is expected

"""Turns of a dialogue that add, replace or drop a constraint of the running request."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.conversation.context import DialogueWords
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.followups.turns import apply_turn, read_state, read_turn

GRAPHS = Path(__file__).parents[4] / "benchmarks/development/constraint_talk"


@pytest.fixture(scope="module")
def hotels() -> KnowledgeGraph:
    return open_kg([str(GRAPHS / "hotels.ttl")])


@pytest.fixture(scope="module")
def bicycles() -> KnowledgeGraph:
    return open_kg([str(GRAPHS / "bicycles.ttl")])


def follow(kg: KnowledgeGraph, *questions: str) -> str:
    """Return the standalone question of the last of some turns."""
    standalone: list[str] = []
    for question in questions:
        earlier = tuple(build_vocabulary_card(each, kg) for each in reversed(standalone))
        known = DialogueWords(build_vocabulary_card(question, kg), earlier)
        turn = read_turn(question, known) if standalone else None
        standalone.append(apply_turn(turn, read_state(standalone, known, ())) if turn else question)
    return standalone[-1]


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (("hotels in Marienau", "we need parking"), "hotels in Marienau with parking"),
        (("hotel marienau", "w/ garden"), "marienau hotels with garden"),
        (("something romantic in Uferhausen, a hotel", "with a pool"), "romantic hotels in Uferhausen with a pool"),
        (("hotels in Marienau", "then let's go for five stars"), "hotels in Marienau with five stars"),
        (("hotels in Marienau", "guest houses instead"), "guest houses in Marienau"),
        (("a hotel on the hillside", "below 100 a night", "no, below 80"), "hotels on the hillside below 80"),
        (("hotels with at least 60 rooms", "Sorry, 50 rooms would be enough."), "hotels with at least 50 rooms"),
        (("hotels in Marienau below 100 euros", "I don't care about the price"), "hotels in Marienau"),
        (("places to stay in Marienau", "not a guest house"), "places to stay in Marienau that are not guest houses"),
        (("places to stay in Marienau", "not the expensive one"), "places to stay in Marienau that are not expensive"),
        (("quiet hotels in Oberdorf", "the cheapest of those"), "the cheapest quiet hotels in Oberdorf"),
        (("show the names of all hotels in Marienau", "with parking"), "hotels in Marienau with parking"),
        (
            ("show the price of all hotels in Marienau", "how about those with parking?"),
            "What is the price of hotels in Marienau with parking?",
        ),
        (
            ("What is the number of hotels in Marienau?", "How about in Oberdorf?"),
            "How many hotels in Oberdorf are there?",
        ),
        (("quiet hotels in Oberdorf", "how many are those?"), "How many quiet hotels in Oberdorf are there?"),
    ],
)  # fmt: skip
def test_a_turn_changes_the_running_request(hotels: KnowledgeGraph, questions: tuple[str, ...], expected: str) -> None:
    assert follow(hotels, *questions) == expected


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (("racing bikes", "anything but green", "a Swiss one"), "Swiss racing bikes that are not green"),
        (("do you have anything in yellow?", "only what's in stock"), "anything in yellow that are in stock"),
        (("gravel bikes", "in stock", "price of a red one"), "What is the price of red gravel bikes in stock?"),
    ],
)  # fmt: skip
def test_a_turn_selects_or_asks(bicycles: KnowledgeGraph, questions: tuple[str, ...], expected: str) -> None:
    assert follow(bicycles, *questions) == expected

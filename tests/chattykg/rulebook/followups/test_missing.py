"""A question that refers to something nobody named is found; one that names it, or refers to nothing, is not."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.qir import QIR, Relation
from chattykg.rulebook.followups.missing import find_missing, find_unnamed, is_unstated


@pytest.fixture(scope="module")
def demo() -> KnowledgeGraph:
    return open_kg(["demo"])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How long is it?", "it"), ("And who directed that one?", "that one"), ("What is her birthplace?", "her"),
        ("is this in colour", "this"), ("Where were they born?", "they"),
        ("Who directed Titanic?", ""), ("When was Titanic released and who directed it?", ""),
        ("How many films are there in this graph?", ""), ("Is it true that nobody won?", ""),
        ("Which films came out this year?", ""), ("Which films are there, and when were they released?", ""),
        ("Please help me with this one: which painting is the widest?", ""),
        ("Which is the film that runs longest?", ""),
        ("There is a famous war film. What is it called?", ""), ("Which film is it?", "it"),
        ("the longest film, and who directed it?", ""), ("Which city is its setting and who wrote it?", "its"),
    ],
)  # fmt: skip
def test_a_pronoun_without_a_referent_is_found(demo: KnowledgeGraph, question: str, missing: str) -> None:
    assert find_missing(question, build_vocabulary_card(question, demo)) == missing


HELD = (Relation("?e", "appointee", "?p"), Relation("?e", "appointed to", "?c"), Relation("?p", "contract", "?k"))
SHUT = (Relation("?who", "shut", "?station"),)
OPEN: dict[str, Any] = {"target": "?x", "triples": (Relation("?y", "population", "?x"),)}


@pytest.mark.parametrize(
    ("question", "qir", "owner"),
    [
        ("What is the population?", QIR("list", **OPEN), "the population"),
        ("good. the population number please", QIR("list", **OPEN), "the population"),
        ("What is the population density?", QIR("list", **OPEN), ""),
        ("What are the populations?", QIR("list", **OPEN), ""),
        (
            "What club is the player under contract with?",
            QIR("list", "?c", HELD, classes=(("?c", "club"), ("?p", "player"))), "the player",
        ),
        (
            "Which club has the player who left?",
            QIR("list", "?c", HELD, classes=(("?c", "club"), ("?p", "player"))), "",
        ),
        ("Who shut Station?", QIR("list", "?who", SHUT, classes=(("?station", "Station"),)), "station"),
        ("Who shut a station?", QIR("list", "?who", SHUT, classes=(("?station", "station"),)), ""),
        ("What is the population of every city?", QIR("list", **OPEN, classes=(("?y", "city"),)), ""),
        ("What is the population?", QIR("list", "?x", (Relation("Oslo", "population", "?x"),)), ""),
        ("What is the total of the population?", QIR("number", **OPEN, aggregate="sum"), ""),
    ],
)  # fmt: skip
def test_a_property_of_nothing_is_found(question: str, qir: QIR, owner: str) -> None:
    assert find_unnamed(question, qir, VocabularyCard()) == owner


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote Who Do You Think You Are?", False),
        ('Which of "Low Tide" and "Who Do You Think You Are" is longer?', False),
        ("Who do you think wrote Low Tide?", True),
        ("Do you like Who Do You Think You Are?", True),
        ("Why was Low Tide written?", True),
    ],
)
def test_a_name_is_no_opinion(question: str, expected: bool) -> None:
    card = build_vocabulary_card(question, open_graph("songs"))
    assert is_unstated(question, card) == expected

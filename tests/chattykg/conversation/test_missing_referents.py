"""A question that refers to something nobody named is found; one that names it, or refers to nothing, is not."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.conversation.missing_referents import find_missing_owner, find_missing_referent
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Relation


@pytest.fixture(scope="module")
def demo() -> KnowledgeGraph:
    return open_kg(["demo"])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How long is it?", "it"), ("And who directed that one?", "that"), ("What is her birthplace?", "her"),
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
    assert find_missing_referent(question, build_vocabulary_card(question, demo)) == missing


OPEN: dict[str, Any] = {"target": "?x", "triples": (Relation("?y", "population", "?x"),)}


@pytest.mark.parametrize(
    ("question", "qir", "owner"),
    [
        ("What is the population?", QIR("list", **OPEN), "population"),
        ("What are the populations?", QIR("list", **OPEN), ""),
        ("What is the population of every city?", QIR("list", **OPEN, classes=(("?y", "city"),)), ""),
        ("What is the population?", QIR("list", "?x", (Relation("Oslo", "population", "?x"),)), ""),
        ("What is the total of the population?", QIR("number", **OPEN, aggregate="sum"), ""),
    ],
)  # fmt: skip
def test_a_property_of_nothing_is_found(question: str, qir: QIR, owner: str) -> None:
    assert find_missing_owner(question, qir) == owner

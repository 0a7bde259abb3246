"""Questions about the graph, a thing or a class are answered by what the graph states, with a query."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK


@pytest.fixture
def engine(ships: KnowledgeGraph) -> ChattyEngine:
    return ChattyEngine(ships, RuleModel(RULEBOOK), settings=Settings(clarify="ask"))


def rows(answer: Any) -> dict[str, str]:
    return {key.label or key.value: value.value for key, value in answer.rows}


@pytest.mark.parametrize("question", ["Please help me.", "what's this graph about"])
def test_the_graph_is_described_by_its_classes(engine: ChattyEngine, question: str) -> None:
    answer = engine.answer(question)
    assert answer.status == "answered" and "GROUP BY ?class" in answer.sparql
    counts = {row["class"].n3(): str(row["count"]) for row in engine.kg.endpoint.select(answer.sparql)}
    assert {f"<{key.value}>": value.value for key, value in answer.rows}.items() <= counts.items()
    assert rows(answer)["harbor"] == "4" and len(answer.suggestions) == 3


@pytest.mark.parametrize("question", ["Who is Ann Lee?", "Tell me about ann lee, please."])
def test_a_thing_is_described_by_its_relations(engine: ChattyEngine, question: str) -> None:
    answer = engine.answer(question)
    expected = {"type": "person", "gender": "female", "spouse": "Bob Ray", "captain of": "Aurora, Comet"}
    assert expected.items() <= rows(answer).items()
    assert [value.label for value in answer.values] == ["person"]
    assert len(engine.kg.endpoint.select(answer.sparql)) >= len(answer.rows)
    after = engine.answer("Tell me about him.", (Exchange("Who?", engine.answer("Who is the captain of Borealis?")),))
    assert rows(after)["birth place"] == "Lund Port"


def test_of_two_things_the_meant_one_is_described(engine: ChattyEngine) -> None:
    asked = engine.answer("Tell me about Comet")
    assert asked.clarification is not None
    answer = engine.answer("the harbor", (Exchange("Tell me about Comet", asked),))
    assert rows(answer) == {"type": "harbor", "country": "Norway"}
    best = ChattyEngine(engine.kg, RuleModel(RULEBOOK)).answer("Tell me about Comet")
    assert best.confidence == 0.5 and best.notes[-1].startswith("2 things have this name")


def test_a_class_is_described_by_its_number_and_relations(engine: ChattyEngine) -> None:
    answer = engine.answer("What is a ship?")
    assert rows(answer)["number of things"] == "3" and "captain" in rows(answer)["relations"]


def test_a_refusal_names_what_is_near_and_small_talk_does_not(engine: ChattyEngine) -> None:
    answer = engine.answer("How heavy is the Aurora?")
    assert answer.status == "unknown" and len(answer.suggestions) == 3
    assert any(text.startswith("Of Aurora the graph states: ") for text in answer.notes)
    assert engine.answer("Thanks!").suggestions == engine.answer("?").suggestions == ()

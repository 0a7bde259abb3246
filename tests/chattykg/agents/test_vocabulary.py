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


@pytest.mark.parametrize(
    "question",
    ["help", "Help!", "What can I ask?", "what's this graph about", "What is in this database?", "Please help me."],
)
def test_the_graph_is_described_by_its_classes(engine: ChattyEngine, question: str) -> None:
    answer = engine.answer(question)
    assert answer.status == "answered" and "GROUP BY ?class" in answer.sparql
    counts = {row["class"].n3(): str(row["count"]) for row in engine.kg.endpoint.select(answer.sparql)}
    assert {f"<{key.value}>": value.value for key, value in answer.rows}.items() <= counts.items()
    assert rows(answer)["harbor"] == "4" and len(answer.suggestions) == 3


@pytest.mark.parametrize(
    "question", ["Who is Ann Lee?", "tell me about Ann Lee", "Tell me about ann lee, please.", "Describe Ann Lee!"]
)
def test_a_thing_is_described_by_its_relations(engine: ChattyEngine, question: str) -> None:
    answer = engine.answer(question)
    expected = {"type": "person", "gender": "female", "spouse": "Bob Ray", "captain of": "Aurora, Comet"}
    assert expected.items() <= rows(answer).items()
    assert [value.label for value in answer.values] == ["person"]
    assert len(engine.kg.endpoint.select(answer.sparql)) >= len(answer.rows)


def test_a_thing_of_the_conversation_is_described(engine: ChattyEngine) -> None:
    first = engine.answer("Who is the captain of Borealis?")
    answer = engine.answer("Tell me about him.", (Exchange("Who is the captain of Borealis?", first),))
    assert rows(answer)["birth place"] == "Lund Port"


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


@pytest.mark.parametrize("question", ["What is the captain of Aurora?", "Who is the captain of Aurora?"])
def test_a_property_of_a_thing_is_no_description(engine: ChattyEngine, question: str) -> None:
    assert [value.label for value in engine.answer(question).values] == ["Ann Lee"]


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("How heavy is the Aurora?", "Of Aurora the graph states: "),
    ],
)
def test_a_refusal_names_what_is_near(engine: ChattyEngine, question: str, note: str) -> None:
    answer = engine.answer(question)
    assert answer.status == "unknown"
    assert any(text.startswith(note) for text in answer.notes) and len(answer.suggestions) == 3


def test_small_talk_is_not_helped(engine: ChattyEngine) -> None:
    assert engine.answer("Thanks!").suggestions == engine.answer("?").suggestions == ()

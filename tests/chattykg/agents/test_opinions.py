"""Second opinions: a small model beside the embedded rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Reason, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.agents.opinions import weigh_opinions
from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.rulebook import RULEBOOK


def said(*texts: str, confidence: float = 0.8) -> Answer:
    values = tuple(Value(text, "iri") for text in texts)
    return Answer(values, (confidence,) * len(values), confidence=confidence, sparql=f"of {' '.join(texts)}")


def silent(code: Any, **fields: Any) -> Answer:
    return Answer(reason=Reason(code, f"I do not know, because of {code}."), **fields)


@pytest.mark.parametrize(
    ("model", "rules", "sparql", "confidence"),
    [
        (said("a", "b"), said("b", "a"), "of a b", 0.95),
        (said("a"), said("b"), "of b", 0.72),
        (said("a"), silent("too-unsure"), "of a", 0.4),
        (said("a"), silent("unknown-relation"), "of a", 0.4),
        (said("a"), silent("missing-referent"), "", 0),
        (said("a"), Answer(without_values="empty", sparql="empty"), "empty", 0),
        (silent("not-stated"), said("b"), "of b", 0.72),
        (silent("not-stated", sparql="model"), silent("too-unsure", sparql="rules"), "model", 0),
    ],
)
def test_who_is_silent_gives_way_and_agreement_is_surer(
    model: Answer, rules: Answer, sparql: str, confidence: float
) -> None:
    answer = weigh_opinions(model, rules)
    assert (answer.sparql, answer.confidence) == (sparql, confidence)
    assert not answer.values or answer.notes


def test_another_answer_is_told() -> None:
    assert (
        "the model gives another answer: a, c, d, ..." in weigh_opinions(said("a", "c", "d", "e"), said("b")).notes[0]
    )


def test_rules_are_asked_beside_a_small_model_only(ships: KnowledgeGraph, scripted: Callable[..., Any]) -> None:
    for name, settings, notes in (
        ("openai:qwen2.5-coder-1.5b", Settings(strategy="auto"), 1),
        ("openai:qwen2.5-coder-1.5b", Settings(strategy="direct"), 0),
        ("openai:gpt-4o", Settings(strategy="auto"), 0),
    ):
        model = scripted(direct=["SELECT ?x WHERE { e:1 p:captain ?x }"])
        model.name = name
        components = Components(second_opinion=RuleModel(RULEBOOK))
        answer = ChattyEngine(ships, model, settings=settings, components=components).answer(
            "Who is the captain of the Aurora?"
        )
        assert [value.label for value in answer.values] == ["Ann Lee"]
        assert sum("embedded rules" in note for note in answer.notes) == notes
        assert answer.usage.calls == 1

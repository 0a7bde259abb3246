"""The QIR agent's ways out: a question that no QIR says, one that refers to nothing, one that no graph answers."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.agents.qir import check_qir, check_readings
from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.vocabulary_card import VocabularyCard

RATIO = "What is the length of the Aurora divided by that of the Comet?"


@pytest.fixture
def small(scripted: Any) -> Any:
    """Return a scripted model whose name stands for a small one."""

    def make(**replies: Any) -> Any:
        model = scripted(**replies)
        model.name = "openai:gpt-4o-mini"
        return model

    return make


def agents_asked(model: Any) -> list[str]:
    return [request.agent.removeprefix("answer/") for request in model.asked]


def test_without_the_direct_strategy_the_refusal_says_so(ships: KnowledgeGraph, small: Any) -> None:
    model = small(qir={"shape": "beyond"})
    answer = ChattyEngine(ships, model, settings=Settings(strategy="staged")).answer(RATIO)
    assert agents_asked(model) == ["qir"] and answer.reason is not None
    assert answer.reason.text.endswith("that this question needs; the direct strategy may.")


def test_a_missing_referent_is_asked_for(ships: KnowledgeGraph, small: Any) -> None:
    question, reply = "How long is the aforesaid ship?", {"shape": "missing", "unused": ["aforesaid"]}
    model = small(qir=reply)
    answer = ChattyEngine(ships, model, settings=Settings(strategy="staged", clarify="ask")).answer(question)
    assert answer.clarification is not None
    assert answer.clarification.question == 'What do you mean by "aforesaid"? Please name it.'
    refused = ChattyEngine(ships, model, settings=Settings(strategy="staged")).answer(question)
    assert refused.reason is not None and refused.reason.code == "missing-referent"
    assert agents_asked(model) == ["qir", "qir"]


@pytest.mark.parametrize("question", ["Is the Aurora pretty?", "Do you like the Aurora?"])
def test_what_no_graph_answers_is_refused_in_one_call(ships: KnowledgeGraph, small: Any, question: str) -> None:
    model, why = small(qir={"shape": "none"}), "no statement of a graph answers this question."
    answer = ChattyEngine(ships, model, settings=Settings(strategy="staged")).answer(question)
    assert answer.reason is not None and answer.reason.text == f"I do not know, because {why}"
    assert agents_asked(model) == ["qir"]


@pytest.mark.parametrize(
    ("reply", "rules"),
    [
        ({"shape": "missing"}, ["missing"]), ({"shape": "missing", "unused": ["it"]}, []),
        ({"shape": "none", "unused": ["zebra"]}, ["unused"]), ({"shape": "beyond"}, []),
    ],
)  # fmt: skip
def test_a_way_out_quotes_the_question(reply: Any, rules: list[str]) -> None:
    assert [problem.rule for problem in check_readings(reply, {"question": "How long is it?"})] == rules


@pytest.mark.parametrize(
    ("question", "end"), [("How long is it?", "it"), ("How long is it?", "?it"), ("What is the length of it?", "it")]
)
def test_a_pronoun_that_a_model_takes_for_a_thing_is_asked_for(
    ships: KnowledgeGraph, small: Any, question: str, end: str
) -> None:
    model = small(qir={"shape": "list", "target": "?x", "triples": [[end, "length", "?x"]]})
    answer = ChattyEngine(ships, model, settings=Settings(strategy="staged")).answer(question)
    assert answer.values == () and answer.reason is not None and answer.reason.code == "missing-referent"


@pytest.mark.parametrize("reply", ["I think it is Ann Lee.", "", {"tool": "run"}, [1, 2]])
def test_a_model_whose_replies_are_no_qirs_is_named_as_the_cause(ships: KnowledgeGraph, small: Any, reply: Any) -> None:
    settings = Settings(strategy="staged")
    answer = ChattyEngine(ships, small(qir=[reply]), settings=settings).answer("Who commands the Aurora?")
    assert answer.reason.code == "too-unsure" and "the model's reply cannot be used (" in answer.reason.text


LESS = [{"unknown": "?q", "operator": ">", "value": "1"}]


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ({"target": "?x", "triples": [["A", "p", ""], ["A", "p", "?x"]]}, ["triple"]),
        ({"target": "?x", "triples": [["A", "p"]]}, ["qir"]),
        ({"target": "?x", "triples": [["?x", "p", "?y"]]}, ["entity"]),
        ({"target": "", "triples": [["A", "p", "B"]]}, ["unknown"]),
        ({"target": "?z", "triples": [["A", "p", "?x"]]}, ["unknown"]),
        ({"target": "?x", "triples": [["A", "p", "?x"]], "filters": LESS}, ["unknown"]),
        ({"shape": "boolean", "target": "", "triples": [["A", "p", "B"]]}, []),
    ],
)  # fmt: skip
def test_a_qir_must_hang_together(reply: Any, rule: list[str]) -> None:
    variables = {"card": VocabularyCard(), "question": ""}
    assert [problem.rule for problem in check_qir({"shape": "list"} | reply, variables)] == rule

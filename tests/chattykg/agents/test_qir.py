"""The QIR agent's ways out: a question that no QIR says, one that refers to nothing, one that no graph answers."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.agents.qir import check_qir, check_readings
from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.vocabulary_card import VocabularyCard


@pytest.fixture
def ask(ships: KnowledgeGraph, scripted: Any) -> Any:
    """Return the answer of the staged strategy to a reading, and the agents that were asked."""

    def answer(question: str, qir: Any, **settings: Any) -> Any:
        model = scripted(qir=qir)
        engine = ChattyEngine(ships, model, settings=Settings(strategy="staged", **settings))
        return engine.answer(question), [request.agent.removeprefix("answer/") for request in model.asked]

    return answer


@pytest.mark.parametrize(
    ("question", "reply", "code", "words"),
    [
        ("What is the length of the Aurora divided by that of the Comet?", {"shape": "beyond"}, "too-unsure",
         "that this question needs; the direct strategy may."),
        ("How long is the aforesaid ship?", {"shape": "missing", "unused": ["aforesaid"]}, "missing-referent", ""),
        ("Is the Aurora pretty?", {"shape": "none"}, "not-stated", "no statement of a graph answers this question."),
        ("How long is it?", {"triples": [["it", "length", "?x"]]}, "missing-referent", ""),
        ("How long is it?", {"triples": [["?it", "length", "?x"]]}, "missing-referent", ""),
    ],
)  # fmt: skip
def test_a_way_out_is_a_refusal_in_one_call(ask: Any, question: str, reply: Any, code: str, words: str) -> None:
    answer, agents = ask(question, {"shape": "list", "target": "?x"} | reply)
    assert (answer.values, answer.reason.code) == ((), code)
    assert agents == ["qir"] * (3 if "triples" in reply else 1)
    assert answer.reason.text.endswith(words)


def test_a_missing_referent_is_asked_for(ask: Any) -> None:
    reply = {"shape": "missing", "unused": ["aforesaid"]}
    answer, _ = ask("How long is the aforesaid ship?", reply, clarify="ask")
    assert answer.clarification.question == 'What do you mean by "aforesaid"? Please name it.'


@pytest.mark.parametrize(
    ("reply", "rules"),
    [
        ({"shape": "missing"}, ["missing"]), ({"shape": "missing", "unused": ["it"]}, []),
        ({"shape": "none", "unused": ["zebra"]}, ["unused"]), ({"shape": "beyond"}, []),
    ],
)  # fmt: skip
def test_a_way_out_quotes_the_question(reply: Any, rules: list[str]) -> None:
    assert [problem.rule for problem in check_readings(reply, {"question": "How long is it?"})] == rules


@pytest.mark.parametrize("reply", ["I think it is Ann Lee.", "", {"tool": "run"}, [1, 2]])
def test_a_model_whose_replies_are_no_qirs_is_named_as_the_cause(ask: Any, reply: Any) -> None:
    answer, _ = ask("Who commands the Aurora?", [reply])
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

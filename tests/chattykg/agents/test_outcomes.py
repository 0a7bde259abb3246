"""Questions with several readings: what the settings make of them; replies to them stand in ``answers.txt``."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.answers import answer_to_json
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK

QUESTION = "What is the population of Paris?"


@pytest.fixture(scope="module")
def engine(open_graph: Callable[[str], KnowledgeGraph]) -> ChattyEngine:
    return ChattyEngine(open_graph("towns"), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))


def talk(engine: ChattyEngine, *questions: str) -> Answer:
    """Ask the questions as one conversation and return the last answer."""
    history: History = ()
    for question in questions:
        history = (*history, Exchange(question, engine.answer(question, history)))
    return history[-1].answer


def test_a_reply_takes_the_question_up_again(engine: ChattyEngine) -> None:
    answer = talk(engine, QUESTION, "the one in France")
    assert (answer.standalone, [value.value for value in answer.values]) == (QUESTION, ["2100000"])
    single = ChattyEngine(engine.kg, RuleModel(RULEBOOK), mode="single", settings=Settings(clarify="ask"))
    assert talk(single, QUESTION, "Texas").status != "answered"


def test_a_question_with_several_readings_can_be_refused(engine: ChattyEngine) -> None:
    answer = ChattyEngine(engine.kg, RuleModel(RULEBOOK), settings=Settings(clarify="refuse")).answer(QUESTION)
    assert answer.status == "unknown" and answer.reason is not None
    assert answer.explanation == answer.reason.text and answer.suggestions == ()


def test_the_options_stand_in_the_line_of_an_answer(engine: ChattyEngine) -> None:
    line = answer_to_json(1, "?", engine.answer(QUESTION))
    assert line["status"] == "clarification"
    assert line["clarification"]["options"][0] == {"label": "Paris (France)", "iri": "https://towns.example/paris1"}

"""The steps of an answer are reported as they happen, and a stop signal ends the work."""

import threading

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.errors import AnswerStopped, BudgetSpent
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, Request, Usage
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.steps import AnswerProgress, AnswerStep, ignore_step


@pytest.fixture(scope="module")
def engine(demo: KnowledgeGraph) -> ChattyEngine:
    return ChattyEngine(demo, RuleModel(RULEBOOK))


def test_an_answer_reports_what_it_understood_linked_ran_and_checked(engine: ChattyEngine) -> None:
    first = engine.answer("Who directed Titanic?")
    steps: list[AnswerStep] = []
    history = (Exchange("Who directed Titanic?", first),)
    answer = engine.answer_with_trace("When was he born?", history, progress=AnswerProgress(steps.append)).answer
    assert [step.kind for step in steps] == ["understood", "linked", "query", "check"]
    assert steps[0].text == "Understood as: When was James Cameron born?"
    assert steps[1].links[0].label == "James Cameron"
    assert steps[2].text == "Running query 1" and steps[2].sparql == answer.sparql


def test_a_stop_ends_the_work_before_the_next_query(engine: ChattyEngine) -> None:
    stop, steps = threading.Event(), list[AnswerStep]()

    def stop_at_link(step: AnswerStep) -> None:
        steps.append(step)
        if step.kind == "linked":
            stop.set()

    with pytest.raises(AnswerStopped):
        engine.answer_with_trace("Who directed Titanic?", progress=AnswerProgress(stop_at_link, stop))
    assert steps[-1].kind == "linked"


class SpentLimit:
    """A stop signal with a reason, as a meter is."""

    def is_set(self) -> bool:
        return True

    def stop_reason(self) -> str:
        return "the limit of 3 questions is reached"


def test_a_limit_says_why_it_stops(engine: ChattyEngine) -> None:
    with pytest.raises(BudgetSpent, match="limit of 3 questions"):
        engine.answer_with_trace(
            "Who directed Titanic?", progress=AnswerProgress(ignore_step, threading.Event(), SpentLimit())
        )


class StoppingModel:
    """A model that is called once, and sets the stop signal meanwhile."""

    name = "openai:stopping"

    def __init__(self, stop: threading.Event) -> None:
        self.calls = 0
        self._stop = stop

    def complete(self, request: Request) -> Completion:
        self.calls += 1
        self._stop.set()
        return Completion("no JSON", Usage(1, 1, 1))


@pytest.mark.parametrize("strategy", ["staged", "direct"])
def test_a_stopped_answer_makes_no_further_call(engine: ChattyEngine, strategy: str) -> None:
    stop, steps = threading.Event(), list[AnswerStep]()
    model = StoppingModel(stop)
    hosted = ChattyEngine(engine.kg, model, settings=Settings(strategy=strategy))  # type: ignore[arg-type]
    with pytest.raises(AnswerStopped):
        hosted.answer_with_trace("Who directed Titanic?", progress=AnswerProgress(steps.append, stop))
    assert model.calls == 1
    assert [step.text for step in steps if step.kind == "model"] == [
        f"Asking openai:stopping ({'qir' if strategy == 'staged' else 'direct'})"
    ]

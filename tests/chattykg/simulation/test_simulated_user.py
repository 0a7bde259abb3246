"""What the user does next: its patience, its beliefs, and what a broken system gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattyshared.dialogue import Answer, Clarification, ClarificationOption, Reason, Value
from chattyshared.errors import BudgetSpent, EndpointTimeout, ModelUnavailable, ReplyInvalid, ResultUnreadable
from chattyshared.http_client import ReplyTooLarge
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from scripted_model import StepModel
from ship_talk import (
    ANN,
    BIRTH,
    BOB,
    CAPTAIN,
    COUNTRY,
    GERMANY,
    KIEL,
    LUND,
    REFUSAL,
    SCRAPPED,
    TALK,
    S,
    ScriptedEngine,
    converse,
    plan_of,
    told,
)

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.settings import ClarifyMode
from chattykg.simulation.simulated_user import MAX_VALUE_CHARACTERS, SimulatedUser


def acts(talk: SimulatedUser) -> list[str]:
    """What the user did, and where it gave a goal up."""
    done: list[str] = []
    for outcome in talk.outcomes:
        done += [turn.act for turn in outcome.talk] + ["give-up"] * (outcome.status == "given-up")
    return done


def count_messages(talk: SimulatedUser) -> int:
    return sum(len(outcome.talk) for outcome in talk.outcomes)


def statuses(talk: SimulatedUser) -> list[str]:
    return [outcome.status for outcome in talk.outcomes]


def test_right_answers_are_followed_up() -> None:
    engine = ScriptedEngine(told(ANN), told(KIEL), told(GERMANY), REFUSAL)
    talk = converse(plan_of(*TALK.turns), engine)
    assert engine.asked == [*(turn.question for turn in TALK.turns), SCRAPPED.standalone]
    assert [outcome.is_reached for outcome in talk.outcomes] == [True] * 4 and talk.status == "done"
    assert [len(history) for history in engine.histories] == [0, 1, 2, 3, 4]
    assert [outcome.basis for outcome in talk.outcomes] == ["", "right", "right", ""]


def test_a_wrong_answer_that_looks_right_is_believed_and_its_error_propagates() -> None:
    engine = ScriptedEngine(told(ANN), told(LUND), told(Value(S + "se", "iri", label="Sweden")))
    talk = converse(plan_of(CAPTAIN, BIRTH, COUNTRY), engine)
    assert engine.asked[-1] == "What country is Lund Port in?"
    assert [outcome.is_reached for outcome in talk.outcomes] == [True, False, False]
    assert talk.outcomes[2].basis == "wrong" and acts(talk) == ["ask"] * 3


def asks_back(text: str) -> Answer:
    return Answer(without_values="clarification", clarification=Clarification(text, ()))


def test_asked_back_the_user_names_what_it_believes_and_not_the_gold() -> None:
    wrong = told(LUND, KIEL)  # the gold is one of them, and nothing tells the user which
    talk = converse(plan_of(CAPTAIN, BIRTH, COUNTRY), ScriptedEngine(told(BOB), wrong, asks_back("Which?"), REFUSAL))
    assert [turn.text for turn in talk.outcomes[2].talk][:2] == ["What country is Lund Port in?", "Lund Port"]
    engine = ScriptedEngine(told(BOB), asks_back('What is "she"?'), REFUSAL)
    assert [turn.text for turn in converse(plan_of(CAPTAIN, BIRTH), engine).outcomes[1].talk][1] == "Bob Ray"


def test_what_only_a_missing_answer_tells_is_not_asked() -> None:
    talk = converse(plan_of(CAPTAIN, BIRTH), ScriptedEngine(REFUSAL))
    assert statuses(talk) == ["given-up", "skipped"] and talk.outcomes[1].basis == "none"
    assert talk.outcomes[1].reason == "only the answer to goal 1 tells its name"


def test_a_refusal_is_said_in_other_words_until_patience_ends(ships: KnowledgeGraph) -> None:
    plan = plan_of(CAPTAIN, SCRAPPED, kg=ships)
    engine = ScriptedEngine(REFUSAL)
    talk = converse(plan, engine)
    assert engine.asked == [CAPTAIN.question, "Tell me the captain of Aurora.", SCRAPPED.standalone]
    assert acts(talk) == ["ask", "rephrase", "give-up", "ask", "give-up"]
    assert [outcome.is_reached for outcome in talk.outcomes] == [False, True]
    assert acts(converse(plan, ScriptedEngine(REFUSAL), patience=0)) == ["ask", "give-up"] * 2
    model = StepModel([{"message": "Who commands Aurora?"}])
    assert acts(converse(plan_of(CAPTAIN), ScriptedEngine(REFUSAL), model=model, patience=3)) == [
        "ask", "rephrase", "rephrase", "rephrase", "give-up",
    ]  # fmt: skip


def test_an_unanswerable_goal_fails_with_any_answer() -> None:
    date = told(Value("1999-01-01", "literal"))
    assert not converse(plan_of(CAPTAIN, SCRAPPED), ScriptedEngine(told(ANN), REFUSAL, date)).outcomes[1].is_reached
    failed = converse(plan_of(CAPTAIN, SCRAPPED), ScriptedEngine(told(ANN), ReplyInvalid("?")))
    assert not failed.outcomes[1].is_reached


def test_a_visible_error_is_corrected_and_may_be_recovered() -> None:
    engine = ScriptedEngine(told(BOB, about="Borealis"), told(ANN, about="Aurora"))
    talk = converse(plan_of(CAPTAIN), engine)
    assert engine.asked == [CAPTAIN.question, f"No, I meant Aurora. {CAPTAIN.question}"]
    assert acts(talk) == ["ask", "correct"] and talk.outcomes[0].is_reached
    assert talk.outcomes[0].talk[0].visible_error == "entity"


BACK = Answer(
    without_values="clarification",
    clarification=Clarification("Which?", (ClarificationOption("Aurora", S + "aurora"),)),
)


def test_a_clarification_is_answered_once_and_costs_no_patience() -> None:
    refusal = Answer(reason=Reason("ambiguous", "Several."), clarification=BACK.clarification)
    for back in (BACK, refusal):  # the options of a refusal are chosen from
        engine = ScriptedEngine(back, told(ANN))
        talk = converse(plan_of(CAPTAIN), engine, patience=0)
        assert acts(talk) == ["ask", "clarify"] and talk.outcomes[0].is_reached and engine.asked[-1] == "Aurora"
    assert acts(converse(plan_of(CAPTAIN), ScriptedEngine(BACK))) == ["ask", "clarify", "give-up"]


@pytest.mark.parametrize("clarify", ["ask", "best", "refuse"])
def test_goals_about_namesakes_are_reached_whatever_becomes_of_ambiguous_questions(
    clarify: ClarifyMode, open_graph: Callable[[str], KnowledgeGraph]
) -> None:
    kg = open_graph("namesakes")
    engine = ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(clarify=clarify))
    talk = converse(plan_of(CAPTAIN, BIRTH, COUNTRY, kg=kg), engine, kg=kg)
    assert acts(talk)[:2] == ["ask", "correct" if clarify == "best" else "clarify"]
    assert [outcome.is_reached for outcome in talk.outcomes] == [True] * 3


def test_who_fails_too_often_in_a_row_leaves() -> None:
    plan = plan_of(CAPTAIN, SCRAPPED, SCRAPPED, SCRAPPED)
    talk = converse(plan, ScriptedEngine(REFUSAL), give_up=2)
    assert (talk.status, talk.reason) == ("given-up", "2 goals failed in a row")
    assert statuses(talk) == ["given-up", "given-up", "not-asked", "not-asked"]


def test_a_loop_ends_the_conversation() -> None:
    assert converse(plan_of(*[CAPTAIN] * 5), ScriptedEngine(told(ANN))).status == "done"  # right answers are none
    talk = converse(plan_of(CAPTAIN, BIRTH, COUNTRY, SCRAPPED), ScriptedEngine(told(Value("Paris", "literal"))))
    assert talk.status == "loop" and statuses(talk)[-1] == "cut-off"
    asking = converse(plan_of(CAPTAIN, SCRAPPED, CAPTAIN), ScriptedEngine(BACK))
    assert asking.status == "loop" and count_messages(asking) < 8


def test_messages_are_limited() -> None:
    talk = converse(plan_of(CAPTAIN, BIRTH, COUNTRY), ScriptedEngine(told(ANN)), max_turns=2)
    assert talk.status == "max-turns" and statuses(talk) == ["accepted", "accepted", "not-asked"]
    backs = [replace(BACK, clarification=Clarification(f"Which {number}?")) for number in range(99)]
    talk = converse(plan_of(CAPTAIN, SCRAPPED), ScriptedEngine(*backs), max_turns=10)
    assert talk.status == "max-turns" and count_messages(talk) == 10 and statuses(talk) == ["cut-off", "not-asked"]
    assert converse(plan_of(CAPTAIN), ScriptedEngine(told(ANN)), max_turns=1).status == "done"


def chained(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (told(Value("x" * (MAX_VALUE_CHARACTERS + 1), "literal")), "too-long"),
        (chained(ResultUnreadable("large"), ReplyTooLarge("large")), "too-long"),
        (ReplyInvalid("no JSON", text="x" * (MAX_VALUE_CHARACTERS + 1)), "too-long"),
        (ReplyInvalid("no JSON", text="Go away!"), "error"),
        (EndpointTimeout("late"), "error"),
        (ModelUnavailable("gone", reason="lost"), "error"),
        (ZeroDivisionError("a bug"), "error"),
    ],
)
def test_a_broken_system_ends_its_conversation_only(reply: Answer | Exception, status: str) -> None:
    talk = converse(plan_of(CAPTAIN, SCRAPPED), ScriptedEngine(reply))
    assert talk.status == status and talk.reason


def test_an_error_between_answers_is_a_refusal() -> None:
    talk = converse(plan_of(CAPTAIN, BIRTH), ScriptedEngine(told(ANN), ReplyInvalid("insult"), told(KIEL)))
    assert talk.status == "done" and acts(talk) == ["ask", "ask", "rephrase"] and talk.outcomes[1].is_reached
    with pytest.raises(BudgetSpent):
        converse(plan_of(CAPTAIN), ScriptedEngine(BudgetSpent("spent")))


def test_systems_without_iris_answer_in_names() -> None:
    named = ScriptedEngine(told(Value("ann lee", "literal")))
    assert converse(plan_of(CAPTAIN), named, answers_in_names=True).outcomes[0].is_reached
    assert not converse(plan_of(CAPTAIN), ScriptedEngine(told(Value("ann lee", "literal")))).outcomes[0].is_reached


def test_bare_iris_are_called_by_their_names(ships: KnowledgeGraph) -> None:
    bare = Value(BOB.value, "iri")
    for kg, name in ((None, "bob"), (ships, "Bob Ray")):
        engine = ScriptedEngine(told(bare), told(LUND))
        converse(plan_of(CAPTAIN, BIRTH), engine, kg=kg)
        assert engine.asked == [CAPTAIN.question, BIRTH.question] and engine.histories[1][0].answer.labels == (name,)
    silent = ScriptedEngine(told(bare), REFUSAL)
    converse(plan_of(CAPTAIN, BIRTH), silent)
    assert silent.asked[-1] == "Where was bob born?"

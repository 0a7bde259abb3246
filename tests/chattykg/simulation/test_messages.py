"""What the user sees to be wrong, and its messages: true replies, corrections, and a model that only words them."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer, Clarification, ClarificationOption, LinkedTerm, Value
from scripted_model import StepModel
from ship_talk import ANN, BIRTH, BOB, CAPTAIN, KIEL, LUND, S, V, plan_of, told, turn

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.simulation.goals import Goal
from chattykg.simulation.messages import (
    draft_clarification,
    draft_correction,
    find_visible_error,
    word_message,
)

GOAL = plan_of(CAPTAIN).goals[0]


def asks(*options: tuple[str, str]) -> Answer:
    question = 'Which one do you mean by "Aurora"?'
    back = Clarification(question, tuple(ClarificationOption(label, iri) for label, iri in options))
    return Answer(without_values="clarification", clarification=back)


@pytest.mark.parametrize(
    ("options", "reply"),
    [
        ((("Aurora (harbor)", S + "x"), ("Aurora (ship)", S + "aurora")), "Aurora (ship)"),
        ((("owner", S + "vocab/owner"), ("captain", S + "vocab/captain")), "captain"),
        ((("Borealis", ""), ("aurora", "")), "aurora"),
        ((("Aurora (harbor)", S + "x"), ("Aurora (city)", S + "y")), "None of these. I mean Aurora."),
        ((), "Aurora"),
    ],
)
def test_clarifications_are_answered_truthfully(options: tuple[tuple[str, str], ...], reply: str) -> None:
    assert draft_clarification(GOAL, asks(*options), "", GOAL.referent) == reply


def test_an_open_clarification_gets_the_name_that_the_follow_up_leaves_out() -> None:
    goal = plan_of(CAPTAIN, BIRTH).goals[1]
    assert draft_clarification(goal, asks(), "", goal.referent) == "Ann Lee"
    other = asks(("Aurora (harbor)", S + "x"))
    assert draft_clarification(GOAL, other, "de", GOAL.referent) == "Aurora"  # there are no German phrases


@pytest.mark.parametrize(
    ("error", "lang", "draft"),
    [
        ("entity", "", f"No, I meant Aurora. {CAPTAIN.question}"),
        ("kind", "", f"No, that is not what I asked. {CAPTAIN.question}"), ("kind", "de", CAPTAIN.question),
    ],
)  # fmt: skip
def test_corrections_name_what_was_meant(error: Any, lang: str, draft: str) -> None:
    assert draft_correction(GOAL, told(about="Borealis"), error, lang, None) == draft


def test_a_correction_names_the_thing_that_the_reply_leaves_out() -> None:
    question = "Is Bob Ray the captain of Aurora?"
    claim = turn(1, question, question, "opens", "boolean", (S + "aurora", V + "captain", S + "bob"),
                 Value("false", "boolean"), form="boolean")  # fmt: skip
    goal = plan_of(claim).goals[0].with_belief("bob", BOB)
    for said, missing in (("whether Bob Ray is a captain", "Aurora"), ("the captain of Aurora", "Bob Ray")):
        assert draft_correction(goal, told(sentence=said), "entity", "", None) == f"No, I meant {missing}. {question}"


def test_a_model_words_the_draft_and_never_sees_the_gold() -> None:
    model = StepModel([{"message": "So who  commands Aurora?"}])
    message, usage = word_message(model, "rephrase", CAPTAIN.question, GOAL, ["Person: Hi", "System: Hello"])
    assert (message, usage.calls) == ("So who commands Aurora?", 1)
    sent = " ".join(part.content for part in model.asked[0].messages)
    assert "Ann Lee" not in sent and "SELECT" not in sent and "Person: Hi\nSystem: Hello" in sent


@pytest.mark.parametrize(
    ("act", "draft", "reply"),
    [
        ("ask", CAPTAIN.question, "Is Ann Lee the captain of Aurora?"),
        ("ask", CAPTAIN.question, "Who is the captain?"),
        ("clarify", "Aurora (ship)", "I mean Aurora."), ("rephrase", "Where was Aurora in 2013?", "Where was Aurora?"),
    ],
)  # fmt: skip
def test_a_wording_that_tells_the_gold_or_drops_a_name_is_refused(act, draft, reply) -> None:
    model = StepModel([{"message": reply}])
    message, usage = word_message(model, act, draft, GOAL, [], theta=2)
    assert (message, usage.calls, len(model.asked)) == (draft, 2, 2)


BORN = turn(1, "When was Aurora launched?", "When was Aurora launched?", "opens", "date",
            (S + "aurora", V + "launched", "?x"), Value("1998-05-01", "literal"), form="date")  # fmt: skip
LONG = turn(1, "How long is Aurora?", "How long is Aurora?", "opens", "decimal", (S + "aurora", V + "length", "?x"),
            Value("120.5", "number"), form="number")  # fmt: skip
RED = turn(1, "Is Bob Ray its captain?", "Is Bob Ray the captain of Aurora?", "opens", "boolean",
           (S + "aurora", V + "captain", S + "bob"), Value("false", "boolean"), form="boolean")  # fmt: skip


def seen(goal: Goal, answer: Answer, *built_on: Value) -> str:
    elements = [element_from_answer(value.value, value.label) for value in answer.values]
    return find_visible_error(goal, answer, elements, built_on)


def number(text: str) -> Value:
    return Value(text, "number")


@pytest.mark.parametrize(
    ("turn", "values", "expected"),
    [
        (CAPTAIN, (BOB,), ""), (CAPTAIN, (number("3"),), "kind"), (CAPTAIN, (Value("Bob", "literal"),), ""),
        (CAPTAIN, (Value("true", "boolean"),), "kind"),
        (BORN, (Value("1990-01-01", "literal"),), ""), (BORN, (number("1990"),), ""), (BORN, (BOB,), "kind"),
        (BORN, (Value("long ago", "literal"),), "kind"), (BORN, (Value("in May 1990", "literal"),), ""),
        (LONG, (number("7"),), ""), (LONG, (BOB,), "kind"), (LONG, tuple(number(str(n)) for n in range(9)), "kind"),
        (RED, (Value("true", "boolean"),), ""), (RED, (BOB,), "kind"),
    ],
)  # fmt: skip
def test_an_answer_of_another_kind_is_seen(turn: Any, values: tuple[Value, ...], expected: str) -> None:
    assert seen(plan_of(turn).goals[0], told(*values)) == expected


def test_a_reply_about_another_thing_is_seen() -> None:
    goal = plan_of(CAPTAIN).goals[0]
    assert seen(goal, told(BOB, about="Borealis", standalone="Who is the captain of Borealis?")) == "entity"
    assert seen(goal, told(BOB, sentence="the captain of every ship")) == "entity"
    assert seen(goal, told(ANN, about="Aurora", sentence="the captain of Aurora")) == ""
    assert seen(goal, told(BOB, standalone=CAPTAIN.question)) == ""


def test_a_reply_may_name_the_answer_that_it_builds_on() -> None:
    birth = plan_of(CAPTAIN, BIRTH).goals[1]
    birth = birth.with_belief("Ann Lee", BOB)
    answer = told(LUND, sentence="the birth place of Bob Ray")
    assert seen(birth, answer, BOB) == ""
    assert seen(birth, told(KIEL, sentence="the birth place of Ann Lee"), BOB) == "entity"


def test_notes_and_unused_words_are_seen() -> None:
    goal = plan_of(CAPTAIN).goals[0]
    assert seen(goal, told(BOB, unused=("present",))) == "note"
    other = LinkedTerm("Aurora", S + "aurora2", "Aurora")
    note = '"Aurora" may mean Aurora (ship) or Aurora (harbor), and the answers differ.'
    assert seen(goal, Answer((BOB,), entities=(other,), notes=(note,))) == "note"
    assert seen(goal, Answer((BOB,), entities=(other,))) == ""

"""What a person can see of an answer that is wrong; the gold plays no part."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer, LinkedTerm, Value
from ship_talk import ANN, BIRTH, BOB, CAPTAIN, KIEL, LUND, S, V, plan_of, told, turn

from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.simulation.goals import Goal
from chattykg.simulation.visible_errors import asked_kind, find_visible_error

BORN = turn(1, "When was Aurora launched?", "When was Aurora launched?", "opens", "date",
            (S + "aurora", V + "launched", "?x"), Value("1998-05-01", "literal"), form="date")  # fmt: skip
LONG = turn(1, "How long is Aurora?", "How long is Aurora?", "opens", "decimal", (S + "aurora", V + "length", "?x"),
            Value("120.5", "number"), form="number")  # fmt: skip
RED = turn(1, "Is Bob Ray its captain?", "Is Bob Ray the captain of Aurora?", "opens", "boolean",
           (S + "aurora", V + "captain", S + "bob"), Value("false", "boolean"), form="boolean")  # fmt: skip


def seen(goal: Goal, answer: Answer, *accepted: tuple[Goal, Answer]) -> str:
    elements = [element_from_answer(value.value, value.label) for value in answer.values]
    return find_visible_error(goal, answer, elements, accepted)


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


def test_kinds_come_from_classes_and_datatypes() -> None:
    kinds = [asked_kind(name) for name in ("boolean", "integer", "gYear", "string", "entity", "Harbor")]
    assert kinds == ["boolean", "number", "date", "", "", "thing"]


def test_a_reply_about_another_thing_is_seen() -> None:
    goal = plan_of(CAPTAIN).goals[0]
    assert seen(goal, told(BOB, about="Borealis", standalone="Who is the captain of Borealis?")) == "entity"
    assert seen(goal, told(BOB, sentence="the captain of every ship")) == "entity"
    assert seen(goal, told(ANN, about="Aurora", sentence="the captain of Aurora")) == ""
    assert seen(goal, told(BOB, standalone=CAPTAIN.question)) == ""


def test_a_reply_may_name_the_answer_that_it_builds_on() -> None:
    captain, birth = plan_of(CAPTAIN, BIRTH).goals
    birth = birth.with_belief("Ann Lee", BOB)
    answer = told(LUND, sentence="the birth place of Bob Ray")
    assert seen(birth, answer, (captain, told(BOB))) == ""
    assert seen(birth, told(KIEL, sentence="the birth place of Ann Lee"), (captain, told(BOB))) == "entity"


def test_notes_and_unused_words_are_seen() -> None:
    goal = plan_of(CAPTAIN).goals[0]
    assert seen(goal, told(BOB, unused=("present",))) == "note"
    other = LinkedTerm("Aurora", S + "aurora2", "Aurora")
    note = '"Aurora" may mean Aurora (ship) or Aurora (harbor), and the answers differ.'
    assert seen(goal, Answer((BOB,), entities=(other,), notes=(note,))) == "note"
    assert seen(goal, Answer((BOB,), entities=(other,))) == ""


def test_an_answer_outside_the_offered_choice_is_seen() -> None:
    older = turn(1, "Who is older, Ann Lee or Bob Ray?", "Who is older, Ann Lee or Bob Ray?", "opens", "person",
                 (S + "ann", V + "spouse", S + "bob"), BOB, form="comparison")  # fmt: skip
    which = turn(
        2, "Which of them is tall?", "Which of the two is tall?", "among", "person", ("?x", V + "tall", "?y"), ANN
    )
    first, second = plan_of(older, which).goals
    assert [seen(first, told(value)) for value in (ANN, KIEL)] == ["", "kind"]
    assert [seen(second, told(value), (first, told(ANN, BOB))) for value in (ANN, KIEL)] == ["", "kind"]


def test_a_contradiction_is_seen() -> None:
    claim, listed = plan_of(RED).goals[0], plan_of(CAPTAIN).goals[0]
    yes, no = told(Value("true", "boolean")), told(Value("false", "boolean"))
    assert [seen(listed, told(BOB), (claim, verdict)) for verdict in (yes, no)] == ["", "contradiction"]
    assert [seen(claim, verdict, (listed, told(ANN))) for verdict in (yes, no)] == ["contradiction", ""]

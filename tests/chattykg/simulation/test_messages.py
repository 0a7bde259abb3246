"""The messages of the user: true replies to clarifications, corrections, and a model that only words them."""

from __future__ import annotations

import pytest
from chattyshared.dialogue import Answer, Clarification, ClarificationOption, Value
from chattyshared.errors import ModelUnavailable
from scripted_model import StepModel
from ship_talk import BIRTH, BOB, CAPTAIN, S, V, plan_of, told, turn

from chattykg.simulation.messages import draft_clarification, draft_correction, word_message

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


def test_corrections_name_what_was_meant() -> None:
    answer = told(about="Borealis")
    assert draft_correction(GOAL, answer, "entity", "", None) == f"No, I meant Aurora. {CAPTAIN.question}"
    assert draft_correction(GOAL, answer, "kind", "", None) == f"No, that is not what I asked. {CAPTAIN.question}"
    assert draft_correction(GOAL, answer, "kind", "de", None) == CAPTAIN.question


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


def test_a_model_that_is_gone_stops_the_run() -> None:
    with pytest.raises(ModelUnavailable):
        word_message(StepModel([ModelUnavailable("gone")]), "ask", "Who?", GOAL, [])

"""What the classifier and the rephraser see of a conversation."""

from __future__ import annotations

import pytest
from chattyshared.dialogue import Answer, Clarification, Exchange, Reason, Value

from chattykg.conversation.context import ConversationContext


def people(*names: str) -> tuple[Value, ...]:
    return tuple(Value(f"https://ships.example/{name}", "iri", label=name) for name in names)


def test_a_turn_shows_its_first_answers_and_how_many_there_are() -> None:
    exchange = Exchange("Who commands a ship?", Answer(people("Ann", "Bob", "Cid", "Dot")))
    assert ConversationContext((exchange,)).as_prompt_text() == "Q1: Who commands a ship?\nA1: Ann; Bob; Cid (4 in all)"


def test_the_counts_of_an_answer_in_columns_stay_visible() -> None:
    ann, bob = people("Ann", "Bob")
    rows = ((ann, Value("2", "number")), (bob, Value("1", "number")))
    exchange = Exchange("How many ships has each captain?", Answer((ann, bob), rows=rows, columns=("captain", "n")))
    assert ConversationContext((exchange,)).as_prompt_text().endswith("\nA1: Ann, 2; Bob, 1")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (Answer(), "(no answer)"),
        (Answer(without_values="empty", notes=("None: no ship fits.",)), "(nothing fits)"),
        (Answer(reason=Reason("unknown-name", "I do not know Bob.")), "(no answer: I do not know Bob.)"),
        (
            Answer(without_values="clarification", clarification=Clarification("Which Bob?")),
            "(no answer: Which Bob?)",
        ),
    ],
)
def test_a_turn_without_answers_says_why(answer: Answer, shown: str) -> None:
    assert ConversationContext((Exchange("Who is Bob?", answer),)).as_prompt_text() == f"Q1: Who is Bob?\nA1: {shown}"

"""Input normalization: the questions of one turn."""

from __future__ import annotations

import pytest

from chattykg.conversation.input import settle_clarified, split_questions, split_sentences


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("Which ship? | Did you mean to ask for the ship with id 2? | Yes please", "the ship with id 2?"),
        ("List the ships | did you mean list their names? | yes", "List the ships"),
        ("Who owns it? | The name or the id? | the id", "Who owns it?"),
        ("Ships? | All of them? | How many ships are there?", "How many ships are there?"),
        ("Which | is it?", "Which | is it?"),
    ],
)
def test_what_was_asked_back_and_the_reply_settle_a_question(text: str, settled: str) -> None:
    assert settle_clarified(text) == settled


def test_german_questions_of_one_turn_are_told_apart() -> None:
    question = "Wer hat die Möwe gebaut und in welchem Jahr wurde sie verkauft?"
    assert split_questions(question) == ("Wer hat die Möwe gebaut", "in welchem Jahr wurde sie verkauft?")
    assert len(split_questions("Welche Werften und Häfen gibt es?")) == 1


def test_a_sentence_may_end_with_a_bracket_or_a_quote() -> None:
    assert split_sentences("I meant Comet (length 30). Who built it?") == (
        "I meant Comet (length 30).",
        "Who built it?",
    )
    assert split_sentences('I meant "Comet". Who built it?') == ('I meant "Comet".', "Who built it?")

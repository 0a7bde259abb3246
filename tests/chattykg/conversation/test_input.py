"""Input normalization: the questions of one turn."""

from __future__ import annotations

from chattykg.conversation.input import split_questions


def test_german_questions_of_one_turn_are_told_apart() -> None:
    question = "Wer hat die Möwe gebaut und in welchem Jahr wurde sie verkauft?"
    assert split_questions(question) == ("Wer hat die Möwe gebaut", "in welchem Jahr wurde sie verkauft?")
    assert len(split_questions("Welche Werften und Häfen gibt es?")) == 1

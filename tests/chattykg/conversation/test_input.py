"""Input normalization: the questions of one turn."""

from __future__ import annotations

import time

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.conversation.input import settle_clarified, split_questions, split_sentences
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK


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


@pytest.mark.parametrize("unit", [" ", ", ", " ,", "“", "? ", " and "])
def test_a_turn_is_split_in_linear_time(unit):
    begun = time.process_time()
    split_questions("Who is it?" + unit * 20_000 + "x")
    assert time.process_time() - begun < 1


def test_a_question_is_folded_and_measured_before_it_is_read():
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    assert engine.answer("Who directed" + " " * 9_000 + "Titanic?").values
    begun = time.process_time()
    answer = engine.answer("Who directed Titanic and " * 400)
    assert "too long" in answer.reason.text and len(answer.standalone) == engine.settings.question_limit
    assert time.process_time() - begun < 0.5


def test_a_question_of_one_long_word_is_answered_at_once():
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    begun = time.process_time()
    assert not engine.answer("What is " + "a" * 1_900 + "?").values
    assert time.process_time() - begun < 5

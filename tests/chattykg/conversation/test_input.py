"""Input normalization: the questions of one turn."""

from __future__ import annotations

import time

import pytest
from chattyshared.dialogue import Answer, Exchange, History, LinkedTerm
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.conversation.input import (
    drop_small_talk,
    reply_to_small_talk,
    split_questions,
    split_sentences,
)
from chattykg.engine import ChattyEngine
from chattykg.query.answers import spelling_notes
from chattykg.rulebook import RULEBOOK


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


@pytest.fixture(scope="module")
def museum() -> ChattyEngine:
    return ChattyEngine(open_graph("talks/museum"), RuleModel(RULEBOOK))


def talk(engine: ChattyEngine, *questions: str) -> list[Answer]:
    history: History = ()
    for question in questions:
        history = (*history, Exchange(question, engine.answer(question, history)))
    return [exchange.answer for exchange in history]


def said(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values] or [answer.explanation]


@pytest.mark.parametrize(
    ("utterance", "reply"),
    [
        ("Thanks!", "You are welcome."), ("ok great, thank you very much", "You are welcome."),
        ("Bye", "Goodbye."), ("hello", "Hello. Ask a question about the graph."), ("OK", "That is no question."),
        ("Thanks, and who keeps it?", ""), ("Hello Dolly", ""), ('"Thanks"', ""), ("Okay?", ""), ("Great vases", ""),
    ],
)  # fmt: skip
def test_a_courtesy_is_no_question(utterance: str, reply: str) -> None:
    assert reply_to_small_talk(utterance) == reply


def test_a_courtesy_is_no_part_of_what_was_talked_of(museum: ChattyEngine) -> None:
    asked, thanks, after = talk(museum, "Is the Amber Vase shown in the East Room?", "Thanks!", "Who is it kept by?")
    assert said(asked) == ["true"] and said(thanks) == ["You are welcome."] and said(after) == ["Ida Holt"]
    assert drop_small_talk((Exchange("Thanks!", thanks), Exchange("Who?", after))) == (Exchange("Who?", after),)


@pytest.mark.parametrize("words", ["asdf qwer", "pizza"])
def test_words_that_the_graph_has_not_are_no_name_of_it(museum: ChattyEngine, words: str) -> None:
    answer = talk(museum, "Is the Amber Vase kept by Ida Holt?", words)[-1]
    assert not answer.values and words.rpartition(" ")[2] in answer.explanation


def test_the_noun_that_is_asked_for_is_not_passed_over(museum: ChattyEngine) -> None:
    answer = museum.answer("What is the weather in the East Room?")
    assert not answer.values and '"weather"' in answer.explanation
    assert said(museum.answer("Which vases are in the East Room?")) == ["Amber Vase", "Blue Vase"]


def test_that_nothing_fits_a_condition_is_said(museum: ChattyEngine) -> None:
    (none,) = said(museum.answer("Which vases have a price of more than 900?"))
    assert none == "None: the graph states such values, and none of them is above 900."


def test_a_name_spelt_otherwise_is_told() -> None:
    links = [("Ida Hollt", "Ida Holt"), ("Jon", "Jon Park"), ("NYC", "New York City"), ("ida holt", "Ida Holt")]
    linked = (LinkedTerm(mention, f"https://x.example/{label}", label) for mention, label in links)
    assert spelling_notes(linked) == ('"Ida Hollt" is taken for Ida Holt.',)

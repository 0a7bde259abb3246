"""Input normalization: the questions of one turn."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange, History, LinkedTerm
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.conversation.input import (
    drop_small_talk,
    reply_to_small_talk,
    split_questions,
    split_sentences,
)
from chattykg.engine import ChattyEngine
from chattykg.query.answers import spelling_notes
from chattykg.rulebook import RULEBOOK

MUSEUM = """
@prefix : <https://museum.example/> .
@prefix v: <https://museum.example/vocab/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Vase a rdfs:Class ; rdfs:label "vase"@en . v:Room a rdfs:Class ; rdfs:label "room"@en .
v:Keeper a rdfs:Class ; rdfs:label "keeper"@en .
v:shownIn rdfs:label "shown in"@en . v:price rdfs:label "price"@en . v:keptBy rdfs:label "kept by"@en .
:a a v:Vase ; rdfs:label "Amber Vase"@en ; v:shownIn :east ; v:price 300 ; v:keptBy :ida .
:b a v:Vase ; rdfs:label "Blue Vase"@en ; v:shownIn :east ; v:price 100 ; v:keptBy :jon .
:c a v:Vase ; rdfs:label "Copper Vase"@en ; v:shownIn :west ; v:price 200 ; v:keptBy :ida .
:east a v:Room ; rdfs:label "East Room"@en . :west a v:Room ; rdfs:label "West Room"@en .
:ida a v:Keeper ; rdfs:label "Ida Holt"@en . :jon a v:Keeper ; rdfs:label "Jon Park"@en .
"""


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
def museum(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path = tmp_path_factory.mktemp("museum") / "museum.ttl"
    path.write_text(MUSEUM, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


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


@pytest.mark.parametrize("question", ["How many vases are in each room?", "How many vases per room?"])
def test_each_counts_by_group(museum: ChattyEngine, question: str) -> None:
    rows = [[value.label or value.value for value in row] for row in museum.answer(question).rows]
    assert rows == [["East Room", "2"], ["West Room", "1"]]


def test_an_aggregate_by_group(museum: ChattyEngine) -> None:
    answer = museum.answer("What is the average price of the vases in each room?")
    rows = [(row[0].label, float(row[1].value)) for row in answer.rows]
    assert rows == [("East Room", 200.0), ("West Room", 200.0)]


def test_that_nothing_fits_a_condition_is_said(museum: ChattyEngine) -> None:
    (none,) = said(museum.answer("Which vases have a price of more than 900?"))
    assert none == "None: the graph states such values, and none of them is above 900."


def test_a_name_spelt_otherwise_is_told() -> None:
    links = [("Ida Hollt", "Ida Holt"), ("Jon", "Jon Park"), ("NYC", "New York City"), ("ida holt", "Ida Holt")]
    linked = (LinkedTerm(mention, f"https://x.example/{label}", label) for mention, label in links)
    assert spelling_notes(linked) == ('"Ida Hollt" is taken for Ida Holt.',)


@pytest.mark.parametrize("question", ["Which pottery by Ida Holt is there?", "Which vases by Ida Holt are there?"])
def test_what_somebody_made_is_no_unknown_noun(museum: ChattyEngine, question: str) -> None:
    assert "pottery" not in museum.answer(question).unused


SIGNS = MUSEUM + ':q a v:Vase ; rdfs:label "Where to, what now?"@en ; v:shownIn :west ; v:keptBy :jon .\n'


@pytest.mark.parametrize(
    ("turn", "values"),
    [
        ("Which room is Where to, what now? shown in?", ["West Room"]),
        ("In which room is Where to, what now?", ["West Room"]),
        ("Who keeps Where to, what now? and what is the price of Blue Vase?", ["Jon Park", "100"]),
        ("Which vases are not kept by Ida Holt or shown in West Room?", ["Blue Vase"]),
        ("Which vases are not kept by Ida Holt or Jon Park?", []),
        ("What is a vase?", ["4"]),
        ("Which room is it in?", []),
        ("And that room?", []),
        ("Who keeps Vase?", []),
    ],
)
def test_names_denials_and_kinds(tmp_path: Path, turn: str, values: list[str]) -> None:
    path = tmp_path / "signs.ttl"
    path.write_text(SIGNS, encoding="utf-8")
    engine = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))
    about = "What is a vase?"
    history = (Exchange(about, engine.answer(about)),)
    assert [value.label or value.value for value in engine.answer(turn, history).values] == values

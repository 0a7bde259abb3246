"""What a question denies is denied by its query, or the question is refused."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.qir import QIR, Relation, Shape
from chattykg.query.judgement import agrees_with_form, unchecked_words
from chattykg.rulebook import RULEBOOK

FILMS = (Relation("?film", "director", "?person"),)


@pytest.mark.parametrize(
    ("question", "shape", "agrees"),
    [
        ("Is Denali the highest mountain?", "list", False),
        ("And was it directed by Ann?", "one", False),
        ("Is Denali the highest mountain?", "boolean", True),
        ("Is Denali or Mount Fuji higher?", "one", True),
        ("Do you know who directed Alien?", "list", True),
        ("Are there hotels with a pool?", "list", True),
        ("Which of the films has the longest running time?", "boolean", False),
        ("What did a nail trim cost in 1998?", "boolean", False),
        ("Name the films of Ann.", "list", True),
        ("films released before 1990", "boolean", False),
        ("I'd like to know whether Ann directed Alien.", "boolean", True),
        ("Ann directed Alien, isn't that right?", "boolean", True),
        ("", "list", True),
    ],
)
def test_a_yes_or_no_question_asks_for_a_truth_and_others_do_not(question: str, shape: Shape, agrees: bool) -> None:
    assert agrees_with_form(question, QIR(shape)) is agrees


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does every film have a director?", ("every",)),
        ("Are all films by Ann long?", ("all",)),
        ("Is Alien the longest film?", ("longest",)),
        ("Is Alien the most expensive film?", ("most",)),
        ("Does Alien have at least two directors?", ()),
        ("Did Ann direct all of it?", ()),
        ("Has Alien a director?", ()),
    ],
)
def test_all_and_the_extreme_are_no_mere_existence(question: str, words: tuple[str, ...]) -> None:
    assert unchecked_words(question, QIR("boolean", triples=FILMS)) == words
    assert unchecked_words(question, QIR("list", "?film", FILMS)) == ()


def test_an_extreme_that_the_graph_states_is_used() -> None:
    qir = QIR("boolean", triples=(Relation("Norland", "highest mountain", "Mount Gar"),))
    assert unchecked_words("Is Mount Gar the highest mountain of Norland?", qir) == ()


@pytest.mark.parametrize("question", ["Does every ship have a captain?", "Is the Aurora the longest ship?"])
def test_the_engine_calls_nothing_true_that_it_has_not_checked(ships: KnowledgeGraph, question: str) -> None:
    answer: Any = ChattyEngine(ships, RuleModel(RULEBOOK)).answer(question)
    assert (answer.values, answer.reason is None) == ((), False)

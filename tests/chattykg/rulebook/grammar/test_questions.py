"""Whole questions: what is asked for, and of what shape the answer is."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import render_qir
from chattykg.rulebook.grammar.parser import parse


@pytest.mark.parametrize(
    ("question", "qir"),
    [
        ("Who directed Silver Tide?", "list ?who; (?who | directed | Silver Tide)"),
        ("Which films did Mara Vane direct?", "list ?film; (Mara Vane | direct | ?film); ?film: films"),
        ("Which other films did the director of Silver Tide direct?",
         "list ?film; (Silver Tide | director | ?director); (?director | direct | ?film); ?film: films; "
         "?film != Silver Tide"),
        ("Which is longer, Silver Tide or Glass Orchard?",
         "list ?one; (?one | runtime | ?runtime); ?one of Silver Tide, Glass Orchard; order ?runtime desc 1 0"),
        ("Which actor starred in the most films?",
         "list ?actor; (?actor | starred in | ?film); ?film: films; order count ?film desc 1 0"),
        ("When was Mara Vane born?", "date ?date; (Mara Vane | born | ?date)"),
        ("How many films are there?", "count ?film; ?film: films"),
        ("How many films per country?",
         "count ?film; (?film |  | ?country); ?film: films; ?country: country; table ?country ?film"),
        ("How long is Silver Tide?", "number ?value; (Silver Tide | runtime | ?value)"),
        ("What is the average runtime of films by Mara Vane?",
         "number avg ?runtime; (?film | by | Mara Vane); (?film | runtime | ?runtime); ?film: films"),
        ("What is the most common genre?",
         "list ?genre; (?of_genre | genre | ?genre); order count ?of_genre desc 1 0"),
        ("name and runtime of all films",
         "table ?film; (?film | runtime | ?runtime); ?film: films; table ?film ?runtime"),
        ("List the films ordered by runtime",
         "list ?film; (?film | runtime | ?runtime); ?film: films; order ?runtime asc 0 0"),
        ("Did Mara Vane direct Silver Tide?", "boolean; (Mara Vane | direct | Silver Tide)"),
        ("Is the genre of Silver Tide drama?", "boolean; (Silver Tide | genre | drama)"),
        ("Is Silver Tide a film?", "boolean; ?one: film; ?one of Silver Tide"),
        ("Does Silver Tide star more than 2 actors?",
         "boolean; (?one | star actors | ?actor); ?one of Silver Tide; ?one has > 2 ?actor"),
    ],
)  # fmt: skip
def test_a_question_asks_for_something(cinema: KnowledgeGraph, question: str, qir: str) -> None:
    assert render_qir(parse(question, build_vocabulary_card(question, cinema))[0].qir) == qir

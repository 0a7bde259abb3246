"""Whole questions: what is asked for, and of what shape the answer is."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

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


@pytest.mark.parametrize("question", ["number of cities United Kingdom", "how many cities United Kingdom"])
def test_a_class_beside_a_name_and_a_word_for_counts_is_counted(question: str) -> None:
    qir = parse(question, build_vocabulary_card(question, open_kg(["demo"])))[0].qir
    assert qir.shape == "count"
    assert qir.triples[0].object == "United Kingdom"
    assert [group for _, group in qir.classes] == ["cities"]


def test_a_superlative_ranks_by_the_number_behind_it() -> None:
    question = "city largest population"
    qir = parse(question, build_vocabulary_card(question, open_kg(["demo"])))[0].qir
    assert [triple.relation for triple in qir.triples] == ["population"]
    assert qir.order is not None
    assert qir.order.descending


def test_a_word_that_the_graph_does_not_know_is_no_keyword() -> None:
    question = "films Ridley Scott zorb"
    parses = parse(question, build_vocabulary_card(question, open_kg(["demo"])))
    assert all(parse.unused or parse.node.rule is not None for parse in parses)

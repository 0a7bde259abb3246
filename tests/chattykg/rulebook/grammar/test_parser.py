"""Readings of a question: their number, their order, and the words that they leave out."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.parser import MAX_PARSES, MAX_TOKENS, Parse, parse


def read(question: str, graph: KnowledgeGraph) -> tuple[Parse, ...]:
    return parse(question, build_vocabulary_card(question, graph))


def test_readings_differ_and_come_best_first() -> None:
    parses = read("Which actors starred in films directed by Mara Vane?", open_graph("questions/cinema"))
    assert 1 < len(parses) <= MAX_PARSES
    assert len({each.qir for each in parses}) == len(parses)
    assert [each.score for each in parses] == sorted((each.score for each in parses), reverse=True)


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("Which films did Mara Vane direct?", ()),
        ("Hello, could you please tell me which films Mara Vane directed?", ()),
        ("Which zorby films are there?", ("zorby",)),
        ("What is the spouse of the zorb?", ("zorb",)),
        ("Which 80s films are there?", ("80s",)),
    ],
)
def test_words_that_a_reading_has_no_use_for_are_told(question: str, unused: tuple[str, ...]) -> None:
    assert read(question, open_graph("questions/cinema"))[0].unused == unused


def test_a_pronoun_stands_for_the_last_name_before_it() -> None:
    (first, *_) = read("Mara Vane: which films did she direct?", open_graph("questions/cinema"))
    assert first.qir.entities() == ("Mara Vane",)


def test_only_sentences_that_name_something_are_read_of_a_long_text() -> None:
    talk = "We had a long day and went for a walk. " * (MAX_TOKENS // 10)
    (first, *_) = read(f"{talk}Who directed Silver Tide?", open_graph("questions/cinema"))
    assert first.qir.entities() == ("Silver Tide",)


@pytest.mark.parametrize("text", ["", "?", "Silver Tide " * MAX_TOKENS])
def test_no_question_has_no_reading(text: str) -> None:
    assert read(text, open_graph("questions/cinema")) == ()

"""Nouns that name a class by another word, and nouns that only have a far-fetched synonym."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.linking.class_linking import link_class
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import build_vocabulary_card

SAME = (
    ("press", "Which films cost 9000?", "films", "Movie"),
    ("press", "Which lawyers are heirs?", "lawyers", "Attorney"),
    ("clinic", "Which doctors earn 500?", "doctors", "Physician"),
    ("clinic", "How many sicknesses are there?", "sicknesses", "Illness"),
    ("clinic", "Which medications cure Fen Fever?", "medications", "Medicine"),
    ("clinic", "Which kids were admitted in 2001?", "kids", "Child"),
    ("garage", "How many automobiles are there?", "automobiles", "Car"),
    ("garage", "Which motorbikes cost 300?", "motorbikes", "Motorcycle"),
    ("garage", "Which shops sold the Volta 5?", "shops", "Store"),
)
OTHER = (
    ("press", "Which letters did Ann Moe write?", "letters"),
    ("press", "Which singers were born in Vik?", "singers"),
    ("press", "Which guns are in the graph?", "guns"),
    ("press", "Which new books are there?", "news"),
    ("clinic", "Which banks are in Vik?", "banks"),
    ("clinic", "Which nurses earn 500?", "nurses"),
    ("clinic", "How many clients are there?", "clients"),
    ("clinic", "Which cats are there?", "cats"),
    ("garage", "Which trucks cost 900?", "trucks"),
    ("garage", "How many plants grow here?", "flowers"),
    ("garage", "Which drivers own a car?", "drivers"),
)
# The thesaurus itself links this far-fetched pair.
HELD_BY_THESAURUS = (("press", "How many songs are there?", "songs"),)


def linked_class(kg: KnowledgeGraph, question: str, noun: str) -> str:
    link = link_class(noun, build_vocabulary_card(question, kg), kg, LexicalSimilarity())
    return link.classes[0].rpartition("/")[2] if link else ""


@pytest.mark.parametrize(("graph", "question", "noun", "name"), SAME)
def test_a_synonym_links_to_its_class(
    pair_graph: Callable[[str], KnowledgeGraph], graph: str, question: str, noun: str, name: str
) -> None:
    assert linked_class(pair_graph(graph), question, noun) == name


@pytest.mark.parametrize(
    ("graph", "question", "noun"),
    [
        *OTHER,
        *(pytest.param(*case, marks=pytest.mark.xfail(strict=True, reason="thesaurus")) for case in HELD_BY_THESAURUS),
    ],
)
def test_a_far_fetched_synonym_links_to_no_class(
    pair_graph: Callable[[str], KnowledgeGraph], graph: str, question: str, noun: str
) -> None:
    assert linked_class(pair_graph(graph), question, noun) == ""

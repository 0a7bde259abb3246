"""Questions as what one reified relation links, by their key words."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Order, Relation
from chattykg.query.keyword_readings import read_by_keywords

_IRI = "http://buses.example/"


@pytest.fixture(scope="module")
def buses() -> KnowledgeGraph:
    return open_graph("buses")


def _read(kg: KnowledgeGraph, question: str) -> list[QIR]:
    return [reading.qir for reading in read_by_keywords(question, build_vocabulary_card(question, kg), kg)]


def test_key_words_fill_the_slots_of_a_trip(buses: KnowledgeGraph) -> None:
    (found,) = _read(buses, "last departure Mill Depot to Old Dock")
    assert set(found.triples) == {
        Relation("?event", f"{_IRI}fromDepot", "Mill Depot"),
        Relation("?event", f"{_IRI}toDepot", "Old Dock"),
        Relation("?event", f"{_IRI}departs", "?asked0"),
    }
    assert found.order == Order("?asked0", True)


def test_the_present_leaves_out_what_is_over(buses: KnowledgeGraph) -> None:
    (found,) = _read(buses, "current foreman of the Mill Depot?")
    assert Relation("?event", f"{_IRI}employee", "?asked0") in found.triples
    assert found.negated == (Relation("?event", f"{_IRI}endDate", "?over"),)


def test_a_price_comes_with_its_currency(buses: KnowledgeGraph) -> None:
    (found,) = _read(buses, "How much is a single fare at the Mill Depot?")
    assert found.targets == ("?asked0", "?asked1")
    assert Relation("?event", f"{_IRI}fare", "single fare") in found.triples


def test_a_total_is_a_sum_and_a_price_per_something_is_another_one() -> None:
    sales = open_graph("sales")
    (found,) = _read(sales, "What does Mill Depot charge in total for a single fare?")
    assert found.aggregate == "sum"
    assert _read(sales, "What does Mill Depot charge per hour for a single fare?") == []


@pytest.mark.parametrize(
    "question",
    [
        "last heated departure Mill Depot to Old Dock",
        "who was foreman of the Mill Depot except Una Moor",
        "Was Una Moor foreman of the Mill Depot?",
        "departures",
    ],
)
def test_a_word_that_says_something_else_is_not_left_out(buses: KnowledgeGraph, question: str) -> None:
    assert _read(buses, question) == []

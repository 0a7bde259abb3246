"""Questions as what one reified relation links, by their key words."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.qir import QIR, Order, Relation
from chattykg.query.keyword_readings import read_by_keywords

BUSES = """
@prefix : <http://buses.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:una a :Person ; rdfs:label "Una Moor" . :per a :Person ; rdfs:label "Per Lang" .
:mill a :Depot ; rdfs:label "Mill Depot" . :dock a :Depot ; rdfs:label "Old Dock Depot" .
:head a :Post ; rdfs:label "foreman" . :clerk a :Post ; rdfs:label "clerk" .
:nine a :Route ; rdfs:label "Route Nine" ; :terminus :mill .
:am a :Fare ; rdfs:label "single fare" . :pm a :Fare ; rdfs:label "weekly pass" .
[] a :Employment ; :employee :una ; :depot :mill ; :post :head ; :startDate "2001-01-01"^^xsd:date ;
  :endDate "2009-06-30"^^xsd:date .
[] a :Employment ; :employee :per ; :depot :mill ; :post :head ; :startDate "2009-07-01"^^xsd:date .
[] a :Trip ; :fromDepot :mill ; :toDepot :dock ; :departs "09:10:00"^^xsd:time .
[] a :Trip ; :fromDepot :mill ; :toDepot :dock ; :departs "17:30:00"^^xsd:time .
[] a :Sale ; :fare :am ; :soldAt :mill ; :price 3.2 ; :currency "EUR" .
[] a :Sale ; :fare :pm ; :soldAt :mill ; :price 12.5 ; :currency "EUR" .
[] a :Sale ; :fare :am ; :soldAt :dock ; :price 3.2 ; :currency "EUR" .
[] a :Sale ; :fare :pm ; :soldAt :dock ; :price 12.5 ; :currency "EUR" .
"""
_IRI = "http://buses.example/"


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("buses") / "buses.ttl"
    path.write_text(BUSES, encoding="utf-8")
    return open_kg([str(path)])


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


def test_a_total_is_a_sum_and_a_price_per_something_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "sales.ttl").write_text(BUSES.replace(' ; :currency "EUR"', ""), encoding="utf-8")
    sales = open_kg([str(tmp_path / "sales.ttl")])
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

"""Sums, means, counts for each value of a noun, degrees without a noun, and kinds that are acronyms, over a brewery."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

TURTLE = """
@prefix : <https://brewery.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Beer a rdfs:Class ; rdfs:label "beer" . :Brewery a rdfs:Class ; rdfs:label "brewery" .
:Style a rdfs:Class ; rdfs:label "style" . :Town a rdfs:Class ; rdfs:label "town" .
:style rdfs:label "style" . :brewedBy rdfs:label "brewed by" . :locatedIn rdfs:label "located in" .
:bitterness rdfs:label "bitterness" . :price rdfs:label "price" . :sold rdfs:label "number of kegs sold" .
:ipa a :Style ; rdfs:label "IPA" . :porter a :Style ; rdfs:label "porter" .
:exham a :Town ; rdfs:label "Exham" . :saltby a :Town ; rdfs:label "Saltby" .
:quay a :Brewery ; rdfs:label "Old Quay Brewery" ; :locatedIn :exham ; :sold 40 .
:marsh a :Brewery ; rdfs:label "Marsh Lane Brewery" ; :locatedIn :saltby ; :sold 25 .
:haze a :Beer ; rdfs:label "River Haze" ; :style :ipa ; :brewedBy :quay ; :bitterness 55 ; :price 5.0 .
:tide a :Beer ; rdfs:label "Low Tide" ; :style :ipa ; :brewedBy :marsh ; :bitterness 40 ; :price 4.0 .
:ferry a :Beer ; rdfs:label "Night Ferry" ; :style :porter ; :brewedBy :marsh ; :bitterness 25 ; :price 3.0 .
"""
ANSWERS = [
    ("What is the average price of the beers brewed by Marsh Lane Brewery?", ["3.5"]),
    ("What do the IPAs cost on average?", ["4.5"]),
    ("What is the total price of all beers?", ["12"]),
    ("What is the total number of kegs sold?", ["65"]),
    ("What is the lowest price of a beer?", ["3"]),
    ("How many beers per style?", ["IPA 2", "porter 1"]),
    ("How many beers does each brewery brew?", ["Marsh Lane Brewery 2", "Old Quay Brewery 1"]),
    ("What is the number of beers for each style?", ["IPA 2", "porter 1"]),
    ("What is the average price per style?", ["IPA 4.5", "porter 3"]),
    ("For each style, what is the average price?", ["IPA 4.5", "porter 3"]),
    ("Average price of the beers of each brewery", ["Marsh Lane Brewery 3.5", "Old Quay Brewery 5"]),
    ("How many IPAs are there?", ["2"]),
    ("What is the cheapest IPA?", ["Low Tide"]),
    ("What is the most bitter beer?", ["River Haze"]),
    ("Which beer is more bitter, Low Tide or Night Ferry?", ["Low Tide"]),
    ("Which beers are less bitter than 50?", ["Low Tide", "Night Ferry"]),
]


@pytest.fixture(scope="module")
def brewery(tmp_path_factory: pytest.TempPathFactory) -> ChattyEngine:
    path: Path = tmp_path_factory.mktemp("graph") / "brewery.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(("question", "expected"), ANSWERS)
def test_the_graph_answers(brewery: ChattyEngine, question: str, expected: list[str]) -> None:
    answer = brewery.answer(question)
    rows = [" ".join(cell.label or cell.value for cell in row) for row in answer.rows or ((v,) for v in answer.values)]
    assert sorted(rows) == expected


@pytest.mark.parametrize("question", ["Do you have any stouts?", "Which stouts are there?", "Are there any stouts?"])
def test_a_kind_that_the_graph_does_not_know_is_refused_however_it_is_asked_for(
    brewery: ChattyEngine, question: str
) -> None:
    answer = brewery.answer(question)
    assert not answer.values and answer.reason is not None and "stouts" in answer.reason.text

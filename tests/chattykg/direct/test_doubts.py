"""Suspicious results: what cannot match, texts that stand elsewhere, blank nodes; and results beyond doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattykg.direct.mismatches import explain_mismatches, find_doubt
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import BNode, Literal, URIRef

from chattykg.direct.mentioned_vertices import MentionedVertex
from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card

QUESTION = "How many ships does the Aurora command?"
Doubt = Callable[..., str]


@pytest.fixture
def doubt(ships: KnowledgeGraph) -> Doubt:
    card = build_vocabulary_card(QUESTION, ships)
    prompt = build_schema_prompt(ships, card)

    def find(pattern: str, shape: str, *values: Term, truth: bool | None = None) -> str:
        sparql = prompt.expand_query(f"SELECT * {{ {pattern} }}")
        outcome = QueryOutcome(sparql, shape, tuple({"x": value} for value in values), truth)
        problem = find_doubt(outcome, QUESTION, card, prompt, ships)
        return problem.sentence if problem else ""

    return find


def test_a_zero_or_a_no_that_cannot_be_otherwise_is_doubted(doubt: Doubt) -> None:
    wrong = "?x p:captain e:1"
    for sentence in (doubt(wrong, "count", Literal(0)), doubt(wrong, "number", Literal(0))):
        assert sentence == (
            "The answer is 0, perhaps because the query cannot match: p:captain leads to p:Person; e:1 is ship."
            " If the query is right all the same, send it again."
        )
    assert doubt(wrong, "boolean", truth=False).startswith("The answer is no, perhaps because")
    assert doubt(wrong, "count", Literal(2)) == "" and doubt(wrong, "boolean", truth=True) == ""
    right = 'e:1 p:captain ?x . ?x p:gender "male"'
    assert doubt(right, "count", Literal(0)) == "" and doubt(right, "boolean", truth=False) == ""


def test_texts_that_stand_elsewhere_or_nowhere_are_told(ships: KnowledgeGraph, doubt: Doubt) -> None:
    about = 'e:1 p:captain ?c . ?c p:gender ?g FILTER(LCASE(STR(?g)) = "{}")'
    assert doubt(about.format("red"), "count", Literal(0)).count('The text "red" stands under p:color.') == 1
    assert doubt(about.format("quartz"), "count", Literal(0)).count('No text of the graph is "quartz".') == 1
    assert doubt(about.format("male"), "count", Literal(0)) == doubt(about.format("2040"), "count", Literal(0)) == ""
    prompt = build_schema_prompt(ships, build_vocabulary_card(QUESTION, ships))
    assert explain_mismatches("SELECT * { ?x", prompt, ships) == ""


def test_blank_nodes_alone_are_no_answer(doubt: Doubt) -> None:
    about = "e:1 p:price ?x"
    assert doubt(about, "list", BNode(), BNode()).startswith("The query gives blank nodes only")
    assert doubt(about, "list", BNode(), URIRef("https://ships.example/p1")) == ""


def test_a_negation_of_what_cannot_be_is_doubted(doubt: Doubt) -> None:
    ship = URIRef("https://ships.example/comet")
    never = "?x p:length ?l FILTER NOT EXISTS { ?x p:color e:1 }"
    assert doubt(never, "list", ship).startswith("The query may not do what it seems to: p:color holds values")
    assert doubt('?x p:length ?l FILTER NOT EXISTS { e:1 p:color "blue" }', "list", ship) == ""


def test_an_order_by_what_is_optional_is_doubted(doubt: Doubt) -> None:
    ship = URIRef("https://ships.example/comet")
    query = "SELECT ?x { ?x p:captain e:1 }"
    assert doubt(query, "list", ship) == ""
    wrong = "{ SELECT ?x { e:1 p:captain ?c OPTIONAL { ?x p:crewSize ?v } } ORDER BY ?v LIMIT 1 }"
    assert "?v is optional" in doubt(wrong, "one", ship)


def test_a_number_in_the_label_of_a_thing_that_the_query_names_is_expressed(ships: KnowledgeGraph) -> None:
    question = "Who led the 2019 trip of the comet?"
    card = VocabularyCard(question=question)
    prompt = build_schema_prompt(ships, card)
    comet = MentionedVertex(9, "https://ships.example/comet", "Comet 2019", "vertex", "comet")
    person = {"x": URIRef("https://ships.example/p1")}
    outcome = QueryOutcome(f"SELECT ?x {{ <{comet.iri}> <https://ships.example/vocab/captain> ?x }}", "one", (person,))
    assert "does not express 2019" in str(find_doubt(outcome, question, card, prompt, ships))
    assert find_doubt(outcome, question, card, replace(prompt, vertices=(comet,)), ships) is None

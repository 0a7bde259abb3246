"""The card of a question: what the KG knows of its words."""

from __future__ import annotations

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.trace import Trace, TracedEndpoint
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return open_graph("gadgets")


def found(card: VocabularyCard, kind: str) -> list[str]:
    return [mention.text for mention in card.mentions if mention.kind == kind]


def test_vertices_are_found_by_their_whole_labels(kg: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Who made the QX-77 - Night Lamp for acme works (hull)?", kg)
    best = {mention.text: mention.hits[0].iri for mention in card.mentions_of_kind("vertex")}
    assert best["QX-77 - Night Lamp"] == "http://example.org/one"
    assert best["acme works (hull)"] == "http://example.org/acme"


def test_a_misspelt_name_is_found_when_it_is_capitalised(kg: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Which gadgets has Acme Wroks (Hull) made?", kg)
    hits = [hit.iri for mention in card.mentions_of_kind("vertex") for hit in mention.hits]
    assert "http://example.org/acme" in hits


def test_classes_and_predicates_are_found_in_other_forms(kg: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Which gadgets have a weight over 80 and which makers?", kg)
    assert found(card, "class") == ["gadgets", "makers"]
    named = {mention.text: mention.iris[0] for mention in card.mentions_of_kind("predicate")}
    assert named["weight"] == "http://example.org/weight_g"
    assert named["makers"] == "http://example.org/hasMaker"


def test_literal_values_are_found(kg: KnowledgeGraph) -> None:
    card = build_vocabulary_card("Are there dark red gadgets built in 1990?", kg)
    assert "dark red" in found(card, "value")
    assert "1990" in found(card, "value")


def test_function_words_are_no_mentions(kg: KnowledgeGraph) -> None:
    assert build_vocabulary_card("Who is the one of which they have been?", kg).mentions == ()


def test_an_adjective_brings_its_quantity_near(kg: KnowledgeGraph) -> None:
    assert build_vocabulary_card("What is the heaviest gadget?", kg).predicates[0].iri == "http://example.org/weight_g"


def test_around_lists_what_stands_at_a_vertex(kg: KnowledgeGraph) -> None:
    around = dict(build_vocabulary_card("Tell me about Acme Works (Hull)", kg).incident_predicates)
    assert ("http://example.org/hasMaker", "in", 2) in around["http://example.org/acme"]


def test_the_shown_card_is_bounded_and_names_what_it_knows(kg: KnowledgeGraph) -> None:
    shown = build_vocabulary_card("Which gadgets are heavier than the Lamp?", kg).as_prompt_text()
    assert 'mention "gadgets": class' in shown
    assert len(shown) <= 4_800
    assert VocabularyCard().as_prompt_text() == "(nothing of the question's words is known)"


def test_few_requests_whatever_the_question(kg: KnowledgeGraph) -> None:
    traced = TracedEndpoint(kg.endpoint, Trace(), "card")
    through = kg.with_endpoint(traced)
    build_vocabulary_card(
        "Which gadgets of Acme Works (Hull) are heavier than the QX-77 - Night Lamp and dark red? " * 40, through
    )
    assert traced.query_count <= 4

"""Questions of keywords, without a sentence."""

from __future__ import annotations

from chattyshared.kg.factory import open_kg

from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook.grammar.parser import parse


def test_a_class_beside_a_name_and_a_word_for_counts_is_counted() -> None:
    question = "number of cities United Kingdom"
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

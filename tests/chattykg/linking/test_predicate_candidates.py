"""Predicates taken the wrong way are not offered."""

from __future__ import annotations

from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.engine import ChattyEngine
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.relation_linking import predicate_candidates
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import Relation
from chattykg.rulebook import RULEBOOK

V = "https://ships.example/vocab/"


def kept(ships: KnowledgeGraph, name: str, *, subject: str = "?a", other: str = "?b", **known: Any) -> set[bool]:
    """Return which directions of a predicate stay between two unknowns."""
    context = LinkingContext(ships, VocabularyCard(), LexicalSimilarity(), **known)
    found = predicate_candidates(Relation(subject, name, other), {}, context)
    return {option.is_forward for option in found if option.predicates == (V + name,) and not option.second_predicates}


def test_classes_of_unknowns_tell_the_direction(ships: KnowledgeGraph) -> None:
    classes = {"?a": frozenset({V + "Person"}), "?b": frozenset({V + "Ship"})}
    assert kept(ships, "captain", classes=classes) == {False}
    assert kept(ships, "captain", classes={"?b": frozenset({V + "Tanker"})}) == {False}
    assert kept(ships, "captain") == {True, False}


def test_a_thing_is_no_literal(ships: KnowledgeGraph) -> None:
    assert kept(ships, "length", classes={"?b": frozenset({V + "Ship"})}) == {False}


def test_where_neither_way_fits_both_stay(ships: KnowledgeGraph) -> None:
    classes = {"?a": frozenset({V + "Price"}), "?b": frozenset({V + "Price"})}
    assert kept(ships, "captain", classes=classes) == {True, False}


def test_the_planning_agent_sees_no_impossible_direction(ships: KnowledgeGraph, scripted: Any) -> None:
    qir = {
        "shape": "list", "target": "?p", "classes": [{"unknown": "?p", "class": "person"}],
        "triples": [["?p", "place", "?h"]],
    }  # fmt: skip
    model = scripted(qir=qir)
    ChattyEngine(ships, model).answer("Which persons have which place?")
    shown = [r.messages[1].content for r in model.asked if r.agent == "answer/planning"]
    assert shown and "birth place (person -> harbor; " in shown[0]
    assert "?h -- birth place -- ?p" not in shown[0]


def test_a_date_is_the_subject_of_nothing(ships: KnowledgeGraph) -> None:
    assert kept(ships, "launched", expected_types={"?b": "date"}) == {True}
    assert kept(ships, "launched", subject="?b", other="?a", expected_types={"?b": "date"}) == {False}


def test_what_no_thing_is_has_no_kind() -> None:
    answer = ChattyEngine(open_graph("kinds_of_boats"), RuleModel(RULEBOOK)).answer("What kinds of boats are there?")
    assert not {"class", "object property"} & {value.label for value in answer.values}

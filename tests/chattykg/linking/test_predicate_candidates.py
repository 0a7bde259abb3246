"""Predicates taken the wrong way are not offered."""

from __future__ import annotations

from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattykg.engine import ChattyEngine
from chattykg.linking.candidates import EntityCandidate, EntityLink
from chattykg.linking.predicate_candidates import LinkingContext, PredicateCandidate, drop_reversed
from chattykg.linking.similarity import LexicalSimilarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import Relation
from chattykg.rulebook import RULEBOOK

V = "https://ships.example/vocab/"


def kept(ships: KnowledgeGraph, name: str, *, subject: str = "?a", other: str = "?b", **known: Any) -> list[bool]:
    """Return which directions of a predicate stay between two ends."""
    both = [PredicateCandidate((V + name,), name, forward, 0.5, is_literal=False) for forward in (True, False)]
    ends = known.pop("ends", {})
    around = LinkingContext(ships, VocabularyCard(), LexicalSimilarity(), **known)
    found = drop_reversed(both, Relation(subject, name, other), ends, around)
    return [option.is_forward for option in found]


def anchor(name: str, *classes: str) -> EntityLink:
    candidate = EntityCandidate("vertex", URIRef(f"https://ships.example/{name}"), name, 1.0, classes=classes)
    return EntityLink(name, (candidate,), 1.0)


def test_classes_of_unknowns_tell_the_direction(ships: KnowledgeGraph) -> None:
    classes = {"?a": frozenset({V + "Person"}), "?b": frozenset({V + "Ship"})}
    assert kept(ships, "captain", classes=classes) == [False]
    assert kept(ships, "captain", classes={"?b": frozenset({V + "Tanker"})}) == [False]
    assert kept(ships, "captain") == [True, False]


def test_a_thing_is_no_literal(ships: KnowledgeGraph) -> None:
    assert kept(ships, "length", other="Aurora", ends={"Aurora": anchor("aurora", V + "Ship")}) == [False]
    assert kept(ships, "length", classes={"?b": frozenset({V + "Ship"})}) == [False]


def test_the_class_of_a_named_thing_tells_the_direction(ships: KnowledgeGraph) -> None:
    ends = {"Sweden": anchor("se", V + "Country"), "Lund Port": anchor("lund", V + "Harbor")}
    assert kept(ships, "country", subject="Sweden", other="Lund Port", ends=ends) == [False]
    untyped = {"Sweden": anchor("se"), "Lund Port": anchor("lund")}
    assert kept(ships, "country", subject="Sweden", other="Lund Port", ends=untyped) == [True, False]


def test_where_neither_way_fits_both_stay(ships: KnowledgeGraph) -> None:
    classes = {"?a": frozenset({V + "Price"}), "?b": frozenset({V + "Price"})}
    assert kept(ships, "captain", classes=classes) == [True, False]


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


def test_the_very_name_of_an_unknown_tells_the_direction(ships: KnowledgeGraph) -> None:
    around = {"?a": frozenset({V + "Person"}), "?ship": frozenset({V + "Ship"})}
    assert kept(ships, "captain", subject="?a", other="?ship", hinted_classes=around) == [False]
    assert kept(ships, "captain", subject="?a", other="?vessel", hinted_classes={"?vessel": around["?ship"]}) == [
        True,
        False,
    ]


def test_a_date_is_the_subject_of_nothing(ships: KnowledgeGraph) -> None:
    assert kept(ships, "launched", expected_types={"?b": "date"}) == [True]
    assert kept(ships, "launched", subject="?b", other="?a", expected_types={"?b": "date"}) == [False]


def test_the_director_of_a_director_is_no_film() -> None:
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    assert not engine.answer("Who is the director of James Cameron?").values
    assert not engine.answer("Who directed Ridley Scott?").values

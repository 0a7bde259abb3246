"""Predicates taken the wrong way are not offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

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


CLUBS = """
@prefix : <http://clubs.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:c1 a :Club ; rdfs:label "Harbour Club" ; :president :p1 . :c2 a :Club ; rdfs:label "Hill Club" ; :president :p2 .
:p1 a :Person ; rdfs:label "Elin Torp" . :p2 a :Person ; rdfs:label "Bo Lind" ; :spouse :p1 .
"""


def test_a_role_is_asked_of_what_has_it(tmp_path: Path) -> None:
    path = tmp_path / "clubs.ttl"
    path.write_text(CLUBS, encoding="utf-8")
    engine = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))
    assert not engine.answer("Who is the president of Elin Torp?").values
    assert [value.label for value in engine.answer("Who is the president of the Hill Club?").values] == ["Bo Lind"]
    assert [value.label for value in engine.answer("Who is the spouse of Elin Torp?").values] == ["Bo Lind"]


def test_what_no_thing_is_has_no_kind(tmp_path: Path) -> None:
    path = tmp_path / "boats.ttl"
    path.write_text(
        "@prefix : <http://boats.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . :Boat a owl:Class ; rdfs:label 'boat' ."
        ":Ferry a owl:Class ; rdfs:label 'ferry' ; rdfs:subClassOf :Boat . :berth a owl:ObjectProperty .",
        encoding="utf-8",
    )
    answer = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK)).answer("What kinds of boats are there?")
    assert not {"class", "object property"} & {value.label for value in answer.values}


def test_the_director_of_a_director_is_no_film() -> None:
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    assert not engine.answer("Who is the director of James Cameron?").values
    assert not engine.answer("Who directed Ridley Scott?").values

"""What of the candidate queries is put before the planning agent, and what its choice lets through."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef

from chattykg.engine import ChattyEngine
from chattykg.linking.candidates import EntityCandidate, EntityLink, MentionCandidates
from chattykg.linking.predicate_candidates import LinkedRelation, PredicateCandidate
from chattykg.qir import QIR, Relation
from chattykg.query.composition import Query
from chattykg.query.grounding import GroundedQIR
from chattykg.query.predicate_selection import PredicateChoices, predicate_choices

V = "https://ships.example/vocab/"
CAPTAIN, BARE = Relation("Aurora", "captain", "?p"), Relation("Aurora", "", "?p")
AURORA = EntityCandidate(
    "vertex", URIRef("https://ships.example/aurora"), "Aurora", 1.0, incident_predicates=((V + "captain", "out", 1),)
)


def option(name: str, score: float, **more: Any) -> PredicateCandidate:
    return PredicateCandidate((V + name,), name, **{"is_forward": True, **more}, score=score)


def query(score: float, *edges: tuple[Relation, PredicateCandidate]) -> Query:
    grounded = GroundedQIR(QIR("one", "?p"), {"Aurora": EntityLink("Aurora", (AURORA,), 1.0)}, (), (), (), 1.0)
    linked = tuple(LinkedRelation(relation, chosen) for relation, chosen in edges)
    return Query(grounded, linked, (), None, None, score)  # type: ignore[arg-type]


def listed(shown: PredicateChoices) -> list[tuple[str, list[str]]]:
    return [(item.relation.relation, [each.candidate.label for each in item.choices]) for item in shown.relations]


def test_a_predicate_whose_classes_clash_is_not_among_the_best(ships: KnowledgeGraph) -> None:
    made = [query(0.9, (CAPTAIN, option("captain", 0.6))), query(0.5, (CAPTAIN, option("spouse", 0.8)))]
    shown = predicate_choices(made, ships)
    assert shown.filter_queries(made, shown.select_near_best()) == made[:1]


def test_relations_that_stand_together_are_not_alike(ships: KnowledgeGraph) -> None:
    both = query(0.9, (CAPTAIN, option("captain", 0.8)), (BARE, option("spouse", 0.6)))
    assert listed(predicate_choices([both], ships)) == [("captain", ["captain"]), ("", ["spouse"])]


def test_another_way_to_read_the_question_is_said_to_be_one(ships: KnowledgeGraph) -> None:
    other = Relation("Aurora", "commander", "?x")
    near, poor = query(0.8, (other, option("spouse", 0.8))), query(0.5, (other, option("spouse", 0.5)))
    best = query(0.9, (CAPTAIN, option("captain", 0.9)))
    assert (
        "\nor instead: Aurora -- commander -- ?x\n  2. spouse"
        in predicate_choices([best, near], ships).as_prompt_text()
    )
    assert "commander" not in predicate_choices([best, poor], ships).as_prompt_text()


def test_what_is_far_behind_a_clear_predicate_is_left_out(ships: KnowledgeGraph) -> None:
    options = [option("country", 0.95), option("gender", 0.92), option("spouse", 0.5)]
    made = [query(each.score, (CAPTAIN, each)) for each in options]
    assert listed(predicate_choices(made, ships)) == [("captain", ["country", "gender"])]


def test_a_choice_shows_its_direction_and_where_two_steps_lead(ships: KnowledgeGraph) -> None:
    ways = [option("captain", 0.8), option("captain", 0.7, is_forward=False)]
    made = [query(each.score, (CAPTAIN, each)) for each in ways]
    made.append(query(0.65, (CAPTAIN, option("homeHarbor", 0.65, second_predicates=(V + "country",)))))
    lines = predicate_choices(made, ships).as_prompt_text().splitlines()
    assert re.match(r"  1\. captain \((ship|tanker) -> person; e\.g\. ", lines[1])
    assert lines[2].startswith("  2. ?p -- captain -- Aurora (")
    assert "-> country; e.g. Lund Port -> Sweden)" in lines[3]


def test_predicates_of_one_label_are_told_apart(ships: KnowledgeGraph) -> None:
    alike = PredicateCandidate((V + "spouse",), "captain", is_forward=True, score=0.7)
    made = [query(each.score, (CAPTAIN, each)) for each in (option("captain", 0.8), alike)]
    lines = predicate_choices(made, ships).as_prompt_text().splitlines()
    assert lines[1].startswith("  1. captain [captain] (")
    assert lines[2].startswith("  2. captain [spouse] (person -> person; e.g. Ann Lee -> Bob Ray)")


def test_a_list_is_sorted_by_the_names_of_things(asked: Any) -> None:
    said = {
        "classes": [{"unknown": "?x", "class": "ship"}], "triples": [["?x", "captain", "?c"], ["?c", "name", "?n"]],
    }  # fmt: skip
    for descending, names in ((False, ["Ann Lee", "Bob Ray"]), (True, ["Bob Ray", "Ann Lee"])):
        order = {"by": "?n", "descending": descending, "count": False, "limit": 0}
        answer = asked("Captains of ships, sorted by their names", target="?c", order=order, **said)
        assert [value.label for value in answer.values] == names


def test_a_model_may_say_that_no_predicate_fits(ships: KnowledgeGraph, scripted: Any) -> None:
    qir = {
        "shape": "list", "target": "?p", "classes": [{"unknown": "?p", "class": "person"}],
        "triples": [["?p", "place", "?h"]],
    }  # fmt: skip
    answer = ChattyEngine(ships, scripted(qir=qir, planning={"predicates": []})).answer("Which persons have a place?")
    assert answer.values == ()
    assert answer.reason is not None and answer.reason.code == "unknown-relation"


@pytest.mark.parametrize(("label", "settled"), [("Comet", True), ("Comet Bay", False)])
def test_a_thing_and_its_own_name_are_no_choice(label: str, *, settled: bool) -> None:
    thing = EntityCandidate("vertex", URIRef("u:1"), "Comet", 1.0, 0.9)
    name = EntityCandidate("value", Literal(label), label, 1.0, 0.2)
    mention = MentionCandidates("Comet", (thing, name))
    assert mention.is_unambiguous is settled
    assert mention.select_near_best() == (thing,)
    two = MentionCandidates("Comet", (thing, replace(thing, term=URIRef("u:2")), name))
    assert not two.is_unambiguous

"""Dialogues over a graph with value nodes and join tables: nobody is asked for a price node or an enrolment."""

from collections.abc import Callable

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from rdflib import URIRef
from workshop_graph import workshops

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

RUN = Options(dialogues=16, turns=4)


@pytest.fixture
def kg(open_turtle: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_turtle(workshops())


@pytest.fixture
def made(kg: KnowledgeGraph) -> list[Dialogue]:
    outcomes = generate(kg, RuleModel(RULEBOOK), RUN)
    return [outcome.dialogue for outcome in outcomes if outcome.dialogue]


def test_hidden_nodes_are_neither_asked_for_nor_named(kg: KnowledgeGraph, made: list[Dialogue]):
    assert len(made) == RUN.dialogues
    turns = [turn for dialogue in made for turn in dialogue.turns]
    named = [URIRef(answer.value) for turn in turns for answer in turn.answers if answer.kind == "iri"]
    named += [URIRef(dialogue.seed.iri) for dialogue in made]
    assert not any(kg.hidden_class(iri) for classes in kg.types_of(named).values() for iri in classes)
    said = " ".join(turn.question for turn in turns).casefold()
    assert "enrolment" not in said and "contracts" not in said and "25 eur" not in said


def test_what_lies_behind_them_is_asked_for(kg: KnowledgeGraph, made: list[Dialogue]):
    asked = {
        step
        for dialogue in made
        for turn in dialogue.turns
        for step in ("price> ?y", "course> ?x", "participant> ?x", "amount> ?v")
        if step in turn.sparql
    }
    assert {"price> ?y", "course> ?x"} <= asked
    for dialogue in made:
        for turn in dialogue.turns:
            for subject, predicate, value in turn.witness:
                end = value if value.startswith('"') else f"<{value}>"
                assert kg.endpoint.ask(f"ASK {{ <{subject}> <{predicate}> {end} }}")

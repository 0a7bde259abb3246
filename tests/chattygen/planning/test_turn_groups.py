"""Groups of turns: what a dialogue can begin with."""

from dataclasses import replace

import pytest
from rdflib import Literal, URIRef

from chattygen.planning.turn_construction import single_fact_turn
from chattygen.planning.turn_groups import TurnGroup
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Step

X = "https://bakery.example/"
OWNER = Entity(URIRef(X + "Crumb"), "Crumb & Sons", X + "Bakery", "bakery")


@pytest.mark.parametrize(("form", "can_open"), [("object", True), ("count", True), ("boolean", False)])
def test_no_dialogue_begins_with_a_yes_no_question(form, can_open):
    fact = Fact(1, (Step(X + "sells", "sells"),), "entity", forms=("object", "count", "boolean"))
    hidden = HiddenEnds((URIRef(X + "Cob"),), (), offered_term=Literal("Cob"))
    turn = single_fact_turn(OWNER, fact, hidden, form)
    assert TurnGroup((turn,)).can_open is can_open
    assert not TurnGroup((replace(turn, link="answer"),)).can_open

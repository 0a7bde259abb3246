"""Unanswerable turns of every kind that is drawn from a graph, each with a proof that holds."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from fleet_graph import LINES, PORTS, fleets, name

from chattygen import RULEBOOK, Options
from chattygen.context.names import borne_names
from chattygen.pipeline import generate
from chattygen.planning.plan_selection import UNANSWERABLE_SHARES

SERVICE = Path(__file__).parents[3] / "benchmarks" / "development" / "service" / "graph.ttl"
MIX = (("lookup", 60.0), ("unanswerable", 40.0))


def made_of(kg: KnowledgeGraph) -> list[Dialogue]:
    run = Options(approach="planned", dialogues=40, turns=5, mix=MIX)
    return [made.dialogue for made in generate(kg, RuleModel(RULEBOOK), run) if made.dialogue is not None]


def unanswerable_turns(dialogues: list[Dialogue]) -> list[Turn]:
    return [turn for dialogue in dialogues for turn in dialogue.turns if not turn.answerable]


GIVEN_NAMES = ("Ada", "Bo", "Cy", "Eva", "Nils")
FAMILY_NAMES = ("Moss", "Falk", "Dahl", "Lund", "Berg", "Holt")
SHIPS = [name(f"{line.split()[0]} Dawn") for line in LINES]
CAPTAINS = [f"{GIVEN_NAMES[place % 5]} {FAMILY_NAMES[place]}" for place in range(len(LINES))]


def captains() -> str:
    """Return the captains of the fleet as Turtle."""
    labels = {"born": "birth date", "home": "home port", "commands": "commands", "wage": "wage in euros"}
    lines = [
        'v:Captain rdfs:label "captain"@en .',
        *(f'v:{one} rdfs:label "{label}"@en .' for one, label in labels.items()),
    ]
    for place, person in enumerate(CAPTAINS):
        lines.append(
            f':c{place} a v:Captain ; rdfs:label "{person}"@en ; v:born "19{50 + 3 * place}-05-01"^^xsd:date ;'
        )
        lines.append(f"  v:home :{PORTS[place % 4]} ; v:wage {3000 + 170 * place} ; v:commands :{SHIPS[place]} .")
    return "\n".join(lines)


@pytest.fixture
def fleet_kg(open_turtle: Callable[[str], KnowledgeGraph]) -> KnowledgeGraph:
    return open_turtle(f"{fleets()}\n{captains()}")


@pytest.mark.slow
def test_all_kinds_are_made_and_none_prevails(fleet_kg: KnowledgeGraph) -> None:
    graphs = (open_kg("demo"), fleet_kg, open_kg([str(SERVICE)]))
    turns = unanswerable_turns([dialogue for kg in graphs for dialogue in made_of(kg)])
    kinds = Counter(turn.unanswerable for turn in turns)
    assert set(kinds) == set(UNANSWERABLE_SHARES)
    assert max(kinds.values()) <= 0.75 * len(turns)


@pytest.mark.slow
def test_each_proof_holds(fleet_kg: KnowledgeGraph) -> None:
    for turn in unanswerable_turns(made_of(fleet_kg)):
        assert not turn.answers and turn.sparql
        if turn.sparql.startswith("ASK"):
            assert not fleet_kg.endpoint.ask(turn.sparql), turn
        else:
            assert not fleet_kg.endpoint.select(turn.sparql), turn
        if turn.certificate is not None:
            assert not borne_names(fleet_kg, turn.certificate.names), turn


@pytest.mark.slow
def test_a_relation_is_one_that_only_things_of_another_class_have() -> None:
    kg = open_kg("demo")
    asked = [turn for turn in unanswerable_turns(made_of(kg)) if turn.unanswerable == "relation"]
    assert asked
    for turn in asked:
        [(subject, predicate, _)] = turn.triples
        lacking = f"<{subject}> a ?class FILTER NOT EXISTS {{ ?peer a ?class ; <{predicate}> ?end }}"
        assert kg.endpoint.ask(f"ASK {{ ?other <{predicate}> ?end . {lacking} }}"), turn

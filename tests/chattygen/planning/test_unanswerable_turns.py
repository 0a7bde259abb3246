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
from chattygen.pipeline import generate
from chattygen.planning.invented_names import borne_names
from chattygen.planning.missing_facts import answers_same
from chattygen.planning.plan_selection import UNANSWERABLE_SHARES

SERVICE = Path(__file__).parents[3] / "benchmarks" / "development" / "service" / "graph.ttl"
MIX = (("lookup", 60.0), ("unanswerable", 40.0))


def made_of(kg: KnowledgeGraph, **options: object) -> list[Dialogue]:
    run = Options(approach="planned", dialogues=40, turns=5, mix=MIX, **options)  # type: ignore[arg-type]
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


@pytest.mark.parametrize(
    ("label", "stated", "is_same"),
    [("age", "date of birth", True), ("floor size", "area in acres", True), ("spouse", "married to", True),
     ("age", "home port", False), ("motto", "area", False)],
)  # fmt: skip
def test_what_another_predicate_answers_is_not_missing(label: str, stated: str, is_same: bool) -> None:
    assert answers_same(label, stated) is is_same


@pytest.mark.slow
def test_questions_without_answer_are_about_the_thing_of_the_dialogue(fleet_kg: KnowledgeGraph) -> None:
    for dialogue in made_of(fleet_kg):
        for turn in dialogue.turns:
            if not turn.answerable and turn.unanswerable != "entity":
                assert turn.link != "shift", turn.question


@pytest.mark.slow
def test_equal_runs_give_equal_turns_and_seeds_differ(fleet_kg: KnowledgeGraph) -> None:
    texts = [[turn.standalone for turn in unanswerable_turns(made_of(fleet_kg, seed=seed))] for seed in (3, 3, 4)]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.slow
def test_a_graph_that_states_everything_gets_its_share(open_turtle: Callable[[str], KnowledgeGraph]) -> None:
    lines = ["@prefix : <https://t.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for number in range(20):
        person = f"{GIVEN_NAMES[number % 5]} {FAMILY_NAMES[number % 6]}"
        lines.append(f':p{number} a :Painter ; rdfs:label "{person}" ; :pictures {number + 2} ;')
        lines.append(
            f"  :age {number * 2 + 21} ; :prizes {number % 7 + 2} ; :pupils {number % 5 + 3} ; :height {150 + number} ."
        )
    dialogues = [
        made.dialogue
        for made in generate(
            open_turtle("\n".join(lines)), RuleModel(RULEBOOK), Options(dialogues=20, turns=4, min_predicates=4)
        )
        if made.dialogue is not None
    ]
    shares = len(unanswerable_turns(dialogues)) / sum(len(dialogue.turns) for dialogue in dialogues)
    assert 0.03 <= shares <= 0.12

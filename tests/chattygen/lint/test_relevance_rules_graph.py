"""What only the graph shows: values below the one that is asked for, names of several things, question words that do
not fit what a predicate leads to, and questions that ask what the data holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Seed, Value
from chattyshared.kg.factory import open_kg
from lighthouses import AT, iri, number, text, thing, truth, turn
from rdflib import Graph

from chattygen.lint import LintGraph, lint_dialogue, open_lint_graph
from chattygen.lint.dialogue_view import DialogueView, TurnView

DATA = f"""
@prefix : <{AT}> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Rock r:label "Rock" . :Granite r:label "Granite" ; skos:broader :Rock . :Red_Granite skos:broader :Granite .
:Slate r:label "Slate" ; skos:broader :Rock . :North r:label "North" . :Skarv :partOf :North .
:partOf r:label "part of" .
:Bridge r:label "bridge" . :Arch_Bridge r:subClassOf :Bridge ; r:label "arch bridge" .
:Old_Bridge a :Bridge ; r:label "Old Bridge" ; :madeOf :Granite ; :in :North ; :engineer :Ada ; :keeper :Bo .
:New_Bridge a :Arch_Bridge ; r:label "New Bridge" ; :madeOf :Red_Granite ; :in :Skarv ; :engineer :Ada ; :keeper :Bo .
:Ada a :Person ; :givenName "Ada" ; :familyName "Lund" . :Bo a :Person ; :givenName "Bo" ; :familyName "Ek" .
:Ida a :Person ; r:label "Ida Vik" . :Cy a :Person ; r:label "Ada Lund" .
:Skarv r:label "Skarv" ; :in :North . :Tarva a :Town ; r:label "Tarva"@de . :Ship_1 a :Ship ; r:label "Tarva" .
:Reef a :Island ; r:label "Reef" . :Lista a :Ship ; :in :North . :Light_1 a :Light ; r:label "Lista" .
:Horn a :Town ; r:label "Horn" ; :spelled :Reef . :Kya a :Town ; r:label "Kya" ; skos:altLabel "Horn" .
:in r:label "in" . :madeOf r:label "made of" . :engineer r:label "engineer" . :spelled r:label "spelled" .
"""


@pytest.fixture(scope="module")
def graph() -> LintGraph:
    return open_lint_graph(open_kg(Graph().parse(data=DATA, format="turtle")))


def kinds(graph: LintGraph, *turns: TurnView, seed: str = "Granite", kind: str = "") -> set[str]:
    numbered = tuple(replace(each, turn=place) for place, each in enumerate(turns, 1))
    talk = DialogueView("d", Seed(iri(seed), seed.replace("_", " "), f"{AT}{kind}" * bool(kind)), numbered, len(turns))
    return {found.kind for found in lint_dialogue(talk, graph)}


def asked(pattern: str, *answers: Value, head: str = "SELECT DISTINCT ?x WHERE", said: str = "What?") -> TurnView:
    return turn(1, said, said, f"{head} {{ {pattern} }}", *answers)


COUNT = "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE"
MADE, IN = f"?x <{AT}madeOf> <{iri('Granite')}>", f"?x <{AT}in> <{iri('North')}>"
OLD, NEW = thing("Old Bridge"), thing("New Bridge")


@pytest.mark.parametrize(("planted", "is_found"), [
    (asked(MADE, OLD), True), (asked(MADE, OLD, NEW), False),
    (asked(MADE, number(1), head=COUNT), True),
    (asked(MADE.replace("Granite", "Slate"), OLD), False),
    (asked(MADE.replace("Granite", "Rock"), OLD), True),
    (asked(f"<{iri('New Bridge')}> <{AT}madeOf> <{iri('Granite')}>", truth(False), head="ASK"), True),
    (asked(f"<{iri('Old Bridge')}> <{AT}madeOf> <{iri('Granite')}>", truth(True), head="ASK"), False),
    (asked(f"<{iri('Old Bridge')}> <{AT}madeOf> <{iri('Slate')}>", truth(False), head="ASK"), False),
    (asked(f"{IN} . ?x a <{AT}Bridge>", OLD), True),
    (asked(f"<{iri('Old Bridge')}> <{AT}madeOf> ?x", thing("Granite")), False),
])  # fmt: skip
def test_gold_that_leaves_out_what_is_stated_of_narrower_values(
    graph: LintGraph, planted: TurnView, is_found: bool
) -> None:
    assert ("hierarchy" in kinds(graph, planted)) is is_found


def named(name: str, said: str = "Where is {}?") -> TurnView:
    query = f"SELECT DISTINCT ?x WHERE {{ <{iri(name)}> <{AT}in> ?x }}"
    return turn(1, said.format(name), said.format(name), query, thing("North"))


@pytest.mark.parametrize(("name", "is_shared"), [
    ("Tarva", True),  # a town in another language, and a ship
    ("Lista", True),  # a ship without a label of its own, and a light
    ("Skarv", False), ("North", False),
    ("Horn", False),  # no more than an alias of another town
])  # fmt: skip
def test_a_name_that_another_thing_bears(graph: LintGraph, name: str, is_shared: bool) -> None:
    assert ("ambiguous-name" in kinds(graph, named(name), seed=name)) is is_shared


def test_composed_names_are_compared_and_a_class_tells_things_apart(graph: LintGraph) -> None:
    query = f"SELECT DISTINCT ?x WHERE {{ ?x <{AT}engineer> <{iri('Ada')}> }}"
    said = "Which bridges did Ada Lund design?"
    bridges = turn(1, said, said, query, OLD, NEW)
    seed = Seed(iri("Ada"), "Ada Lund", "")
    assert "ambiguous-name" in {f.kind for f in lint_dialogue(DialogueView("d", seed, (bridges,), 1), graph)}
    assert "ambiguous-name" not in kinds(graph, named("Lista", "Where is the ship {}?"), seed="Lista", kind="Ship")


@pytest.mark.parametrize(("said", "predicate", "answers", "is_found"), [
    ("Who engineered Old Bridge?", "engineer", (thing("Ada"),), False),
    ("Who is the engineer of Old Bridge?", "engineer", (thing("Skarv"),), False),
    ("How many engineers has Old Bridge?", "engineer", (thing("Ada"),), True),
    ("How much is Old Bridge?", "price", (text("a lot"),), True),
    ("How much is Old Bridge?", "price", (text("12 pounds"),), False),
])  # fmt: skip
def test_question_words(
    graph: LintGraph, said: str, predicate: str, answers: tuple[Value, ...], is_found: bool
) -> None:
    name = "Horn" if "Horn" in said else "Old Bridge"
    query = f"SELECT DISTINCT ?x WHERE {{ <{iri(name)}> <{AT}{predicate}> ?x }}"
    unknown = {} if answers else {"answerable": False, "unanswerable": "not-stated"}
    line = turn(1, said, said, query, *answers, **unknown)
    assert ("disagrees" in kinds(graph, line, seed=name)) is is_found


@pytest.mark.parametrize(("said", "is_open"), [
    ("Which bridges did Ada Lund design?", True), ("Which bridges by Ada Lund are recorded?", False),
    ("Which bridges did Ada Lund design, as far as is recorded?", False),
    ("Which known bridges are Ada Lund's?", False), ("Which bridges is Ada Lund known for?", True),
])  # fmt: skip
def test_a_question_that_asks_what_the_data_holds_is_no_open_list(said: str, is_open: bool) -> None:
    more = "".join(f":Mill_{n} a :Bridge . " for n in range(30))
    graph = open_lint_graph(open_kg(Graph().parse(data=DATA + more, format="turtle")))
    query = f"SELECT DISTINCT ?x WHERE {{ ?x <{AT}engineer> <{iri('Ada')}> }}"
    assert ("open-list" in kinds(graph, turn(1, said, said, query, OLD, NEW), seed="Ada")) is is_open

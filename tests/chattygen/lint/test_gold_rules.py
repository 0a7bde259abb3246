"""Defects of gold answers, with and without a knowledge graph and an independent reading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattyshared.dialogue import Value
from chattyshared.kg import KnowledgeGraph
from lighthouses import AT, ORMEN, changed, date, following, into, iri, kinds, number, out, querying, text, thing, truth

from chattygen.lint import LintGraph, LintSource, lint_dialogue, lint_source, open_lint_graph
from chattygen.lint.dialogue_view import DialogueView


@pytest.mark.parametrize("talk", [
    changed(ORMEN, 2, answers=(), answerable=False), replace(changed(ORMEN, 2, answers=()), has_gold=False),
    changed(ORMEN, 6, answers=(number(0),)), changed(ORMEN, 5, answers=(truth(False),)), ORMEN,
])  # fmt: skip
def test_empty_gold_near_misses(talk: DialogueView) -> None:
    assert kinds(talk) == set()


HIGH = f"SELECT ?x WHERE {{ ?x <{AT}near> <{iri('Ormen Light')}> ; <{AT}height> ?v FILTER(?v > 30) }}"


@pytest.mark.parametrize("talk", [
        changed(ORMEN, 5, sparql=out("Ormen Light", "island"), answers=(thing("Skarv Island"),)),
        changed(ORMEN, 6, answers=(thing("Wreck"), thing("Other Wreck"))),
        changed(ORMEN, 2, question="Is it tall?"),
        changed(ORMEN, 5, sparql=f'ASK {{ <{iri("Ormen Light")}> <{AT}color> "red" }}'),
        following("When was it lit?", answers=(thing("Skarv Island"),)),
        following("Who lit it?", "Who lit Ormen Light?", answers=(number(1871),)),
        following("When was it lit?", answers=(text("Ada Lund"),)),
    ])  # fmt: skip
def test_disagrees_planted(talk: DialogueView) -> None:
    assert kinds(talk) & {"disagrees"}


@pytest.mark.parametrize("talk", [
        ORMEN,
        following("Is it or Skarv Light the taller one?", "Is Ormen Light or Skarv Light the taller one?",
              answers=(thing("Skarv Light"),)),
        querying(HIGH, "Which towers near it are taller than 30 meters?",
             "Which towers near Ormen Light are taller than 30 meters?", thing("Skarv Light")),
        querying(f'SELECT ?x WHERE {{ ?x <{AT}near> <{iri("Ormen Light")}> ; <{AT}use> "beacon" }}',
             "Which towers near it are beacons?", "Which towers near Ormen Light are beacons?", thing("Skarv")),
        following("When was it lit?", answers=(text("in the spring of 1871"),)),
        following("How many does it hold?", "How many does Ormen Light hold?", answers=(text("12"),), form="literal"),
    ])  # fmt: skip
def test_disagrees_near_misses(talk: DialogueView) -> None:
    assert not kinds(talk) & {"disagrees"}


GRAPH = f"""
@prefix v: <{AT}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Ormen_Light a v:Lighthouse ; rdfs:label "Ormen Light" ; v:architect v:Ada_Lund ; v:height 41 ; v:code "NO-4471" ;
  v:island v:Skarv_Island ; v:twin v:Other_Light ; v:steps 199 , 200 ; v:shape "A0017" .
v:Other_Light a v:Lighthouse ; rdfs:label "Ormen Light" ; v:height 12 ; v:shape "B2218" .
v:Skarv_Light a v:Lighthouse ; rdfs:label "Skarv Light" ; v:height 19 ; v:shape "C3319" ; v:architect v:Ada_Lund .
v:Skarv_Island a v:Island ; rdfs:label "Skarv Island" .
v:Ada_Lund a v:Person ; rdfs:label "Ada Lund" ; v:gender "female" ; v:birthDate "1830-01-01"^^xsd:date .
v:Ned_Ask a v:Person ; rdfs:label "Ned Ask" .
v:height rdfs:label "height" . v:steps rdfs:label "steps" .
"""


@pytest.fixture
def graph(open_turtle: Callable[[str], KnowledgeGraph]) -> LintGraph:
    return open_lint_graph(open_turtle(GRAPH))


def with_graph(graph: LintGraph, talk: DialogueView) -> set[str]:
    return {found.kind for found in lint_dialogue(talk, graph)}


def about_skarv(**more: object) -> DialogueView:
    """Return one turn about a light whose name is its own."""
    question = "Who designed Skarv Light?"
    line = replace(ORMEN.turns[0], question=question, standalone=question, sparql=out("Skarv Light", "architect"))
    seed = replace(ORMEN.seed, iri=iri("Skarv Light"), label="Skarv Light")
    return replace(ORMEN, seed=seed, turns=(replace(line, **more),), expected_turns=1)  # type: ignore[arg-type]


def asking(predicate: str, question: str, *answers: Value) -> DialogueView:
    return about_skarv(sparql=out("Skarv Light", predicate), question=question, standalone=question, answers=answers)


def test_a_clean_turn_is_clean_with_its_graph(graph: LintGraph) -> None:
    assert with_graph(graph, about_skarv()) == set()
    assert with_graph(graph, asking("height", "How tall is Skarv Light?", number(19))) == set()


@pytest.mark.parametrize("answers", [
    (thing("Ned Ask"),), (thing("Ada Lund"), thing("Ned Ask")), (text("Ada Lund"),), (number(1),),
    (text(iri("Ada Lund")),),
])  # fmt: skip
def test_gold_differs_planted(graph: LintGraph, answers: tuple[Value, ...]) -> None:
    assert "gold-differs" in with_graph(graph, about_skarv(answers=answers))


@pytest.mark.parametrize("talk", [
    about_skarv(), about_skarv(answers=(replace(thing("Ada Lund"), label="Lund"),)),
    replace(about_skarv(answers=()), has_gold=False),
    asking("height", "How tall is Skarv Light?", Value("19.0", "number")),
    about_skarv(answers=(thing("Ada Lund"), thing("Ada Lund"))),
])  # fmt: skip
def test_gold_differs_near_misses(graph: LintGraph, talk: DialogueView) -> None:
    assert "gold-differs" not in with_graph(graph, talk)


@pytest.mark.parametrize("sparql", [
    out("Skarv Light", "architect"), out("Skarv Light", "keeper"), out("Skarv Light", "architect") + " LIMIT 1",
    f"PREFIX v: <{AT}> SELECT ?x {{ v:Skarv_Light v:architect ?x }}", "SELECT ?x { v:Skarv_Light {",
])  # fmt: skip
def test_query_fails_near_misses(graph: LintGraph, sparql: str) -> None:
    assert "query-fails" not in with_graph(graph, about_skarv(sparql=sparql))


@pytest.mark.parametrize(("standalone", "other", "is_found"), [
    ("Who designed the lighthouse Ormen Light?", "Ship", False),
    ("Who designed Ormen Light (lighthouse)?", "Ship", False),
    ("Who designed Ormen Light, the old lighthouse?", "Ship", False), ("Who designed it?", "Lighthouse", False),
    ("Who designed Ormen Light?", "Ship", True), ("Who designed the lighthouse Ormen Light?", "Lighthouse", True),
])  # fmt: skip
def test_a_word_for_the_class_tells_things_of_one_name_apart(
    open_turtle: Callable[[str], KnowledgeGraph], standalone: str, other: str, is_found: bool
) -> None:
    graph = open_lint_graph(open_turtle(GRAPH.replace("v:Other_Light a v:Lighthouse", f"v:Other_Light a v:{other}")))
    first = replace(ORMEN.turns[0], standalone=standalone)
    assert ("ambiguous-name" in with_graph(graph, replace(ORMEN, turns=(first,)))) is is_found
    assert "ambiguous-name" not in with_graph(graph, about_skarv())


def about(person: str, question: str) -> DialogueView:
    """Return a turn on a person who was the answer before."""
    opening = about_skarv(answers=(thing(person),))
    standalone = f"When was {person} born?"
    line = replace(ORMEN.turns[1], question=question, standalone=standalone, sparql=out(person, "birthDate"),
                   answers=(date("1830-01-01"),), link="answer", form="date")  # fmt: skip
    return replace(opening, turns=(*opening.turns, line), expected_turns=2)


@pytest.mark.parametrize(("person", "question"), [
    ("Ada Lund", "When was he born?"), ("Ned Ask", "When was he born?"), ("Ned Ask", "When was she born?"),
    ("Ada Lund", "What is his date of birth?"), ("Ned Ask", "When was her birthday?"),
])  # fmt: skip
def test_gender_planted(graph: LintGraph, person: str, question: str) -> None:
    assert "reference" in with_graph(graph, about(person, question))
    assert "reference" not in kinds(about(person, question)), "a file alone does not state it"


@pytest.mark.parametrize(("person", "question"), [
    ("Ada Lund", "When was she born?"), ("Ned Ask", "When were they born?"), ("Ned Ask", "When was that person born?"),
    ("Ada Lund", "What is her date of birth?"), ("Ada Lund", "When were they born?"),
])  # fmt: skip
def test_gender_near_misses(graph: LintGraph, person: str, question: str) -> None:
    assert "reference" not in with_graph(graph, about(person, question))


def test_numbers_and_identifiers_are_learned_from_the_graph(graph: LintGraph) -> None:
    steps = f"SELECT (COUNT(?x) AS ?n) WHERE {{ <{iri('Skarv Light')}> <{AT}steps> ?x }}"
    question = "How many steps does Skarv Light have?"
    counted = about_skarv(sparql=steps, question=question, standalone=question, answers=(number(0),))
    assert "needless-count" in with_graph(graph, counted)
    assert "needless-count" not in kinds(counted)
    shape = asking("shape", "What is the shape of Skarv Light?", text("C3319"))
    assert "uninformative" in with_graph(graph, shape)
    assert "uninformative" not in kinds(shape)


@pytest.mark.parametrize(("predicate", "question", "name", "is_found"), [
    ("architect", "Where was Ormen Light designed?", "Ada Lund", True),
    ("architect", "Which person designed Ormen Light?", "Ada Lund", False),
    ("architect", "Which architect designed Ormen Light?", "Ada Lund", False),
    ("island", "Who is near Ormen Light?", "Skarv Island", True),
    ("island", "Where is Ormen Light?", "Skarv Island", False),
    ("island", "Which island is Ormen Light on?", "Skarv Island", False),
])  # fmt: skip
def test_a_class_that_the_gold_does_not_have(
    graph: LintGraph, predicate: str, question: str, name: str, is_found: bool
) -> None:
    opening = changed(
        ORMEN, 1, question=question, standalone=question, sparql=out("Ormen Light", predicate), answers=(thing(name),)
    )
    talk = replace(opening, turns=opening.turns[:1], expected_turns=1)
    assert ("disagrees" in with_graph(graph, talk)) is is_found


def test_a_report_counts_clean_dialogues() -> None:
    false = changed(ORMEN, 5, answers=(truth(False),))
    broken = replace(changed(ORMEN, 2, answers=()), id="broken")
    report = lint_source(LintSource("lights.jsonl", "chatty", (ORMEN, replace(false, id="false"), broken)))
    assert (report.dialogues, report.turns, report.clean_dialogues()) == (3, 18, 2)
    assert report.counts_by_kind() == {"empty-gold": 1}
    assert report.to_json()["classes"]["gold-differs"] is None
    assert into("Ormen Light", "workplace") in {line.sparql for line in ORMEN.turns}

"""Questions that nobody would ask, and lists that no graph holds whole: planted ones are found, near misses are not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Seed, Value
from chattyshared.kg.factory import open_kg
from lighthouses import AT, XSD, iri, number, text, thing, truth, turn
from rdflib import Graph

from chattygen.lint import LintGraph, lint_dialogue, open_lint_graph
from chattygen.lint.dialogue_view import DialogueView, TurnView

SHIP = f"<{iri('Ship 1')}>"
SEED = Seed(iri("Ship 1"), "Ship 1", f"{AT}Ship")


def fleet() -> str:
    """Return ten ships of two yards with masters, all of one fleet; half of them state a cook."""
    lines = [f"@prefix : <{AT}> . @prefix xsd: <{XSD}> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."]
    towns = enumerate(("Bergen", "Bergen", "Oslo", "Moss", "Vadso"), 1)
    lines += [f':Yard_{n} a :Yard ; r:label "Yard {n}" ; :town "{town}" .' for n, town in towns]
    lines += [':Far_Ship a :Ship ; r:label "Far Ship" ; :tonnage 9 ; :builtAt :Yard_3 .']
    for n in range(10):
        lines.append(
            f':Ship_{n} a :Ship ; r:label "Ship {n}" ; :builtAt :Yard_{n % 2 + 1} ; :flag "{"NY"[n % 2]}" ; '
            f':fleet "Northern Fleet" ; :tonnage {500 + n} ; :address "{n} Quay Road, Town" ;'
            f' :color "{("brig", "ketch")[n % 2]}" ; :launched "18{n + 40}-05-02"^^xsd:date ;'
            f' :launchYear "18{n + 40}"^^xsd:gYear ; :master :Person_{n} , :Person_{n + 1} .'
        )
        lines.append(f':Person_{n} a :Person ; r:label "Person {n}" ; :nationality :Norway .')
        lines += [f":Ship_{n} :cook :Person_{n} ; :engine :Person_{n} ."] * (n % 2)
    return "\n".join(
        [*lines, ':Norway a :Country ; r:label "Norway" .', ':Person_10 a :Person ; r:label "Person 10" .']
    )


@pytest.fixture(scope="module")
def graph() -> LintGraph:
    return open_lint_graph(open_kg(Graph().parse(data=fleet(), format="turtle")))


def asked(pattern: str, *answers: Value, place: int = 2, **more: object) -> TurnView:
    """Return a turn about Ship 1; a pattern without ``?x`` is what it is asked to have."""
    body = pattern if "?x" in pattern else f"{SHIP} {pattern}"
    head = "ASK" if "?x" not in pattern else "SELECT DISTINCT ?x WHERE"
    return turn(place, "What about it?", "What about Ship 1?", f"{head} {{ {body} }}", *answers, **more)


def compared(name: str) -> TurnView:
    """Return a turn that compares Ship 1 with another ship."""
    pattern = f"VALUES ?x {{ {SHIP} <{iri(name)}> }} ?x <{AT}tonnage> ?v"
    return asked(pattern, thing("Ship 1"), form="comparison")


OPENING = asked(f"{SHIP} <{AT}builtAt> ?x", thing("Yard 2"), place=1)


def kinds(graph: LintGraph | None, *turns: TurnView) -> set[str]:
    numbered = tuple(replace(each, turn=place) for place, each in enumerate((OPENING, *turns), 1))
    talk = DialogueView("d", SEED, numbered, len(numbered))
    found = lint_dialogue(talk, graph) if graph else lint_dialogue(talk)
    return {each.kind for each in found}


@pytest.mark.parametrize("value", [
        "501", '"+47 555 3001"', '"YES"', '"12.5"', '"Built for the trade with the far north"',
    ])  # fmt: skip
def test_exact_yes_no_planted(value: str) -> None:
    assert "yes-no" in kinds(None, asked(f"<{AT}states> {value}", truth(True)))


@pytest.mark.parametrize("value", ['"brig"', '"dark green"@en', f"<{iri('Yard 2')}>"])
def test_exact_yes_no_near_misses(value: str, graph: LintGraph) -> None:
    assert "yes-no" not in kinds(graph, asked(f"<{AT}color> {value}", truth(True)))


def test_a_text_that_identifies_a_thing_is_exact_by_the_graph(graph: LintGraph) -> None:
    whole = asked(f'<{AT}address> "1 Quay Road, Town"', truth(True))
    assert "yes-no" in kinds(graph, whole)
    assert "yes-no" not in kinds(None, whole)


def test_opens_yes_no() -> None:
    confirmed = asked(f"<{AT}color> \"brig\"", truth(True))  # fmt: skip
    assert "yes-no" not in kinds(None, confirmed)
    opening = DialogueView("d", SEED, (replace(confirmed, turn=1, link="opens"),), 1)
    assert "yes-no" in {each.kind for each in lint_dialogue(opening)}


@pytest.mark.parametrize("planted", [
    asked(f"{SHIP} <{AT}flag> ?x", text("Y")), asked(f"{SHIP} <{AT}fleet> ?x", text("Northern Fleet")),
    asked(f'?x <{AT}builtAt> <{iri("Yard 2")}> . ?x <{AT}address> "1 Quay Road, Town"', thing("Ship 1")),
    asked(f'?x <{AT}builtAt> <{iri("Yard 2")}> . ?x <{AT}flag> "Y"', thing("Ship 1"), thing("Ship 3")),
    asked(f'?x <{AT}builtAt> <{iri("Yard 2")}> . ?x <{AT}fleet> "Northern Fleet"', thing("Ship 1"), thing("Ship 3")),
])  # fmt: skip
def test_uninformative_planted(planted: TurnView, graph: LintGraph) -> None:
    assert "uninformative" in kinds(graph, planted)


@pytest.mark.parametrize("missed", [
    asked(f"{SHIP} <{AT}color> ?x", text("ketch")), asked(f"{SHIP} <{AT}address> ?x", text("1 Quay Road, Town")),
    asked(f"{SHIP} <{AT}tonnage> ?x", number(501)),
    asked(f'?x <{AT}builtAt> <{iri("Yard 2")}> . ?x <{AT}color> "ketch"', thing("Ship 1"), thing("Ship 3")),
])  # fmt: skip
def test_uninformative_near_misses(missed: TurnView, graph: LintGraph) -> None:
    assert "uninformative" not in kinds(graph, missed)


def test_values_with_a_unit_are_no_answers() -> None:
    lines = [f"@prefix : <{AT}> . @prefix r: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for n in range(1, 9):
        lines.append(f':Ship_{n} a :Ship ; r:label "Ship {n}" ; :length :length-of-{n} ; :builder :Yard_{n % 2} .')
        lines.append(f':length-of-{n} a :Quantity ; :value {n + 20}.5 ; :unit "metre" .')
    lines += [f':Yard_{n} a :Yard ; r:label "Yard {n}" .' for n in (0, 1)]
    measured = open_lint_graph(open_kg(Graph().parse(data="\n".join(lines), format="turtle")))
    node = Value(f"{AT}length-of-1", "iri", label="length of 1")
    assert "uninformative" in kinds(measured, asked(f"{SHIP} <{AT}length> ?x", node))
    assert "uninformative" not in kinds(measured, asked(f"{SHIP} <{AT}builder> ?x", thing("Yard 1")))


def counted(pattern: str, value: int = 2) -> TurnView:
    query = f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {pattern} }}"
    return turn(2, "How many are they?", "How many has Ship 1?", query, number(value), form="count")


def test_needless_counts(graph: LintGraph) -> None:
    masters, yards = counted(f"{SHIP} <{AT}master> ?x"), counted(f"{SHIP} <{AT}builtAt> ?x", 1)
    assert "needless-count" in kinds(graph, yards)
    assert "needless-count" not in kinds(graph, masters)
    assert "needless-count" in kinds(None, yards)
    assert "needless-count" not in kinds(None, masters)
    assert "needless-count" in kinds(graph, counted(f"{SHIP} <{AT}genre> ?x"))


@pytest.mark.parametrize(("planted", "is_unrelated"), [
    (compared("Far Ship"), True), (compared("Ship 3"), False), (compared("Ship 4"), True),
    (asked(f"<{iri('Far Ship')}> <{AT}builtAt> ?x", thing("Yard 3"), link="shift"), True),
    (asked(f"<{iri('Ship 5')}> <{AT}builtAt> ?x", thing("Yard 2"), link="shift"), False),
])  # fmt: skip
def test_unrelated_things(planted: TurnView, is_unrelated: bool, graph: LintGraph) -> None:
    assert ("unrelated" in kinds(graph, planted)) is is_unrelated


@pytest.mark.parametrize(("planted", "is_open"), [
    (asked(f"?x <{AT}cook> <{iri('Person 1')}>", thing("Ship 1"), thing("Ship 3")), True),
    (asked(f"?x <{AT}cook> <{iri('Person 1')}>", thing("Ship 1")), False),
    (counted(f"?x <{AT}cook> <{iri('Person 1')}>"), True),
    (asked(f"?x <{AT}builtAt> <{iri('Yard 2')}>", thing("Ship 1"), thing("Ship 3")), False),
    (asked(f"?x <{AT}nationality> <{iri('Norway')}>", thing("Person 1"), thing("Person 2")), True),
    (counted(f"?x <{AT}builtAt> <{iri('Yard 2')}>"), False),
    (asked(f"{SHIP} <{AT}cook> ?x", thing("Person 1")), False),
])  # fmt: skip
def test_open_lists(planted: TurnView, is_open: bool, graph: LintGraph) -> None:
    assert ("open-list" in kinds(graph, planted)) is is_open


@pytest.mark.parametrize(("condition", "is_missing"), [
    (f"?x <{AT}cook> <{iri('Person 1')}>", True), (f"FILTER NOT EXISTS {{ ?x <{AT}cook> <{iri('Person 1')}> }}", True),
    (f"?x <{AT}tonnage> ?v FILTER(?v > 503)", False), (f'?x <{AT}color> "ketch"', False),
])  # fmt: skip
def test_values_that_members_lack(condition: str, is_missing: bool, graph: LintGraph) -> None:
    selected = asked(f"?x <{AT}fleet> \"Northern Fleet\" . {condition}", thing("Ship 1"))  # fmt: skip
    of_yard = asked(f"?x <{AT}builtAt> <{iri('Yard 1')}> . {condition}", thing("Ship 1"))
    assert ("open-list" in kinds(graph, selected)) is is_missing
    assert ("open-list" in kinds(graph, of_yard)) is is_missing


def test_answered_elsewhere(graph: LintGraph) -> None:
    unknown = {"answerable": False, "unanswerable": "not-stated"}
    assert "refuted" in kinds(graph, asked(f"{SHIP} <{AT}hasTonnage> ?x", **unknown))
    assert "refuted" in kinds(graph, asked(f"{SHIP} <{AT}wasBuiltAt> ?x", **unknown))
    assert "refuted" not in kinds(graph, asked(f"{SHIP} <{AT}speed> ?x", **unknown))
    assert "refuted" not in kinds(graph, asked(f"{SHIP} <{AT}tonnageOfCargo> ?x", **unknown))


def test_another_predicate_is_named(graph: LintGraph) -> None:
    query = f"SELECT ?x WHERE {{ {SHIP} <{AT}color> ?x }}"
    swapped = turn(2, "What is its address?", "What is the address of Ship 1?", query, text("ketch"))
    assert "disagrees" in kinds(graph, swapped)
    right = replace(swapped, question="What rig has it?", standalone="What rig has Ship 1?")
    assert "disagrees" not in kinds(graph, right)
    free = replace(swapped, question="What kind of ship is it?", standalone="What kind of ship is Ship 1?")
    assert "disagrees" not in kinds(graph, free)
    of_class = replace(swapped, question="How old is it?", standalone="How old is the ship Ship 1?")
    shipped = f":Ship_1 :shippedBy :Yard_1 . {fleet()}".partition(" . ")
    by_ship = open_lint_graph(open_kg(Graph().parse(data=f"{shipped[2]} {shipped[0]} .", format="turtle")))
    assert "disagrees" not in kinds(by_ship, of_class)

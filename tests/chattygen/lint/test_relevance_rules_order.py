"""Turns at the wrong place: planted ones are found, near misses are left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lighthouses import AT, ORMEN, date, into, iri, number, out, thing, turn

from chattygen.lint import lint_dialogue
from chattygen.lint.dialogue_view import DialogueView, TurnView

L = f"<{iri('Ormen Light')}>"
KEEPERS = (thing("Bo Ek"), thing("Cy Dahl"), thing("Eva Moe"))
DESIGNER = turn(1, "Who designed Ormen Light?", "Who designed Ormen Light?", out("Ormen Light", "architect"),
                thing("Ada Lund"))  # fmt: skip
LIST = turn(1, "Who worked at Ormen Light?", "Who worked at Ormen Light?", into("Ormen Light", "workplace"), *KEEPERS)
CHAIN = f"SELECT DISTINCT ?x WHERE {{ {L} <{AT}architect> ?y . ?y <{AT}birthDate> ?x }}"
BIRTH = turn(2, "When was its designer born?", "When was the designer of Ormen Light born?", CHAIN, date("1802-04-01"),
             form="two-hop")  # fmt: skip
BASE = into("Ormen Light", "workplace")[:-2]
LATER = turn(2, "Which of them were born after 1840?", "Which of those who worked at Ormen Light were born after 1840?",
             f"{BASE} . ?x <{AT}born> ?v FILTER(?v > 1840) }}", KEEPERS[1], form="filter", link="among")  # fmt: skip


def kinds(*turns: TurnView) -> set[str]:
    renumbered = tuple(replace(each, turn=place) for place, each in enumerate(turns, 1))
    return {found.kind for found in lint_dialogue(DialogueView("d", ORMEN.seed, renumbered, len(turns)))}


UNNAMED = turn(2, "How many trees stand on its rock?", "How many trees stand on Skarv Island?",
               out("Skarv Island", "trees"), number(7))  # fmt: skip


def test_what_no_turn_has_named() -> None:
    island = turn(1, "Which island is Ormen Light on?", "Which island is Ormen Light on?", out("Ormen Light", "island"),
                  thing("Skarv Island"))  # fmt: skip
    talk = DialogueView("d", ORMEN.seed, (DESIGNER, UNNAMED, replace(island, turn=3)), 3)
    assert "order" in {found.kind for found in lint_dialogue(talk)}
    for near_miss in (
        (island, UNNAMED),
        (DESIGNER, replace(UNNAMED, question="How many trees stand on Skarv, then?")),
        (DESIGNER, replace(UNNAMED, question="And Skarv Island?")),
    ):
        assert "order" not in {found.kind for found in lint_dialogue(replace(talk, turns=near_miss))}


@pytest.mark.parametrize("turns", [
    (DESIGNER, BIRTH),
    (LIST, replace(BIRTH, witness=((iri("Ormen Light"), f"{AT}architect", iri("Bo Ek")),
                                   (iri("Bo Ek"), f"{AT}birthDate", '"1802-04-01"')))),
    (DESIGNER, replace(BIRTH, sparql=out("Ada Lund", "birthDate"))),
    (replace(BIRTH, form="date"),),
    (LIST, LATER),
])  # fmt: skip
def test_before_bridge_near_misses(turns: tuple[TurnView, ...]) -> None:
    assert "order" not in kinds(*turns)


@pytest.mark.parametrize("turns", [
    (LIST, LATER), (LIST, DESIGNER, LATER), (LIST,), (replace(LATER, question=LATER.standalone),),
    (turn(1, "Which lights are red?", "Which lights are red?",
          f'SELECT ?x WHERE {{ ?x a <{AT}Lighthouse> . ?x <{AT}color> "red" }}', thing("Skarv Light")),),
    (turn(1, "Is Ormen or Skarv Light taller?", "Is Ormen or Skarv Light taller?",
          f"SELECT ?x WHERE {{ VALUES ?x {{ {L} <{iri('Skarv Light')}> }} ?x <{AT}height> ?v }} ORDER BY ?v LIMIT 1",
          thing("Ormen Light")),),
])  # fmt: skip
def test_before_list_near_misses(turns: tuple[TurnView, ...]) -> None:
    assert "order" not in kinds(*turns)


PEOPLE = "What are people of the country of Ormen Light called?"
COUNTRY = turn(2, "Which country is it in?", "Which country is Ormen Light in?", out("Ormen Light", "country"),
               thing("Scotland"))  # fmt: skip

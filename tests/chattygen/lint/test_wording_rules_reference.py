"""Defects of follow-ups: planted ones are found, near misses are left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from chattyshared.dialogue import Value
from lighthouses import AT, ORMEN, changed, following, into, iri, kinds, lighthouse, out, thing, turn

from chattygen.lint.dialogue_view import DialogueView, TurnView


def then(*lines: TurnView, first: int = 3) -> DialogueView:
    """Return the first turns of the dialogue with others after them."""
    return replace(ORMEN, turns=(*ORMEN.turns[:first], *lines), expected_turns=first + len(lines))


@pytest.mark.parametrize("standalone", [
    "When was Ormen Light lit?", "When was ormen light lit?",
    "Was it true that Ormen Light was lit when it stood there?",
    "When was Ormen Light, with its red lamp, lit?", "How long does it take to see Ormen Light?",
    "Which lighthouse had Ormen Light as its model?",
])  # fmt: skip
def test_not_standalone_near_misses(standalone: str) -> None:
    assert "not-standalone" not in kinds(following("When was it lit, then?", standalone))


def test_an_opening_names_what_it_is_about() -> None:
    assert "not-standalone" in kinds(changed(ORMEN, 1, question="Who designed it?"))


@pytest.mark.parametrize("question", [
    "When was it lit?", "When was the lighthouse lit?", "When was that lighthouse lit?", "What about the lamp?",
    "When was the lamp lit?", "When was the lamp of the lighthouse lit by Ada Lund?",
    "And when was this first lit?", "When were its lamps lit?", "When did people go there?",
])  # fmt: skip
def test_no_reference_near_misses(question: str) -> None:
    assert "reference" not in kinds(following(question))


def answered(question: str, standalone: str, sparql: str, *answers: Value, number: int = 4, **more: Any) -> TurnView:
    return turn(number, question, standalone, sparql, *answers, **{"link": "answer", **more})


BORN = answered(
    "When was she born?", "When was Eva Moe born?", out("Eva Moe", "birthDate"), Value("1850-01-01", "literal")
)
AMONG = turn(4, "Which of them was born first?", "Which of the keepers of Ormen Light was born first?",
             f"SELECT ?x {{ ?x <{AT}workplace> <{iri('Ormen Light')}> . ?x <{AT}birthDate> ?v }} ORDER BY ?v LIMIT 1",
             thing("Bo Ek"), form="superlative", link="among")  # fmt: skip
OLD = turn(4, "Which of them were born before 1850?", "Which of the keepers of Ormen Light were born before 1850?",
           f"SELECT ?x {{ ?x <{AT}workplace> <{iri('Ormen Light')}> ; <{AT}birthDate> ?v FILTER(YEAR(?v) < 1850) }}",
           thing("Bo Ek"), thing("Cy Dahl"), form="filter", link="among")  # fmt: skip
RED = turn(5, "Which of them had red hair?", "Which of the keepers of Ormen Light had red hair?",
           f'SELECT ?x WHERE {{ ?x <{AT}workplace> <{iri("Ormen Light")}> ; <{AT}hair> "red" }}',
           thing("Cy Dahl"), form="conjunction", link="among")  # fmt: skip
SHIFT = turn(4, "And what about Skarv Light?", "Which keepers worked at Skarv Light?", into("Skarv Light", "workplace"),
             thing("Ivar Lie"), thing("Tor Lie"), form="subject", link="shift", answer_type="keeper")  # fmt: skip
LIT = turn(5, "When was it lit?", "When was Ormen Light lit?", out("Ormen Light", "lit"), Value("1871", "literal"))
SECOND = turn(4, "When was the second one born?", "When was Cy Dahl born?", out("Cy Dahl", "birthDate"),
              Value("1849-02-02", "literal"), link="position")  # fmt: skip
ISLE = turn(2, "Which light is its model?", "Which light is the model of Ormen Light?", out("Ormen Light", "model"),
            thing("Skarv Light"), answer_type="lighthouse")  # fmt: skip


@pytest.mark.parametrize("talk", [
    then(BORN),  # three keepers, and "she"
    then(replace(AMONG, question="Who was born first?")),
])  # fmt: skip
def test_unresolved_planted(talk: DialogueView) -> None:
    assert "reference" in kinds(talk)


@pytest.mark.parametrize("talk", [
    ORMEN, then(AMONG), then(SHIFT), then(SECOND), then(OLD, RED),
    then(OLD, replace(RED, question="Which of the keepers who worked there had red hair?",
                      answers=(thing("Eva Moe"),))),
    then(replace(SECOND, question="When was the last of them born?")),
    then(OLD, replace(RED, question="Which of its keepers had red hair?", answers=(thing("Eva Moe"),))),
    then(OLD, replace(RED, question="Which of the lighthouse's keepers had red hair?", answers=(thing("Eva Moe"),))),
    then(SHIFT, replace(LIT, question="And when was Ormen Light lit?")),
    then(replace(BORN, question="When was that keeper born?", turn=4), first=2),
    then(ISLE, replace(LIT, turn=3, question="When was the first lighthouse lit?"), first=1),
])  # fmt: skip
def test_unresolved_near_misses(talk: DialogueView) -> None:
    assert "reference" not in kinds(talk)


@pytest.mark.parametrize("talk", [
    ORMEN, then(SHIFT), then(SECOND), then(OLD, RED), then(AMONG),
    changed(ORMEN, 4, sparql=f"SELECT ?x {{ VALUES ?x {{ <{iri('Bo Ek')}> <{iri('Cy Dahl')}> <{iri('Eva Moe')}> }} "
                             f"?x <{AT}birthDate> ?v }} ORDER BY ?v LIMIT 1"),
    lighthouse("Skarv Light", designer="Nils Bu", keepers=("Ivar Lie", "Tor Lie", "Liv Aas"), island="Skarv", height=9),
])  # fmt: skip
def test_links_of_all_kinds_are_clean(talk: DialogueView) -> None:
    assert kinds(talk) == set()

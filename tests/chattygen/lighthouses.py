"""Dialogues about lighthouses, made here, to plant defects in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from chattyshared.benchmark import dialogue_to_json, header_to_json, make_header
from chattyshared.dialogue import Dialogue, Seed, Value

from chattygen.lint.dialogue_view import DialogueView, TurnView
from chattygen.lint.runner import lint_dialogue

AT = "https://lights.example/"
XSD = "http://www.w3.org/2001/XMLSchema#"


def iri(name: str) -> str:
    return f"{AT}{name.replace(' ', '_')}"


def thing(name: str) -> Value:
    return Value(iri(name), "iri", label=name)


def number(value: object) -> Value:
    return Value(str(value), "number", datatype=f"{XSD}integer")


def text(value: str) -> Value:
    return Value(value, "literal")


def date(value: str) -> Value:
    return Value(value, "literal", datatype=f"{XSD}date")


def truth(value: bool) -> Value:
    return Value("true" if value else "false", "boolean", datatype=f"{XSD}boolean")


def out(name: str, predicate: str, end: str = "?x") -> str:
    return f"SELECT DISTINCT ?x WHERE {{ <{iri(name)}> <{AT}{predicate}> {end} }}"


def into(name: str, predicate: str) -> str:
    return f"SELECT DISTINCT ?x WHERE {{ ?x <{AT}{predicate}> <{iri(name)}> }}"


def counted(name: str, predicate: str) -> str:
    return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ ?x <{AT}{predicate}> <{iri(name)}> }}"


def ask(name: str, predicate: str, other: str) -> str:
    return f"ASK {{ <{iri(name)}> <{AT}{predicate}> <{iri(other)}> }}"


def turn(number: int, question: str, standalone: str, sparql: str, *answers: Value, **more: Any) -> TurnView:
    given: dict[str, Any] = {
        "form": "object", "link": "opens" if number == 1 else "topic", "answer_type": "", "answerable": True,
        "difficulty": "easy", "answers": answers,
    }  # fmt: skip
    return TurnView(turn=number, question=question, standalone=standalone, sparql=sparql, **{**given, **more})


def lighthouse(name: str, *, designer: str, keepers: tuple[str, str, str], island: str, height: int) -> DialogueView:
    """Return a clean dialogue of six turns about one lighthouse."""
    opening = f"Who designed {name}?"
    kept = into(name, "workplace")
    earliest = f"{kept[:-1]}. ?x <{AT}birthDate> ?v }} ORDER BY ASC(?v) LIMIT 1".replace("SELECT DISTINCT", "SELECT")
    lines = (
        turn(1, opening, opening, out(name, "architect"), thing(designer), answer_type="architect"),
        turn(2, "How tall is it in meters?", f"How tall is {name} in meters?", out(name, "height"), number(height),
             form="number", answer_type="integer"),
        turn(3, "Which keepers worked there?", f"Which keepers worked at {name}?", kept, *map(thing, keepers),
             form="subject", answer_type="keeper"),
        turn(4, "Which of them was born first?", f"Which of the keepers who worked at {name} was born first?",
             earliest, thing(keepers[0]), form="superlative", link="among", answer_type="keeper"),
        turn(5, f"Does the lighthouse stand on {island}?", f"Does {name} stand on {island}?",
             ask(name, "island", island),
             truth(True), form="boolean", answer_type="boolean"),
        turn(6, "How many ships were wrecked near it?", f"How many ships were wrecked near {name}?",
             counted(name, "wreckedNear"), number(7), form="count", answer_type="integer"),
    )  # fmt: skip
    return DialogueView(name.lower().replace(" ", "-"), Seed(iri(name), name, iri("Lighthouse")), lines, 6)


ORMEN = lighthouse(
    "Ormen Light", designer="Ada Lund", keepers=("Bo Ek", "Cy Dahl", "Eva Moe"), island="Skarv Island", height=41
)


def changed(talk: DialogueView, place: int, **what: Any) -> DialogueView:
    """Return the dialogue with one turn (from 1) changed."""
    lines = list(talk.turns)
    lines[place - 1] = replace(lines[place - 1], **what)
    return replace(talk, turns=tuple(lines))


def following(question: str, standalone: str = "", **more: Any) -> DialogueView:
    """Return the opening turn and one follow-up on the same lighthouse."""
    second = turn(2, question, standalone or "When was Ormen Light lit?", out("Ormen Light", "lit"), date("1871-05-02"))
    lines = (ORMEN.turns[0], replace(second, **more))
    return replace(ORMEN, turns=lines, expected_turns=2)


def querying(sparql: str, question: str, standalone: str, *answers: Value, **more: Any) -> DialogueView:
    """Return the opening turn and a follow-up with this query."""
    return following(question, standalone, sparql=sparql, answers=answers, **more)


GENERATE = {"options": {"turns": 6}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}


def lines_of(*talks: DialogueView) -> list[dict[str, Any]]:
    header = header_to_json(
        make_header("lights", sources=["lights.ttl"], fingerprint="f", triples=9, generate=GENERATE)
    )
    return [header, *(dialogue_to_json(Dialogue(t.id, t.seed, t.turns)) for t in talks)]


def written(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def kinds(talk: DialogueView) -> set[str]:
    """Return the kinds of defects that are found in a dialogue without a graph."""
    return {found.kind for found in lint_dialogue(talk)}

"""The rule model's answer to ``generate/in_one``: its questions, its retelling and its queries, in parallel lists."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from chattyshared.model import Request

from chattygen.dialogues import Draft
from chattygen.facts import Entity
from chattygen.rulebook.asking import questions
from chattygen.rulebook.naming import unordered_query
from chattygen.rulebook.retelling import dialogue
from chattygen.single_shot import Line


def in_one(request: Request) -> dict[str, Any]:
    """Write a whole dialogue at once."""
    entity: Entity = request.variables["entity"]
    lines: dict[int, Line] = {line.fact.number: line for line in request.variables["facts"]}
    facts = tuple(line.fact for line in lines.values())
    wanted = request.variables["wanted"]
    items = questions(replace(request, variables={"entity": entity, "facts": facts, "wanted": wanted}))["questions"]
    texts = [item["question"] for item in items]
    drafts = tuple(
        Draft(number, text, entity, "topic" if number > 1 else "opens") for number, text in enumerate(texts, 1)
    )
    turns = dialogue(replace(request, variables={"turns": drafts}))["turns"]
    iri = str(request.variables["iri"])
    return {
        "questions": texts,
        "dialogue": [*texts[:1], *(turn["question"] for turn in turns)],
        "queries": [_query(request, lines[item["facts"][0]], item["form"], iri) for item in items],
    }


def _query(request: Request, line: Line, form: str, iri: str) -> str:
    """Write the query of one question from its fact's triples."""
    triples = re.sub(r"(?<!\S)THIS(?!\S)", lambda _: iri, line.triples)
    if form == "boolean":
        triples = re.sub(r"(?<!\S)\?x(?!\S)", lambda _: line.offer, triples.splitlines()[0])
    return str(query(replace(request, variables={"form": form, "triples": triples}))["sparql"])

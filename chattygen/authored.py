"""Turns whose queries were compiled, with queries that a model has written in their place, checked against the gold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from chattyshared.check import Problem
from chattyshared.dialogue import Turn
from chattyshared.model import Usage

from chattygen.rejection import stage
from chattygen.run import Run
from chattygen.written import Result, has_variables, write

_BODY = re.compile(r"\{\s*(?P<body>.*)\}\s*(?P<order>[^{}]*)$", re.DOTALL)


def author(run: Run, turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], Usage]:
    """Have a model write the query of each turn, from its question, its form and its triples with their conditions.

    What a query gives must be the turn's gold, in the same order where the question asks for one.

    Raises:
        Unfit: no query of a turn passed.
        EndpointError, ModelError: the world cannot be asked.
    """
    made, usage = [], Usage()
    for turn in turns:
        asked = {"question": turn.standalone, "form": turn.form, "triples": _parts(turn.sparql)}
        with stage("query"):
            sparql, _, more = write(run.kg.endpoint, run.model, asked, partial(_agrees, turn), theta=run.options.theta)
        made.append(replace(turn, sparql=sparql))
        usage += more
    return tuple(made), usage


def _parts(sparql: str) -> str:
    """Return the triples and conditions of a compiled query, and its order on a line by itself."""
    found = _BODY.search(sparql)
    if found is None:
        raise ValueError(f"a query of our own without a body: {sparql}")
    return "\n".join(filter(None, (f"{found['body'].strip()} .", found["order"].strip())))


def _agrees(turn: Turn, sparql: str, result: Result) -> Iterator[Problem]:
    """Say where a query and the gold disagree, without telling the gold."""
    gold = [answer.value for answer in turn.answers]
    if isinstance(result, bool) or [answer.kind for answer in turn.answers] == ["boolean"]:
        if not isinstance(result, bool):
            yield Problem("result", "the question is answered by yes or no: write an ASK")
        elif gold != ["true" if result else "false"]:
            yield Problem("result", f"the query gives {result}, which the graph does not say")
        elif turn.form == "boolean" and has_variables(sparql):
            yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
        return
    found = [str(term) for term in result]
    if sorted(found) != sorted(gold):
        yield Problem("result", f"the query gives {len(found)} answers that are not those of the triples: {len(gold)}")
    elif turn.form == "list" and "ORDER BY" in turn.sparql and found != gold:
        yield Problem("order", "the answers stand in another order than the question asks for")

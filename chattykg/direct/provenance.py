"""Provenance: whether a query's result comes from the graph, or from texts and numbers that the query itself states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chattyshared.check import Problem
from chattyshared.sparql.analysis import analyze_query, parse_algebra
from pyparsing import ParseResults
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.outcome import QueryOutcome


def find_stated_answer(outcome: QueryOutcome) -> Problem | None:
    """Return why a result is no answer of the graph, None if it is one.

    A query without a triple pattern asks nothing of the graph. The first column, which holds the answers, must depend
    on a triple pattern, or hold things; a text or number by itself is the model's own. This is no proof: functions can
    turn any value into any text.
    """
    patterns = analyze_query(outcome.sparql).patterns
    if not patterns:
        return Problem(
            "source", "The query asks nothing of the graph: it has no triple pattern. If nothing fits, say none."
        )
    if not outcome.rows:
        return None
    column = outcome.columns[0]
    bound = {str(term) for pattern in patterns for term in pattern if isinstance(term, Variable)}
    if column in _find_grounded(parse_algebra(outcome.sparql), bound):
        return None
    told = f"?{column} holds what the query itself states ({outcome.render_first_row()}), not what the graph states"
    return Problem("source", f"{told}: select a thing or a value of the graph first. If nothing fits, say none.")


def _find_grounded(algebra: CompValue | None, bound: set[str]) -> set[str]:
    """Return the variables that depend on the graph; ``bound`` are those of triple patterns."""
    nodes = list(_walk(algebra))
    grounded = bound | {str(node["term"]) for node in nodes if node.name == "Graph"}
    for node in nodes:
        if node.name == "values":
            grounded |= {str(name) for row in node["res"] for name, term in row.items() if isinstance(term, URIRef)}
    assigned = [pair for node in nodes for pair in _assignments(node)]
    for _ in assigned:  # each round grounds one variable at least, or none is left
        found = {name for name, value in assigned if name not in grounded and _is_grounded(value, grounded)}
        if not found:
            break
        grounded |= found
    return grounded


def _assignments(node: CompValue) -> Iterator[tuple[str, Any]]:
    if node.name == "Extend":
        yield str(node["var"]), node["expr"]
    elif node.name.startswith("Aggregate_"):
        yield str(node["res"]), node["vars"]


def _is_grounded(value: Any, grounded: set[str]) -> bool:
    """Tell whether the value of an expression depends on the graph."""
    if isinstance(value, Variable):
        return str(value) in grounded
    if isinstance(value, URIRef) or value == "*":
        return True
    if not isinstance(value, CompValue):
        return isinstance(value, (list, ParseResults)) and any(_is_grounded(part, grounded) for part in value)
    if value.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
        return True
    if value.name == "Builtin_IF":  # two texts to choose from are stated, whatever the condition
        branches = value["arg2"], value["arg3"]
        is_text = all(isinstance(branch, Literal) and not branch.datatype for branch in branches)
        return not is_text and any(_is_grounded(part, grounded) for part in (value["arg1"], *branches))
    return any(_is_grounded(part, grounded) for key, part in value.items() if key not in ("_vars", "iri"))


def _walk(value: Any) -> Iterator[CompValue]:
    if isinstance(value, CompValue):
        yield value
        for key, part in value.items():
            if key != "_vars":
                yield from _walk(part)
    elif isinstance(value, (list, ParseResults)):
        for part in value:
            yield from _walk(part)

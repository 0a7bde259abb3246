"""Outcomes: what a query that a model wrote gave, and whether that comes from the graph or from the query itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem
from chattyshared.endpoint import Row
from chattyshared.literals import is_number, parse_number, read_number
from chattyshared.sparql.analysis import analyze_query, iterate_nodes, parse_algebra
from chattyshared.terms import Term
from pyparsing import ParseResults
from rdflib import BNode, Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """The result of a query: its text, the shape that the model announced, rows (for an ASK: ``truth``).

    ``unused`` are the words of the question that the model says the query leaves out. ``either`` are the numbers of the
    vertices of which the question does not say which one is meant; the query is that of the first. ``repairs`` names
    what was mended in the query that the model wrote.
    """

    sparql: str
    shape: str
    rows: tuple[Row, ...] = ()
    truth: bool | None = None
    unused: tuple[str, ...] = ()
    either: tuple[int, ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables that are bound, in the order of the query."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    @property
    def is_empty(self) -> bool:
        """Tell whether a SELECT gave no rows."""
        return self.truth is None and not self.rows

    @property
    def is_negative(self) -> bool:
        """Tell whether it is a no or a count of nothing, as a query gives that can match nothing."""
        is_zero = self.shape in ("count", "number") and bool(self.rows) and read_number(self.first_term()) == 0
        return self.truth is False or is_zero

    @property
    def is_numeric(self) -> bool:
        """Tell whether the first column holds numbers."""
        return bool(self.rows) and is_number(self.first_term())

    @property
    def is_nameless(self) -> bool:
        """Tell whether it has rows, and nothing but blank nodes in them."""
        return bool(self.rows) and all(isinstance(term, BNode) for row in self.rows for term in row.values())

    def first_term(self) -> Term:
        """Return the first term of the first row."""
        return next(iter(self.rows[0].values()))

    def fits_shape(self) -> bool:
        """Tell whether the first term is a number or a date, if the model announced one; either may be kept as text."""
        if self.shape not in ("count", "number", "date"):
            return True
        first = self.first_term()
        if self.shape == "date":
            return isinstance(first, Literal) and any(character.isdigit() for character in first)
        return isinstance(first, Literal) and (is_number(first) or parse_number(str(first)) is not None)

    def render_first_row(self) -> str:
        """Return the first row as the model sees it."""
        return ", ".join(f"{name} = {str(term)[:40]}" for name, term in self.rows[0].items())


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
    nodes = list(iterate_nodes(algebra))
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

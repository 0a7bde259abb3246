"""Outcomes: what a query that a model wrote gave."""

from __future__ import annotations

from dataclasses import dataclass

from chattyshared.endpoint import Row
from chattyshared.literals import is_number, parse_number, read_number
from chattyshared.terms import Term
from rdflib import BNode, Literal


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """The result of a query: its text, the shape that the model announced, rows (for an ASK: ``truth``).

    ``unused`` are the words of the question that the model says the query leaves out. ``either`` are the numbers of the
    vertices of which the question does not say which one is meant; the query is that of the first.
    """

    sparql: str
    shape: str
    rows: tuple[Row, ...] = ()
    truth: bool | None = None
    unused: tuple[str, ...] = ()
    either: tuple[int, ...] = ()

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

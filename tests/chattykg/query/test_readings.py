"""Readings are compared by their answers."""

from __future__ import annotations

from typing import Any

from rdflib import Literal

from chattykg.query.execution import QueryResult
from chattykg.query.readings import Ambiguity, Reading
from chattykg.query.solution_modifiers import SolutionModifier


class Select:
    """A query of one column."""

    modifier = SolutionModifier("rows", ("?x",), 10)


def reading(*values: str) -> Reading:
    query: Any = Select()
    return Reading("i", "l", QueryResult(query, tuple({"x": Literal(value)} for value in values)))


def test_equal_answers_count_once() -> None:
    assert Ambiguity("x", (reading("1"), reading("1"), reading("2"))).answer_count == 2

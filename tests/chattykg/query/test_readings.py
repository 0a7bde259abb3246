"""Readings are compared by their answers: a year agrees with a date of that year."""

from __future__ import annotations

from typing import Any

import pytest
from rdflib import Literal

from chattykg.query.execution import QueryResult
from chattykg.query.readings import Ambiguity, Reading, _are_disjoint
from chattykg.query.solution_modifiers import SolutionModifier


class Select:
    """A query of one column."""

    modifier = SolutionModifier("select", ("?x",), 10)


def reading(*values: str) -> Reading:
    query: Any = Select()
    return Reading("i", "l", QueryResult(query, tuple({"x": Literal(value)} for value in values)))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(("1929",), ("1929-11-07",), False), (("24.9",), ("0.83",), True), (("1", "2"), ("2", "3"), False)],
)
def test_answers_that_agree_are_one_reading(first: Any, second: Any, expected: bool) -> None:
    assert _are_disjoint((reading(*first), reading(*second))) is expected
    assert not _are_disjoint((reading(*first),))


def test_equal_answers_count_once() -> None:
    assert Ambiguity("x", (reading("1"), reading("1"), reading("2"))).answer_count == 2

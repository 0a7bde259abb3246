"""Readings are compared by their answers: a year agrees with a date of that year."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import Literal

from chattykg.engine import ChattyEngine, Settings
from chattykg.query.execution import QueryResult
from chattykg.query.readings import Ambiguity, Reading, _are_disjoint
from chattykg.query.solution_modifiers import SolutionModifier
from chattykg.rulebook import RULEBOOK


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


LINES = """
@prefix : <http://lines.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Line rdfs:label "line" . :number rdfs:label "number" . :length rdfs:label "length" . :colour rdfs:label "colour" .
:t5 a :Line ; rdfs:label "Tram 5" ; :number 5 ; :length 13.8 ; :colour "green" .
:b5 a :Line ; rdfs:label "Bus 5" ; :number 5 ; :length 10.4 ; :colour "blue" .
:t7 a :Line ; rdfs:label "Tram 7" ; :number 7 ; :length 9.1 ; :colour "blue" .
"""


def test_a_description_of_one_thing_that_fits_two_is_asked_back(tmp_path: Path) -> None:
    path = tmp_path / "lines.ttl"
    path.write_text(LINES)
    engine = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK), settings=Settings(clarify="ask"))
    asked = engine.answer("What is the length of the blue line?")
    assert asked.clarification is not None
    assert [option.label for option in asked.clarification.options] == ["Bus 5", "Tram 7"]
    reply = engine.answer("the second", (Exchange("What is the length of the blue line?", asked),))
    assert [value.value for value in reply.values] == ["9.1"]
    assert [value.value for value in engine.answer("What is the length of the green line?").values] == ["13.8"]
    assert len(engine.answer("What is the length of all blue lines?").values) == 2

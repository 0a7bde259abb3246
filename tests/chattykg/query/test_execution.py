"""Queries run best first: one that the store refuses ends that query, not the question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import QueryRejected
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from poisoned_endpoint import Poisoned

from chattykg.engine import ChattyEngine
from chattykg.query.composition import Query, can_aggregate
from chattykg.query.execution import execute_queries, try_queries
from chattykg.query.graph_patterns import GraphPattern, TriplePattern, ValueReading
from chattykg.query.solution_modifiers import SolutionModifier
from chattykg.rulebook import RULEBOOK

YARD = """
@prefix : <http://yard.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:area rdfs:label "area" . :Shed a rdfs:Class ; rdfs:label "shed" .
:a a :Shed ; rdfs:label "Old Shed" ; :area 5.5 . :b a :Shed ; rdfs:label "New Shed" ; :area 12.0 .
:f a :Shed ; rdfs:label "Tin Shed" ; :area 20.25 .
:c a :Shed ; rdfs:label "Red Shed" ; :area "unknown" . :d a :Shed ; rdfs:label "Low Shed" ; :area "INF"^^xsd:double .
:e a :Shed ; rdfs:label "Tar Shed" ; :area "2020-01-01"^^xsd:date .
:a :text "5" . :b :text "30.5" . :c :text "none" . :d :text "INF" .
"""
ARITHMETIC = r"\?\w+ [-+*/] \?"


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    file = tmp_path / "yard.ttl"
    file.write_text(YARD, encoding="utf-8")

    def open_store(refused: str) -> KnowledgeGraph:
        return KnowledgeGraph(Poisoned(LocalEndpoint([file]), refused, QueryRejected))

    return open_store


def query(name: str, score: float, modifier: SolutionModifier | None = None) -> Query:
    grounded: Any = None
    pattern = GraphPattern((TriplePattern("?x", (f"http://yard.example/{name}",), "?v"),))
    return Query(grounded, (), (), pattern, modifier or SolutionModifier("rows", ("?x",), 10), score)


@pytest.mark.parametrize(("name", "reading", "total"), [("area", "number", "37.75"), ("text", "text number", "35.5")])
def test_a_sum_is_taken_of_finite_numbers_and_no_test_calculates(
    opened: Any, name: str, reading: ValueReading, total: str
) -> None:
    modifier = SolutionModifier("groups", (), 1, aggregates=(("sum", "?v", reading),))
    rows = execute_queries([query(name, 1.0, modifier)], opened(ARITHMETIC)).rows
    assert [str(row["value"]) for row in rows] == [total]


def test_a_total_is_asked_of_a_store_that_calculates_with_no_text(opened: Any) -> None:
    answer = ChattyEngine(opened(ARITHMETIC), RuleModel(RULEBOOK)).answer("What is the total area of all sheds?")
    assert [str(value.value) for value in answer.values] == ["37.75"]


def test_dates_have_no_sum() -> None:
    functions = ("sum", "avg", "min", "max")
    assert [can_aggregate(function, "date") for function in functions] == [False, False, True, True]
    assert not any(can_aggregate(function, "text") for function in functions)


def test_the_next_query_answers_if_the_store_refuses_the_best(opened: Any) -> None:
    queries = [query("area", 1.0), query("none", 0.9), query("text", 0.8)]
    result = execute_queries(queries, opened("SELECT DISTINCT .*/area"))
    assert (result.query, result.is_substitute, len(result.rows)) == (queries[2], True, 4)
    result = execute_queries(queries[1:], opened("no such query"))
    assert (result.query, result.is_substitute) == (queries[2], False)


def test_a_refused_query_among_the_next_ends_neither_the_probe_nor_the_question(opened: Any) -> None:
    queries = [query("none", 1.0), query("area", 0.9), query("text", 0.8)]
    result = execute_queries(queries, opened("/area"))
    assert (result.query, len(result.rows)) == (queries[2], 4)


def test_a_store_that_refuses_all_queries_is_an_error(opened: Any) -> None:
    queries = [query("area", 1.0), query("text", 0.8)]
    with pytest.raises(QueryRejected):
        execute_queries(queries, opened(r"SELECT DISTINCT \?x"))
    assert try_queries(queries, opened(r"SELECT DISTINCT \?x")) is None

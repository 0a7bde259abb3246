"""Outcomes: what counts as empty, as a no, and as the kind of answer that the model announced."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import XSD, Literal, URIRef

from chattykg.direct.outcome import (
    QueryOutcome,
    build_outcome_answer,
    find_stated_answer,
    find_written_query,
    read_bare_query,
    read_reply,
)
from chattykg.direct.schema_prompt import SchemaPrompt, build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

LEE, LENGTH = "<https://ships.example/lee>", "<https://ships.example/length>"


@pytest.mark.parametrize(
    ("shape", "term", "fits"),
    [
        ("number", Literal("85"), True),
        ("count", Literal(3), True),
        ("number", Literal("eighty"), False),
        ("number", URIRef("https://x.example/85"), False),
        ("date", Literal("31 June 1208"), True),
        ("date", Literal("1998-05-01", datatype=XSD.date), True),
        ("date", Literal("unknown"), False),
        ("date", URIRef("https://x.example/1998"), False),
        ("one", URIRef("https://x.example/85"), True),
    ],
)
def test_numbers_and_dates_may_be_kept_as_text(shape: str, term: Term, fits: bool) -> None:
    assert QueryOutcome("", shape, ({"x": term},)).fits_shape() == fits


def test_a_no_and_a_zero_are_negative_and_no_rows_are_empty() -> None:
    zero = ({"n": Literal(0)},)
    assert (
        QueryOutcome("", "boolean", truth=False).is_negative and not QueryOutcome("", "boolean", truth=True).is_negative
    )
    assert QueryOutcome("", "count", zero).is_negative and not QueryOutcome("", "list", zero).is_negative
    assert QueryOutcome("", "list").is_empty and not QueryOutcome("", "boolean", truth=False).is_empty


def told(sparql: str, column: str = "x", *, truth: bool | None = None) -> str:
    rows = () if truth is not None else ({column: Literal("42")},)
    problem = find_stated_answer(QueryOutcome(sparql, "list", rows, truth))
    return problem.sentence if problem else ""


@pytest.mark.parametrize(
    "sparql",
    [
        'SELECT ("42" AS ?x) {}', 'SELECT ?x { VALUES ?x { "42" } }', 'SELECT ?x { { SELECT ("42" AS ?x) {} } }',
        f"SELECT ?x {{ VALUES ?x {{ {LEE} }} }}", "SELECT (COUNT(?y) AS ?x) { VALUES ?y { 1 2 3 } }",
        "ASK {}", "ASK { FILTER(1 = 1) }", "ASK { VALUES ?x { 1 } }", "ASK { BIND(1 AS ?x) }",
    ],
)  # fmt: skip
def test_a_query_without_a_triple_pattern_asks_nothing(sparql):
    assert "asks nothing of the graph" in told(sparql, truth=True if sparql.startswith("ASK") else None)


@pytest.mark.parametrize(
    "sparql",
    [
        'SELECT ?x { ?s ?p ?o BIND("42" AS ?x) } LIMIT 1', 'SELECT ?x { ?s ?p ?o VALUES ?x { "42" } }',
        'SELECT (IF(BOUND(?o), "42", "43") AS ?x) { ?s ?p ?o }', 'SELECT (COALESCE(?none, "42") AS ?x) { ?s ?p ?o }',
        'SELECT (CONCAT("4", "2") AS ?x) { ?s ?p ?o }', 'SELECT (IRI("http://x.example/42") AS ?x) { ?s ?p ?o }',
        "SELECT (RAND() AS ?x) { ?s ?p ?o }", "SELECT (SAMPLE(?y) AS ?x) { ?s ?p ?o BIND(42 AS ?y) }",
        f'SELECT ?x ?l {{ {LEE} {LENGTH} ?l BIND("42" AS ?x) }}',
    ],
)  # fmt: skip
def test_a_first_column_of_stated_texts_and_numbers_is_no_answer(sparql):
    assert "?x holds what the query itself states (x = 42)" in told(sparql)


@pytest.mark.parametrize(
    "sparql",
    [
        f"SELECT ?x {{ {LEE} {LENGTH} ?x }}", f"SELECT * {{ {LEE} {LENGTH} ?x }}",
        f"SELECT (COUNT(*) AS ?x) {{ ?s {LENGTH} ?o }}",
        f"SELECT (100 * SUM(IF(?o > 5, 1, 0)) / COUNT(?o) AS ?x) {{ ?s {LENGTH} ?o }}",
        f"SELECT (MAX(?y) - 1 AS ?x) {{ {{ SELECT (AVG(?o) AS ?y) {{ ?s {LENGTH} ?o }} GROUP BY ?s }} }}",
        f"SELECT ?x ?l {{ VALUES ?x {{ {LEE} }} ?x {LENGTH} ?l }}",
        f"SELECT ?x {{ VALUES ?x {{ {LEE} }} FILTER NOT EXISTS {{ ?x {LENGTH} ?l }} }}",
        f"SELECT ?x {{ BIND({LEE} AS ?x) {LEE} {LENGTH} ?l }}", f'SELECT ?l ?x {{ ?l {LENGTH} ?y BIND("a" AS ?x) }}',
        f"SELECT (IF(?a > ?b, {LEE}, {LENGTH}) AS ?x) {{ {LEE} {LENGTH} ?a . ?b {LENGTH}/{LENGTH} ?b }}",
        f"SELECT (EXISTS {{ {LEE} {LENGTH} ?y }} AS ?x) {{ ?s {LENGTH} ?o }}",
        f"SELECT ?x {{ GRAPH ?x {{ ?s {LENGTH} ?o }} }}", f"SELECT (LCASE(STR(?o)) AS ?x) {{ ?s {LENGTH} ?o }}",
    ],
)  # fmt: skip
def test_what_depends_on_the_graph_is_an_answer(sparql):
    assert told(sparql, "l" if "SELECT ?l" in sparql else "x") == ""


def test_an_ask_of_triples_is_an_answer_also_if_they_are_denied():
    assert told(f"ASK {{ FILTER NOT EXISTS {{ {LEE} {LENGTH} ?l }} }}", truth=False) == ""


def test_an_empty_result_states_nothing():
    assert find_stated_answer(QueryOutcome(f"SELECT (1 AS ?x) {{ {LEE} {LENGTH} 3 }}", "empty")) is None


QUERY = "SELECT ?x WHERE { ?x a ?y } ORDER BY ?x LIMIT 2"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (f"SPARQL: {QUERY}\nIt lists two.", QUERY),
        (f"Here:\n```sparql\n{QUERY}\n```\nDone.", QUERY),
        (
            "PREFIX p: <https://a.example/>\nASK { ?x p:y 1 } and so on",
            "PREFIX p: <https://a.example/>\nASK { ?x p:y 1 }",
        ),
        ("SELECT ?x { ?x ?p ?y { ?y ?q 1 }", "SELECT ?x { ?x ?p ?y { ?y ?q 1 } }"),
        ('SELECT ?x { ?x ?p "} # no note" } LIMIT 1', 'SELECT ?x { ?x ?p "} # no note" } LIMIT 1'),
        ("SELECT ?x { ?x ?p ?y  # one of: 4, 5 } LIMIT 1", "SELECT ?x { ?x ?p ?y  } LIMIT 1"),
        ("I would select the ships and ask the port.", ""),
    ],
)
def test_a_query_is_found_in_a_text(text, query):
    assert find_written_query(text.replace("```sparql\n", "").replace("```", "")) == query
    assert (read_reply(text) or {"sparql": ""})["sparql"] == query


def test_no_query_is_none_where_the_text_says_so():
    assert read_reply("NONE.") == {"shape": "none", "sparql": ""}
    assert read_reply('{"answer": "none of these"}') is None
    assert read_reply('{"q": "ASK { ?x ?p 1 }", "unused": ["a"]}') == {"shape": "boolean", "sparql": "ASK { ?x ?p 1 }"}


@pytest.mark.parametrize(
    ("clause", "shape"), [("?x", "list"), ("?x ?y", "table"), ("(COUNT(DISTINCT ?x) AS ?n)", "count"), ("*", "list")]
)
def test_a_bare_query_has_the_shape_of_its_columns(clause, shape):
    assert read_bare_query(f"SELECT {clause} {{ ?x ?p ?y }}")["shape"] == shape


SHIP = "https://ships.example/"
QUERY = f"SELECT ?s ?l {{ ?s <{SHIP}vocab/captain> <{SHIP}ann> ; <{SHIP}vocab/length> ?l }}"


@pytest.fixture
def briefing(ships: KnowledgeGraph) -> SchemaPrompt:
    return build_schema_prompt(ships, build_vocabulary_card("Which ships does Ann Lee command?", ships))


def rows(*pairs: tuple[str, Any]) -> tuple[dict[str, Term], ...]:
    return tuple(
        {"s": URIRef(SHIP + name)} | ({} if length is None else {"l": Literal(length)}) for name, length in pairs
    )


def test_a_table_keeps_its_rows_with_empty_cells(ships: KnowledgeGraph, briefing: SchemaPrompt) -> None:
    outcome = QueryOutcome(QUERY, "table", rows(("comet", 300), ("aurora", None), ("borealis", 1)))
    answer = build_outcome_answer(outcome, briefing, ships, 2, 0.7)
    assert [[value.text for value in row] for row in answer.rows] == [["Comet", "300"], ["Aurora", ""]]
    assert answer.columns == ("s", "l") and answer.notes == ("Only the first 2 answers are given.",)

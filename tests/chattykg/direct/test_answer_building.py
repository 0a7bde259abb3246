"""Answers of queries that a model wrote: values in order, tables, links, and a note where rows are left out."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattykg.direct.answer_building import build_outcome_answer
from chattykg.direct.outcome import QueryOutcome
from chattykg.direct.schema_prompt import SchemaPrompt, build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

SHIP = "https://ships.example/"
QUERY = f"SELECT ?s ?l {{ ?s <{SHIP}vocab/captain> <{SHIP}ann> ; <{SHIP}vocab/length> ?l }}"


@pytest.fixture
def briefing(ships: KnowledgeGraph) -> SchemaPrompt:
    return build_schema_prompt(ships, build_vocabulary_card("Which ships does Ann Lee command?", ships))


def rows(*pairs: tuple[str, Any]) -> tuple[dict[str, Term], ...]:
    return tuple(
        {"s": URIRef(SHIP + name)} | ({} if length is None else {"l": Literal(length)}) for name, length in pairs
    )


def test_values_are_the_first_column_once_each(ships: KnowledgeGraph, briefing: SchemaPrompt) -> None:
    outcome = QueryOutcome(QUERY, "list", rows(("comet", 300), ("aurora", 120), ("comet", 301)))
    answer = build_outcome_answer(outcome, briefing, ships, 10, 0.9)
    assert answer.labels == ("Comet", "Aurora") and answer.scores == (0.9, 0.9)
    assert (answer.rows, answer.columns, answer.notes) == ((), (), ())
    assert [(link.mention, link.label) for link in answer.entities] == [("Ann Lee", "Ann Lee")]
    assert sorted(link.label for link in answer.relations) == ["captain", "length"]


def test_a_table_keeps_its_rows_with_empty_cells(ships: KnowledgeGraph, briefing: SchemaPrompt) -> None:
    outcome = QueryOutcome(QUERY, "table", rows(("comet", 300), ("aurora", None), ("borealis", 1)))
    answer = build_outcome_answer(outcome, briefing, ships, 2, 0.7)
    assert [[value.text for value in row] for row in answer.rows] == [["Comet", "300"], ["Aurora", ""]]
    assert answer.columns == ("s", "l") and answer.notes == ("Only the first 2 answers are given.",)


def test_a_truth_value_is_a_boolean(ships: KnowledgeGraph, briefing: SchemaPrompt) -> None:
    answer = build_outcome_answer(QueryOutcome(QUERY, "boolean", truth=False), briefing, ships, 10, 0.9)
    assert [(value.value, value.kind) for value in answer.values] == [("false", "boolean")]

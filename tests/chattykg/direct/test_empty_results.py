"""What is said of a query that gives nothing: which triple pattern fits nothing, or where two do not meet."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from chattyshared.kg import KnowledgeGraph

from chattykg.direct.empty_results import explain_empty_result
from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.linking.vocabulary_card import build_vocabulary_card

QUESTION = "Who commands the Aurora?"


@pytest.fixture
def why(ships: KnowledgeGraph) -> Callable[[str], str]:
    briefing = build_schema_prompt(ships, build_vocabulary_card(QUESTION, ships))
    return lambda sparql: explain_empty_result(briefing.expand_query(sparql), briefing, ships)


@pytest.mark.parametrize(
    ("sparql", "said"),
    [
        ("SELECT ?x { ?x p:captain e:1 . ?x p:gender ?g }", "By itself, nothing fits { ?x p:captain e:1 }."),
        ("SELECT ?x { ?x p:captain e:1 ; a p:Ship }", "By itself, nothing fits { ?x p:captain e:1 }."),
        ("SELECT ?x { ?x p:captain/p:length ?y }", "By itself, nothing fits { ?x p:captain/p:length ?y }."),
        (
            "SELECT ?x { ?x p:length ?l FILTER(?l > 900) }",
            "The triple patterns fit together; a condition beside them leaves nothing; ?l is from 120.5 to 300.",
        ),
        ("SELECT ?x { e:1 p:captain ?x FILTER NOT EXISTS { ?x a p:Person } }", "The triple patterns fit together;"),
    ],
)
def test_the_part_that_fits_nothing_is_named(why: Callable[[str], str], sparql: str, said: str) -> None:
    assert why(sparql).startswith(said)


def test_what_a_condition_leaves_out_is_shown(why: Callable[[str], str]) -> None:
    said = why('SELECT ?x { ?x p:color ?c FILTER(LCASE(STR(?c)) = "mauve") }')
    assert set(said.partition("?c is ")[2].rstrip(".").split(", ")) == {'"blue"', '"red"'}
    unreadable = why("SELECT ?x { ?x p:length ?value_count FILTER(?value_count > 900) }")
    assert unreadable == "The triple patterns fit together; a condition beside them leaves nothing."


def test_where_a_join_fails_both_sides_are_shown(why: Callable[[str], str]) -> None:
    said = why("SELECT ?s { ?s p:color ?c . ?p p:gender ?c }")
    patterns, _, samples = said.partition(": ?c is such as ")
    assert re.findall(r"{.*?}|does not join with", patterns)[1] == "does not join with"
    assert {"{ ?s p:color ?c }", "{ ?p p:gender ?c }"} == set(re.findall(r"{.*?}", patterns))
    first, second = samples.removesuffix(" in the second.").split(" in the first, ")
    assert {frozenset(first.split(", ")), frozenset(second.split(", "))} == {
        frozenset(('"female"', '"male"')), frozenset(('"blue"', '"red"'))
    }  # fmt: skip


def test_nothing_is_said_of_branches_and_of_what_does_not_parse(why: Callable[[str], str]) -> None:
    assert why("SELECT ?x { { ?x p:captain e:1 } UNION { ?x p:spouse e:1 } }") == ""
    assert why("SELECT ?x { ?x p:captain") == ""

"""Answers of any strategy are completed: an empty one tells what matches nothing, by labels."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer, Value
from chattyshared.kg import KnowledgeGraph

from chattykg.engine import ChattyEngine, Settings
from chattykg.presentation.completion import complete_answer, explain_emptiness, withdraw_unstated_denial
from chattykg.state import make_empty_answer, make_refusal

S = "https://ships.example/"
PREFIXES = f"PREFIX s: <{S}> PREFIX v: <{S}vocab/> "


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT ?x { s:aurora v:spouse ?x }", "the graph does not state that Aurora has a spouse."),
        ("SELECT ?x { ?x v:captain s:lund }",
         "the graph does not state that there is a ship whose captain is Lund Port."),
        ("SELECT ?x { ?x v:captain s:bob ; v:homeHarbor s:kiel }",
         "the graph states no case in which there is a ship whose captain is Bob Ray and whose home harbor is"
         " Kiel Port."),
        ("SELECT ?x { ?x v:length ?n FILTER(?n > 900) }",
         "the graph states such values, and no length is more than 900."),
        ("SELECT ?x { ?x v:length ?n ; v:crewSize ?m FILTER(?n > 900 && ?m > 10) }",
         "the graph states such values, and in no case length is more than 900 and number of crew members is"
         " more than 10."),
        ("SELECT ?x { { ?x v:captain s:lund } UNION { ?x v:captain s:kiel } }",
         "nothing in the graph fits all that the question asks together."),
    ],
)  # fmt: skip
def test_an_empty_answer_tells_what_matches_nothing(ships: KnowledgeGraph, query: str, why: str) -> None:
    assert explain_emptiness(make_empty_answer(PREFIXES + query), ships).explanation == f"None: {why}"


def test_what_has_a_reason_or_values_keeps_it(ships: KnowledgeGraph) -> None:
    for answer in (make_empty_answer("ASK {}", "it is so."), make_refusal("not-stated", "no."), Answer()):
        assert explain_emptiness(answer, ships) == answer
    assert complete_answer(Answer((Value("1", "number"),)), ships, 10).sentence == ""


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (
            "ASK { s:borealis v:crewSize ?n FILTER(?n > 900) }",
            'the graph does not state "number of crew members" of Borealis.',
        ),
        ("ASK { s:borealis v:crewSize|v:elevation ?n FILTER(?n > 900) }", "the graph does not state it."),
        ("ASK { s:aurora v:crewSize ?n FILTER(?n > 900) }", ""),
        ("ASK { ?x v:crewSize ?n FILTER(?n > 900) }", ""),
        ("ASK { s:aurora v:captain s:bob }", ""),
    ],
)
def test_a_value_that_is_not_stated_is_not_denied(ships: KnowledgeGraph, query: str, why: str) -> None:
    answer = withdraw_unstated_denial(Answer((Value("false", "boolean"),), sparql=PREFIXES + query), ships)
    said = answer.reason.text if answer.reason else ""
    assert (said, bool(answer.values)) == (f"I do not know, because {why}" if why else "", not why)


def test_a_written_query_denies_no_value_that_is_not_stated(ships: KnowledgeGraph, scripted: Any) -> None:
    query = f"ASK {{ <{S}borealis> <{S}vocab/crewSize> ?n FILTER(?n > 900) }}"
    model = scripted(direct={"sparql": query, "shape": "boolean"})
    answer = ChattyEngine(ships, model, settings=Settings(strategy="direct")).answer(
        "Has Borealis a crew of more than 900?"
    )
    assert (answer.status, answer.values, answer.reason and answer.reason.code) == ("unknown", (), "not-stated")


def test_a_cut_answer_says_so(ships: KnowledgeGraph) -> None:
    answer = Answer((Value(f"{S}lund", "iri"),), sparql=f"SELECT ?x {{ ?x a <{S}vocab/Harbor> }} LIMIT 1")
    assert complete_answer(answer, ships, 1).sentence == "every harbor (the first 1 of them)"

"""The rules as the model of mKGQAgent: they look up by tools what the grammar names, and write plain queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.engines.switches import MkgqagentSwitches
from chattykg.rulebook import RULEBOOK


def ask(kg: KnowledgeGraph, question: str, **switches: Any) -> Any:
    settings = Settings(strategy="mkgqagent", switches=MkgqagentSwitches(**switches))
    return ChattyEngine(kg, RuleModel(RULEBOOK), settings=settings).answer(question)


def said(answer: Any) -> set[str]:
    return {value.label or value.value for value in answer.values}


@pytest.fixture(scope="module")
def demo() -> KnowledgeGraph:
    return open_kg("demo")


@pytest.mark.parametrize(
    ("question", "values", "calls"),
    [
        ("Who directed Inception?", {"Christopher Nolan"}, 5),
        ("Which films did Christopher Nolan direct?", {"The Dark Knight", "Interstellar", "Inception"}, 5),
        ("How many films did Christopher Nolan direct?", {"3"}, 5),
        ("Did Martin Scorsese direct Inception?", {"false"}, 6),
        ("When was Inception released?", {"2010-07-16"}, 5),
        ("Where was Christopher Nolan born?", {"London"}, 5),
        ("Which city was Christopher Nolan born in?", {"London"}, 5),  # not his birth name
        ("Who directed The Godfather?", {"Francis Ford Coppola"}, 5),  # the film, not the novel of this name
    ],
)
def test_a_fact_about_named_things_is_answered(
    demo: KnowledgeGraph, question: str, values: set[str], calls: int
) -> None:
    answer = ask(demo, question)
    assert (said(answer), answer.usage.calls) == (values, calls)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("Who directed Incepton?", "unknown-qualifier"),
        ("Who wrote The Godfather?", "too-unsure"),  # its composer is no writer
        ("Which actor was born in London?", "too-unsure"),  # painters were, too
        ("Who directed Inception last spring?", "too-unsure"),
        ("What is the longest film?", "too-unsure"),
        ("Which countries border France?", "too-unsure"),  # each border has two directions
        ("Why did Christopher Nolan direct Inception?", "too-unsure"),
        ("Who is the brother of John Lennon?", "too-unsure"),
        ("What is the population of Paris?", "not-stated"),
    ],
)
def test_what_is_not_read_or_not_there_is_refused(demo: KnowledgeGraph, question: str, code: str) -> None:
    answer = ask(demo, question)
    assert (said(answer), answer.reason.code) == (set(), code)


def test_a_stored_number_is_no_count(ships: KnowledgeGraph) -> None:
    answer = ask(ships, "How many crew members does the Aurora have?")
    assert said(answer) == {"14"} and "COUNT" not in answer.sparql


def test_the_parts_that_are_off_save_their_calls(demo: KnowledgeGraph) -> None:
    calls = [
        ask(demo, "Who directed Inception?", **switches).usage.calls
        for switches in ({"plan": False}, {"feedback": False}, {"plan": False, "feedback": False})
    ]
    assert calls == [4, 4, 3]


def test_of_two_ways_that_of_which_the_graph_holds_something_is_meant(tmp_path: Path) -> None:
    (tmp_path / "plain.ttl").write_text(
        "@prefix p: <https://p.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'p:s rdfs:label "Skype" ; p:developer p:a . p:a rdfs:label "Ann Lee" .\n'
        'p:v rdfs:label "Viber" ; p:developer p:b . p:b rdfs:label "Bob Ray" .\n'
    )
    answer = ask(open_kg([str(tmp_path / "plain.ttl")]), "Who developed Skype?")  # no thing has a class
    assert (said(answer), answer.usage.calls) == ({"Ann Lee"}, 7)

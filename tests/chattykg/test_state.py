"""The codes of refusals, and what an answer counts."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import REASON_CODES
from chattyshared.kg import KnowledgeGraph

import chattykg
from chattykg.engine import ChattyEngine, Settings
from chattykg.state import make_refusal

LONG = {
    "triples": [["?x", "length", "?n"]],
    "classes": [{"unknown": "?x", "class": "ship"}],
    "filters": [{"unknown": "?n", "operator": ">", "value": "900"}],
}


@pytest.mark.slow
def test_every_reason_in_the_source_has_a_code_of_the_contract() -> None:
    """Each refusal names its code where it is made: a literal, or a variable that mypy holds to ``ReasonCode``."""
    codes, elsewhere = [], []
    for path in Path(chattykg.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ("make_refusal", "Reason") and node.args:
                first = node.args[0]
                (codes if isinstance(first, ast.Constant) else elsewhere).append((path.name, ast.unparse(first)))
    assert {ast.literal_eval(code) for _, code in codes} <= set(REASON_CODES)
    # Triad passes on the code of each of its refusals; its type admits those of the contract alone.
    assert set(elsewhere) == {
        ("readings.py", "refusal.code"), ("state.py", "code"), ("strategy.py", "code"),
    }  # fmt: skip
    assert make_refusal("ambiguous", "it may be two.").explanation == "I do not know, because it may be two."


@pytest.mark.parametrize(
    ("question", "reading", "executed"),
    [
        ("Who commands the Zeppelin?", {"triples": [["Zeppelin", "captain", "?x"]]}, 0),
        ("Who commands the Aurora?", {"triples": [["Aurora", "captain", "?x"]]}, 1),
        ("Which ships are longer than 900?", LONG, 2),
    ],
)
def test_executed_candidates_are_counted_apart_from_look_ups(
    asked: Any, question: str, reading: Any, executed: int
) -> None:
    """Executed are the candidates, in one request; what is looked up for them is counted beside."""
    answer = asked(question, **reading)
    assert answer.candidate_queries == executed and answer.queries >= executed


def test_queries_that_were_rejected_are_counted(ships: KnowledgeGraph, scripted: Any) -> None:
    empty = {"shape": "list", "sparql": "SELECT ?x { ?x p:captain e:1 }"}
    right = {"shape": "list", "sparql": "SELECT ?x { e:1 p:captain ?x }"}
    unknown = {"shape": "list", "sparql": "SELECT ?x { e:1 p:commander ?x }"}
    model = scripted(direct=[unknown, empty, right])
    answer = ChattyEngine(ships, model, settings=Settings(strategy="direct")).answer("Who commands the Aurora?")
    assert (len(answer.values), answer.candidate_queries) == (1, 2)

"""What is answered to questions and conversations over small graphs of many kinds (``answers.txt``).

``# harbour`` names a graph in ``graphs/`` (``# towns ask``: several readings are asked back). A row is a question and
what is said to it, parted by `` | ``; an indented row goes on with the conversation above it. What is said:

    {"triples": []}  the reading that a model gives, in place of that of the rules
    A; B             the values, in any order; > A; B: in this order
    ! code; a; b     no value, for this reason (or status); a and b stand in what is said instead
    + words          words that stand in a note
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK


def conversations() -> list[tuple[str, list[str]]]:
    found, heading = list[tuple[str, list[str]]](), ""
    for line in Path(__file__).with_name("answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif line.startswith("    "):
            found[-1][1].append(line.strip())
        elif line:
            found.append((heading, [line]))
    return found


def check(answer: Answer, expected: str) -> None:
    mark, rest = (expected[0], expected[1:].strip()) if expected[0] in ">!+" else ("", expected)
    said = [value.label or value.value for value in answer.values]
    wanted = rest.split("; ")
    if mark == "+":
        assert any(rest in note for note in answer.notes), answer.notes
    elif mark == "!":
        told = answer.reason.code if answer.reason else answer.status
        assert (said, wanted[0] or told) == ([], told), answer
        shown = " ".join((answer.explanation, *answer.notes, *answer.unused, *(one.label for one in answer.options)))
        assert [words for words in wanted[1:] if words not in shown] == [], shown
    else:
        assert (said if mark else sorted(said)) == (wanted if mark else sorted(wanted)), answer.explanation


@pytest.mark.parametrize(
    ("heading", "rows"), [pytest.param(*each, id=each[1][0].partition(" | ")[0]) for each in conversations()]
)
def test_answers_are_those_of_the_table(
    open_graph: Callable[[str], KnowledgeGraph], scripted: Callable[..., Any], heading: str, rows: list[str]
) -> None:
    name, _, mode = heading.partition(" ")
    settings = Settings(clarify=mode or "best")  # type: ignore[arg-type]
    history: History = ()
    for row in rows:
        question, *expected = row.split(" | ")
        model: Any = RuleModel(RULEBOOK)
        if expected[0].startswith("{"):
            reading = {"shape": "list", "target": "?x", "triples": []} | json.loads(expected.pop(0))
            model = scripted(qir=reading)
        answer = ChattyEngine(open_graph(name), model, settings=settings).answer(question, history)
        history = (*history, Exchange(question, answer))
        for each in expected:
            check(answer, each)

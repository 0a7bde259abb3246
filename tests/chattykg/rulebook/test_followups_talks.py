"""What the engine answers to questions and conversations over small graphs of several domains (``talks.txt``).

A question stands at the margin, its answers below it, parted by semicolons (``>``: in this order; nothing: silence);
an empty line ends a conversation. The graphs lie in ``graphs/talks``, one a domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

pytestmark = pytest.mark.slow

TEXT = Path(__file__).with_name("talks.txt")
Talk = tuple[tuple[str, str], ...]


def talks() -> Iterator[tuple[str, Talk]]:
    domain, turns, question = "", [], ""
    for line in (*TEXT.read_text(encoding="utf-8").splitlines(), ""):
        if line.startswith("    "):
            turns.append((question, line.strip()))
        elif line and not line.startswith("# "):
            question = line
        elif turns:
            yield domain, tuple(turns)
            turns = []
        domain = line[2:] if line.startswith("# ") else domain


@pytest.fixture(scope="module")
def engine() -> Callable[[str], ChattyEngine]:
    return cache(lambda name: ChattyEngine(open_graph(f"talks/{name}"), RuleModel(RULEBOOK)))


def told(answer: Answer) -> list[str]:
    rows = answer.rows if len(answer.columns) > 1 else [(value,) for value in answer.values]
    return [" ".join(value.label or value.value for value in row) for row in rows]


@pytest.mark.parametrize(("domain", "talk"), list(talks()))
def test_conversation_is_answered(engine: Callable[[str], ChattyEngine], domain: str, talk: Talk) -> None:
    history: History = ()
    for question, expected in talk:
        answer = engine(domain).answer(question, history)
        history = (*history, Exchange(question, answer))
        said, wanted = told(answer), [value.strip() for value in expected.lstrip(">").split(";") if value.strip()]
        if not expected.startswith(">"):
            said, wanted = sorted(said), sorted(wanted)
        assert (question, answer.standalone, said) == (question, answer.standalone, wanted)

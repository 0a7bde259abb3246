"""What the engine answers to whole conversations over small graphs of several domains (``talks.txt``).

A question stands at the margin, its answers below it, parted by semicolons (``>``: in this order; nothing: silence);
an empty line ends a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from chattyshared.dialogue import Exchange, History
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from talk_graphs import TALKS

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
def engines(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ChattyEngine]:
    room = tmp_path_factory.mktemp("talks")
    made = {}
    for name, text in TALKS.items():
        path = room / f"{name}.ttl"
        path.write_text(text, encoding="utf-8")
        made[name] = ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))
    return made


@pytest.mark.parametrize(("domain", "talk"), list(talks()))
def test_conversation_is_answered(engines: Mapping[str, ChattyEngine], domain: str, talk: Talk) -> None:
    history: History = ()
    for question, expected in talk:
        answer = engines[domain].answer(question, history)
        history = (*history, Exchange(question, answer))
        said = [value.label or value.value for value in answer.values]
        wanted = [value.strip() for value in expected.lstrip(">").split(";") if value.strip()]
        if not expected.startswith(">"):
            said, wanted = sorted(said), sorted(wanted)
        assert (question, answer.standalone, said) == (question, answer.standalone, wanted)

"""Chats for fine-tuning in OpenAI's format: one JSON object per dialogue, ``{"messages": [{role, content}]}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.formats.answer_text import verbalize_answers


def to_chats(dialogues: Iterable[Dialogue], *, reply: str = "answer", system: str = "") -> Iterator[dict[str, Any]]:
    """Yield one chat per dialogue: questions are messages of the user, replies are messages of the assistant.

    ``reply`` is ``answer`` (labels, yes or no, literals) or ``sparql`` (the query; the answer if a turn has none);
    ``system`` is the first message, unless empty.
    """
    opening = [{"role": "system", "content": system}] if system else []
    for dialogue in dialogues:
        messages = [message for turn in dialogue.turns for message in _exchange(turn, reply)]
        yield {"messages": [*opening, *messages]}


def _exchange(turn: Turn, reply: str) -> Iterator[dict[str, str]]:
    yield {"role": "user", "content": turn.question}
    yield {
        "role": "assistant",
        "content": turn.sparql if reply == "sparql" and turn.sparql else verbalize_answers(turn),
    }

"""Chats for fine-tuning, in the shape of OpenAI's: one JSON object a dialogue, ``{"messages": [{role, content}]}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.formats.answer_text import verbalize_answers


def to_chats(dialogues: Iterable[Dialogue], *, reply: str = "answer", system: str = "") -> Iterator[dict[str, Any]]:
    """Yield one chat a dialogue: the questions as the user's, the replies as the assistant's messages.

    ``reply`` is ``answer`` (labels, yes or no, literals) or ``sparql`` (the query; in words where a turn has none);
    ``system`` is the first message, if there is any.
    """
    first = [{"role": "system", "content": system}] if system else []
    for dialogue in dialogues:
        said = [message for turn in dialogue.turns for message in _exchange(turn, reply)]
        yield {"messages": [*first, *said]}


def _exchange(turn: Turn, reply: str) -> Iterator[dict[str, str]]:
    yield {"role": "user", "content": turn.question}
    yield {
        "role": "assistant",
        "content": turn.sparql if reply == "sparql" and turn.sparql else verbalize_answers(turn),
    }

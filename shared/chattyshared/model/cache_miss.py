"""Which recorded prompt is nearest to a new one, and how they differ: what a miss of a trace or a cache says."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MAX_COMPARED = 200
"""How many recorded prompts a miss is compared with, to say which is nearest."""


def render_messages(messages: Iterable[tuple[str, str]]) -> str:
    """Return the messages of a request, pairs of role and content, as one text."""
    return "\n".join(f"[{role}] {content}" for role, content in messages)


def nearest_prompt(recorded: Iterable[str], now: str) -> str:
    """Return, of at least one recorded prompt, the one that is most like a new one.

    They are compared by their lines: the common beginning of an agent's prompts weighs nothing.
    """
    return max(recorded, key=lambda text: _likeness(text, now))


def render_difference(recorded: str, now: str) -> str:
    """Return the first lines that differ, those of the recorded prompt with a minus, those of the new with a plus."""
    lines = difflib.unified_diff(recorded.splitlines(), now.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    more = f" (and {len(changed) - 4} more lines)" if len(changed) > 4 else ""
    return " | ".join(line[:160] for line in changed[:4]) + more


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.splitlines(), other.splitlines(), autojunk=False).ratio()

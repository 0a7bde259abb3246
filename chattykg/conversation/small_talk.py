"""Courtesies, which ask for nothing: "Thanks!", "ok", "Hello", "bye"."""

from __future__ import annotations

import re

from chattyshared.dialogue import Exchange, History

_OPENING = r"(?:(?:oh|ah|well|ok|okay|great|good|alright|all right|and|yes|no|perfect)[\s,.!;-]+)*"
_CLOSING = (
    r"(?:[\s,.!;-]+(?:you|a lot|very much|so much|again|for (?:that|this|your help|the help)|then|now|there|all))*"
)
_ACTS: tuple[tuple[str, str], ...] = (
    (r"(?:many\s+)?thanks|thank(?:\s+you)?|thx|cheers|much\s+appreciated", "You are welcome."),
    (r"(?:good\s*)?bye(?:[\s-]*bye)?|see\s+you(?:\s+(?:later|soon))?|good\s+night", "Goodbye."),
    (r"hello|hi|hey|good\s+(?:morning|afternoon|evening|day)|greetings", "Hello. Ask a question about the graph."),
    (r"ok|okay|great|fine|good|nice|cool|perfect|excellent|alright|all\s+right|wonderful|super|i\s+see|got\s+it|"
     r"understood|sure|yes|no|please", "That is no question."),
)  # fmt: skip
_MARKS = r"[\s.,!;:)-]*"
"""A courtesy stands in no quotes: a quoted word is a name."""
_REPLIES = tuple(
    (re.compile(rf"(?i)^{_MARKS}{_OPENING}(?:{words})(?:[\s,.!;-]+(?:{words}))*{_CLOSING}{_MARKS}$"), reply)
    for words, reply in _ACTS
)


def reply_to_small_talk(utterance: str) -> str:
    """Return what is said to a courtesy ("" for anything else, such as a courtesy with a question behind it)."""
    if utterance.rstrip().endswith("?"):
        return ""
    return next((reply for pattern, reply in _REPLIES if pattern.match(utterance)), "")


def drop_small_talk(history: History) -> History:
    """Return a history without its courtesies: "Who wrote it?" behind "Thanks!" leans on what was said before that."""
    return tuple(exchange for exchange in history if not _is_small_talk(exchange))


def _is_small_talk(exchange: Exchange) -> bool:
    return bool(reply_to_small_talk(exchange.question))

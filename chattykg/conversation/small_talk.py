"""Small talk, which asks for nothing: "Thanks!", "ok", "Hello", "bye"."""

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
"""Marks around small talk; quotes are none, because a quoted word is a name."""
_REPLIES = tuple(
    (re.compile(rf"(?i)^{_MARKS}{_OPENING}(?:{words})(?:[\s,.!;-]+(?:{words}))*{_CLOSING}{_MARKS}$"), reply)
    for words, reply in _ACTS
)


def reply_to_small_talk(utterance: str) -> str:
    """Return the reply to small talk ("" for anything else, also for small talk before a question)."""
    if utterance.rstrip().endswith("?"):
        return ""
    return next((reply for pattern, reply in _REPLIES if pattern.match(utterance)), "")


def drop_small_talk(history: History) -> History:
    """Return a history without small talk: "Who wrote it?" after "Thanks!" refers to the turn before that."""
    return tuple(exchange for exchange in history if not _is_small_talk(exchange))


def _is_small_talk(exchange: Exchange) -> bool:
    return bool(reply_to_small_talk(exchange.question))

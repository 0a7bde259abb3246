"""A question as it comes in: on one line, without marks that nobody sees."""

from __future__ import annotations

import unicodedata

_JOINERS = frozenset("\u200c\u200d")


def clean(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    kept = (
        mark if mark in _JOINERS or unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Co", "Cn") else
        " " if mark.isspace() else ""
        for mark in question
    )  # fmt: skip
    return " ".join("".join(kept).split())

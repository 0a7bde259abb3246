"""Texts in sentences: lists of names, quotes, lines of bounded length."""

from __future__ import annotations

from collections.abc import Iterable


def join_texts(texts: Iterable[str], conjunction: str = "and", most: int = 0) -> str:
    """Return texts as a list in a sentence ("A, B and C"); with ``most`` its last element counts those left out."""
    listed = list(texts)
    if most and len(listed) > most:
        listed = [*listed[: most - 1], f"{len(listed) - most + 1} more"]
    return f" {conjunction} ".join((", ".join(listed[:-1]), listed[-1])) if len(listed) > 1 else "".join(listed)


def quote_text(text: str, limit: int | None = None) -> str:
    """Return at most ``limit`` characters of a text on one line, in double quotes; its own become single ones."""
    return '"' + " ".join(text[:limit].replace('"', "'").split()) + '"'


def cut_text(text: str, limit: int) -> str:
    """Return a text on one line; a text of more than ``limit`` characters is cut, with an ellipsis behind it."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit].rstrip()}…"

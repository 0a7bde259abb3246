"""Input normalization: a question on one line, and a warning if it holds several questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from chattykg.linking.vocabulary_card import VocabularyCard

_JOINING_CHARACTERS = frozenset("\u200c\u200d")


_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")
"""Unicode categories of control, format, surrogate, private and unassigned characters."""


def normalize_question(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    characters = (
        character if character in _JOINING_CHARACTERS or unicodedata.category(character) not in _INVISIBLE else
        " " if character.isspace() else ""
        for character in question
    )  # fmt: skip
    return " ".join("".join(characters).split())


_QUESTION_END = re.compile(r"\?+[\"'”’)\]]*(?=\s)|[？؟]")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
_MIN_QUESTION_WORDS = 3
"""Least words of a question: "right?" and "and why?" do not count."""


def multi_question_warning(question: str, card: VocabularyCard | None) -> Iterator[str]:
    """Yield a warning if the text holds several questions, since only one is answered.

    A question mark within quotes, or within a name that the graph knows, ends no question.
    """
    protected_spans = [match.span() for match in _QUOTED.finditer(question)]
    names = {mention.text for mention in (card.mentions if card else ()) if mention.kind == "vertex"}
    protected_spans += [
        match.span() for text in names if "?" in text for match in re.finditer(re.escape(text), question)
    ]
    ends = [match.end() for match in _QUESTION_END.finditer(question)]
    ends = [end for end in ends if not any(start < end <= last for start, last in protected_spans)]
    parts = [question[start:end] for start, end in zip((0, *ends), (*ends, len(question)), strict=True)]
    question_count = sum(len(_WORD.findall(part)) >= _MIN_QUESTION_WORDS for part in parts)
    if question_count > 1:
        yield f"{question_count} questions were asked at once, and one is answered: ask them one at a time."

"""A question as it comes in: on one line, without marks that nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from chattykg.linking.vocabulary_card import VocabularyCard

_JOINING_CHARACTERS = frozenset("\u200c\u200d")


def normalize_question(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    characters = (
        character if character in _JOINING_CHARACTERS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn") else
        " " if character.isspace() else ""
        for character in question
    )  # fmt: skip
    return " ".join("".join(characters).split())


_QUESTION_END = re.compile(r"\?+[\"'”’)\]]*(?=\s)|[？؟]")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')
_MIN_QUESTION_WORDS = 3
"""Words of a further question: "right?" and "and why?" ask nothing of their own."""


def multi_question_warning(question: str, card: VocabularyCard | None) -> Iterator[str]:
    """Yield a remark where a question holds more than one: an answer is the answer to one of them.

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

"""What the files that a user names ask for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chattyshared.formats.text2sparql_answers import Challenge

    from chattykg.runs.question_sets import Conversation, Wording


@dataclass(frozen=True, slots=True)
class Asking:
    """A file's conversations, what a manifest says of them, and their KG's fingerprint, where the file tells it.

    ``remarks`` are sentences on what the file holds and is not asked.
    """

    source: Path
    conversations: tuple[Conversation, ...]
    stated: dict[str, Any]
    fingerprint: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of questions."""
        return sum(len(each.asked) for each in self.conversations)


def of_benchmark(path: Path, wording: Wording) -> Asking:
    """Read the conversations of a benchmark.

    Raises:
        ConfigError: the file is not there, or a line does not keep the format.
    """
    from chattyshared import benchmark

    from chattykg.runs.question_sets import of_dialogues

    read = benchmark.read(path)
    fingerprint = str(read.header["kg"]["fingerprint"])
    return Asking(path, of_dialogues(read.dialogues, wording), {"benchmark": _digest(path)}, fingerprint)


def of_questions(path: Path, wording: Wording = "follow-up", lang: str = "") -> Asking:
    """Read the conversations of a file of questions, in any format of the field or plain text; of a benchmark as well.

    Raises:
        ConfigError: the file is not there, is of no known format or does not keep it, holds no question in this
            language, or does not say each question as it stands alone, where that wording is wanted.
    """
    from chattyshared.formats import plain_text
    from chattyshared.formats.gold import read_gold

    from chattykg.runs.question_sets import of_questions

    notes: tuple[str, ...] = ()
    questions = plain_text.read(path)
    if questions is None:
        read = read_gold(path, lang=lang, queries=False)
        if read.format == "benchmark":
            return of_benchmark(path, wording)
        questions, notes = read.questions, read.notes
    talks = of_questions(questions, wording)
    stated = {"questions": _digest(path), **({"lang": lang} if lang else {})}
    return Asking(path, talks, stated, remarks=notes)


def of_challenge(path: Path, lang: str = "") -> tuple[Asking, Challenge]:
    """Read what a questions file of TEXT2SPARQL asks, each question by itself in each language, or in one.

    Raises:
        ConfigError: the file is not there, is no such file, or holds no question in this language.
    """
    from chattyshared.formats.text2sparql_answers import read_challenge

    from chattykg.runs.question_sets import Asked, Conversation

    read = read_challenge(path, lang)
    talks = tuple(Conversation((Asked(place, one.id, one.question),)) for place, one in enumerate(read.asked))
    return Asking(path, talks, {"text2sparql": _digest(path), **({"lang": lang} if lang else {})}), read


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

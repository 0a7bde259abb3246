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
class AnswerInput:
    """A file's conversations, what a manifest says of them, and their KG's fingerprint, where the file tells it.

    ``remarks`` are sentences on what the file holds and is not asked.
    """

    source: Path
    conversations: tuple[Conversation, ...]
    manifest_entry: dict[str, Any]
    fingerprint: str = ""
    notes: tuple[str, ...] = ()

    @property
    def question_count(self) -> int:
        """The number of questions."""
        return sum(len(each.items) for each in self.conversations)


def read_benchmark_input(path: Path, wording: Wording) -> AnswerInput:
    """Read the conversations of a benchmark.

    Raises:
        ConfigError: the file is not there, or a line does not keep the format.
    """
    from chattyshared import benchmark

    from chattykg.runs.question_sets import conversations_from_dialogues

    read = benchmark.read_benchmark(path)
    fingerprint = str(read.header["kg"]["fingerprint"])
    return AnswerInput(
        path, conversations_from_dialogues(read.dialogues, wording), {"benchmark": _digest(path)}, fingerprint
    )


def read_questions_input(path: Path, wording: Wording = "follow-up", lang: str = "") -> AnswerInput:
    """Read the conversations of a file of questions, in any format of the field or plain text; of a benchmark as well.

    Raises:
        ConfigError: the file is not there, is of no known format or does not keep it, holds no question in this
            language, or does not say each question as it stands alone, where that wording is wanted.
    """
    from chattyshared.formats import plain_text
    from chattyshared.formats.gold import read_gold

    from chattykg.runs.question_sets import conversations_from_questions

    notes: tuple[str, ...] = ()
    questions = plain_text.read_plain_text(path)
    if questions is None:
        read = read_gold(path, lang=lang, repair_queries=False)
        if read.format == "benchmark":
            return read_benchmark_input(path, wording)
        questions, notes = read.questions, read.notes
    talks = conversations_from_questions(questions, wording)
    stated = {"questions": _digest(path), **({"lang": lang} if lang else {})}
    return AnswerInput(path, talks, stated, notes=notes)


def read_challenge_input(path: Path, lang: str = "") -> tuple[AnswerInput, Challenge]:
    """Read what a questions file of TEXT2SPARQL asks, each question by itself in each language, or in one.

    Raises:
        ConfigError: the file is not there, is no such file, or holds no question in this language.
    """
    from chattyshared.formats.text2sparql_answers import read_challenge

    from chattykg.runs.question_sets import Conversation, QuestionItem

    read = read_challenge(path, lang)
    talks = tuple(
        Conversation((QuestionItem(place, one.id, one.question),)) for place, one in enumerate(read.questions)
    )
    return AnswerInput(path, talks, {"text2sparql": _digest(path), **({"lang": lang} if lang else {})}), read


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

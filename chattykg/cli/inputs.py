"""Reads the questions of the files that a user names."""

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
    """A file's conversations, their manifest entry, and the fingerprint of their KG (empty if the file has none).

    ``notes`` are sentences about the parts of the file that are not asked.
    """

    source: Path
    conversations: tuple[Conversation, ...]
    manifest_entry: dict[str, Any]
    fingerprint: str = ""
    notes: tuple[str, ...] = ()

    @property
    def question_count(self) -> int:
        """The number of questions."""
        return sum(len(conversation.items) for conversation in self.conversations)


def read_benchmark_input(path: Path, wording: Wording) -> AnswerInput:
    """Read the conversations of a benchmark.

    Raises:
        ConfigError: the file does not exist, or a line has a wrong format.
    """
    from chattyshared import benchmark

    from chattykg.runs.question_sets import conversations_from_dialogues

    content = benchmark.read_benchmark(path)
    fingerprint = str(content.header["kg"]["fingerprint"])
    return AnswerInput(
        path, conversations_from_dialogues(content.dialogues, wording), {"benchmark": _digest(path)}, fingerprint
    )


def read_questions_input(path: Path, wording: Wording = "follow-up", lang: str = "") -> AnswerInput:
    """Read the conversations of a file of questions in any known format, plain text, or a benchmark.

    Raises:
        ConfigError: the file does not exist, has an unknown or a broken format, has no question in this language, or
            lacks the standalone wording that was requested.
    """
    from chattyshared.formats import plain_text
    from chattyshared.formats.gold import read_gold

    from chattykg.runs.question_sets import conversations_from_questions

    notes: tuple[str, ...] = ()
    questions = plain_text.read_plain_text(path)
    if questions is None:
        gold_file = read_gold(path, lang=lang, repair_queries=False)
        if gold_file.format == "benchmark":
            return read_benchmark_input(path, wording)
        questions, notes = gold_file.questions, gold_file.notes
    conversations = conversations_from_questions(questions, wording)
    entry = {"questions": _digest(path), **({"lang": lang} if lang else {})}
    return AnswerInput(path, conversations, entry, notes=notes)


def read_challenge_input(path: Path, lang: str = "") -> tuple[AnswerInput, Challenge]:
    """Read a questions file of TEXT2SPARQL: each question is a conversation, in each language or in one.

    Raises:
        ConfigError: the file does not exist, is no such file, or has no question in this language.
    """
    from chattyshared.formats.text2sparql_answers import read_challenge

    from chattykg.runs.question_sets import Conversation, QuestionItem

    challenge = read_challenge(path, lang)
    conversations = tuple(
        Conversation((QuestionItem(index, question.id, question.question),))
        for index, question in enumerate(challenge.questions)
    )
    entry = {"text2sparql": _digest(path), **({"lang": lang} if lang else {})}
    return AnswerInput(path, conversations, entry), challenge


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

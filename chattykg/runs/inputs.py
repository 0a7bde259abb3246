"""The questions that are to be answered: those of a file, of a benchmark, or of a list."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import digest_of_file
from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.formats import plain_text
from chattyshared.formats.gold import read_gold
from chattyshared.formats.qald import Wordings
from chattyshared.formats.text2sparql import Challenge, read_challenge
from chattyshared.questions import Question

from chattykg.experience.leak_guard import HeldOutQuestion
from chattykg.runs.question_sets import (
    Conversation,
    QuestionItem,
    Wording,
    conversations_from_dialogues,
    conversations_from_questions,
)


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """The conversations, their manifest entry, and the fingerprint of their KG (empty if the source has none).

    ``source`` is the file (None: none was read); ``notes`` are sentences about the parts of it that are not asked.
    ``held_out`` are the questions with their gold queries, which no example may give away.
    """

    source: Path | None
    conversations: tuple[Conversation, ...]
    manifest_entry: dict[str, Any]
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    held_out: tuple[HeldOutQuestion, ...] = ()

    @property
    def question_count(self) -> int:
        """The number of questions."""
        return sum(len(conversation.items) for conversation in self.conversations)


def make_input(source: object, wording: Wording) -> AnswerInput:
    """Return the conversations of a benchmark, of the path of a file, or of texts, each asked alone.

    Raises:
        ConfigError: it is none of these, the file cannot be read, or it lacks the wording that was requested.
    """
    if isinstance(source, Benchmark):
        conversations = conversations_from_dialogues(source.dialogues, wording)
        entry, held_out = {"benchmark": source.digest()}, held_out_turns(source.dialogues)
        return AnswerInput(None, conversations, entry, source.fingerprint, held_out=held_out)
    if isinstance(source, str | os.PathLike):
        return read_questions_input(Path(source), wording)
    texts = tuple(source) if isinstance(source, Iterable) else ()
    if not isinstance(source, Iterable) or not all(isinstance(text, str) for text in texts):
        raise ConfigError("questions are a Benchmark, the path of a file, or a list of texts")
    items = (QuestionItem(index, index + 1, text) for index, text in enumerate(texts))
    digest = hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]
    conversations = tuple(Conversation((item,)) for item in items)
    return AnswerInput(None, conversations, {"questions": digest}, held_out=tuple(HeldOutQuestion((t,)) for t in texts))


def read_benchmark_input(path: Path, wording: Wording) -> AnswerInput:
    """Read the conversations of a benchmark.

    Raises:
        ConfigError: the file does not exist, or a line has a wrong format.
    """
    content = benchmark.read_benchmark(path)
    fingerprint = str(content.header["kg"]["fingerprint"])
    conversations = conversations_from_dialogues(content.dialogues, wording)
    held_out = held_out_turns(content.dialogues)
    return AnswerInput(path, conversations, {"benchmark": digest_of_file(path)}, fingerprint, held_out=held_out)


def held_out_turns(dialogues: Iterable[Dialogue]) -> tuple[HeldOutQuestion, ...]:
    """Return the wordings and the gold queries of all turns."""
    turns = (turn for dialogue in dialogues for turn in dialogue.turns)
    return tuple(HeldOutQuestion((turn.question, turn.standalone), turn.sparql) for turn in turns)


def read_questions_input(
    path: Path, wording: Wording = "follow-up", lang: str = "", wordings: Wordings = "first"
) -> AnswerInput:
    """Read the conversations of a file of questions in any known format, plain text, or a benchmark.

    Raises:
        ConfigError: the file does not exist, has an unknown or a broken format, has no question in this language, or
            lacks the standalone wording that was requested.
    """
    notes: tuple[str, ...] = ()
    questions = plain_text.read_plain_text(path)
    if questions is None:
        gold_file = read_gold(path, lang=lang, repair_queries=False, wordings=wordings)
        if gold_file.format == "benchmark":
            return read_benchmark_input(path, wording)
        questions, notes = gold_file.questions, gold_file.notes
    conversations = conversations_from_questions(questions, wording)
    choices = {"lang": lang, "wordings": wordings if wordings != "first" else ""}
    entry = {"questions": digest_of_file(path), **{name: value for name, value in choices.items() if value}}
    return AnswerInput(path, conversations, entry, notes=notes, held_out=_held_out_questions(questions))


def read_challenge_input(path: Path, lang: str = "") -> tuple[AnswerInput, Challenge]:
    """Read a questions file of TEXT2SPARQL: each question is a conversation, in each language or in one.

    Raises:
        ConfigError: the file does not exist, is no such file, or has no question in this language.
    """
    challenge = read_challenge(path, lang)
    conversations = tuple(
        Conversation((QuestionItem(index, question.id, question.question),))
        for index, question in enumerate(challenge.questions)
    )
    entry = {"text2sparql": digest_of_file(path), **({"lang": lang} if lang else {})}
    wordings = tuple(HeldOutQuestion((question.question,)) for question in challenge.questions)
    held_out = (*wordings, *_held_out_questions(read_gold(path, repair_queries=False).questions))
    return AnswerInput(path, conversations, entry, held_out=held_out), challenge


def _held_out_questions(questions: Iterable[Question]) -> tuple[HeldOutQuestion, ...]:
    wordings = ((question, (question.question, question.standalone)) for question in questions)
    return tuple(HeldOutQuestion(tuple(filter(None, texts)), question.sparql) for question, texts in wordings)

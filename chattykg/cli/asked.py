"""What the files that a user names ask for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chattykg.conversations import Conversation, Wording


@dataclass(frozen=True, slots=True)
class Asking:
    """A file's conversations, what a manifest says of them, and their KG's fingerprint, where the file tells it."""

    source: Path
    conversations: tuple[Conversation, ...]
    stated: dict[str, Any]
    fingerprint: str = ""

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

    from chattykg.conversations import of_dialogues

    read = benchmark.read(path)
    fingerprint = str(read.header["kg"]["fingerprint"])
    return Asking(path, of_dialogues(read.dialogues, wording), {"benchmark": _digest(path)}, fingerprint)


def of_questions(path: Path) -> Asking:
    """Read the conversations of a file of questions.

    Raises:
        ConfigError: the file is not there, or a line does not keep the format.
    """
    from chattyshared import questions

    from chattykg import conversations

    return Asking(path, conversations.of_questions(questions.read_questions(path)), {"questions": _digest(path)})


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]

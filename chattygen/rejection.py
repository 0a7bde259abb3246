"""Seeds that did not become a dialogue: at which stage, why, and which one error class they count as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.model import Usage

ErrorClass = Literal[
    "context length", "question", "question JSON", "triples", "triples JSON", "query", "query JSON", "dialogue",
    "dialogue JSON", "alignment", "budget", "internal", "seed",
]  # fmt: skip
"""The error classes of Chatty-Gen's ledger (its Table 4, with those that the table leaves out). ``JSON``: the last
reply was no JSON, or broke its schema. ``internal``: an unexpected error of ours ended the dialogue. ``seed``: the
entity did not meet the conditions, so that no dialogue was tried; such seeds do not count as used."""

ERROR_CLASSES: tuple[ErrorClass, ...] = get_args(ErrorClass)

_OF_STAGE: Mapping[str, Literal["question", "triples", "query", "dialogue", "budget", "internal", "seed"]] = {
    "seed": "seed",
    "plan": "seed",
    "questions": "question",
    "triples": "triples",
    "query": "query",
    "endpoint": "query",
    "dialogue": "dialogue",
    "words": "dialogue",
    "budget": "budget",
    "internal": "internal",
}
_NOT_ALIGNED = frozenset({"alignment", "turns"})
"""Rules that compare lists turn by turn."""


@dataclass(frozen=True, slots=True)
class RejectedSeed:
    """A seed (its IRI), the type that it was drawn for, the stage that it failed at, what was wrong, what it used."""

    seed: str
    type: str
    stage: str
    problems: tuple[Problem, ...]
    usage: Usage = Usage()

    @property
    def error_class(self) -> ErrorClass:
        """The error class that the seed counts as."""
        return error_class_of(self.stage, self.problems)

    def to_json(self) -> dict[str, Any]:
        """Return the line for the file of rejected seeds."""
        problems = [{"rule": problem.rule, "sentence": problem.sentence} for problem in self.problems]
        return {
            "seed": self.seed, "type": self.type, "stage": self.stage, "error": self.error_class, "problems": problems,
            "usage": asdict(self.usage),
        }  # fmt: skip


def error_class_of(stage: str, problems: Sequence[Problem]) -> ErrorClass:
    """Return the error class of a failure: by its stage, and by the rule of its first problem.

    A rule may name its stage itself (``query/result``), where one reply holds the work of several.

    Raises:
        KeyError: there is no such stage (a programmer's mistake).
    """
    part, _, rule = problems[0].rule.rpartition("/") if problems else ("", "", "")
    if rule == "context-length":
        return "context length"
    found = _OF_STAGE[part or stage]
    if found == "dialogue" and rule in _NOT_ALIGNED:
        return "alignment"
    if found == "seed" or found == "budget" or found == "internal" or rule not in ("json", "schema"):
        return found
    in_json: Mapping[str, ErrorClass] = {
        "question": "question JSON", "triples": "triples JSON", "query": "query JSON", "dialogue": "dialogue JSON",
    }  # fmt: skip
    return in_json[found]


class SeedRejected(Exception):
    """A seed fails at a stage; raised and caught within the making of one dialogue."""

    def __init__(self, stage: str, problems: Iterable[Problem]) -> None:
        super().__init__(stage)
        self.stage, self.problems = stage, tuple(problems)

    def __reduce__(self) -> tuple[type[SeedRejected], tuple[str, tuple[Problem, ...]]]:
        """Say how to make it again: a plan that there is none travels to the workers of a cluster."""
        return SeedRejected, (self.stage, self.problems)


def reject_if_any(name: str, problems: Iterable[Problem]) -> None:
    """Reject the seed at a stage if there is a problem.

    Raises:
        Unfit: there is one.
    """
    found = tuple(problems)
    if found:
        raise SeedRejected(name, found)


@contextmanager
def reject_failures_at(name: str) -> Iterator[None]:
    """Turn a model's failure of content into the rejection of the seed; an unavailable world passes through.

    Raises:
        Unfit: the model's replies did not pass, did not fit, or it declined.
    """
    try:
        yield
    except ReplyInvalid as error:
        raise SeedRejected(name, error.problems) from error
    except ContextTooLong as error:
        raise SeedRejected(name, [Problem("context-length", str(error))]) from error
    except ModelRefused as error:
        raise SeedRejected(name, [Problem("refused", str(error))]) from error

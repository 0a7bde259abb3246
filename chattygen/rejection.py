"""Rejected seeds: the stage, the problems, and the error class of a seed that did not become a dialogue."""

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
"""The error classes of Chatty-Gen (Table 4 of its paper, and those that the table leaves out). ``JSON``: the last reply
was no JSON, or broke its schema. ``internal``: an unexpected exception ended the dialogue. ``seed``: the entity does
not meet the requirements, so no dialogue was tried; such seeds do not count as used."""

ERROR_CLASSES: tuple[ErrorClass, ...] = get_args(ErrorClass)

_CLASS_OF_STAGE: Mapping[str, ErrorClass] = {
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
_ALIGNMENT_RULES = frozenset({"alignment", "turns"})
"""Rules that compare lists turn by turn."""
_JSON_RULES = frozenset({"json", "schema"})
"""Rules that a reply breaks that is no JSON, or not that of its schema."""


@dataclass(frozen=True, slots=True)
class RejectedSeed:
    """A seed (its IRI), the type that it was drawn for, the stage where it failed, its problems, and its usage."""

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
    """Return the error class of a failure by its stage and by the rule of its first problem.

    A rule can name its stage itself (``query/result``), if one reply has the output of several stages.

    Raises:
        KeyError: there is no such stage (a bug of the caller).
    """
    rule_stage, _, rule = problems[0].rule.rpartition("/") if problems else ("", "", "")
    if rule == "context-length":
        return "context length"
    error_class = _CLASS_OF_STAGE[rule_stage or stage]
    if error_class == "dialogue" and rule in _ALIGNMENT_RULES:
        return "alignment"
    json_class = f"{error_class} JSON" if rule in _JSON_RULES else ""
    return next((each for each in ERROR_CLASSES if each == json_class), error_class)


class SeedRejected(Exception):
    """A seed fails at a stage; raised and caught within one dialogue."""

    def __init__(self, stage: str, problems: Iterable[Problem]) -> None:
        super().__init__(stage)
        self.stage, self.problems = stage, tuple(problems)

    def __reduce__(self) -> tuple[type[SeedRejected], tuple[str, tuple[Problem, ...]]]:
        """Make it picklable: the rejections of a plan travel to the workers of a cluster."""
        return SeedRejected, (self.stage, self.problems)


def reject_if_any(stage: str, problems: Iterable[Problem]) -> None:
    """Reject the seed at a stage if there is a problem.

    Raises:
        SeedRejected: there is one.
    """
    all_problems = tuple(problems)
    if all_problems:
        raise SeedRejected(stage, all_problems)


@contextmanager
def reject_failures_at(stage: str) -> Iterator[None]:
    """Turn a failure of the model's content into the rejection of the seed; an unavailable model passes through.

    Raises:
        SeedRejected: no reply passed the checks, the prompt is too long, or the model refused.
    """
    try:
        yield
    except ReplyInvalid as error:
        raise SeedRejected(stage, error.problems) from error
    except ContextTooLong as error:
        raise SeedRejected(stage, [Problem("context-length", str(error))]) from error
    except ModelRefused as error:
        raise SeedRejected(stage, [Problem("refused", str(error))]) from error

"""Seeds that did not become a dialogue: at which stage, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid


@dataclass(frozen=True, slots=True)
class Rejected:
    """A seed (its IRI), the type that it was drawn for, the stage that it failed at, and what was wrong."""

    seed: str
    type: str
    stage: str
    problems: tuple[Problem, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the line for the file of rejected seeds."""
        problems = [{"rule": problem.rule, "sentence": problem.sentence} for problem in self.problems]
        return {"seed": self.seed, "type": self.type, "stage": self.stage, "problems": problems}


class Unfit(Exception):
    """A seed fails at a stage; raised and caught within the making of one dialogue."""

    def __init__(self, stage: str, problems: Iterable[Problem]) -> None:
        super().__init__(stage)
        self.stage, self.problems = stage, tuple(problems)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Turn a model's failure of content into the rejection of the seed; an unavailable world passes through.

    Raises:
        Unfit: the model's replies did not pass, did not fit, or it declined.
    """
    try:
        yield
    except ReplyInvalid as error:
        raise Unfit(name, error.problems) from error
    except ContextTooLong as error:
        raise Unfit(name, [Problem("context-length", str(error))]) from error
    except ModelRefused as error:
        raise Unfit(name, [Problem("refused", str(error))]) from error

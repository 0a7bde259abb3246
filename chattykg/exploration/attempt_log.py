"""The log of attempts at a query: what the model wrote and what came of it, for the agent that goes on from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chattyshared.check import Problem
from chattyshared.errors import ModelError, ReplyInvalid

from chattykg.direct.attempt import QueryAttempts


@dataclass(frozen=True, slots=True)
class LoggedAttempt:
    """A reply and why it is no answer; without ``problems`` it was accepted."""

    reply: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class AttemptLog:
    """Records what some attempts check; ``is_final``: the model declined or the prompt does not fit."""

    attempts: QueryAttempts
    entries: list[LoggedAttempt] = field(default_factory=list)
    is_final: bool = False

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Check a reply as the attempts do, and keep it with its problems (a check of the agent)."""
        problems = tuple(self.attempts.check_reply(reply, variables))
        self.entries.append(LoggedAttempt(reply, problems))
        yield from problems

    def record_failure(self, error: ModelError) -> None:
        """Keep why there is no reply that passed; a reply that is not even JSON is kept as its text."""
        if not isinstance(error, ReplyInvalid):
            self.is_final = True
        elif not self.entries:
            self.entries.append(LoggedAttempt({"reply": error.text[:300]}, error.problems[:3]))

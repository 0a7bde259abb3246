"""An agent: prompt, reply schema and checks; called with a model and variables it gives a checked reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Check, Problem, follows
from chattyshared.errors import ModelError, ReplyInvalid
from chattyshared.model import LanguageModel, Message, Request, Usage
from chattyshared.prompt import Prompt, load
from chattyshared.reply import json_values, parse_json
from chattyshared.settings import THETA

__all__ = ["THETA", "Agent", "Reply", "agent", "parse_json"]

_SHOWN_REPLY = 4000
"""How much of a reply that cannot be used is shown to the model again."""
_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that passed its checks: the parsed JSON, what all attempts used, and how many there were."""

    value: Any
    usage: Usage
    attempts: int


@dataclass(frozen=True, slots=True)
class Agent:
    """Render, complete, parse, check, and ask again with the problems said in words."""

    prompt: Prompt
    checks: tuple[Check, ...] = ()

    @property
    def name(self) -> str:
        """The agent's name is its prompt's: ``generate/questions``, ``answer/qir``."""
        return self.prompt.name

    def __call__(self, model: LanguageModel, variables: Mapping[str, Any], *, theta: int = THETA) -> Reply:
        """Ask a model until its reply passes, at most ``theta`` times in all (at least once).

        Raises:
            ReplyInvalid: no reply passed; carries the problems of the last one and the usage of all.
            ModelError: the model could not be asked, as one of its kinds; carries the usage so far.
        """
        rendered = self.prompt.render(variables)
        messages, usage, attempt = rendered, Usage(), 1
        while True:
            request = Request(self.name, messages, self.prompt.schema, variables, attempt)
            try:
                completion = model.complete(request)
            except ModelError as error:
                error.usage = usage + (error.usage or Usage())
                raise
            usage, text = usage + completion.usage, completion.text
            value, problems = self.read(text, variables, finish=completion.finish)
            if not problems:
                return Reply(value, usage, attempt)
            if attempt >= theta:
                break
            messages, attempt = (*rendered, *_again(text, problems)), attempt + 1
        raise ReplyInvalid(
            f"{self.name}: {problems[0]} ({attempt} attempts)",
            model=model.name, usage=usage, problems=problems, text=text, attempts=attempt,
        )  # fmt: skip

    def read(self, text: str, variables: Mapping[str, Any], *, finish: str = "stop") -> tuple[Any, tuple[Problem, ...]]:
        """Parse a reply and check it; return its value (None if it is no JSON) and the problems.

        Of several JSON values in one reply the first that keeps the schema is taken. ``finish`` is the completion's.
        """
        cut = (Problem("length", "The reply was cut off before its end: be shorter."),) if finish == "length" else ()
        values = json_values(text)
        if not values:
            return None, (Problem("json", "Reply with one JSON value and nothing else: there is none in it."), *cut)
        keeps = follows(self.prompt.schema)
        found = [(value, tuple(keeps(value))) for value in values]
        value, problems = next((pair for pair in found if not pair[1]), found[0])
        if problems:
            return value, (*problems, *cut)
        return value, tuple(problem for check in self.checks for problem in check(value, variables))


def agent(name: str, *checks: Check) -> Agent:
    """Make the agent of a shipped prompt."""
    return Agent(load(name), checks)


def _again(text: str, problems: tuple[Problem, ...]) -> tuple[Message, Message]:
    """Return the reply, cut where it is long, and what is wrong with it."""
    lines = "\n".join(f"- {problem.sentence}" for problem in problems[:_SHOWN_PROBLEMS])
    asked = f"That reply cannot be used:\n{lines}\nReply again, whole and corrected, as JSON only."
    return Message("assistant", text[:_SHOWN_REPLY] or "(nothing)"), Message("user", asked)

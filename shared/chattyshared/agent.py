"""An agent: prompt, reply schema and checks; called with a model and variables it gives a checked reply."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Check, Problem, follows
from chattyshared.errors import ModelError, ReplyInvalid
from chattyshared.model import LanguageModel, Message, Request, Usage
from chattyshared.prompt import Prompt, load

THETA = 3
"""Attempts in all for one item (Chatty-KG, section 4.2; Chatty-Gen, retry policy)."""


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
        """Ask a model until its reply passes, at most ``theta`` times in all.

        Raises:
            ReplyInvalid: no reply passed; carries the problems of the last one and the usage of all.
            ModelError: the model could not be asked, as one of its kinds.
        """
        messages = self.prompt.render(variables)
        usage, text = Usage(), ""
        problems: tuple[Problem, ...] = ()
        for attempt in range(1, theta + 1):
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
            messages = (*self.prompt.render(variables), Message("assistant", text), Message("user", _again(problems)))
        raise ReplyInvalid(
            f"{self.name}: {problems[0]} ({theta} attempts)",
            model=model.name, usage=usage, problems=problems, text=text, attempts=theta,
        )  # fmt: skip

    def read(self, text: str, variables: Mapping[str, Any], *, finish: str = "stop") -> tuple[Any, tuple[Problem, ...]]:
        """Parse a reply and check it; return its value (None if it is no JSON) and the problems."""
        try:
            value = parse_json(text)
        except ValueError as error:
            cut = " (the reply was cut off: be shorter)" if finish == "length" else ""
            return None, (Problem("json", f"Reply with one JSON value and nothing else: {error}{cut}."),)
        problems = tuple(follows(self.prompt.schema)(value))
        if not problems:
            problems = tuple(problem for check in self.checks for problem in check(value, variables))
        return value, problems


def agent(name: str, *checks: Check) -> Agent:
    """Make the agent of a shipped prompt."""
    return Agent(load(name), checks)


def parse_json(text: str) -> Any:
    """Parse the JSON value of a reply: bare, in a code fence, or with prose around it.

    Raises:
        ValueError: there is no JSON value in it.
    """
    for candidate in _candidates(text):
        try:
            return json.loads(candidate, strict=False)
        except ValueError:
            continue
    raise ValueError("there is no JSON value in it")


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    yield from re.findall(r"```(?:json)?\s*\n?(.*?)```", text, flags=re.DOTALL)
    decoder = json.JSONDecoder(strict=False)
    for match in re.finditer(r"[{\[]", text):
        try:
            _, end = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        yield text[match.start() : end]
        return


def _again(problems: tuple[Problem, ...]) -> str:
    lines = "\n".join(f"- {problem.sentence}" for problem in problems[:10])
    return f"That reply cannot be used:\n{lines}\nReply again, whole and corrected, as JSON only."

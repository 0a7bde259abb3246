"""An agent: prompt, reply schema and checks; called with a model and variables, it returns a checked reply."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Check, Problem, make_schema_check
from chattyshared.errors import ContextTooLong, ModelError, ReplyInvalid
from chattyshared.jsonlines import STRICT_HOOKS, parse_untrusted_json
from chattyshared.model import LanguageModel, Message, Request, ToolSpec, Usage
from chattyshared.option_specs import THETA
from chattyshared.prompt import Prompt, TruncatableVariable, load_prompt, shorten_prompt
from chattyshared.trace import note_problems

__all__ = ["THETA", "Agent", "TruncatableVariable", "CheckedReply", "load_agent", "find_json_values"]

logger = logging.getLogger(__name__)

_SHOWN_REPLY = 4000
"""Characters of an invalid reply, and of a problem in it, that the model is shown again."""
_SHOWN_PROBLEMS = 10
_MAX_REPLY_LENGTH = 1_000_000
"""Characters of a reply that are searched for JSON."""
_MAX_STARTS = 500
"""Brackets in prose, and code fences, that are tried as the start of a value."""
_MAX_WASTED = 2_000_000
"""Characters after brackets in prose that are parsed in vain, in all: about a second."""
_RECURSION_COST = 10_000
"""Characters that a value nested too deeply for the parser counts as."""
_FENCE_NAME = re.compile(r"[\w+-]*[ \t]*\n?")
_BRACKET = re.compile(r"[{\[]")


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply that passed its checks: the parsed JSON, the usage of all attempts, and their number."""

    value: Any
    usage: Usage
    attempts: int


@dataclass(frozen=True, slots=True)
class Agent:
    """Renders the prompt, asks the model, parses and checks the reply, and asks again with the problems in words.

    ``truncatable`` are the variables that may be shown in part if the prompt is too long for the model. With ``tools``
    a reply is one call of them, as JSON.
    """

    prompt: Prompt
    checks: tuple[Check, ...] = ()
    truncatable: tuple[TruncatableVariable, ...] = ()
    tools: tuple[ToolSpec, ...] = ()

    @property
    def name(self) -> str:
        """The name of its prompt, for example ``generate/questions``."""
        return self.prompt.name

    def __call__(self, model: LanguageModel, variables: Mapping[str, Any], *, theta: int = THETA) -> CheckedReply:
        """Ask a model until its reply passes, at most ``theta`` times (at least once).

        A prompt that is too long is cut and sent once more; that does not count as an attempt.

        Raises:
            ReplyInvalid: no reply passed; it has the problems of the last one and the usage of all.
            ContextTooLong: the prompt does not fit, and cutting it did not help.
            ModelError: the model could not be asked; it has the usage so far.
        """
        rendered = self.prompt.render(variables)
        messages, usage, attempt, is_cut = rendered, Usage(), 1, False
        while True:
            request = Request(self.name, messages, self.prompt.schema, variables, attempt, self.tools)
            try:
                completion = model.complete(request)
            except ContextTooLong as error:
                usage += error.usage or Usage()
                shorter = None if is_cut else shorten_prompt(self.prompt, variables, self.truncatable, error, messages)
                if shorter is None:
                    raise _context_error(error, usage, is_cut=is_cut) from error.__cause__
                rendered, messages, is_cut = shorter, (*shorter, *messages[len(rendered) :]), True
                logger.info("%s is too long for %s and was cut: %s", self.name, model.name, error)
                continue
            except ModelError as error:
                error.usage = usage + (error.usage or Usage())
                raise
            usage, text = usage + completion.usage, completion.text
            value, problems = self.parse_reply(text, variables, finish=completion.finish)
            if not problems:
                return CheckedReply(value, usage, attempt)
            note_problems(self.name, attempt, [problem.rule for problem in problems])
            if attempt >= theta:
                break
            messages, attempt = (*rendered, *_retry_messages(text, problems)), attempt + 1
        raise ReplyInvalid(
            f"{self.name}: {problems[0]} ({attempt} attempts)",
            model=model.name, usage=usage, problems=problems, text=text, attempts=attempt,
        )  # fmt: skip

    def parse_reply(
        self, text: str, variables: Mapping[str, Any], *, finish: str = "stop"
    ) -> tuple[Any, tuple[Problem, ...]]:
        """Parse and check a reply; return its value (None if it is not JSON) and the problems.

        Of several JSON values in one reply, the first that matches the schema counts. ``finish`` is the completion's.
        """
        cut = (Problem("length", "The reply was cut off before its end: be shorter."),) if finish == "length" else ()
        values = find_json_values(text)
        if not values:
            return None, (Problem("json", "Reply with one JSON value and nothing else: there is none in it."), *cut)
        schema_check = make_schema_check(self.prompt.schema)
        checked = [(value, tuple(schema_check(value))) for value in values]
        value, problems = next((pair for pair in checked if not pair[1]), checked[0])
        if problems:
            return value, (*problems, *cut)
        return value, tuple(problem for check in self.checks for problem in check(value, variables))


def load_agent(name: str, *checks: Check, truncatable: tuple[TruncatableVariable, ...] = ()) -> Agent:
    """Return the agent of a shipped prompt."""
    return Agent(load_prompt(name), checks, truncatable)


def _context_error(error: ContextTooLong, usage: Usage, *, is_cut: bool) -> ContextTooLong:
    """Return the same error with the usage of all calls and the advice to use a model with a longer context."""
    reason = "what may be left out of it was" if is_cut else "nothing that may be left out of it would make it fit"
    error.args = (f"{error} (the prompt does not fit: {reason}; a model with a longer context is needed)",)
    error.usage = usage
    return error


def _retry_messages(text: str, problems: tuple[Problem, ...]) -> tuple[Message, Message]:
    """Return the messages of a retry: the reply, cut if it is long, and its problems."""
    lines = "\n".join(f"- {problem.sentence[:_SHOWN_REPLY]}" for problem in problems[:_SHOWN_PROBLEMS])
    instruction = f"That reply cannot be used:\n{lines}\nReply again, whole and corrected, as JSON only."
    return Message("assistant", text[:_SHOWN_REPLY] or "(nothing)"), Message("user", instruction)


def find_json_values(text: str) -> list[Any]:
    """Return the JSON values of a reply, the most likely first.

    The whole reply if it is JSON; else the contents of code fences; else the objects and arrays within the prose, the
    longest first. Thoughts (``<think>...</think>``) are skipped. Control characters in strings pass; numbers that JSON
    does not know (NaN, Infinity) do not.
    """
    text = text[:_MAX_REPLY_LENGTH].lstrip("\ufeff")
    answer = text.rpartition("</think>")[2]
    for candidates in (_parse_whole(text), _parse_whole(answer), _parse_fenced(answer), _parse_embedded(answer)):
        if values := list(candidates):
            return values
    return []


def _parse_whole(text: str) -> Iterator[Any]:
    try:
        yield parse_untrusted_json(text.strip())
    except ValueError:
        return


def _parse_fenced(text: str) -> Iterator[Any]:
    # A pattern with a lazy middle would take quadratic time on a fence that never ends.
    for content in text.split("```")[1:-1:2][:_MAX_STARTS]:
        yield from _parse_whole(_FENCE_NAME.sub("", content, count=1))


def _parse_embedded(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(**STRICT_HOOKS)
    spans: list[str] = []
    position = wasted = 0
    for _ in range(_MAX_STARTS):
        start = _BRACKET.search(text, position)
        if start is None or wasted > _MAX_WASTED:
            break
        position = start.end()
        try:
            _, end = decoder.raw_decode(text, start.start())
        except RecursionError:
            wasted += _RECURSION_COST
            continue
        except ValueError as error:
            wasted += getattr(error, "pos", len(text)) - start.start()
            continue
        spans.append(text[start.start() : end])
        position = end
    for span in sorted(spans, key=len, reverse=True):
        yield from _parse_whole(span)

"""An agent: prompt, reply schema and checks; called with a model and variables, it returns a checked reply."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Check, Problem, make_schema_check
from chattyshared.errors import ContextTooLong, ModelError, ReplyInvalid
from chattyshared.model import LanguageModel, Message, Request, ToolSpec, Usage
from chattyshared.model.reply_values import adapt_to_schema, after_thoughts, find_json_values, repair_json_value
from chattyshared.option_specs import THETA
from chattyshared.prompt import Prompt, TruncatableVariable, load_prompt, shorten_prompt
from chattyshared.trace import note_problems, note_repair

__all__ = ["THETA", "Agent", "TruncatableVariable", "CheckedReply", "load_agent"]

logger = logging.getLogger(__name__)

_SHOWN_REPLY = 4000
"""Characters of an invalid reply, and of a problem in it, that the model is shown again."""
_SHOWN_PROBLEMS = 10


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
    a reply is one call of them, as JSON. ``read_text`` makes the value of a reply that is not the JSON of the schema
    (None: it is no reply); a model that gives the same such text again is not asked a third time. ``is_plain``: the
    reply is to be a text, so the server is not asked for JSON.
    """

    prompt: Prompt
    checks: tuple[Check, ...] = ()
    truncatable: tuple[TruncatableVariable, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    read_text: Callable[[str], Any] | None = None
    is_plain: bool = False

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
            schema = None if self.is_plain else self.prompt.schema
            request = Request(self.name, messages, schema, variables, attempt, self.tools)
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
            value, problems = self.parse_reply(text, variables, finish=completion.finish, attempt=attempt)
            if not problems:
                return CheckedReply(value, usage, attempt)
            note_problems(self.name, attempt, [problem.rule for problem in problems])
            if attempt >= theta or (self.read_text is not None and text == messages[-2].content and attempt > 1):
                break
            messages, attempt = (
                (*rendered, *_retry_messages(text, problems, "a query" if self.is_plain else "JSON")),
                attempt + 1,
            )
        raise ReplyInvalid(
            f"{self.name}: {problems[0]} ({attempt} attempts)",
            model=model.name, usage=usage, problems=problems, text=text, attempts=attempt,
        )  # fmt: skip

    def parse_reply(
        self, text: str, variables: Mapping[str, Any], *, finish: str = "stop", attempt: int = 1
    ) -> tuple[Any, tuple[Problem, ...]]:
        """Parse and check a reply; return its value (None if it is not JSON) and the problems.

        Of several JSON values in one reply, the first that matches the schema counts; where none does, the first that
        does when it is repaired, which the trace tells. A reply that was cut off is not repaired. ``finish`` is the
        completion's.
        """
        schema_check = make_schema_check(self.prompt.schema)
        values = find_json_values(text)
        for value in values:
            if not any(schema_check(value)):
                return value, self._check_value(value, variables)
        is_cut = finish == "length"
        for value in () if is_cut else self._repaired_values(text, values):
            if not any(schema_check(value)):
                note_repair(self.name, attempt)
                return value, self._check_value(value, variables)
        cut = (Problem("length", "The reply was cut off before its end: be shorter."),) if is_cut else ()
        if values:
            return values[0], (*cut, *schema_check(values[0]))
        if text.strip() and not after_thoughts(text).strip():
            problem = Problem("thoughts", "The reply ends within its thoughts: reply after them, as JSON.")
        elif self.is_plain:
            problem = Problem("text", "Reply with one query and nothing else: there is none in it.")
        else:
            problem = Problem("json", "Reply with one JSON value and nothing else: there is none in it.")
        return None, (*cut, problem)

    def _check_value(self, value: Any, variables: Mapping[str, Any]) -> tuple[Problem, ...]:
        return tuple(problem for check in self.checks for problem in check(value, variables))

    def _repaired_values(self, text: str, values: Sequence[Any]) -> Iterator[Any]:
        for value in values:
            yield from adapt_to_schema(value, self.prompt.schema)
        if not values and (value := repair_json_value(text)) is not None:
            yield value
            yield from adapt_to_schema(value, self.prompt.schema)
        if self.read_text is not None and (value := self.read_text(after_thoughts(text))) is not None:
            yield value


def load_agent(name: str, *checks: Check, truncatable: tuple[TruncatableVariable, ...] = ()) -> Agent:
    """Return the agent of a shipped prompt."""
    return Agent(load_prompt(name), checks, truncatable)


def _context_error(error: ContextTooLong, usage: Usage, *, is_cut: bool) -> ContextTooLong:
    """Return the same error with the usage of all calls and the advice to use a model with a longer context."""
    reason = "what may be left out of it was" if is_cut else "nothing that may be left out of it would make it fit"
    error.args = (f"{error} (the prompt does not fit: {reason}; a model with a longer context is needed)",)
    error.usage = usage
    return error


def _retry_messages(text: str, problems: tuple[Problem, ...], form: str) -> tuple[Message, Message]:
    """Return the messages of a retry: the reply, cut if it is long, and its problems."""
    lines = "\n".join(f"- {problem.sentence[:_SHOWN_REPLY]}" for problem in problems[:_SHOWN_PROBLEMS])
    instruction = f"That reply cannot be used:\n{lines}\nReply again, whole and corrected, as {form} only."
    return Message("assistant", text[:_SHOWN_REPLY] or "(nothing)"), Message("user", instruction)

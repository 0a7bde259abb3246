"""Replies from the trace of an earlier run, found by what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from chattyshared.jsonlines import read_lines
from chattyshared.model import Completion, Request, Usage
from chattyshared.model.cache import MAX_COMPARED, nearest_prompt, render_difference, render_messages
from chattyshared.model.target import ModelTarget
from chattyshared.trace import file_exists

PREFIX = "replay:"
"""The prefix of a replay's name, before the trace's path."""
_ERRORS: dict[str, type[ModelError]] = {
    kind.__name__: kind for kind in (ModelError, ModelUnavailable, ModelRefused, ContextTooLong)
}


@dataclass(frozen=True, slots=True)
class _RecordedCall:
    """One recorded call: agent, prompt, and its completion or error.

    ``missing`` is the number of characters that the trace lacks of the reply.
    """

    agent: str
    asked: str
    completion: Completion | None
    error: str
    raised: str
    limit: int | None = None
    tokens: int | None = None
    missing: int = 0

    def failure(self, model: str) -> ModelError:
        """Return the recorded error."""
        error_type, message = _ERRORS.get(self.raised, ModelError), f"as recorded: {self.error}"
        if error_type is ContextTooLong:
            return ContextTooLong(message, model=model, limit=self.limit, requested=self.tokens)
        return error_type(message, model=model)


@lru_cache(maxsize=8)
def recorded_models(name: str) -> Mapping[str, str]:
    """Return the agents in the trace of a replay, each with the model that replied; nothing for another model or a
    missing trace.

    It takes the model's name, since wrappers pass only that on; a trace is read once.

    Raises:
        BenchmarkInvalid: a line of the trace is not JSON.
    """
    trace = Path(name.removeprefix(PREFIX))
    if not name.startswith(PREFIX) or not file_exists(trace):
        return {}
    calls = (event["data"] for _, event in read_lines(trace, skip_partial_line=True) if event["kind"] == "model")
    return {call["agent"]: call.get("model", "") for call in calls}


class ReplayModel:
    """A model that repeats the replies of a trace; a call that failed fails again, unless a later one succeeded."""

    def __init__(self, trace: Path) -> None:
        """Read a trace.

        Raises:
            ConfigError: the file is missing, a line is not an event (the message names it), or there is no model call.
        """
        self.name = f"{PREFIX}{trace}"
        self._calls: dict[str, _RecordedCall] = {}
        for number, event in read_lines(trace, skip_partial_line=True):
            if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
                raise ConfigError(f"{trace}, line {number}: no event of a trace")
            if event["kind"] != "model":
                continue
            try:
                self._add_call(event)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise ConfigError(f"{trace}, line {number}: a model call that lacks a part ({error!r})") from error
        if not self._calls:
            raise ConfigError(f"{trace}: holds no call of a model, nothing can be replayed")

    def complete(self, request: Request) -> Completion:
        """Reply as recorded; for a repeated request, with the first reply.

        Raises:
            ConfigError: the trace holds only a part of the reply.
            ModelError: the request is not in the trace (the message says how it differs from the nearest one), or the
            recorded error.
        """
        recorded = self._calls.get(request.digest())
        if recorded is None:
            raise ModelError(self._miss_message(request), model=self.name)
        if recorded.missing:
            raise ConfigError(
                f"{self.name}: the reply to {request.agent} cannot be replayed: the trace lacks {recorded.missing} "
                "characters of it"
            )
        if recorded.completion is None:
            raise recorded.failure(self.name)
        return recorded.completion

    def _add_call(self, event: Mapping[str, Any]) -> None:
        data = event["data"]
        prompt = render_messages((message["role"], message["content"]) for message in data["messages"])
        completion = None
        if "text" in data:
            field_names = {field.name for field in fields(Usage)}
            usage = Usage(**{key: value for key, value in data["usage"].items() if key in field_names})
            completion = Completion(data["text"], usage, data["finish"])
        earlier = self._calls.get(data["digest"])
        if earlier is None or (earlier.completion is None and completion is not None):
            self._calls[data["digest"]] = _RecordedCall(
                data["agent"], prompt, completion, event.get("error", ""), data.get("raised", ""),
                data.get("limit"), data.get("asked"), data.get("cut", {}).get("text", 0),
            )  # fmt: skip

    def _miss_message(self, request: Request) -> str:
        calls = [call for call in self._calls.values() if call.agent == request.agent]
        if not calls:
            agents = ", ".join(sorted({call.agent for call in self._calls.values()}))
            return f"{request.agent} was never asked in this trace, only {agents}"
        text = render_messages((message.role, message.content) for message in request.messages)
        nearest = nearest_prompt((call.asked for call in calls[:MAX_COMPARED]), text)
        summary = f"{request.agent} asks something new (attempt {request.attempt})"
        if nearest == text:
            return f"{summary}: the prompt was recorded, but with another reply schema or at another attempt"
        return f"{summary}; the nearest recorded prompt differs: {render_difference(nearest, text)}"


def open_provider(target: ModelTarget) -> ReplayModel:
    """Open the replay of the trace that a target names; raises what ``ReplayModel`` raises."""
    return ReplayModel(Path(target.name))

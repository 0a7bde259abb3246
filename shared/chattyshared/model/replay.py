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
from chattyshared.model.providers import ModelTarget
from chattyshared.trace import file_exists

PREFIX = "replay:"
"""What the name of a replay begins with; the trace's path follows."""
_ERRORS: dict[str, type[ModelError]] = {
    kind.__name__: kind for kind in (ModelError, ModelUnavailable, ModelRefused, ContextTooLong)
}


@dataclass(frozen=True, slots=True)
class _Recorded:
    """One recorded call: whose, what was asked, and its completion or the error that came instead.

    ``missing`` are the characters that the trace lacks of the reply.
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
        """Return the error that came."""
        kind, said = _ERRORS.get(self.raised, ModelError), f"as recorded: {self.error}"
        if kind is ContextTooLong:
            return ContextTooLong(said, model=model, limit=self.limit, requested=self.tokens)
        return kind(said, model=model)


@lru_cache(maxsize=8)
def recorded_models(name: str) -> Mapping[str, str]:
    """Return, of a replay by its name, the agents whose calls its trace holds, each with the model that replied.

    Of any other model, and of a trace that is not there, nothing. A name is what wrappers hand on of a model, so this
    goes by the name; a trace is read once.

    Raises:
        BenchmarkInvalid: a line of the trace is not JSON.
    """
    trace = Path(name.removeprefix(PREFIX))
    if not name.startswith(PREFIX) or not file_exists(trace):
        return {}
    calls = (event["data"] for _, event in read_lines(trace, skip_partial_line=True) if event["kind"] == "model")
    return {call["agent"]: call.get("model", "") for call in calls}


class ReplayModel:
    """A model that says again what a trace holds; a call that failed then fails again, unless it was made good."""

    def __init__(self, trace: Path) -> None:
        """Read a trace.

        Raises:
            ConfigError: the file is not there, or a line of it is no event (names the line); or it has no model call.
        """
        self.name = f"{PREFIX}{trace}"
        self._calls: dict[str, _Recorded] = {}
        for number, event in read_lines(trace, skip_partial_line=True):
            if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
                raise ConfigError(f"{trace}, line {number}: no event of a trace")
            if event["kind"] != "model":
                continue
            try:
                self._keep(event)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise ConfigError(f"{trace}, line {number}: a model call that lacks a part ({error!r})") from error
        if not self._calls:
            raise ConfigError(f"{trace}: holds no call of a model, nothing can be replayed")

    def complete(self, request: Request) -> Completion:
        """Reply as recorded; where one request was made several times, as it was answered first.

        Raises:
            ConfigError: the trace holds only a part of the reply.
            ModelError: this was never asked; says whose prompt is new and how it differs from the nearest one. Or
                what was raised when the trace was made.
        """
        recorded = self._calls.get(request.digest())
        if recorded is None:
            raise ModelError(self._miss(request), model=self.name)
        if recorded.missing:
            raise ConfigError(
                f"{self.name}: the reply to {request.agent} cannot be replayed: the trace lacks {recorded.missing} "
                "characters of it"
            )
        if recorded.completion is None:
            raise recorded.failure(self.name)
        return recorded.completion

    def _keep(self, event: Mapping[str, Any]) -> None:
        said = event["data"]
        said_then = render_messages((message["role"], message["content"]) for message in said["messages"])
        completion = None
        if "text" in said:
            known = {field.name for field in fields(Usage)}
            usage = Usage(**{key: value for key, value in said["usage"].items() if key in known})
            completion = Completion(said["text"], usage, said["finish"])
        earlier = self._calls.get(said["digest"])
        if earlier is None or (earlier.completion is None and completion is not None):
            self._calls[said["digest"]] = _Recorded(
                said["agent"], said_then, completion, event.get("error", ""), said.get("raised", ""),
                said.get("limit"), said.get("asked"), said.get("cut", {}).get("text", 0),
            )  # fmt: skip

    def _miss(self, request: Request) -> str:
        calls = [call for call in self._calls.values() if call.agent == request.agent]
        if not calls:
            agents = ", ".join(sorted({call.agent for call in self._calls.values()}))
            return f"{request.agent} was never asked in this trace, only {agents}"
        now = render_messages((message.role, message.content) for message in request.messages)
        then = nearest_prompt((call.asked for call in calls[:MAX_COMPARED]), now)
        new = f"{request.agent} asks something new (attempt {request.attempt})"
        if then == now:
            return f"{new}: the prompt was recorded, but with another reply schema or at another attempt"
        return f"{new}; the nearest recorded prompt differs: {render_difference(then, now)}"


def open_provider(target: ModelTarget) -> ReplayModel:
    """Open the replay of the trace that a target names; raises what ``ReplayModel`` raises."""
    return ReplayModel(Path(target.name))

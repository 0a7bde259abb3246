"""A model that is never paid twice for one question."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from chattyshared.model import Completion, LanguageModel, Request, close_model
from chattyshared.model.reply_store import ReplyStore, StoredReply, cached_request, request_key

MAX_COMPARED = 200
"""How many recorded prompts a miss is compared with, to say which is nearest."""


class CachedModel:
    """A model whose replies are kept; the same request (model, messages, schema, parameters, attempt) is answered
    from them, with the usage of the first time: so a run that is made again gives the same bytes.

    Safe to call from several threads: of two that ask the same at once one asks and the other waits for its reply.
    Failures are not kept.
    """

    def __init__(self, model: LanguageModel, replies: ReplyStore, parameters: Mapping[str, Any] | None = None) -> None:
        """Take the model, the file, and what besides the request decides a reply: server, temperature, limits."""
        self._model, self._replies, self._parameters = model, replies, dict(parameters or {})
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Reply as before, or ask.

        Raises:
            ConfigError: the file of replies cannot be used.
            ModelError: as one of its kinds.
        """
        question = cached_request(self.name, request, self._parameters)
        key = request_key(question)
        with self._lock:
            mine = self._asking.setdefault(key, threading.Lock())
        try:
            with mine:
                completion = self._replies.get(key)
                if completion is None:
                    completion = self._model.complete(request)
                    self._replies.put(question, request.agent, completion)
                return completion
        finally:
            with self._lock:
                self._asking.pop(key, None)

    def close(self) -> None:
        """Close the model within and the file."""
        close_model(self._model)
        self._replies.close()


def explain_paid_reply(replies: ReplyStore, reply: StoredReply) -> str:
    """Say why a reply that is kept had to be asked for: what it differs in from the nearest that was kept before it.

    Raises:
        ConfigError: the file of replies cannot be used.
    """
    return explain_miss(reply.request, list(replies.find_replies(agent=reply.agent, before=reply, limit=MAX_COMPARED)))


def explain_miss(question: Mapping[str, Any], kept: list[StoredReply]) -> str:
    """Say what a request, as ``asked_of`` tells it, differs in from the nearest that is kept."""
    if not kept:
        return "nothing is kept for this agent"
    now = render_messages(question["messages"])
    texts = {render_messages(one.request["messages"]): one for one in reversed(kept)}
    then = nearest_prompt(texts, now)
    other = texts[then]
    parts = [
        f"{part} is {question[part]!r}, kept is {other.request[part]!r}"
        for part in ("model", "parameters", "attempt")
        if question[part] != other.request[part]
    ]
    parts += ["the reply schema differs"] if question["schema"] != other.request["schema"] else []
    parts += [f"the prompt differs: {render_difference(then, now)}"] if then != now else []
    return f"not kept; nearest is {other.key}: {'; '.join(parts)}"


def render_messages(messages: Iterable[tuple[str, str]]) -> str:
    """Return the messages of a request, pairs of role and content, as one text."""
    return "\n".join(f"[{role}] {content}" for role, content in messages)


def nearest_prompt(recorded: Iterable[str], now: str) -> str:
    """Return, of at least one recorded prompt, the one that is most like a new one.

    They are compared by their lines: the common beginning of an agent's prompts weighs nothing.
    """
    return max(recorded, key=lambda text: _likeness(text, now))


def render_difference(recorded: str, now: str) -> str:
    """Return the first lines that differ, those of the recorded prompt with a minus, those of the new with a plus."""
    lines = difflib.unified_diff(recorded.splitlines(), now.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    more = f" (and {len(changed) - 4} more lines)" if len(changed) > 4 else ""
    return " | ".join(line[:160] for line in changed[:4]) + more


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.splitlines(), other.splitlines(), autojunk=False).ratio()

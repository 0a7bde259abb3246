"""A model with a reply store, so that no request is paid for twice."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from chattyshared.model import Completion, LanguageModel, Request, close_model
from chattyshared.model.reply_store import ReplyStore, StoredReply, cached_request, request_key

MAX_COMPARED = 200
"""How many recorded prompts a miss is compared with to find the nearest."""


class CachedModel:
    """A model whose replies are stored. The same request (model, messages, schema, parameters, attempt) gets the stored
    reply with its original usage, so a repeated run gives the same bytes.

    Safe to call from several threads: of two equal requests at the same time, one is sent and the other waits. Errors
    are not stored.
    """

    def __init__(self, model: LanguageModel, replies: ReplyStore, parameters: Mapping[str, Any] | None = None) -> None:
        """Take the model, the store, and the parameters that affect a reply: server, temperature, limits."""
        self._model, self._replies, self._parameters = model, replies, dict(parameters or {})
        self._lock = threading.Lock()
        self._locks_by_key: dict[str, threading.Lock] = {}

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Return the stored reply, or ask the model.

        Raises:
            ConfigError: the reply store cannot be used.
            ModelError: as the model raises it.
        """
        question = cached_request(self.name, request, self._parameters)
        key = request_key(question)
        with self._lock:
            key_lock = self._locks_by_key.setdefault(key, threading.Lock())
        try:
            with key_lock:
                completion = self._replies.get(key)
                if completion is None:
                    completion = self._model.complete(request)
                    self._replies.put(question, request.agent, completion)
                return completion
        finally:
            with self._lock:
                self._locks_by_key.pop(key, None)

    def close(self) -> None:
        """Close the wrapped model and the store."""
        close_model(self._model)
        self._replies.close()


def explain_paid_reply(replies: ReplyStore, reply: StoredReply) -> str:
    """Explain why a stored reply had to be paid for: how its request differs from the nearest one stored before it.

    Raises:
        ConfigError: the reply store cannot be used.
    """
    earlier = replies.find_replies(agent=reply.agent, before=reply, limit=MAX_COMPARED)
    return explain_miss(reply.request, list(earlier))


def explain_miss(question: Mapping[str, Any], replies: list[StoredReply]) -> str:
    """Explain how a request, as ``cached_request`` returns it, differs from the nearest stored one."""
    if not replies:
        return "nothing is kept for this agent"
    text = render_messages(question["messages"])
    texts = {render_messages(reply.request["messages"]): reply for reply in reversed(replies)}
    nearest = nearest_prompt(texts, text)
    stored = texts[nearest]
    parts = [
        f"{part} is {question[part]!r}, kept is {stored.request[part]!r}"
        for part in ("model", "parameters", "attempt")
        if question[part] != stored.request[part]
    ]
    parts += ["the reply schema differs"] if question["schema"] != stored.request["schema"] else []
    parts += ["the tools differ"] if question.get("tools") != stored.request.get("tools") else []
    parts += [f"the prompt differs: {render_difference(nearest, text)}"] if nearest != text else []
    return f"not kept; nearest is {stored.key}: {'; '.join(parts)}"


def render_messages(messages: Iterable[tuple[str, str]]) -> str:
    """Return the messages of a request, pairs of role and content, as one text."""
    return "\n".join(f"[{role}] {content}" for role, content in messages)


def nearest_prompt(recorded: Iterable[str], prompt: str) -> str:
    """Return the recorded prompt (at least one is given) that is most similar to a new one.

    Similarity is by lines: the common beginning of an agent's prompts does not count.
    """
    lines = prompt.splitlines()
    return max(
        recorded, key=lambda text: difflib.SequenceMatcher(None, text.splitlines(), lines, autojunk=False).ratio()
    )


def render_difference(recorded: str, current: str) -> str:
    """Return the first lines that differ: those of the recorded prompt with a minus, those of the new one with a
    plus."""
    lines = difflib.unified_diff(recorded.splitlines(), current.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    omitted = f" (and {len(changed) - 4} more lines)" if len(changed) > 4 else ""
    return " | ".join(line[:160] for line in changed[:4]) + omitted

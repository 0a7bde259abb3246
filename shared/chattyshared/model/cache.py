"""A model that is never paid twice for one question."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from chattyshared.model import Completion, LanguageModel, Request, close
from chattyshared.model.cache_miss import COMPARED, asked, difference, nearest
from chattyshared.model.reply_store import Kept, Replies, asked_of, key_of


class Cached:
    """A model whose replies are kept; the same request (model, messages, schema, parameters, attempt) is answered
    from them, with the usage of the first time: so a run that is made again gives the same bytes.

    Safe to call from several threads: of two that ask the same at once one asks and the other waits for its reply.
    Failures are not kept.
    """

    def __init__(self, model: LanguageModel, replies: Replies, parameters: Mapping[str, Any] | None = None) -> None:
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
        question = asked_of(self.name, request, self._parameters)
        key = key_of(question)
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

    def explain(self, request: Request) -> str:
        """Say whether a request would be answered from the file, and if not, what it differs in; nothing is asked."""
        question = asked_of(self.name, request, self._parameters)
        found = next(self._replies.kept(key=key_of(question), most=1), None)
        if found is not None:
            return f"kept as {found.key}, used {found.hits} times"
        return why_missed(question, list(self._replies.kept(agent=request.agent, most=COMPARED)))

    def close(self) -> None:
        """Close the model within and the file."""
        close(self._model)
        self._replies.close()


def why_paid(replies: Replies, one: Kept) -> str:
    """Say why a reply that is kept had to be asked for: what it differs in from the nearest that was kept before it.

    Raises:
        ConfigError: the file of replies cannot be used.
    """
    return why_missed(one.asked, list(replies.kept(agent=one.agent, before=one, most=COMPARED)))


def why_missed(question: Mapping[str, Any], kept: list[Kept]) -> str:
    """Say what a request, as ``asked_of`` tells it, differs in from the nearest that is kept."""
    if not kept:
        return "nothing is kept for this agent"
    now = asked(question["messages"])
    texts = {asked(one.asked["messages"]): one for one in reversed(kept)}
    then = nearest(texts, now)
    other = texts[then]
    parts = [
        f"{part} is {question[part]!r}, kept is {other.asked[part]!r}"
        for part in ("model", "parameters", "attempt")
        if question[part] != other.asked[part]
    ]
    parts += ["the reply schema differs"] if question["schema"] != other.asked["schema"] else []
    parts += [f"the prompt differs: {difference(then, now)}"] if then != now else []
    return f"not kept; nearest is {other.key}: {'; '.join(parts)}"

"""``remote:openai:URL``: a system that answers as a chat endpoint; earlier turns go to it as messages of the chat."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from chattyshared.agent import THETA, Agent, agent
from chattyshared.dialogue import Answer, History
from chattyshared.model import Completion, LanguageModel, Message, Request
from chattyshared.trace import Trace, TracedModel

from chattykg.engines.told import Context, names, values


@lru_cache(maxsize=1)
def _prompted() -> Agent:
    return agent("baseline/endpoint")


class Conversing:
    """A model that sees the turns before as messages, between what a prompt tells it and the newest question."""

    def __init__(self, model: LanguageModel, history: History, context: Context) -> None:
        self._model, self._turns = model, tuple(_messages(history, context))

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete, with the turns before; raises as the model within does."""
        first, *rest = request.messages
        return self._model.complete(replace(request, messages=(first, *self._turns, *rest)))


class ChatEndpoint:
    """A chat endpoint that is asked as people ask it; ``context`` says what it is told of the turns before."""

    def __init__(
        self, model: LanguageModel, *, context: Context = "answers", trace: Trace | None = None, theta: int = THETA
    ) -> None:
        self._model, self._context, self._trace, self._theta = model, context, trace or Trace(), theta

    def answer(self, question: str, history: History = (), *, place: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ModelError: the endpoint could not be asked, or no reply could be used.
        """
        began = time.perf_counter()
        model = Conversing(TracedModel(self._model, self._trace, place), history, self._context)
        reply = _prompted()(model, {"question": question}, theta=self._theta)
        found = values(reply.value["answers"])
        return Answer(
            found, (1.0,) * len(found), standalone=question, confidence=float(bool(found)), usage=reply.usage,
            seconds=time.perf_counter() - began,
        )  # fmt: skip


def _messages(history: History, context: Context) -> Iterator[Message]:
    """Yield the turns before as a chat; without answers the endpoint is only told what was asked."""
    for exchange in () if context == "none" else history:
        yield Message("user", exchange.question)
        told = json.dumps({"answers": names(exchange)}, ensure_ascii=False)
        yield Message("assistant", told if context == "answers" else "(not shown)")

"""``remote:openai:URL``: a system that answers as a chat endpoint; earlier turns go to it as messages of the chat."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from chattyshared.agent import Agent, load_agent
from chattyshared.dialogue import Answer, History
from chattyshared.model import Completion, LanguageModel, Message, Request
from chattyshared.trace import Trace, TracedModel

from chattykg.engines.prompt_history import HistoryView, answer_names, parse_values
from chattykg.state import Settings


@lru_cache(maxsize=1)
def _prompted() -> Agent:
    return load_agent("baseline/endpoint")


class ModelWithHistory:
    """A model that sees the turns before as messages, between what a prompt tells it and the newest question."""

    def __init__(self, model: LanguageModel, turns: Iterator[Message]) -> None:
        self._model, self._turns = model, tuple(turns)

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete, with the turns before; raises as the model within does."""
        first, *rest = request.messages
        return self._model.complete(replace(request, messages=(first, *self._turns, *rest)))


class ChatEndpoint:
    """A chat endpoint that is asked as people ask it; ``context`` says what it is told of the turns before.

    Of ``settings`` it takes theta and the number of shown answers.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        history_view: HistoryView = "answers",
        settings: Settings | None = None,
        trace: Trace | None = None,
    ) -> None:
        self._model, self._context, self._trace = model, history_view, trace or Trace()
        self._settings = settings or Settings()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ModelError: the endpoint could not be asked, or no reply could be used.
        """
        began = time.perf_counter()
        turns = _messages(history, self._context, self._settings.shown_answers)
        model = ModelWithHistory(TracedModel(self._model, self._trace, span), turns)
        reply = _prompted()(model, {"question": question}, theta=self._settings.theta)
        found = parse_values(reply.value["answers"])
        return Answer(
            found, (1.0,) * len(found), standalone=question, confidence=float(bool(found)), usage=reply.usage,
            seconds=time.perf_counter() - began,
        )  # fmt: skip


def _messages(history: History, context: HistoryView, limit: int) -> Iterator[Message]:
    """Yield the turns before as a chat; without answers the endpoint is only told what was asked."""
    for exchange in () if context == "none" else history:
        yield Message("user", exchange.question)
        told = json.dumps({"answers": answer_names(exchange, limit)}, ensure_ascii=False)
        yield Message("assistant", told if context == "answers" else "(not shown)")

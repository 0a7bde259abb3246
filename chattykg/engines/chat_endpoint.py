"""``remote:openai:URL``: a system behind a chat endpoint; earlier turns are sent as messages of the chat."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace

from chattyshared.agent import load_agent
from chattyshared.dialogue import Answer, History
from chattyshared.model import Completion, LanguageModel, Message, Request
from chattyshared.trace import Trace, TracedModel

from chattykg.engines.prompt_history import HistoryView, answer_names, parse_values
from chattykg.state import Settings

AGENT = load_agent("baseline/endpoint")


class ModelWithHistory:
    """A model that sees the earlier turns as messages between the prompt and the newest question."""

    def __init__(self, model: LanguageModel, turns: Iterator[Message]) -> None:
        self._model, self._turns = model, tuple(turns)

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete with the earlier turns; raises as the wrapped model does."""
        first, *rest = request.messages
        return self._model.complete(replace(request, messages=(first, *self._turns, *rest)))


class ChatEndpoint:
    """Asks a chat endpoint; ``history_view`` tells what it sees of the earlier turns.

    It uses ``theta`` and ``shown_answers`` of ``settings``.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        history_view: HistoryView = "answers",
        settings: Settings | None = None,
        trace: Trace | None = None,
    ) -> None:
        self._model, self._history_view, self._trace = model, history_view, trace or Trace()
        self._settings = settings or Settings()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ModelError: the endpoint failed, or no reply was valid.
        """
        started = time.perf_counter()
        turns = _messages(history, self._history_view, self._settings.shown_answers)
        model = ModelWithHistory(TracedModel(self._model, self._trace, span), turns)
        reply = AGENT(model, {"question": question}, theta=self._settings.theta)
        values = parse_values(reply.value["answers"])
        return Answer(
            values, (1.0,) * len(values), standalone=question, confidence=float(bool(values)), usage=reply.usage,
            seconds=time.perf_counter() - started,
        )  # fmt: skip


def _messages(history: History, view: HistoryView, limit: int) -> Iterator[Message]:
    """Yield the earlier turns as messages; the view ``questions`` hides the answers."""
    for exchange in () if view == "none" else history:
        yield Message("user", exchange.question)
        answers = json.dumps({"answers": answer_names(exchange, limit)}, ensure_ascii=False)
        yield Message("assistant", answers if view == "answers" else "(not shown)")

"""``llm-only`` and ``remote:openai:URL``: a language model answers from memory, or a system behind a chat endpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.agent import Agent, load_agent
from chattyshared.answers import parse_values
from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.model import Completion, LanguageModel, Message, Request
from chattyshared.option_specs import SHOWN_ANSWERS
from chattyshared.trace import Trace, TracedModel

from chattykg.settings import Settings

AGENT = load_agent("baseline/llm_only")
ENDPOINT_AGENT = load_agent("baseline/endpoint")
HistoryView = Literal["none", "questions", "answers"]
"""What a model sees of the earlier turns: nothing, the questions, or questions and answers."""


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """The earlier turns, reduced to ``view``, with the first ``limit`` answers of each."""

    history: History
    view: HistoryView
    limit: int = SHOWN_ANSWERS

    def as_prompt_text(self) -> str:
        """Return the turns as lines ``Q1: ...`` and ``A1: ...``, or ``(nothing)``."""
        lines = []
        for number, exchange in enumerate(() if self.view == "none" else self.history, 1):
            lines.append(f"Q{number}: {exchange.question}")
            if self.view == "answers":
                lines.append(f"A{number}: {_render_answers(exchange, self.limit)}")
        return "\n".join(lines) or "(nothing)"


def _render_answers(exchange: Exchange, limit: int) -> str:
    """Return the first ``limit`` answers of a turn as one text, or ``(not known)``."""
    values = exchange.answer.values
    more = f" (and {len(values) - limit} more)" if len(values) > limit else ""
    return "; ".join(value.text for value in values[:limit]) + more if values else "(not known)"


class _ModelEngine:
    """A model that is asked as it is; ``history_view`` tells what it sees of the earlier turns.

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

    def _answer(
        self, agent: Agent, question: str, variables: Mapping[str, Any], turns: Iterable[Message], span: str
    ) -> Answer:
        """Return what the model replies to the variables, behind earlier turns."""
        started = time.perf_counter()
        model = ModelWithHistory(TracedModel(self._model, self._trace, span), turns)
        reply = agent(model, {"question": question, **variables}, theta=self._settings.theta)
        values = parse_values(reply.value["answers"])
        return Answer(
            values, (1.0,) * len(values), standalone=question, confidence=float(bool(values)), usage=reply.usage,
            seconds=time.perf_counter() - started,
        )  # fmt: skip


class LLMOnly(_ModelEngine):
    """A language model without a graph; its answers are names and literals, no IRIs."""

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ModelError: the model failed, or no reply was valid.
        """
        history_shown = PromptHistory(history, self._history_view, self._settings.shown_answers)
        answer = self._answer(AGENT, question, {"history": history_shown}, (), span)
        return replace(answer, candidate_queries=0, grounded=False)


class ModelWithHistory:
    """A model that sees the earlier turns as messages between the prompt and the newest question."""

    def __init__(self, model: LanguageModel, turns: Iterable[Message]) -> None:
        self._model, self._turns = model, tuple(turns)

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete with the earlier turns; raises as the wrapped model does."""
        first, *rest = request.messages
        return self._model.complete(replace(request, messages=(first, *self._turns, *rest)))


class ChatEndpoint(_ModelEngine):
    """Asks a chat endpoint."""

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ModelError: the endpoint failed, or no reply was valid.
        """
        turns = _messages(history, self._history_view, self._settings.shown_answers)
        return self._answer(ENDPOINT_AGENT, question, {}, turns, span)


def _messages(history: History, view: HistoryView, limit: int) -> Iterator[Message]:
    """Yield the earlier turns as messages; the view ``questions`` hides the answers."""
    for exchange in () if view == "none" else history:
        yield Message("user", exchange.question)
        names = [value.text for value in exchange.answer.values[:limit]]
        answers = json.dumps({"answers": names}, ensure_ascii=False)
        yield Message("assistant", answers if view == "answers" else "(not shown)")

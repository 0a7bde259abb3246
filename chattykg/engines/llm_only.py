"""``llm-only``: a language model that answers from memory, without any graph."""

from __future__ import annotations

import time

from chattyshared.agent import load_agent
from chattyshared.dialogue import Answer, History
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedModel

from chattykg.engines.prompt_history import HistoryView, PromptHistory, parse_values
from chattykg.state import Settings

AGENT = load_agent("baseline/llm_only")


class LLMOnly:
    """A language model without a graph; its answers are names and literals, no IRIs.

    ``history_view`` tells what it sees of the earlier turns. It uses ``theta`` and ``shown_answers`` of ``settings``.
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
            ModelError: the model failed, or no reply was valid.
        """
        started = time.perf_counter()
        variables = {
            "question": question,
            "history": PromptHistory(history, self._history_view, self._settings.shown_answers),
        }
        reply = AGENT(TracedModel(self._model, self._trace, span), variables, theta=self._settings.theta)
        values = parse_values(reply.value["answers"])
        return Answer(
            values, (1.0,) * len(values), standalone=question, confidence=float(bool(values)), usage=reply.usage,
            seconds=time.perf_counter() - started, candidate_queries=0, grounded=False,
        )  # fmt: skip

"""``llm-only``: a language model that answers from memory, without any graph."""

from __future__ import annotations

import time
from functools import lru_cache

from chattyshared.agent import Agent, load_agent
from chattyshared.dialogue import Answer, History
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedModel

from chattykg.engines.prompt_history import HistoryView, PromptHistory, parse_values
from chattykg.state import Settings


@lru_cache(maxsize=1)
def _prompted() -> Agent:
    return load_agent("baseline/alone")


class LLMOnly:
    """A model alone; ``context`` says what it sees of the turns before. Answers are names and literals, no IRIs.

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
            ModelError: the model could not be asked, or no reply could be used.
        """
        began = time.perf_counter()
        variables = {
            "question": question,
            "history": PromptHistory(history, self._context, self._settings.shown_answers),
        }
        reply = _prompted()(TracedModel(self._model, self._trace, span), variables, theta=self._settings.theta)
        found = parse_values(reply.value["answers"])
        return Answer(
            found, (1.0,) * len(found), standalone=question, confidence=float(bool(found)), usage=reply.usage,
            seconds=time.perf_counter() - began, candidate_queries=0, grounded=False,
        )  # fmt: skip

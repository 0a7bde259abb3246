"""Lets a question in if its account may ask today, and counts what becomes of it.

As a signal of the work it counts each model call and query while it happens, so that an answer that nobody waits for is
counted too.
"""

from __future__ import annotations

import logging
import time
from types import TracebackType
from typing import Literal

import anyio
from chattyshared.errors import BudgetSpent, ChattyError
from chattyshared.model import Usage

from chattykg.service.access.accounts import Account
from chattykg.service.access.daily_limits import DailyBudget
from chattykg.service.errors import RETRY_HEADERS, Failure, describe_failure
from chattykg.service.metrics import Metrics

Door = Literal["chat", "openai", "text2sparql", "chattykg", "mcp"]
"""Where a question comes in."""
_NOT_COUNTED = "the service cannot write down what is spent today: its operator can mend that"
_logger = logging.getLogger(__name__)


class AdmittedQuestion:
    """A question of an account. As an ``AnswerMeter`` it counts what the answer uses; it stops no work itself."""

    def __init__(self, metrics: Metrics, budget: DailyBudget, account: Account, door: Door, dataset: str) -> None:
        self._metrics, self._account, self._door, self._dataset = metrics, account, door, dataset
        self._budget = budget if budget.limits_any(account.limits) else None
        self._status, self._began = "error", time.perf_counter()

    async def __aenter__(self) -> AdmittedQuestion:
        """Count the question.

        Raises:
            DailyLimitReached: a limit a day is reached (429).
            Failure: 503, the question cannot be counted.
        """
        if self._budget is not None:
            try:
                await anyio.to_thread.run_sync(self._budget.begin_question, self._account.name, self._account.limits)
            except BudgetSpent as error:
                self._record(error)
                raise
            except ChattyError as error:
                _logger.warning("%s", error)
                refusal = Failure(503, _NOT_COUNTED, RETRY_HEADERS)
                self._record(refusal)
                raise refusal from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Count what became of the question."""
        self._record(error)

    def record_status(self, status: str) -> None:
        """Record the status of the answer: ``answered``, ``empty``, ``unknown`` or ``clarification``."""
        self._status = status

    def is_set(self) -> bool:
        """Tell whether the work must stop."""
        return False

    def begin_call(self, model: str, expected: Usage) -> object:
        """Check that a call of a model may begin; return the first argument of ``end_call``.

        Raises:
            DailyLimitReached: a limit is reached.
        """
        if self._budget is not None:
            self._budget.begin_call(self._account.name, self._account.limits)
        return model

    def end_call(self, call: object, usage: Usage | None) -> None:
        """Count what a call used (None: unknown)."""
        model, usage = str(call), usage or Usage(1)
        if self._budget is not None:
            self._budget.end_call(self._account.name, usage)
        name, metrics = self._account.name, self._metrics
        metrics.model_calls.labels(model, name).inc(usage.calls)
        metrics.model_tokens.labels(model, name, "prompt").inc(usage.prompt_tokens)
        metrics.model_tokens.labels(model, name, "completion").inc(usage.completion_tokens)
        if usage.usd is not None:
            metrics.model_usd.labels(model, name).inc(usage.usd)

    def count_query(self) -> None:
        """Count a query."""
        self._metrics.queries.inc()

    def _record(self, error: BaseException | None) -> None:
        if isinstance(error, Exception):
            self._status = "refused" if isinstance(error, BudgetSpent) else "error"
            self._metrics.question_errors.labels(self._door, str(describe_failure(error).status_code)).inc()
        elif error is not None:  # canceled: the client left, or the service stops
            self._status = "stopped"
        self._metrics.questions.labels(self._dataset, self._door, self._status).inc()
        self._metrics.account_questions.labels(self._account.name).inc()
        if self._status != "refused":
            self._metrics.question_seconds.labels(self._door).observe(time.perf_counter() - self._began)

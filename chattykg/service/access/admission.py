"""Lets a question in if its account may ask today, and counts what becomes of it; every route that answers uses it.

    async with admit_question(request, "chat", dataset.name) as admitted:
        answer = await parts.pool.run(work, admitted)        # or parts.pool.stream(work, admitted)
        admitted.record_status(answer.status)

The block is refused with 429 once a limit a day is reached; a stream may call ``await question.check_limits()`` before
its response begins. As a signal of the work, ``admitted`` counts each model call and query while it happens, so that an
answer that nobody waits for is counted too.
"""

from __future__ import annotations

import logging
import time
from types import TracebackType
from typing import Literal

import anyio
from chattyshared.errors import BudgetSpent, ChattyError
from chattyshared.model import Usage
from fastapi import HTTPException, Request

from chattykg.service import metrics
from chattykg.service.access.accounts import Account, account_of
from chattykg.service.dependencies import ServiceParts, parts_of
from chattykg.service.errors import describe_failure
from chattykg.service.request_limits import RETRY_HEADERS

Door = Literal["chat", "openai", "text2sparql", "chattykg", "mcp"]
"""Where a question comes in."""
_NOT_COUNTED = "the service cannot write down what is spent today: its operator can mend that"
_logger = logging.getLogger(__name__)


class AdmittedQuestion:
    """A question of an account. As an ``AnswerMeter`` it counts what the answer uses; it stops no work itself."""

    def __init__(self, parts: ServiceParts, account: Account, door: Door, dataset: str) -> None:
        self._metrics, self._account, self._door, self._dataset = parts.metrics, account, door, dataset
        self._budget = parts.budget if parts.budget.limits_any(account.limits) else None
        self._status, self._began = "error", time.perf_counter()

    async def __aenter__(self) -> AdmittedQuestion:
        """Count the question.

        Raises:
            DailyLimitReached: a limit a day is reached (429).
            HTTPException: 503, the question cannot be counted.
        """
        if self._budget is not None:
            try:
                await anyio.to_thread.run_sync(self._budget.begin_question, self._account.name, self._account.limits)
            except BudgetSpent as error:
                self._record(error)
                raise
            except ChattyError as error:
                _logger.warning("%s", error)
                refusal = HTTPException(503, _NOT_COUNTED, RETRY_HEADERS)
                self._record(refusal)
                raise refusal from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Count what became of the question."""
        self._record(error)

    async def check_limits(self) -> None:
        """Check that the question may be asked, without counting it.

        Raises:
            DailyLimitReached: a limit a day is reached (429).
        """
        if self._budget is not None:
            await anyio.to_thread.run_sync(self._budget.check_limits, self._account.name, self._account.limits)

    def record_status(self, status: str) -> None:
        """Record the status of the answer: ``answered``, ``empty``, ``unknown`` or ``clarification``."""
        self._status = status

    def is_set(self) -> bool:
        """Tell whether the work must stop."""
        return False

    def begin_call(self, model: str, expected: Usage) -> object:
        """Count a call of a model that begins; return the first argument of ``end_call``.

        Raises:
            DailyLimitReached: it would exceed a limit.
        """
        name, limits = self._account.name, self._account.limits
        return model, self._budget and self._budget.begin_call(name, limits, model, expected)

    def end_call(self, call: object, usage: Usage | None) -> None:
        """Count what a call used (None: unknown)."""
        assert isinstance(call, tuple)
        model, call_in_budget = call
        if self._budget is not None:
            self._budget.end_call(call_in_budget, usage)
        usage = usage or Usage(1)
        name, count = self._account.name, self._metrics.count
        count(metrics.MODEL_CALLS, model, name, amount=usage.calls)
        count(metrics.MODEL_TOKENS, model, name, "prompt", amount=usage.prompt_tokens)
        count(metrics.MODEL_TOKENS, model, name, "completion", amount=usage.completion_tokens)
        if usage.usd is not None:
            count(metrics.MODEL_USD, model, name, amount=usage.usd)

    def count_query(self) -> None:
        """Count a query."""
        self._metrics.count(metrics.QUERIES)

    def _record(self, error: BaseException | None) -> None:
        if isinstance(error, Exception):
            self._status = "refused" if isinstance(error, BudgetSpent) else "error"
            self._metrics.count(metrics.QUESTION_ERRORS, self._door, str(describe_failure(error).status))
        elif error is not None:  # canceled: the client left, or the service stops
            self._status = "stopped"
        self._metrics.count(metrics.QUESTIONS, self._dataset, self._door, self._status)
        self._metrics.count(metrics.ACCOUNT_QUESTIONS, self._account.name)
        if self._status != "refused":
            self._metrics.observe(metrics.QUESTION_SECONDS, self._door, seconds=time.perf_counter() - self._began)


def admit_question(request: Request, door: Door, dataset: str) -> AdmittedQuestion:
    """Return the question of a request to a known data set, to be entered with ``async with``."""
    return AdmittedQuestion(parts_of(request), account_of(request), door, dataset)

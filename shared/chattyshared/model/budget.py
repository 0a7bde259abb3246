"""Limits on the spending of a run, and a model and an endpoint that enforce them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import BudgetSpent, ModelError
from chattyshared.model import Completion, LanguageModel, Request, Usage, close_model, count_characters
from chattyshared.model.prices import FREE, Price, with_price
from chattyshared.model.spend_log import Spending, SpendLog
from chattyshared.runs.threads import StopSignal

logger = logging.getLogger(__name__)
RESUME_ADVICE = "what is finished is on disk, the same command with a higher limit goes on from there"
LIMIT_ADVICE = "a higher limit lets it go on"
"""The advice if no output is written that a run could continue."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on the spending of a run, resumed runs included; None is no limit."""

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    queries: int | None = None
    minutes: float | None = None

    @property
    def is_limited(self) -> bool:
        """Tell whether anything is limited."""
        return self != Budget()


class Meter:
    """Adds up spending, from any thread, and refuses what would exceed the budget.

    Calls and queries never exceed it. Money and tokens are known only afterwards: a call in flight counts with its
    prompt and the mean reply so far, so that many workers together exceed a limit only slightly. A meter is also a
    ``StopSignal``, set once the budget is spent.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        spend_log: SpendLog | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start from the spending of earlier runs in the log."""
        self._budget, self._spend_log, self._clock = budget or Budget(), spend_log or SpendLog(), clock
        self._spent = self._spend_log.earlier_spending
        self._started_at = self._logged_at = clock()
        self._logged_queries = self._spent.queries
        self._in_flight: list[Usage] = []
        self._unpriced_models: set[str] = set()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spending:
        """The spending so far, by this run and by the earlier runs that it continues."""
        with self._lock:
            return self._current_spending()

    @property
    def is_limited(self) -> bool:
        """Tell whether anything is limited."""
        return self._budget.is_limited

    def is_set(self) -> bool:
        """Tell whether the budget is spent and nothing new may begin."""
        with self._lock:
            return self._reached_limit() is not None

    def stop_reason(self) -> str:
        """Return a sentence with the limit that is reached; empty if none is."""
        with self._lock:
            limit = self._reached_limit()
            return self._limit_message(limit) if limit else ""

    def begin_call(self, expected: Usage) -> Usage:
        """Count one call that begins; return its expected usage, the first argument of ``end_call``.

        Raises:
            BudgetSpent: it would exceed a limit.
        """
        with self._lock:
            spent = self._current_spending()
            calls = max(1, spent.usage.calls)
            reply = spent.usage.completion_tokens // calls
            mean_usd = None if spent.usage.usd is None else spent.usage.usd / calls
            expected = replace(
                expected, completion_tokens=reply, usd=mean_usd if expected.usd is None else expected.usd
            )
            self._raise_if_reached(self._call_limit(spent, sum(self._in_flight, Usage())))
            self._in_flight.append(expected)
            return expected

    def end_call(self, expected: Usage, usage: Usage | None) -> None:
        """Count the actual usage of a call (None: unknown)."""
        with self._lock:
            self._in_flight.remove(expected)
            if usage is None:
                return
            self._spent = replace(self._spent, usage=self._spent.usage + usage)
            self._log_spending(usage)

    def count_query(self) -> None:
        """Count one query.

        Raises:
            BudgetSpent: it would go beyond a limit.
        """
        with self._lock:
            spent = self._current_spending()
            self._raise_if_reached(self._query_limit(spent) or self._time_limit(spent))
            self._spent = replace(self._spent, queries=self._spent.queries + 1)

    def add_spending(self, spent: Spending) -> None:
        """Count the spending of a remote worker with its own meter; its seconds are not added, since this clock runs
        too."""
        with self._lock:
            self._spent = replace(
                self._spent, usage=self._spent.usage + spent.usage, queries=self._spent.queries + spent.queries
            )
            if spent.usage != Usage():
                self._log_spending(spent.usage)

    def warn_unpriced(self, model: str) -> None:
        """Warn once that the price of a model is unknown, if there is a limit on money."""
        with self._lock:
            if self._budget.usd is None or model in self._unpriced_models:
                return
            self._unpriced_models.add(model)
        logger.warning(
            "no price of %s is known: --max-usd cannot count it; --price %s=PROMPT,REPLY (dollars a million tokens) "
            "says one", model, model,
        )  # fmt: skip

    def close(self) -> None:
        """Log the queries and seconds since the last call, if anything that costs or is limited has begun."""
        with self._lock:
            earlier = self._spend_log.earlier_spending
            has_new_queries = self.is_limited and self._spent.queries != earlier.queries
            try:
                if has_new_queries or self._spent.usage != earlier.usage:
                    self._log_spending(Usage())
            finally:
                self._spend_log.close()

    def _current_spending(self) -> Spending:
        return replace(self._spent, seconds=self._spend_log.earlier_spending.seconds + self._clock() - self._started_at)

    def _log_spending(self, usage: Usage) -> None:
        now, queries = self._clock(), self._spent.queries
        self._spend_log.add(Spending(usage, queries - self._logged_queries, now - self._logged_at))
        self._logged_at, self._logged_queries = now, queries

    def _call_limit(self, spent: Spending, in_flight: Usage) -> str | None:
        """Return the limit that is reached, as text."""
        budget, usage = self._budget, spent.usage
        if budget.calls is not None and usage.calls + in_flight.calls >= budget.calls:
            return f"{budget.calls} calls of the model"
        tokens = spent.tokens + in_flight.prompt_tokens + in_flight.completion_tokens
        if budget.tokens is not None and tokens >= budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.usd is not None and (usage.usd or 0) + (in_flight.usd or 0) >= budget.usd:
            return f"{budget.usd:g} USD"
        return self._time_limit(spent)

    def _reached_limit(self) -> str | None:
        spent = self._current_spending()
        return self._query_limit(spent) or self._call_limit(spent, Usage())

    def _query_limit(self, spent: Spending) -> str | None:
        maximum = self._budget.queries
        return f"{maximum} queries" if maximum is not None and spent.queries >= maximum else None

    def _time_limit(self, spent: Spending) -> str | None:
        maximum = self._budget.minutes
        return f"{maximum:g} minutes" if maximum is not None and spent.seconds >= 60 * maximum else None

    def _raise_if_reached(self, limit: str | None) -> None:
        if limit is not None:
            raise BudgetSpent(self._limit_message(limit))

    def _limit_message(self, limit: str) -> str:
        location, advice = (
            (f", counted in {self._spend_log.path}", RESUME_ADVICE) if self._spend_log.path else ("", LIMIT_ADVICE)
        )
        return f"the limit of {limit} is reached ({self._current_spending().render_summary()}{location}); {advice}"


class BudgetedModel:
    """A model whose calls are priced, counted, and refused once the budget is spent."""

    def __init__(self, model: LanguageModel, meter: Meter, price: Price | None = None) -> None:
        self._model, self._meter, self._price = model, meter, price

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete one request; the usage has its price, if that is known.

        Raises:
            BudgetSpent: a limit is reached; no call was made.
            ModelError: as the model raises it; its usage is counted too.
        """
        expected = self._meter.begin_call(with_price(Usage(1, count_characters(request) // 4), self._price))
        usage: Usage | None = None
        try:
            completion = self._model.complete(request)
            usage = with_price(completion.usage, self._price)
        except ModelError as error:
            if error.usage is not None:
                usage = error.usage = with_price(error.usage, self._price)
            raise
        finally:
            self._meter.end_call(expected, usage)
        if usage.usd is None and self._price is not FREE:
            self._meter.warn_unpriced(self.name)
        return replace(completion, usage=usage)

    def close(self) -> None:
        """Close the model within."""
        close_model(self._model)


class BudgetedEndpoint:
    """An endpoint whose queries are counted and refused once the budget is spent."""

    def __init__(self, endpoint: Endpoint, meter: Meter) -> None:
        self.name = endpoint.name
        self._endpoint, self._meter = endpoint, meter

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query.

        Raises:
            BudgetSpent: a limit is reached; nothing was asked.
        """
        self._meter.count_query()
        return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        """Run an ASK query.

        Raises:
            BudgetSpent: a limit is reached; nothing was asked.
        """
        self._meter.count_query()
        return self._endpoint.ask(query)

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries; they are counted too."""
        return BudgetedEndpoint(self._endpoint.untrusted_view(stop), self._meter)

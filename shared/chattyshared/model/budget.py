"""Limits on what a run may spend, and a model and an endpoint that keep them."""

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

logger = logging.getLogger(__name__)
GOES_ON = "what is finished is on disk, the same command with a higher limit goes on from there"
HIGHER = "a higher limit lets it go on"
"""What is said where nothing is written that could be gone on with."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend in all, resumed runs included; None is any amount."""

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
    """Adds up what is spent, from any thread, and stops what would go beyond the budget.

    Calls and queries never go beyond it. Money and tokens are known only afterwards: a call in flight is counted with
    its prompt and with the mean reply so far, so that many workers together go beyond a limit by little.
    It is also a ``Stop`` of the work: set, once the budget is spent.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        ledger: SpendLog | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Count from what the ledger's earlier runs have spent."""
        self._budget, self._ledger, self._clock = budget or Budget(), ledger or SpendLog(), clock
        self._spent = self._ledger.earlier_spending
        self._began = self._told = clock()
        self._queries_told = self._spent.queries
        self._in_flight: list[Usage] = []
        self._unknown: set[str] = set()
        self._lock = threading.Lock()

    @property
    def spent(self) -> Spending:
        """What was spent so far, by this run and by earlier ones that it goes on from."""
        with self._lock:
            return self._now()

    @property
    def is_limited(self) -> bool:
        """Tell whether anything is limited."""
        return self._budget.is_limited

    def is_set(self) -> bool:
        """Tell whether the budget is spent, so that nothing new may begin."""
        with self._lock:
            return self._reached() is not None

    def stop_reason(self) -> str:
        """Return the sentence that says which limit is reached; empty if none is."""
        with self._lock:
            limit = self._reached()
            return self._sentence(limit) if limit else ""

    def begin_call(self, expected: Usage) -> Usage:
        """Count one call that begins; returns what has to be given back to ``end``.

        Raises:
            BudgetSpent: it would go beyond a limit.
        """
        with self._lock:
            now = self._now()
            calls = max(1, now.usage.calls)
            reply = now.usage.completion_tokens // calls
            price = None if now.usage.usd is None else now.usage.usd / calls
            expected = replace(expected, completion_tokens=reply, usd=price if expected.usd is None else expected.usd)
            self._refuse(self._beyond(now, sum(self._in_flight, Usage())))
            self._in_flight.append(expected)
            return expected

    def end_call(self, expected: Usage, used: Usage | None) -> None:
        """Count what a call has really used (None: nothing that is known)."""
        with self._lock:
            self._in_flight.remove(expected)
            if used is None:
                return
            self._spent = replace(self._spent, usage=self._spent.usage + used)
            self._tell(used)

    def count_query(self) -> None:
        """Count one query.

        Raises:
            BudgetSpent: it would go beyond a limit.
        """
        with self._lock:
            now = self._now()
            self._refuse(self._asked_enough(now) or self._late(now))
            self._spent = replace(self._spent, queries=self._spent.queries + 1)

    def add_spending(self, spent: Spending) -> None:
        """Count what was spent elsewhere, by a worker with a meter of its own; its seconds pass here as well."""
        with self._lock:
            self._spent = replace(
                self._spent, usage=self._spent.usage + spent.usage, queries=self._spent.queries + spent.queries
            )
            if spent.usage != Usage():
                self._tell(spent.usage)

    def warn_unpriced(self, model: str) -> None:
        """Say, once, that no price of a model is known, if there is a limit on money."""
        with self._lock:
            if self._budget.usd is None or model in self._unknown:
                return
            self._unknown.add(model)
        logger.warning(
            "no price of %s is known: --max-usd cannot count it; --price %s=PROMPT,REPLY (dollars a million tokens) "
            "says one", model, model,
        )  # fmt: skip

    def close(self) -> None:
        """Write what the last calls left untold (queries, seconds), if something was begun that costs or is limited."""
        with self._lock:
            earlier = self._ledger.earlier_spending
            begun = self.is_limited and self._spent.queries != earlier.queries
            try:
                if begun or self._spent.usage != earlier.usage:
                    self._tell(Usage())
            finally:
                self._ledger.close()

    def _now(self) -> Spending:
        return replace(self._spent, seconds=self._ledger.earlier_spending.seconds + self._clock() - self._began)

    def _tell(self, used: Usage) -> None:
        now, queries = self._clock(), self._spent.queries
        self._ledger.add(Spending(used, queries - self._queries_told, now - self._told))
        self._told, self._queries_told = now, queries

    def _beyond(self, now: Spending, flying: Usage) -> str | None:
        """Return the limit that was reached, in words."""
        budget, usage = self._budget, now.usage
        if budget.calls is not None and usage.calls + flying.calls >= budget.calls:
            return f"{budget.calls} calls of the model"
        tokens = now.tokens + flying.prompt_tokens + flying.completion_tokens
        if budget.tokens is not None and tokens >= budget.tokens:
            return f"{budget.tokens} tokens"
        if budget.usd is not None and (usage.usd or 0) + (flying.usd or 0) >= budget.usd:
            return f"{budget.usd:g} USD"
        return self._late(now)

    def _reached(self) -> str | None:
        now = self._now()
        return self._asked_enough(now) or self._beyond(now, Usage())

    def _asked_enough(self, now: Spending) -> str | None:
        most = self._budget.queries
        return f"{most} queries" if most is not None and now.queries >= most else None

    def _late(self, now: Spending) -> str | None:
        most = self._budget.minutes
        return f"{most:g} minutes" if most is not None and now.seconds >= 60 * most else None

    def _refuse(self, limit: str | None) -> None:
        if limit is not None:
            raise BudgetSpent(self._sentence(limit))

    def _sentence(self, limit: str) -> str:
        counted, next_ = (f", counted in {self._ledger.path}", GOES_ON) if self._ledger.path else ("", HIGHER)
        return f"the limit of {limit} is reached ({self._now().render_summary()}{counted}); {next_}"


class BudgetedModel:
    """A model whose calls are priced and counted, and refused once the budget is spent."""

    def __init__(self, model: LanguageModel, meter: Meter, price: Price | None = None) -> None:
        self._model, self._meter, self._price = model, meter, price

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete; the usage carries its price, where one is known.

        Raises:
            BudgetSpent: a limit is reached; nothing was asked.
            ModelError: as one of its kinds; what it used is counted too.
        """
        expected = self._meter.begin_call(with_price(Usage(1, count_characters(request) // 4), self._price))
        used: Usage | None = None
        try:
            completion = self._model.complete(request)
            used = with_price(completion.usage, self._price)
        except ModelError as error:
            if error.usage is not None:
                used = error.usage = with_price(error.usage, self._price)
            raise
        finally:
            self._meter.end_call(expected, used)
        if used.usd is None and self._price is not FREE:
            self._meter.warn_unpriced(self.name)
        return replace(completion, usage=used)

    def close(self) -> None:
        """Close the model within."""
        close_model(self._model)


class BudgetedEndpoint:
    """An endpoint whose queries are counted, and refused once the budget is spent."""

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

    def untrusted_view(self) -> Endpoint:
        """Return the view for queries that we did not build; they are counted too."""
        return BudgetedEndpoint(self._endpoint.untrusted_view(), self._meter)

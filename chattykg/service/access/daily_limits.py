"""Limits a day for the whole service and for single accounts; what was spent is kept in a file, by UTC day.

An account is who sends requests: the name of an API key, or "" for everybody where no keys are asked for.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from chattyshared.errors import BudgetSpent, ConfigError, StorageFailed
from chattyshared.model import Usage
from chattyshared.sqlite_file import SQLiteFile

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS daily_spending (day TEXT, account TEXT, questions INTEGER, calls INTEGER, "
    "tokens INTEGER, completion_tokens INTEGER, usd REAL, PRIMARY KEY (day, account)) WITHOUT ROWID"
)
_ADD = (
    "INSERT INTO daily_spending VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, account) DO UPDATE SET "
    "questions = questions + excluded.questions, calls = calls + excluded.calls, tokens = tokens + excluded.tokens, "
    "completion_tokens = completion_tokens + excluded.completion_tokens, usd = usd + excluded.usd"
)
_TROUBLE = "{path}: what was spent today cannot be kept there ({error})"
_WARNING_PAUSE = 60
"""Seconds between two warnings that the file cannot be written."""
_logger = logging.getLogger(__name__)


class DailyLimitReached(BudgetSpent):
    """A limit a day is reached; ``seconds`` are those until the next day begins."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class DailyLimits:
    """What may be spent in a UTC day; None is no limit."""

    questions: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class DailySpending:
    """What was spent in a day; ``tokens`` are those of prompts and replies, ``completion_tokens`` those of replies."""

    questions: int = 0
    calls: int = 0
    tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: DailySpending) -> DailySpending:
        return DailySpending(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass(frozen=True, slots=True)
class LimitState:
    """A limit with what is left of it; ``scope`` is ``service`` or ``key``, ``what`` such as ``questions``."""

    scope: str
    what: str
    limit: float
    left: float

    def describe(self) -> str:
        """Return a sentence for the client once the limit is reached."""
        amount = f"{self.limit:g} USD" if self.what == "usd" else f"{self.limit:,} {self.what}"
        owner = "your key's limit" if self.scope == "key" else "the service's limit"
        return f"{owner} of {amount} a day is reached; it begins anew at 00:00 UTC"


@dataclass(frozen=True, eq=False, slots=True)
class _Call:
    """A model call in flight, with what it is expected to spend."""

    account: str
    expected: DailySpending


class DailyBudget:
    """Counts what the accounts spend and refuses what would exceed a limit. It is thread-safe.

    Money and tokens of a call are known afterwards; a call in flight counts with its prompt and the mean reply so far,
    so that many questions at once exceed a limit only slightly. The clock decides which day it is: if it jumps back,
    the spending of the earlier day counts again.

    Raises:
        ConfigError: the file cannot be read or written.
    """

    def __init__(
        self,
        limits: DailyLimits | None = None,
        path: Path | None = None,
        *,
        price_of: Callable[[str, Usage], float | None] = lambda model, usage: usage.usd,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``path`` (None: memory) keeps the spending; ``price_of`` returns the price of a model's expected usage."""
        self.limits, self._price_of, self._clock = limits or DailyLimits(), price_of, clock
        self._file = SQLiteFile(path or Path(":memory:"), _SCHEMA, _TROUBLE)
        self._lock = threading.Lock()
        self._day, self._spent = "", dict[str, DailySpending]()
        self._unwritten: dict[tuple[str, str], DailySpending] = {}
        self._in_flight: set[_Call] = set()
        self._warned_at = -math.inf
        with self._lock:
            self._all_days = sum((spent for _, spent in self._read("TRUE")), DailySpending())
            self._turn_to_today()
            self._add("", DailySpending())
            self._write()

    def limits_any(self, limits: DailyLimits) -> bool:
        """Tell whether anything is limited for an account with its own limits."""
        return (self.limits, limits) != (DailyLimits(), DailyLimits())

    def check_limits(self, account: str, limits: DailyLimits) -> None:
        """Check that an account may ask a question.

        Raises:
            DailyLimitReached: a limit is reached.
        """
        with self._lock:
            self._turn_to_today()
            self._refuse_beyond(account, limits)

    def begin_question(self, account: str, limits: DailyLimits) -> None:
        """Count a question of an account with its own limits.

        Raises:
            DailyLimitReached: a limit is reached.
            ConfigError, StorageFailed: the file cannot be written, so that a restart would forget the question.
        """
        with self._lock:
            self._turn_to_today()
            self._refuse_beyond(account, limits)
            self._add(account, DailySpending(questions=1))
            self._write()

    def begin_call(self, account: str, limits: DailyLimits, model: str, expected: Usage) -> object:
        """Count a model call that begins; return the first argument of ``end_call``.

        Raises:
            DailyLimitReached: a limit of tokens or money is reached.
        """
        with self._lock:
            self._turn_to_today()
            self._refuse_beyond(account, replace(limits, questions=None), replace(self.limits, questions=None))
            calls = max(1, self._all_days.calls)
            reply, mean_usd = self._all_days.completion_tokens // calls, self._all_days.usd / calls
            usd = self._price_of(model, replace(expected, completion_tokens=reply))
            tokens = expected.prompt_tokens + reply
            call = _Call(account, DailySpending(0, 1, tokens, reply, mean_usd if usd is None else usd))
            self._in_flight.add(call)
            return call

    def end_call(self, call: object, usage: Usage | None) -> None:
        """Count what a call used (None: unknown). If the file cannot be written, the next question is refused."""
        assert isinstance(call, _Call)
        with self._lock:
            if call not in self._in_flight:
                return
            self._in_flight.remove(call)
            self._turn_to_today()
            if usage is not None and usage.calls:
                tokens = usage.prompt_tokens + usage.completion_tokens
                spent = DailySpending(0, usage.calls, tokens, usage.completion_tokens, usage.usd or 0.0)
                self._add(call.account, spent)
                self._write_or_warn()

    def describe(self, account: str, limits: DailyLimits) -> list[dict[str, Any]]:
        """Return each limit that an account has, with what is left and when it begins anew, for clients."""
        with self._lock:
            self._turn_to_today()
            resets = f"{self._next_day():%Y-%m-%dT%H:%M:%SZ}"
            return [
                {
                    "what": f"{state.what.replace('usd', 'USD')} a day",
                    "limit": state.limit,
                    "left": round(max(0, state.left), 6),
                    "of": state.scope,
                    "resets": resets,
                }
                for state in self._states(account, limits, self.limits)
            ]

    def close(self) -> None:
        """Write what is not written; calls that are still in flight count as expected."""
        with self._lock:
            for call in self._in_flight:
                self._add(call.account, call.expected)
            self._in_flight.clear()
            self._write_or_warn()
            self._file.close()

    def _refuse_beyond(self, account: str, limits: DailyLimits, service_limits: DailyLimits | None = None) -> None:
        """Refuse if a limit is reached, calls in flight included.

        Raises:
            DailyLimitReached: one is.
        """
        for state in self._states(account, limits, service_limits or self.limits):
            if state.left <= 0:
                raise DailyLimitReached(state.describe(), int((self._next_day() - self._now()).total_seconds()) + 1)

    def _states(self, account: str, limits: DailyLimits, service_limits: DailyLimits) -> list[LimitState]:
        own = sum((call.expected for call in self._in_flight if call.account == account), DailySpending())
        all_calls = sum((call.expected for call in self._in_flight), DailySpending())
        scopes = (
            ("key", limits, self._spent.get(account, DailySpending()) + own),
            ("service", service_limits, sum(self._spent.values(), all_calls)),
        )
        return [
            LimitState(scope, each.name, limit, limit - getattr(spent, each.name))
            for scope, bounds, spent in scopes
            for each in fields(bounds)
            if (limit := getattr(bounds, each.name)) is not None
        ]

    def _turn_to_today(self) -> None:
        """Load the spending of the day that the clock shows."""
        day = f"{self._now():%Y-%m-%d}"
        if day == self._day:
            return
        self._spent = dict(self._read("day = ?", day))
        for (unwritten_day, account), spent in self._unwritten.items():
            if unwritten_day == day:
                self._spent[account] = self._spent.get(account, DailySpending()) + spent
        self._day = day

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    def _next_day(self) -> datetime:
        return (self._now() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)

    def _add(self, account: str, spent: DailySpending) -> None:
        key = (self._day, account)
        self._spent[account] = self._spent.get(account, DailySpending()) + spent
        self._unwritten[key] = self._unwritten.get(key, DailySpending()) + spent
        self._all_days += spent

    def _write(self) -> None:
        """Write what is not written yet, as one transaction.

        Raises:
            ConfigError, StorageFailed: the file cannot be written.
        """
        rows = [(*key, *astuple(spent)) for key, spent in self._unwritten.items()]
        with self._file.connect() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(_ADD, rows)
                connection.execute("COMMIT")
            except sqlite3.Error:
                connection.execute("ROLLBACK")
                raise
        self._unwritten.clear()

    def _write_or_warn(self) -> None:
        try:
            self._write()
        except (ConfigError, StorageFailed) as error:
            if time.monotonic() - self._warned_at > _WARNING_PAUSE:
                self._warned_at = time.monotonic()
                _logger.warning("%s; no question is taken until it can", error)

    def _read(self, condition: str, *values: str) -> list[tuple[str, DailySpending]]:
        columns = ", ".join(each.name for each in fields(DailySpending))
        statement = f"SELECT account, {columns} FROM daily_spending WHERE {condition}"  # noqa: S608
        with self._file.connect(TypeError, ValueError) as connection:
            return [(account, DailySpending(*row)) for account, *row in connection.execute(statement, values)]

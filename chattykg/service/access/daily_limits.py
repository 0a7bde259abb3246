"""Limits a day for the whole service and for single accounts; what was spent is kept in a file, by UTC day.

An account is who sends requests: the name of an API key, or "" for everybody where no keys are asked for.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from chattyshared.errors import BudgetSpent, ConfigError, StorageFailed
from chattyshared.model import Usage
from chattyshared.sqlite_file import SQLiteFile

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS daily_spending (day TEXT, account TEXT, questions INTEGER, tokens INTEGER, usd REAL, "
    "PRIMARY KEY (day, account)) WITHOUT ROWID"
)
_ADD = (
    "INSERT INTO daily_spending (day, account, questions, tokens, usd) VALUES (?, ?, ?, ?, ?) ON CONFLICT (day, "
    "account) DO UPDATE SET questions = questions + excluded.questions, tokens = tokens + excluded.tokens, "
    "usd = usd + excluded.usd"
)
_READ = "SELECT total(questions), total(tokens), total(usd) FROM daily_spending WHERE day = ? AND ? IN (account, '*')"
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


class DailyBudget:
    """Counts what the accounts spend and refuses what would exceed a limit. It is thread-safe.

    A question counts when it begins, a model call when it has ended: so many calls at once exceed a limit by less than
    one call each. The clock decides which day it is: if it jumps back, the spending of the earlier day counts again.

    Raises:
        ConfigError: the file cannot be read or written.
    """

    def __init__(
        self, limits: DailyLimits | None = None, path: Path | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        """``path`` (None: memory) keeps the spending."""
        self.limits, self._clock = limits or DailyLimits(), clock
        self._file = SQLiteFile(path or Path(":memory:"), _SCHEMA, _TROUBLE)
        self._lock = threading.Lock()
        self._unwritten: list[tuple[object, ...]] = []
        self._warned_at = -math.inf
        with self._lock:
            self._write("")

    def limits_any(self, limits: DailyLimits) -> bool:
        """Tell whether anything is limited for an account with its own limits."""
        return (self.limits, limits) != (DailyLimits(), DailyLimits())

    def begin_question(self, account: str, limits: DailyLimits) -> None:
        """Count a question of an account with its own limits.

        Raises:
            DailyLimitReached: a limit is reached.
            ConfigError, StorageFailed: the file cannot be written, so that a restart would forget the question.
        """
        with self._lock:
            self._refuse_beyond(account, limits, self.limits)
            self._write(account, questions=1)

    def begin_call(self, account: str, limits: DailyLimits) -> None:
        """Check that an account may call a model.

        Raises:
            DailyLimitReached: a limit of tokens or money is reached.
            ConfigError, StorageFailed: what was spent before cannot be written.
        """
        with self._lock:
            self._refuse_beyond(account, replace(limits, questions=None), replace(self.limits, questions=None))

    def end_call(self, account: str, usage: Usage) -> None:
        """Count what a call used. If the file cannot be written, the next question or call is refused."""
        with self._lock:
            try:
                self._write(account, tokens=usage.prompt_tokens + usage.completion_tokens, usd=usage.usd or 0.0)
            except (ConfigError, StorageFailed) as error:
                if time.monotonic() - self._warned_at > _WARNING_PAUSE:
                    self._warned_at = time.monotonic()
                    _logger.warning("%s; no question is taken until it can", error)

    def describe(self, account: str, limits: DailyLimits) -> list[dict[str, Any]]:
        """Return each limit that an account has, with what is left and when it begins anew, for clients."""
        with self._lock:
            return [
                {
                    "what": f"{what.replace('usd', 'USD')} a day",
                    "limit": limit,
                    "left": round(max(0, left), 6),
                    "of": scope,
                    "resets": f"{self._next_day():%Y-%m-%dT%H:%M:%SZ}",
                }
                for scope, what, limit, left in self._states(account, limits, self.limits)
            ]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _refuse_beyond(self, account: str, limits: DailyLimits, service_limits: DailyLimits) -> None:
        self._write_unwritten()
        for scope, what, limit, left in self._states(account, limits, service_limits):
            if left <= 0:
                amount = f"{limit:g} USD" if what == "usd" else f"{limit:,} {what}"
                owner = "your key's limit" if scope == "key" else "the service's limit"
                message = f"{owner} of {amount} a day is reached; it begins anew at 00:00 UTC"
                raise DailyLimitReached(message, int((self._next_day() - self._now()).total_seconds()) + 1)

    def _states(
        self, account: str, limits: DailyLimits, service_limits: DailyLimits
    ) -> Iterator[tuple[str, str, float, float]]:
        """Yield the scope (``key`` or ``service``), the name, and the amount of each limit, with what is left of it."""
        for scope, owner, bounds in (("key", account, limits), ("service", "*", service_limits)):
            with self._file.connect() as connection:
                spent = connection.execute(_READ, (self._today(), owner)).fetchone()
            for each, amount in zip(fields(bounds), spent, strict=True):
                limit = getattr(bounds, each.name)
                if limit is not None:
                    yield scope, each.name, limit, limit - amount

    def _today(self) -> str:
        return f"{self._now():%Y-%m-%d}"

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    def _next_day(self) -> datetime:
        return (self._now() + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)

    def _write(self, account: str, questions: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        """Write what was spent, or keep it for the next time.

        Raises:
            ConfigError, StorageFailed: the file cannot be written.
        """
        self._unwritten.append((self._today(), account, questions, tokens, usd))
        self._write_unwritten()

    def _write_unwritten(self) -> None:
        while self._unwritten:
            with self._file.connect() as connection:
                connection.execute(_ADD, self._unwritten[-1])
            self._unwritten.pop()

"""When a server that failed is asked again: waits between retries, and a circuit breaker after repeated failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chattyshared.endpoint.connection_options import DEFAULT_TIMEOUT

RETRIES = 6
"""Retries for a busy or unreachable server; the delays double and add up to 31 s, which is about a server's restart."""
_FIRST_DELAY = 0.5
"""Seconds before the first retry."""
MAX_FAILURES, PAUSE_SECONDS = 3, 30.0
"""Failures in a row (each after all retries) that open the circuit, and seconds until one query is let through."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds that an answer may take, retries for a busy or unreachable server, and the longest delay in seconds."""

    timeout: float = DEFAULT_TIMEOUT
    retries: int = RETRIES
    max_delay: float = 60

    def delays(self) -> Iterator[float]:
        """Yield the seconds before each retry, for a server that does not name them."""
        for number in range(self.retries):
            yield min(_FIRST_DELAY * 2**number, self.max_delay)


class CircuitBreaker:
    """Counts failures in a row, from any thread (M. Nygard, Release It!, "Circuit Breaker").

    Closed: every query passes. Open, after ``max_failures`` failures in a row: no query passes for ``pause_seconds``.
    Then one query passes; its success closes the circuit, its failure opens it again.
    """

    def __init__(
        self,
        *,
        max_failures: int = MAX_FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_failures, self._pause_seconds, self._clock = max_failures, pause_seconds, clock
        self._failures, self._last_reason = 0, ""
        self._opened_at: float | None = None
        self._lock = threading.Lock()

    def open_reason(self) -> str:
        """Return why no query may be sent now; empty if one may.

        After an empty reason the caller sends a query and records its success or failure.
        """
        with self._lock:
            if self._opened_at is None:
                return ""
            rest = self._opened_at + self._pause_seconds - self._clock()
            if rest <= 0:
                self._opened_at = self._clock()  # this query is sent, the others wait for its outcome
                return ""
            reason = self._last_reason
            return f"left alone for {rest:.0f} s after {self._failures} failures in a row (the last: {reason})"

    def record_success(self) -> None:
        """Record that the server answered, even if it rejected the query."""
        with self._lock:
            self._failures, self._opened_at = 0, None

    def record_failure(self, reason: str) -> None:
        """Record that the server did not answer, after all retries."""
        with self._lock:
            self._failures, self._last_reason = self._failures + 1, reason
            if self._failures >= self._max_failures:
                self._opened_at = self._clock()

"""A circuit breaker: a server that has failed again and again is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MAX_FAILURES, PAUSE_SECONDS = 3, 30.0
"""Failures in a row (each after all retries) that open the circuit, and seconds until one query is tried again."""


class CircuitBreaker:
    """Counts failures in a row, from any thread (M. Nygard, Release It!, "Circuit Breaker").

    Closed: everything passes. Open, after ``most`` failures in a row: nothing passes for ``pause`` seconds. Then one
    query passes, and says by its success or failure how it goes on.
    """

    def __init__(
        self,
        *,
        max_failures: int = MAX_FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._pause, self._clock = max_failures, pause_seconds, clock
        self._failures, self._last = 0, ""
        self._opened: float | None = None
        self._lock = threading.Lock()

    def open_reason(self) -> str:
        """Return why nothing may be asked now, or nothing: then ask, and tell by ``well`` or ``failed`` how it went."""
        with self._lock:
            if self._opened is None:
                return ""
            rest = self._opened + self._pause - self._clock()
            if rest <= 0:
                self._opened = self._clock()  # this one is tried, the others wait for what comes of it
                return ""
            return f"left alone for {rest:.0f} s after {self._failures} failures in a row (the last: {self._last})"

    def record_success(self) -> None:
        """Hear that the server has answered, whatever it said to the query."""
        with self._lock:
            self._failures, self._opened = 0, None

    def record_failure(self, reason: str) -> None:
        """Hear that the server did not answer, after all retries."""
        with self._lock:
            self._failures, self._last = self._failures + 1, reason
            if self._failures >= self._most:
                self._opened = self._clock()

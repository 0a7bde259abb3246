"""A circuit breaker: a server that has failed again and again is left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

MOST, PAUSE = 3, 30.0
"""Failures in a row (each after all retries) that open the circuit, and seconds until one query is tried again."""


class Breaker:
    """Counts failures in a row, from any thread (M. Nygard, Release It!, "Circuit Breaker").

    Closed: everything passes. Open, after ``most`` failures in a row: nothing passes for ``pause`` seconds. Then one
    query passes, and says by its success or failure how it goes on.
    """

    def __init__(self, *, most: int = MOST, pause: float = PAUSE, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._pause, self._clock = most, pause, clock
        self._failures, self._last = 0, ""
        self._opened: float | None = None
        self._lock = threading.Lock()

    def refused(self) -> str:
        """Return why nothing may be asked now, or nothing: then ask, and tell by ``well`` or ``failed`` how it went."""
        with self._lock:
            if self._opened is None:
                return ""
            rest = self._opened + self._pause - self._clock()
            if rest <= 0:
                self._opened = self._clock()  # this one is tried, the others wait for what comes of it
                return ""
            return f"left alone for {rest:.0f} s after {self._failures} failures in a row (the last: {self._last})"

    def well(self) -> None:
        """Hear that the server has answered, whatever it said to the query."""
        with self._lock:
            self._failures, self._opened = 0, None

    def failed(self, why: str) -> None:
        """Hear that the server did not answer, after all retries."""
        with self._lock:
            self._failures, self._last = self._failures + 1, why
            if self._failures >= self._most:
                self._opened = self._clock()

"""How often a SPARQL server is asked: at most so many requests a second, and not before it wants to be asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class EndpointRateLimiter:
    """Lets requests begin one after another, from any thread; ``clock`` and ``sleep`` are those of ``time``."""

    def __init__(
        self,
        requests_per_second: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the most requests a second; None is any number."""
        self._gap = 1 / requests_per_second if requests_per_second else 0.0
        self._clock, self.sleep = clock, sleep
        self._next = float("-inf")
        self._lock = threading.Lock()

    def acquire(self) -> None:
        """Wait until the next request may begin."""
        if not self._gap:
            return
        with self._lock:
            now = self._clock()
            begins = max(now, self._next)
            self._next = begins + self._gap
        if begins > now:
            self.sleep(begins - now)

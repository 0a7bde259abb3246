"""Rate limits of servers, shared by threads: for model servers an adaptive number of concurrent calls with limits per
minute, for SPARQL endpoints an even spacing of requests."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

MINUTE = 60.0


def parse_retry_after(header: str | None) -> float | None:
    """Return the seconds that a header Retry-After (a number or an HTTP date) asks to wait, at least 0; None if it
    cannot be read."""
    readings: tuple[Callable[[str], float], ...] = (
        float,
        lambda text: parsedate_to_datetime(text).timestamp() - time.time(),
    )
    for read in readings:
        with suppress(ValueError, TypeError, OverflowError):
            seconds = read(header or "")
            return max(0.0, seconds) if math.isfinite(seconds) else None
    return None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The limits of the user or of the provider's plan; None is no limit."""

    max_concurrent: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


@dataclass(slots=True, eq=False)
class Call:
    """One call in flight: when it began, the halvings of the limit before it, and its estimated or real tokens."""

    began: float
    halvings: int
    tokens: int


class RateLimiter:
    """Lets calls to a model server begin as the limits and the server allow.

    The number of concurrent calls starts at the limit, is halved when the server says that it is busy, and grows by
    about one for each full round of successes (additive increase, multiplicative decrease; RFC 5681, section 3.1).
    Calls that were in flight together and are refused together halve it once. Minutes are sliding windows.
    ``clock`` and ``sleep`` are those of ``time``, or a test's.
    """

    def __init__(
        self,
        limits: RateLimits | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits = limits or RateLimits()
        self._clock, self._sleep = clock, sleep
        self._free = threading.Condition()
        self._concurrency = float(max(1, self._limits.max_concurrent))
        self._in_flight = 0
        self._halvings = 0
        self._closed_until = float("-inf")
        self._window: deque[Call] = deque()

    @property
    def concurrency_limit(self) -> int:
        """The number of calls that may be in flight now."""
        return max(1, int(self._concurrency))

    def begin_call(self, tokens: int) -> Call:
        """Wait until a call of about ``tokens`` tokens may begin, and count it; every begun call must be ended."""
        while True:
            with self._free:
                while self._in_flight >= self.concurrency_limit:
                    self._free.wait()
                now = self._clock()
                wait = self._seconds_to_wait(now, tokens)
                if wait <= 0:
                    call = Call(now, self._halvings, tokens)
                    self._window.append(call)
                    self._in_flight += 1
                    return call
            self._sleep(wait)

    def end_call(
        self, call: Call, *, tokens: int | None = None, is_busy: bool = False, is_success: bool = False
    ) -> None:
        """End a call, with the tokens that it really used, and adapt the concurrency to a busy or a good answer."""
        with self._free:
            self._in_flight -= 1
            if tokens is not None:
                call.tokens = tokens
            if is_busy and call.halvings == self._halvings:
                # If fewer calls are in flight than the limit allows, their number was too large.
                self._concurrency = max(1.0, min(self._concurrency, self._in_flight + 1) / 2)
                self._halvings += 1
            if is_success:
                self._concurrency = min(
                    float(max(1, self._limits.max_concurrent)), self._concurrency + 1 / self._concurrency
                )
            self._free.notify_all()

    def pause(self, seconds: float) -> None:
        """Let no call begin for some seconds, as the server asked."""
        with self._free:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _seconds_to_wait(self, now: float, tokens: int) -> float:
        """Return the seconds until a call may begin, as far as is known now."""
        while self._window and self._window[0].began <= now - MINUTE:
            self._window.popleft()
        waits = [self._closed_until - now]
        max_requests, max_tokens = self._limits.requests_per_minute, self._limits.tokens_per_minute
        if max_requests is not None and len(self._window) >= max(1, max_requests):
            waits.append(self._window[0].began + MINUTE - now)
        if max_tokens is not None and self._window and sum(call.tokens for call in self._window) + tokens > max_tokens:
            # A single call that is larger than the limit is let through in an empty minute.
            waits.append(self._window[0].began + MINUTE - now)
        return max(waits)


class EndpointRateLimiter:
    """Spaces the requests to a SPARQL endpoint evenly; ``clock`` and ``sleep`` are those of ``time``, or a test's."""

    def __init__(
        self,
        requests_per_second: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Set the requests per second; None is no limit."""
        self._interval = 1 / requests_per_second if requests_per_second else 0.0
        self._clock, self._sleep = clock, sleep
        self._next_start = float("-inf")
        self._lock = threading.Lock()

    def acquire(self) -> None:
        """Wait until the next request may begin."""
        if not self._interval:
            return
        with self._lock:
            now = self._clock()
            start = max(now, self._next_start)
            self._next_start = start + self._interval
        if start > now:
            self._sleep(start - now)

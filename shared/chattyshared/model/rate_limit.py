"""How fast a model server may be asked: calls in flight that adapt to it, and limits per minute; shared by threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What the user, or the provider's plan, allows: calls at once, requests and tokens a minute (None: any number)."""

    max_concurrent: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


@dataclass(slots=True, eq=False)
class Call:
    """One call in flight: when it began, after how many halvings, and the tokens that it is counted with."""

    began: float
    halvings: int
    tokens: int


class RateLimiter:
    """Lets calls begin, one after another, as the limits and the server allow.

    The number of calls at once begins at the limit, is halved when the server says that it is busy, and creeps up by
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
        self._at_once = float(max(1, self._limits.max_concurrent))
        self._in_flight = 0
        self._halvings = 0
        self._closed_until = float("-inf")
        self._window: deque[Call] = deque()

    @property
    def concurrency_limit(self) -> int:
        """How many calls may be in flight now."""
        return max(1, int(self._at_once))

    def begin_call(self, tokens: int) -> Call:
        """Wait until a call of about so many tokens may begin, and count it; every begun call has to be ended."""
        while True:
            with self._free:
                while self._in_flight >= self.concurrency_limit:
                    self._free.wait()
                now = self._clock()
                wait = self._wait(now, tokens)
                if wait <= 0:
                    call = Call(now, self._halvings, tokens)
                    self._window.append(call)
                    self._in_flight += 1
                    return call
            self._sleep(wait)

    def end_call(
        self, call: Call, *, tokens: int | None = None, is_busy: bool = False, is_success: bool = False
    ) -> None:
        """Take a call out of flight, with the tokens that it really used; learn from a busy or a good answer."""
        with self._free:
            self._in_flight -= 1
            if tokens is not None:
                call.tokens = tokens
            if is_busy and call.halvings == self._halvings:
                # Where fewer are in flight than were allowed, it is their number that was too many.
                self._at_once = max(1.0, min(self._at_once, self._in_flight + 1) / 2)
                self._halvings += 1
            if is_success:
                self._at_once = min(float(max(1, self._limits.max_concurrent)), self._at_once + 1 / self._at_once)
            self._free.notify_all()

    def pause(self, seconds: float) -> None:
        """Let no call begin for some seconds: the server has asked for it."""
        with self._free:
            self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _wait(self, now: float, tokens: int) -> float:
        """Return the seconds until a call may begin, by what is known now."""
        while self._window and self._window[0].began <= now - MINUTE:
            self._window.popleft()
        waits = [self._closed_until - now]
        requests, most = self._limits.requests_per_minute, self._limits.tokens_per_minute
        if requests is not None and len(self._window) >= max(1, requests):
            waits.append(self._window[0].began + MINUTE - now)
        if most is not None and self._window and sum(call.tokens for call in self._window) + tokens > most:
            # A single call that is larger than the limit has to be tried: in an empty minute.
            waits.append(self._window[0].began + MINUTE - now)
        return max(waits)

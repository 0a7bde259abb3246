"""A clock that stands still but for the sleep of those who ask it."""

from __future__ import annotations


class StillClock:
    """``clock()`` tells the time, ``clock.sleep(s)`` lets it pass, ``clock.naps`` are the sleeps so far."""

    def __init__(self) -> None:
        self.now = 0.0
        self.naps: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds

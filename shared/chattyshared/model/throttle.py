"""A model that is asked no faster than its server bears, and asked again where that is worth it."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import replace

from chattyshared.errors import ModelError, ModelUnavailable, UnavailableReason
from chattyshared.model import Completion, LanguageModel, Request, Usage, close_model, count_characters
from chattyshared.rate_limit import RateLimiter, RateLimits

logger = logging.getLogger(__name__)

RETRIES: dict[UnavailableReason, int] = {"busy": 8, "failed": 4, "lost": 4, "late": 1, "garbled": 1, "closed": 0}
"""How often a call is made again, by why it brought nothing. A reply that comes late or cannot be read was in all
likelihood paid for, so it is asked for once more and not oftener."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the second and, doubled each time, before the last attempt; a quarter of each is left to chance."""
PATIENCE = 300.0
"""Seconds that a server may ask to wait; a run that is asked for more stops, and goes on later."""

TOLD_FROM, TOLD_EVERY = 5.0, 60.0
"""Seconds from which a wait is told to the user, and between two such tellings."""


class ThrottledModel:
    """A model at a pace; the pace may be shared by all models behind one account.

    Safe to call from several threads. Attempts that failed but were told what they used are counted in the usage.
    """

    def __init__(
        self,
        model: LanguageModel,
        rate_limiter: RateLimiter | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._model, self.rate_limiter = model, rate_limiter or RateLimiter(RateLimits())
        self._sleep, self._chance = sleep, jitter
        self._told = float("-inf")

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete, when it is time to; again after a failure that may pass.

        Raises:
            ModelUnavailable: it did not pass; or the server asks to wait for longer than ``PATIENCE``.
            ModelError: as one of its kinds, as the model raised it.
        """
        lost, tries = Usage(), dict.fromkeys(RETRIES, 0)
        while True:
            try:
                completion = self._once(request)
            except ModelUnavailable as error:
                lost += error.usage or Usage()
                error.usage = lost
                tries[error.reason] += 1
                if tries[error.reason] > RETRIES[error.reason]:
                    raise
                self._wait(error, sum(tries.values()))
            except ModelError as error:
                error.usage = lost + (error.usage or Usage())
                raise
            else:
                return replace(completion, usage=lost + completion.usage) if lost.calls else completion

    def close(self) -> None:
        """Close the model within."""
        close_model(self._model)

    def _once(self, request: Request) -> Completion:
        call = self.rate_limiter.begin_call(count_characters(request) // 4)
        busy, used = False, None
        try:
            completion = self._model.complete(request)
            used = completion.usage
            return completion
        except ModelUnavailable as error:
            busy = error.reason == "busy"
            raise
        finally:
            tokens = None if used is None else used.prompt_tokens + used.completion_tokens
            self.rate_limiter.end_call(call, tokens=tokens, is_busy=busy, is_success=used is not None)

    def _wait(self, error: ModelUnavailable, failures: int) -> None:
        """Wait before the next attempt: as long as the server asks, else longer each time."""
        asked = error.retry_after
        if asked is not None and asked > PATIENCE:
            raise ModelUnavailable(
                f"the server asks to wait for {asked:.0f} seconds; the same command goes on from here later ({error})",
                usage=error.usage,
            ) from error
        if asked is not None:
            self.rate_limiter.pause(asked)
            wait = asked
        else:
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) * (1 - self._chance() / 4)
        self._say(f"{error}; asked again in {wait:.0f} seconds", wait)
        self._sleep(wait)

    def _say(self, said: str, wait: float) -> None:
        """Warn of a long wait, but not once for every worker."""
        now = time.monotonic()
        is_news = wait >= TOLD_FROM and now - self._told >= TOLD_EVERY
        self._told = now if is_news else self._told
        logger.log(logging.WARNING if is_news else logging.INFO, "%s", said)

"""A model with a rate limit and retries."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import replace

from chattyshared.errors import ModelError, ModelUnavailable, UnavailableReason
from chattyshared.model import Completion, LanguageModel, Request, Usage, close_model, count_characters
from chattyshared.model.reply_values import after_thoughts, find_json_values
from chattyshared.rate_limit import RateLimiter, RateLimits
from chattyshared.sparql.repair import find_query

logger = logging.getLogger(__name__)

RETRIES: dict[UnavailableReason, int] = {"busy": 8, "failed": 4, "lost": 4, "late": 1, "garbled": 1, "closed": 0}
"""How often a call is retried, by reason of failure. A late or unreadable reply was probably billed, so it is retried
only once."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds before the second attempt, doubled each time, and the maximum; up to a quarter is random jitter."""
MAX_SERVER_DELAY = 300.0
"""The longest delay, in seconds, that a server may ask for; the run stops if it asks for more."""

MAX_UNUSABLE_REPLIES = 30
"""Replies in a row without JSON or a query after which a model is given up: ten items, three attempts each."""

WARN_FROM, WARN_INTERVAL = 5.0, 60.0
"""Seconds from which a wait is shown to the user, and the least interval between two such warnings."""


class ThrottledModel:
    """A model with a rate limiter, which models of one account can share. One that gives nothing usable is given up.

    Safe to call from several threads. The usage includes failed attempts with a known usage.
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
        self._sleep, self._jitter = sleep, jitter
        self._warned_at = float("-inf")
        self._unusable: list[Completion] = []

    @property
    def name(self) -> str:
        """The name of the model within."""
        return self._model.name

    def complete(self, request: Request) -> Completion:
        """Complete one request, when the rate limit allows; retry after a temporary failure.

        Raises:
            ModelUnavailable: the failure persists, the server asks to wait for longer than ``MAX_SERVER_DELAY``, or
                ``MAX_UNUSABLE_REPLIES`` replies in a row hold neither JSON nor a query where these were asked for.
            ModelError: as the model raises it.
        """
        failed_usage, failures = Usage(), dict.fromkeys(RETRIES, 0)
        while True:
            try:
                completion = self._complete_once(request)
            except ModelUnavailable as error:
                failed_usage += error.usage or Usage()
                error.usage = failed_usage
                failures[error.reason] += 1
                if failures[error.reason] > RETRIES[error.reason]:
                    raise
                self._wait_before_retry(error, sum(failures.values()))
            except ModelError as error:
                error.usage = failed_usage + (error.usage or Usage())
                raise
            else:
                if failed_usage.calls:
                    completion = replace(completion, usage=failed_usage + completion.usage)
                self._check_usable(request, completion)
                return completion

    def close(self) -> None:
        """Close the model within."""
        close_model(self._model)

    def _complete_once(self, request: Request) -> Completion:
        call = self.rate_limiter.begin_call(count_characters(request) // 4)
        is_busy, usage = False, None
        try:
            completion = self._model.complete(request)
            usage = completion.usage
            return completion
        except ModelUnavailable as error:
            is_busy = error.reason == "busy"
            raise
        finally:
            tokens = None if usage is None else usage.prompt_tokens + usage.completion_tokens
            self.rate_limiter.end_call(call, tokens=tokens, is_busy=is_busy, is_success=usage is not None)

    def _check_usable(self, request: Request, completion: Completion) -> None:
        if request.schema is None and not request.tools:
            return
        if find_json_values(completion.text) or find_query(after_thoughts(completion.text)):
            self._unusable = []
            return
        self._unusable = unusable = [*self._unusable, completion]
        if len(unusable) < MAX_UNUSABLE_REPLIES:
            return
        self._unusable = []
        cut = [reply for reply in unusable if reply.finish == "length"]
        causes = {
            f"cut off after {max((reply.usage.completion_tokens for reply in cut), default=0)} tokens "
            "(--set reply_tokens= allows more)": len(cut),
            "empty": sum(not reply.text.strip() for reply in unusable if reply not in cut),
        }
        told = "".join(f"; {count} were {cause}" for cause, count in causes.items() if count)
        raise ModelUnavailable(
            f"no usable reply: {len(unusable)} in a row hold no JSON{told}",
            model=self.name, usage=completion.usage,
        )  # fmt: skip

    def _wait_before_retry(self, error: ModelUnavailable, failures: int) -> None:
        """Wait before the next attempt: as long as the server asks, else with exponential backoff."""
        server_delay = error.retry_after
        if server_delay is not None and server_delay > MAX_SERVER_DELAY:
            raise ModelUnavailable(
                f"the server asks to wait for {server_delay:.0f} seconds; "
                f"the same command goes on from here later ({error})",
                usage=error.usage,
            ) from error
        if server_delay is not None:
            self.rate_limiter.pause(server_delay)
            seconds = server_delay
        else:
            seconds = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) * (1 - self._jitter() / 4)
        self._log_wait(f"{error}; asked again in {seconds:.0f} seconds", seconds)
        self._sleep(seconds)

    def _log_wait(self, message: str, seconds: float) -> None:
        """Warn of a long wait, but not for every worker."""
        now = time.monotonic()
        is_news = seconds >= WARN_FROM and now - self._warned_at >= WARN_INTERVAL
        self._warned_at = now if is_news else self._warned_at
        logger.log(logging.WARNING if is_news else logging.INFO, "%s", message)

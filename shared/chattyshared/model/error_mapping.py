"""What a model server says instead of a completion, read from any of the forms in use, and the error that it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable

TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window|size)|maximum context|reduce the length|too many tokens"
    r"|prompt is too long|input is too long|maximum number of tokens allowed",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"(?:context (?:length|size|window)\D{0,30}|tokens allowed \()(\d+)", re.IGNORECASE)
_ASKED = re.compile(r"(?:resulted in|you requested|your request has|request \(|token count \()\s*(\d+)", re.IGNORECASE)
_NO_KEY = re.compile(r"api[_ ]key[_ ](not valid|invalid)|invalid[_ ]api[_ ]key", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"no models? (is )?loaded|not a valid model|model_not_found|model\W.{0,80}(does not exist|not found)", re.IGNORECASE
)
_NO_MONEY = re.compile(r"insufficient[_ ](quota|balance|credits)|exceeded your current quota.*billing", re.IGNORECASE)
_DECLINED = re.compile(r"content_filter|content management policy", re.IGNORECASE)
_DELAY = re.compile(r"(?:retryDelay\W+|try again in )(?:(\d+)m)?([\d.]+)(ms|s)", re.IGNORECASE)
_BUSY = frozenset({429, 503, 529})
_AGES = 10.0**9
"""Seconds; no server that knows what it says asks to wait for longer."""


@dataclass(frozen=True, slots=True)
class ModelServerError:
    """An HTTP status with what was said beside it: the sentence, the parameter that is blamed, the headers.

    ``whole`` is the body as text, where more than the sentence is known.
    """

    status: int
    message: str
    param: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    @classmethod
    def from_body(cls, error: Any) -> ModelServerError | None:
        """Read an error that came with status 200 (OpenRouter's way: ``{"code": 429, "message": ...}``)."""
        if not isinstance(error, Mapping) or not error.get("message"):
            return None
        code = error.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        return cls(status, str(error["message"]), body=str(dict(error))[:4_000])

    @property
    def is_too_long(self) -> bool:
        """Tell whether the prompt does not fit."""
        return self.status == 413 or (self.status in (400, 422, 500) and TOO_LONG.search(self.message) is not None)

    def retry_after(self) -> float | None:
        """Return the seconds that the server asks to wait, from its headers or its words; None if it does not say."""
        after = self.headers.get("retry-after", "").strip()
        readings: tuple[Callable[[], float], ...] = (
            lambda: float(self.headers.get("retry-after-ms", "")) / 1000,
            lambda: float(after),
            lambda: parsedate_to_datetime(after).timestamp() - time.time(),
        )
        for read in readings:
            with suppress(ValueError, TypeError, OverflowError):
                seconds = read()
                if -_AGES <= seconds <= _AGES:
                    return max(0.0, seconds)
        return self._told_delay()

    def _told_delay(self) -> float | None:
        found = _DELAY.search(f"{self.message} {self.body}") if self.status in _BUSY else None
        if found is None:
            return None
        minutes, number, unit = found.groups()
        with suppress(ValueError):
            seconds = 60 * float(minutes or 0) + float(number) / (1000 if unit.lower() == "ms" else 1)
            return seconds if seconds <= _AGES else None
        return None

    def to_exception(self, model: str, url: str, variable: str) -> ModelError | ConfigError:  # noqa: PLR0911
        """Return the error to raise. ``variable`` is the one of the environment that holds the key."""
        status, said = self.status, self.message
        told = f"status {status}: {said}"
        if status == 401 or _NO_KEY.search(f"{said} {self.body}"):
            wrong = f"{url} does not accept the key (status {status}): check {variable}"
            return ModelUnavailable(wrong, model=model, reason="closed")
        if status == 404 or (status in (400, 422) and _NO_MODEL.search(said)):
            return ConfigError(f"{model}: unknown model at {url} (or no such address): {said}")
        if self.is_too_long:
            return ContextTooLong(said, model=model, limit=_number(_LIMIT, said), requested=_number(_ASKED, said))
        if status == 402 or _NO_MONEY.search(said):
            return ModelUnavailable(f"no money is left at {url} ({told})", model=model, reason="closed")
        if status == 403:
            return ModelUnavailable(told, model=model, reason="closed")
        if status in _BUSY:
            return ModelUnavailable(told, model=model, reason="busy", retry_after=self.retry_after())
        if status in (408, 409) or status >= 500:
            return ModelUnavailable(told, model=model, reason="failed", retry_after=self.retry_after())
        return (ModelRefused if _DECLINED.search(said) else ModelError)(told, model=model)


def _number(pattern: re.Pattern[str], said: str) -> int | None:
    found = pattern.search(said)
    return int(found[1]) if found and len(found[1]) < 10 else None

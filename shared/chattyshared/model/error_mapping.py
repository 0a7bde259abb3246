"""Errors of model servers, read from any of the forms in use, and the exceptions that they become."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from chattyshared.rate_limit import parse_retry_after

TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window|size)|maximum context|reduce the length|too many tokens"
    r"|prompt is too long|input is too long|maximum number of tokens allowed",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"(?:context (?:length|size|window)\D{0,30}|tokens allowed \()(\d+)", re.IGNORECASE)
_REQUESTED = re.compile(
    r"(?:resulted in|you requested|your request has|request \(|token count \()\s*(\d+)", re.IGNORECASE
)
_NO_KEY = re.compile(r"api[_ ]key[_ ](not valid|invalid)|invalid[_ ]api[_ ]key", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"no models? (is )?loaded|not a valid model|model_not_found|model\W.{0,80}(does not exist|not found)", re.IGNORECASE
)
_NO_CREDIT = re.compile(r"insufficient[_ ](quota|balance|credits)|exceeded your current quota.*billing", re.IGNORECASE)
_DECLINED = re.compile(r"content_filter|content management policy", re.IGNORECASE)
_DELAY = re.compile(r"(?:retryDelay\W+|try again in )(?:(\d+)m)?([\d.]+)(ms|s)", re.IGNORECASE)
_BUSY = frozenset({429, 503, 529})
_MAX_DELAY = 10.0**9
"""Seconds; longer delays are taken for errors of the server."""


@dataclass(frozen=True, slots=True)
class ModelServerError:
    """An HTTP status with the error message, the parameter at fault, and the headers.

    ``body`` is the whole body as text, if more than the message is known.
    """

    status: int
    message: str
    param: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    @classmethod
    def from_body(cls, error: Any) -> ModelServerError | None:
        """Read an error in a reply of status 200 (OpenRouter: ``{"code": 429, "message": ...}``)."""
        if not isinstance(error, Mapping) or not error.get("message"):
            return None
        code = error.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
        return cls(status, str(error["message"]), body=str(dict(error))[:4_000])

    @property
    def is_too_long(self) -> bool:
        """Whether the prompt does not fit the context."""
        return self.status == 413 or (self.status in (400, 422, 500) and TOO_LONG.search(self.message) is not None)

    def retry_after(self) -> float | None:
        """Return the seconds that the server asks to wait, from its headers or message; None if it does not say."""
        milliseconds = parse_retry_after(self.headers.get("retry-after-ms"))
        seconds = parse_retry_after(self.headers.get("retry-after")) if milliseconds is None else milliseconds / 1000
        return seconds if seconds is not None and seconds <= _MAX_DELAY else self._delay_from_text()

    def _delay_from_text(self) -> float | None:
        match = _DELAY.search(f"{self.message} {self.body}") if self.status in _BUSY else None
        if match is None:
            return None
        minutes, number, unit = match.groups()
        with suppress(ValueError):
            seconds = 60 * float(minutes or 0) + float(number) / (1000 if unit.lower() == "ms" else 1)
            return seconds if seconds <= _MAX_DELAY else None
        return None

    def to_exception(self, model: str, url: str, variable: str) -> ModelError | ConfigError:  # noqa: PLR0911
        """Return the exception to raise. ``variable`` is the environment variable of the key."""
        status, message = self.status, self.message
        description = f"status {status}: {message}"
        if status == 401 or _NO_KEY.search(f"{message} {self.body}"):
            key_message = f"{url} does not accept the key (status {status}): check {variable}"
            return ModelUnavailable(key_message, model=model, reason="closed")
        if status == 404 or (status in (400, 422) and _NO_MODEL.search(message)):
            return ConfigError(f"{model}: unknown model at {url} (or no such address): {message}")
        if self.is_too_long:
            return ContextTooLong(
                message, model=model, limit=_first_number(_LIMIT, message), requested=_first_number(_REQUESTED, message)
            )
        if status == 402 or _NO_CREDIT.search(message):
            return ModelUnavailable(f"no money is left at {url} ({description})", model=model, reason="closed")
        if status == 403:
            return ModelUnavailable(description, model=model, reason="closed")
        if status in _BUSY:
            return ModelUnavailable(description, model=model, reason="busy", retry_after=self.retry_after())
        if status in (408, 409) or status >= 500:
            return ModelUnavailable(description, model=model, reason="failed", retry_after=self.retry_after())
        return (ModelRefused if _DECLINED.search(message) else ModelError)(description, model=model)


def _first_number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match and len(match[1]) < 10 else None

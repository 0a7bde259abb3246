"""JSON over HTTP from a system that is compared with: asked again where that may help, its failures ours."""

from __future__ import annotations

import http.client
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request

from chattyshared.endpoint.address import parse_address
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.transport import HttpTransport
from chattyshared.errors import (
    ConfigError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultUnreadable,
)
from chattyshared.http_client import MAX_REPLY_BYTES, ReplyTooLarge
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.redaction import make_redactor

logger = logging.getLogger(__name__)
MAX_RETRIES = 6
"""Times that a system which is busy or away is asked again; the waits double, 31 s in all."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
_TOLD_WAIT = 2.0
"""Seconds; shorter waits are not worth a word."""
_PASSING = frozenset({408, 425, 429, 502, 503, 504})
_CLOSED = frozenset({401, 403, 404, 405})


class SystemClient:
    """One system behind an address, which may hold credentials and a key; ``url`` is it without them, for messages.

    Raises:
        ConfigError: the address is not one of HTTP.
    """

    def __init__(self, url: str, *, timeout: float = 600, sleep: Callable[[float], None] = time.sleep) -> None:
        try:
            known = parse_address(url if url.isascii() and " " not in url else "")
        except ConfigError as error:
            shown = re.sub("//[^/]*@", "//", url).partition("?")[0]
            raise ConfigError(f"not the address of a system: {shown!r} (http://... or https://...)") from error
        self.url, self._timeout, self._sleep = known.name, timeout, sleep
        self._base, self._parameters = known.url, known.parameters
        credentials = Credentials(known.user, known.password)
        private = [name for name, _ in known.private_parameters]
        self._transport = HttpTransport(known.url, credentials, private_parameters=private, max_bytes=MAX_REPLY_BYTES)
        self._redact = make_redactor([*credentials.secrets, *(value for _, value in known.private_parameters)])

    def get(self, **parameters: str) -> Any:
        """Ask by GET with these parameters; return the JSON that comes back.

        Raises:
            ConfigError: it does not know the address, or what is asked for; or wants to know who asks.
            EndpointUnavailable: it is not there, or busy, after the retries.
            EndpointTimeout, QueryRejected, ResultUnreadable: this request alone failed.
        """
        return self._sent(Request(self._place("", parameters)))

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Ask by POST with a body of JSON, at an address below its own; as ``get``."""
        headers = {"Content-Type": "application/json"}
        return self._sent(Request(self._place(path, {}), json.dumps(body).encode(), headers))

    def _place(self, path: str, parameters: Mapping[str, str]) -> str:
        """Return the URL of one request: a path below the address, the address's own parameters, and others."""
        place = f"{self._base.rstrip('/')}/{path}" if path else self._base
        encoded = urlencode([*self._parameters, *parameters.items()])
        return f"{place}?{encoded}" if encoded else place

    def _sent(self, request: Request) -> Any:
        request.add_header("Accept", "application/json")
        for left in reversed(range(MAX_RETRIES + 1)):
            try:
                reply = self._transport.send(request, self._timeout)
                return parse_untrusted_json(reply.body)
            except HTTPError as error:
                told = _told(error, self._redact)
                if error.code not in _PASSING or not left:
                    self._refused(error, told)
                self._wait(left, f"HTTP {error.code}", error.headers.get("Retry-After"))
            except ReplyTooLarge as error:
                said = f"the answer is larger than {MAX_REPLY_BYTES >> 20} MB"
                raise ResultUnreadable(said, endpoint=self.url) from error
            except (TimeoutError, OSError, http.client.HTTPException) as error:
                reason = error.reason if isinstance(error, URLError) else error
                if isinstance(reason, TimeoutError):
                    raise EndpointTimeout(f"no answer within {self._timeout:g} s", endpoint=self.url) from error
                said = self._redact(getattr(reason, "strerror", None) or str(reason) or type(reason).__name__)
                if not left:
                    raise EndpointUnavailable(f"cannot be reached ({said})", endpoint=self.url) from error
                self._wait(left, f"cannot be reached ({said})")
            except ValueError as error:
                raise ResultUnreadable(f"the answer is no JSON ({error})", endpoint=self.url) from error
        raise AssertionError("the last failure is raised")

    def _refused(self, error: HTTPError, told: str) -> NoReturn:
        said = f"HTTP {error.code}{': ' if told else ''}{told}"
        if error.code in _PASSING:
            raise EndpointUnavailable(said, endpoint=self.url) from error
        if error.code in _CLOSED:
            raise ConfigError(f"{self.url}: {said}") from error
        raise QueryRejected(said, endpoint=self.url) from error

    def _wait(self, left: int, said: str, asked: str | None = None) -> None:
        seconds = _FIRST_WAIT * 2 ** (MAX_RETRIES - left)
        if asked is not None and asked.strip().isdecimal():
            seconds = float(asked)
        seconds = min(seconds, _LONGEST_WAIT)
        if seconds >= _TOLD_WAIT:
            logger.warning("%s: %s; it is asked again in %.0f s", self.url, said, seconds)
        self._sleep(seconds)


def _told(error: HTTPError, redact: Callable[[str], str]) -> str:
    """Return what a refusal says, in one line: the sentence of its JSON, else how its body begins."""
    try:
        body = redact(error.read(20_000).decode("utf-8", "replace"))
    except (OSError, http.client.HTTPException):
        return ""
    try:
        read = parse_untrusted_json(body)
        told = next((read[key] for key in ("detail", "error", "message") if key in read), body)
    except (ValueError, TypeError):
        told = body
    return " ".join(str(told).split())[:300]

"""Systems over HTTP: JSON with retries and the errors of the project, and ``remote:text2sparql:URL``."""

from __future__ import annotations

import http.client
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn
from urllib.parse import urlencode

from chattyshared.dialogue import CandidateQuery
from chattyshared.endpoint.address import parse_address
from chattyshared.endpoint.credentials import Credentials
from chattyshared.errors import ConfigError, EndpointTimeout, EndpointUnavailable, QueryRejected, ResultUnreadable
from chattyshared.http_client import HttpClient, HttpReply, ReplyTooLarge
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.rate_limit import parse_retry_after
from chattyshared.redaction import make_redactor

logger = logging.getLogger(__name__)
MAX_RETRIES = 6
"""Times that a busy or absent system is asked again; the waits double, 31 s in total."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
_LOGGED_WAIT = 2.0
"""Seconds; shorter waits are not logged."""
_TEMPORARY = frozenset({408, 425, 429, 502, 503, 504})
_ACCESS_ERRORS = frozenset({401, 403, 404, 405})


class SystemClient:
    """One system at an address, which may hold credentials and a key; ``url`` is the address without them.

    Raises:
        ConfigError: the address is no HTTP URL.
    """

    def __init__(self, url: str, *, timeout: float = 600, sleep: Callable[[float], None] = time.sleep) -> None:
        try:
            address = parse_address(url if url.isascii() and " " not in url else "")
        except ConfigError as error:
            shown = re.sub("//[^/]*@", "//", url).partition("?")[0]
            raise ConfigError(f"not the address of a system: {shown!r} (http://... or https://...)") from error
        self.url, self._timeout, self._sleep = address.name, timeout, sleep
        self._base, self._parameters = address.url, address.parameters
        credentials = Credentials(address.user, address.password)
        private = dict(address.private_parameters)
        self._client = HttpClient(timeout=timeout, credentials=credentials, private=private)
        self._redact = make_redactor([*credentials.secrets, *private.values()])

    def get(self, **parameters: str) -> Any:
        """Send a GET request with these parameters and return the JSON of the reply.

        Raises:
            ConfigError: the address is wrong, or the system needs credentials (401, 403, 404, 405).
            EndpointUnavailable: it cannot be reached or is busy, after the retries.
            EndpointTimeout, QueryRejected, ResultUnreadable: only this request failed.
        """
        return self._send("GET", self._request_url("", parameters), {}, b"")

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send a POST request with a JSON body to a path below the address; raises as ``get``."""
        headers = {"Content-Type": "application/json"}
        return self._send("POST", self._request_url(path, {}), headers, json.dumps(body).encode())

    def _request_url(self, path: str, parameters: Mapping[str, str]) -> str:
        """Return the URL of one request, with the address's own parameters first."""
        url = f"{self._base.rstrip('/')}/{path}" if path else self._base
        encoded = urlencode([*self._parameters, *parameters.items()])
        return f"{url}?{encoded}" if encoded else url

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> Any:
        for left in reversed(range(MAX_RETRIES + 1)):
            try:
                reply = self._client.send(method, url, {"Accept": "application/json", **headers}, body)
                if 200 <= reply.status < 300:
                    return parse_untrusted_json(reply.body)
                detail = _error_detail(reply, self._redact)
                if reply.status not in _TEMPORARY or not left:
                    self._raise_status(reply.status, detail)
                self._wait(left, f"HTTP {reply.status}", reply.headers.get("retry-after"))
            except ReplyTooLarge as error:
                raise ResultUnreadable(f"the answer cannot be read ({error})", endpoint=self.url) from error
            except TimeoutError as error:
                raise EndpointTimeout(f"no answer within {self._timeout:g} s", endpoint=self.url) from error
            except (OSError, http.client.HTTPException) as error:
                detail = self._redact(getattr(error, "strerror", None) or str(error) or type(error).__name__)
                if not left:
                    raise EndpointUnavailable(f"cannot be reached ({detail})", endpoint=self.url) from error
                self._wait(left, f"cannot be reached ({detail})")
            except ValueError as error:
                raise ResultUnreadable(f"the answer is no JSON ({error})", endpoint=self.url) from error
        raise AssertionError("the last failure is raised")

    def _raise_status(self, status: int, detail: str) -> NoReturn:
        message = f"HTTP {status}{': ' if detail else ''}{detail}"
        if status in _TEMPORARY:
            raise EndpointUnavailable(message, endpoint=self.url)
        if status in _ACCESS_ERRORS:
            raise ConfigError(f"{self.url}: {message}")
        raise QueryRejected(message, endpoint=self.url)

    def _wait(self, left: int, reason: str, retry_after: str | None = None) -> None:
        asked = parse_retry_after(retry_after)
        seconds = min(_FIRST_WAIT * 2 ** (MAX_RETRIES - left) if asked is None else asked, _LONGEST_WAIT)
        if seconds >= _LOGGED_WAIT:
            logger.warning("%s: %s; it is asked again in %.0f s", self.url, reason, seconds)
        self._sleep(seconds)


def _error_detail(reply: HttpReply, redact: Callable[[str], str]) -> str:
    """Return the message of an HTTP error in one line: the sentence of its JSON, else the start of its body."""
    body = redact(reply.body[:20_000].decode("utf-8", "replace"))
    try:
        parsed = parse_untrusted_json(body)
        detail = next((parsed[key] for key in ("detail", "error", "message") if key in parsed), body)
    except (ValueError, TypeError):
        detail = body
    return " ".join(str(detail).split())[:300]


class Text2Sparql:
    """Asks a system for a query about ``dataset``; it sees each question without its conversation."""

    def __init__(self, system: SystemClient, dataset: str) -> None:
        self._system, self._dataset = system, dataset

    def __call__(self, id: str, question: str) -> tuple[CandidateQuery, ...]:
        """Return the system's query; none if it is empty.

        Raises:
            ConfigError: the system does not know the data set.
            EndpointError: the system failed, or the reply has another format.
        """
        reply = self._system.get(question=question, dataset=self._dataset)
        query = reply.get("query") if isinstance(reply, dict) else None
        if not isinstance(query, str):
            raise ResultUnreadable("the reply has no query", endpoint=self._system.url)
        return (CandidateQuery(query, 1.0),) if query.strip() else ()

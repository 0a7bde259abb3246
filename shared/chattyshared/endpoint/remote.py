"""Any SPARQL 1.1 endpoint over HTTP: the only file that imports SPARQLWrapper."""

from __future__ import annotations

import ast
import http.client
import re
import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from SPARQLWrapper import BASIC, GET, JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.address import address
from chattyshared.endpoint.guard import prove
from chattyshared.endpoint.refusals import Refusal, one_line, refusal
from chattyshared.endpoint.results import Unreadable, read_json
from chattyshared.errors import (
    ConfigError,
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultUnreadable,
)

USER_AGENT = "chatty/0.1 (knowledge graph question answering; SPARQLWrapper)"
_ACCEPT = "application/sparql-results+json"
_LONGEST_GET = 2_000
_FIRST_WAIT = 0.5
_PROBE = "ASK { ?s ?p ?o }"
_PROBE_SECONDS, _PROBE_RETRIES, _PROBE_WAIT = 8.0, 1, 2.0
_OWN_LIMIT = re.compile(r"\blimit\s+(\d+)(?:\s+offset\s+\d+)?\s*$", re.IGNORECASE)

Form = Literal["SELECT", "ASK"]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer may take, how often a busy or unreachable server is asked again, and how to wait.

    ``longest_wait`` caps every single wait, in seconds.
    """

    timeout: float = 60
    retries: int = 4
    longest_wait: float = 60
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class _Reply:
    body: bytes
    headers: http.client.HTTPMessage


class _Passing(Exception):
    """A failure that may pass: what it is to the caller in the end, and the seconds that the server asks for."""

    def __init__(self, error: EndpointError, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.wait = error, wait


class RemoteEndpoint:
    """A SPARQL endpoint at a URL, which may hold credentials (``http://user:password@host/sparql``).

    Usable from many threads: each query is a request of its own. ``server`` is what the server last called itself.

    Raises:
        ConfigError: the URL is none.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 60,
        retries: int = 4,
        user_agent: str = USER_AGENT,
        row_limit: int = 100_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = address(url)
        self.name = self._address.name
        self.server = ""
        self.row_limit = row_limit
        self._user_agent = user_agent
        self._patience = Patience(timeout, retries, sleep=sleep)

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order.

        Raises:
            QueryRejected: the server does not take the query.
            EndpointTimeout: no whole answer in time, or the server gave up.
            EndpointUnavailable: nobody answers, or only to refuse, after the retries.
            ResultUnreadable: the answer is no SPARQL result, or not whole, or longer than the row limit.
        """
        rows = self._result(query, "SELECT", self._patience)
        if isinstance(rows, bool):
            raise QueryRejected("not a SELECT query", endpoint=self.name, query=query)
        if len(rows) > self.row_limit:
            raise self._error(ResultUnreadable, f"more than {self.row_limit} rows", query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        truth = self._result(query, "ASK", self._patience)
        if not isinstance(truth, bool):
            raise QueryRejected("not an ASK query", endpoint=self.name, query=query)
        return truth

    def foreign(self) -> Endpoint:
        """Return the view for queries that we did not build: guarded, on the same wire."""
        return ForeignRemote(self)

    def probe(self) -> None:
        """Check, in about ten seconds at most, that there is a SPARQL endpoint that holds something.

        Raises:
            ConfigError: it is down, slow, refuses, is no SPARQL endpoint, or its default graph is empty.
        """
        patience = Patience(
            min(self._patience.timeout, _PROBE_SECONDS),
            min(self._patience.retries, _PROBE_RETRIES),
            _PROBE_WAIT,
            self._patience.sleep,
        )
        try:
            holds = self._result(_PROBE, "ASK", patience)
        except EndpointError as error:
            raise ConfigError(f"the SPARQL endpoint cannot be used: {error}") from error
        if not isinstance(holds, bool):
            raise ConfigError(f"{self.name}: is no SPARQL endpoint: it answers ASK with a table")
        if not holds:
            hint = "name a graph by ?default-graph-uri=IRI behind the address, or set the server to serve their union"
            raise ConfigError(f"{self.name}: holds no triples in its default graph; {hint}")

    def _result(self, query: str, form: Form, patience: Patience) -> list[Row] | bool:
        reply = self._fetch(query, form, patience)
        state = reply.headers.get("X-SQL-State")
        if state == "S1TAT":
            raise self._error(EndpointTimeout, "the server gave up at its time limit; the answer is not whole", query)
        if state:
            raise self._error(ResultUnreadable, f"the server reports the state {state}", query)
        try:
            result = read_json(reply.body)
        except Unreadable as error:
            raise self._unreadable(reply, str(error), query) from error
        if not isinstance(result, bool) and _is_cut(len(result), query, reply.headers.get("X-SPARQL-MaxRows")):
            raise self._error(ResultUnreadable, f"the server cut the answer at {len(result)} rows", query)
        return result

    def _fetch(self, query: str, form: Form, patience: Patience) -> _Reply:
        for attempt in range(patience.retries + 1):
            try:
                return self._once(query, form, patience.timeout)
            except _Passing as passing:
                if attempt == patience.retries:
                    raise passing.error from passing.__cause__
                wait = _FIRST_WAIT * 2**attempt if passing.wait is None else passing.wait
            patience.sleep(min(wait, patience.longest_wait))
        raise AssertionError("retries are not negative")

    def _once(self, query: str, form: Form, timeout: float) -> _Reply:
        try:
            with self._request(query, form, timeout).query().response as response:
                self.server = response.headers.get("Server", "") or ""
                return _Reply(_body(response, time.monotonic() + timeout), response.headers)
        except SPARQLWrapperException as error:
            answer = error.__context__  # the wrapper has read its body
            assert isinstance(answer, urllib.error.HTTPError)
            with answer:
                raise self._refused(
                    refusal(answer.code, _said(error), answer.headers.get("Retry-After")), query
                ) from error
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(
                    refusal(error.code, _start(error), error.headers.get("Retry-After")), query
                ) from error
        except (OSError, http.client.HTTPException) as error:
            raise self._broken(error, query, timeout) from error

    def _request(self, query: str, form: Form, timeout: float) -> Any:
        wrapper: Any = SPARQLWrapper(self._address.url, returnFormat=JSON, agent=self._user_agent)
        wrapper.queryString, wrapper.queryType = query, form  # setQuery would guess the form, with warnings
        wrapper.setMethod(GET if len(query) <= _LONGEST_GET else POST)
        wrapper.setOnlyConneg(True)
        wrapper.addCustomHttpHeader("Accept", _ACCEPT)
        wrapper.timeout = timeout  # setTimeout would cut it to whole seconds, and half a second to none
        for key, value in self._address.parameters:
            wrapper.addParameter(key, value)
        if self._address.user:
            wrapper.setHTTPAuth(BASIC)
            wrapper.setCredentials(self._address.user, self._address.password)
        return wrapper

    def _refused(self, refused: Refusal, query: str) -> Exception:
        error = self._error(refused.kind, str(refused), query)
        return _Passing(error, refused.retry_after) if refused.is_passing else error

    def _broken(self, error: OSError | http.client.HTTPException, query: str, timeout: float) -> Exception:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            return self._error(EndpointTimeout, f"no answer within {timeout:g} s", query)
        if isinstance(reason, http.client.IncompleteRead):
            return self._error(ResultUnreadable, "the answer breaks off", query)
        said = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        unavailable = self._error(EndpointUnavailable, f"cannot be reached ({said})", query)
        return _Passing(unavailable) if isinstance(reason, OSError) else unavailable

    def _unreadable(self, reply: _Reply, why: str, query: str) -> EndpointError:
        said, kind = one_line(reply.body), reply.headers.get("Content-Type") or "no content type"
        if re.search(r"TimeoutException|S1T00", reply.body[-4_000:].decode("utf-8", "replace")):
            return self._error(EndpointTimeout, "the server gave up in the middle of its answer", query)
        return self._error(ResultUnreadable, f"the answer ({kind}) is {why}: {said[:120]}", query)

    def _error(self, kind: type[EndpointError], message: str, query: str) -> EndpointError:
        return kind(self._address.without_secrets(message), endpoint=self.name, query=query)


class ForeignRemote:
    """The view of a remote endpoint for queries that we did not build: the guard proves each, and bounds its rows."""

    def __init__(self, remote: RemoteEndpoint) -> None:
        self._remote = remote
        self.name = remote.name

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.select(prove(query, "SELECT", limit=self._remote.row_limit, endpoint=self.name).query)

    def ask(self, query: str) -> bool:
        """Run an ASK query; raises UnsafeQuery where the guard refuses it, else as the endpoint does."""
        return self._remote.ask(prove(query, "ASK", limit=1, endpoint=self.name).query)

    def foreign(self) -> Endpoint:
        """Return this view: it is the foreign one."""
        return self


def _body(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """Read a whole body; the socket's own timeout does not end an answer that drips."""
    chunks = []
    while chunk := response.read1(1 << 16):
        chunks.append(chunk)
        if time.monotonic() > deadline:
            raise TimeoutError("the answer drips")
    if response.length:  # read1 does not mind a body shorter than promised
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(chunks)


def _said(error: SPARQLWrapperException) -> bytes:
    """Take the body out of the wrapper's message, where it stands as Python writes bytes."""
    _, _, written = str(error).partition("Response:\n")
    try:
        said = ast.literal_eval(written)
    except (ValueError, SyntaxError):
        return written.encode()
    return said if isinstance(said, bytes) else b""


def _start(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read(20_000)
    except (OSError, http.client.HTTPException):
        return b""


def _is_cut(rows: int, query: str, most: str | None) -> bool:
    """Tell whether Virtuoso's limit of rows, rather than the query's own, ended a result."""
    if most is None or not most.strip().isdigit() or rows < int(most):
        return False
    own = _OWN_LIMIT.search(query)
    return own is None or rows < int(own[1])

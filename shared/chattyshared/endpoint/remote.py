"""SPARQL 1.1 endpoints over HTTP, with retries and a circuit breaker; the only module that imports SPARQLWrapper."""

from __future__ import annotations

import http.client
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal

from SPARQLWrapper import GET, JSON, POST, POSTDIRECTLY, URLENCODED, SPARQLWrapper

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.address import is_upgrade, parse_address, parse_origin
from chattyshared.endpoint.connection_options import DEFAULT_TIMEOUT, ConnectionOptions
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.error_mapping import (
    EndpointFailure,
    failure_from_connection_error,
    failure_from_status,
    parse_response,
)
from chattyshared.endpoint.guard import GuardedEndpoint, GuardedQuery
from chattyshared.endpoint.paging import RowCap, fetch_pages
from chattyshared.endpoint.result_cache import RequestCoalescer, ResultCache
from chattyshared.endpoint.results import MAX_RESULT_BYTES, RESULT_TYPES, STATEMENT_KINDS, too_large_message
from chattyshared.errors import (
    ConfigError,
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultCut,
    ResultUnreadable,
)
from chattyshared.http_client import PRODUCT, HttpClient, HttpReply, ReplyTooLarge, UnknownCoding
from chattyshared.literals import read_count
from chattyshared.rate_limit import EndpointRateLimiter
from chattyshared.redaction import make_redactor
from chattyshared.runs.threads import StopSignal

logger = logging.getLogger(__name__)
ABOUT = "knowledge graph question answering"
_MAX_GET_LENGTH = 2_000
_LOGGED_WAIT = 5.0
"""Seconds from which on a wait is logged."""
_PROBE_QUERY = "ASK { ?s ?p ?o }"
_COUNT_STATEMENTS = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o FILTER(isTRIPLE(?o)) }"
_PROBE_SECONDS, _PROBE_RETRIES, _PROBE_WAIT = 8.0, 1, 2.0
_Way = tuple[str, str]
_WAYS: tuple[_Way, ...] = ((GET, URLENCODED), (POST, URLENCODED), (POST, POSTDIRECTLY))
"""The ways to send a query in SPARQL 1.1 Protocol; some servers take only one of them."""
_REFUSED_WAY = ("HTTP 405", "HTTP 415", "HTTP 501")

RemoteQueryForm = Literal["SELECT", "ASK"]
RETRIES = 6
"""Retries for a busy or unreachable server; the delays double and add up to 31 s, which is about a server's restart."""
_FIRST_DELAY, _MAX_DELAY = 0.5, 60.0
"""Seconds before the first retry, and before any."""
MAX_FAILURES, PAUSE_SECONDS = 3, 30.0
"""Failures in a row (each after all retries) that open the circuit, and seconds until one query is let through."""


class RemoteEndpoint:
    """A SPARQL endpoint at a URL, which may hold credentials (``http://user:password@host/sparql``).

    Thread-safe; equal queries at the same time share one request. ``server`` is the last HTTP header Server; ``redact``
    removes the secrets of the connection from a text.

    Raises:
        ConfigError: ``url`` is no HTTP URL.
    """

    def __init__(  # noqa: PLR0913
        self,
        url: str,
        connection: ConnectionOptions | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        row_limit: int = 100_000,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Set URL and connection; ``timeout`` is in seconds per query, ``retries`` counts further attempts."""
        connection = connection or ConnectionOptions()
        self._address = parse_address(url)
        address_credentials = Credentials(self._address.user, self._address.password)
        self._credentials = address_credentials if address_credentials else connection.credentials
        self.name = self._address.name
        self.server = ""
        self.row_limit = row_limit
        self.functions = connection.functions
        self._user_agent = f"{PRODUCT} ({connection.contact or ABOUT}) SPARQLWrapper/2"
        self._timeout, self._retries = timeout, retries
        private_parameters = dict(self._address.private_parameters)
        self._url = self._address.url
        self._client = HttpClient(
            timeout=timeout, max_bytes=MAX_RESULT_BYTES, credentials=self._credentials, private=private_parameters
        )
        self._has_secrets = bool(self._credentials or private_parameters)
        self.redact = make_redactor([*self._credentials.secrets, *private_parameters.values()])
        self._rate_limiter = EndpointRateLimiter(connection.requests_per_second, clock=clock, sleep=sleep)
        self._circuit_breaker = CircuitBreaker(clock)
        self._row_cap = RowCap(self._rows, self.name)
        self._ways: tuple[_Way, ...] = _WAYS
        self._cache: ResultCache | None = None
        self._coalescer: RequestCoalescer[list[Row] | bool] = RequestCoalescer()
        self._sleep, self._has_noted_statements = sleep, False

    @property
    def engine(self) -> str:
        """What the server calls itself; empty if it does not tell."""
        return self.server

    @property
    def authentication(self) -> str:
        """The method of authentication, without secrets."""
        return self._client.authentication

    def use_cache(self, cache: ResultCache | None) -> None:
        """Use a cache for the answers of this endpoint, or none."""
        self._cache = cache

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order; a result that the server cuts is read in pages.

        Raises:
            QueryRejected: the server rejects the query.
            EndpointTimeout: there is no complete answer in time, or the server gave up.
            EndpointUnavailable: the server does not answer or refuses all requests, after the retries.
            ResultUnreadable: the answer is no SPARQL result, incomplete, or longer than the row limit.
        """
        try:
            rows = self._row_cap.select(query)
        except ResultCut as error:
            rows = fetch_pages(self._row_cap.select, query, error, max_rows=self.row_limit)
        if len(rows) > self.row_limit:
            raise ResultUnreadable(f"more than {self.row_limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth value; raises as ``select`` does."""
        result = self._result(query, "ASK")
        if not isinstance(result, bool):
            raise QueryRejected("not an ASK query", endpoint=self.name, query=query)
        return result

    def untrusted_view(self, stop: StopSignal | None = None) -> Endpoint:
        """Return the view for untrusted queries: guarded, over the same connection."""
        return _GuardedRemote(self)

    def check_available(self) -> None:
        """Check in about ten seconds (half a minute where replies are no results) that this is an endpoint with data.

        Raises:
            ConfigError: it is down, slow, refuses requests, is no SPARQL endpoint, or its default graph is empty.
        """
        try:
            with self._mapped_failures(_PROBE_QUERY):
                has_triples = self._run_with_retries(_PROBE_QUERY, "ASK", is_probe=True)
        except EndpointError as error:
            raise ConfigError(f"the SPARQL endpoint cannot be used: {error}") from error
        if not isinstance(has_triples, bool):
            raise ConfigError(f"{self.name}: is no SPARQL endpoint: it answers ASK with a table")
        if not has_triples:
            hint = "name a graph by ?default-graph-uri=IRI behind the address, or set the server to serve their union"
            raise ConfigError(f"{self.name}: holds no triples in its default graph; {hint}")

    def fetch_response(self, query: str, form: RemoteQueryForm = "SELECT") -> HttpReply:
        """Run a query once, without retries, and return the raw response, for probing the server.

        Raises:
            EndpointError: the query failed, as one of its subclasses.
        """
        with self._mapped_failures(query):
            return self._send_query(query, form, self._timeout)

    def fetch_service_description(self) -> HttpReply:
        """Send a request without a query, for a description in Turtle; raises as ``fetch_response`` does."""
        headers = {"Accept": "text/turtle", "User-Agent": self._user_agent}
        with self._mapped_failures(""):
            return self._send("GET", self._url, headers, b"", self._timeout)

    def _rows(self, query: str) -> list[Row]:
        rows = self._result(query, "SELECT")
        if isinstance(rows, bool):
            raise QueryRejected("not a SELECT query", endpoint=self.name, query=query)
        return list(rows)  # other callers may share the list

    def _result(self, query: str, form: RemoteQueryForm) -> list[Row] | bool:
        return self._coalescer.run_once(f"{form} {query}", lambda: self._run_protected(query, form))

    def _run_protected(self, query: str, form: RemoteQueryForm) -> list[Row] | bool:
        if reason := self._circuit_breaker.open_reason():
            raise EndpointUnavailable(reason, endpoint=self.name, query=query)
        try:
            with self._mapped_failures(query):
                result = self._run_with_retries(query, form)
        except EndpointUnavailable as error:
            self._circuit_breaker.record_failure(str(error).removeprefix(f"{self.name}: "))
            raise
        except EndpointError:
            self._circuit_breaker.record_success()
            raise
        self._circuit_breaker.record_success()
        return result

    @contextmanager
    def _mapped_failures(self, query: str) -> Iterator[None]:
        try:
            yield
        except EndpointFailure as failure:
            raise failure.to_error(self.name, query, self.redact) from failure

    def _run_with_retries(self, query: str, form: RemoteQueryForm, *, is_probe: bool = False) -> list[Row] | bool:
        """Send a query, with retries where they may help; raises EndpointFailure.

        If a failure may be the fault of the query or of the server, a small probe query decides: if it is answered, the
        query is at fault, else the server.
        """
        delays, was_examined = _delays(self._retries), False
        timeout, max_delay = self._timeout, _MAX_DELAY
        if is_probe:
            delays, timeout, max_delay = _delays(_PROBE_RETRIES), min(timeout, _PROBE_SECONDS), _PROBE_WAIT
        while True:
            try:
                return self._run_once(query, form, timeout)
            except EndpointFailure as failure:
                is_no_result = failure.error_type is ResultUnreadable
                if failure.fault == "query" or (failure.fault == "either" and is_probe and not is_no_result):
                    raise
                if failure.fault == "either" and is_probe and not was_examined:  # perhaps a page while it starts
                    delays, was_examined = _delays(self._retries), True
                elif failure.fault == "either" and not is_probe:
                    is_alive = self._wait_until_alive(failure, delays)
                    judged = failure.judge(is_alive=is_alive)
                    if not is_alive or was_examined or judged.error_type is EndpointTimeout:
                        raise judged from failure.__cause__
                    was_examined = True
                    continue
                delay = next(delays, None)
                if delay is None:
                    if is_probe or failure.is_busy:
                        raise
                    raise failure.judge(is_alive=self._is_alive()) from failure.__cause__  # a query may crash a server
                self._wait(failure, delay if failure.retry_after is None else min(failure.retry_after, max_delay))

    def _wait_until_alive(self, failure: EndpointFailure, delays: Iterator[float]) -> bool:
        """Wait until the server answers the probe query; tell whether it does."""
        while not self._is_alive():
            delay = next(delays, None)
            if delay is None:
                return False
            self._wait(failure, delay)
        return True

    def _is_alive(self) -> bool:
        try:
            return isinstance(self._run_once(_PROBE_QUERY, "ASK", min(self._timeout, _PROBE_SECONDS)), bool)
        except EndpointFailure:
            return False

    def _wait(self, failure: EndpointFailure, seconds: float) -> None:
        if seconds >= _LOGGED_WAIT:
            message = self.redact(failure.message)
            logger.warning("%s: %s; it is asked again in %.0f s", self.name, message, seconds)
        self._sleep(seconds)

    def _run_once(self, query: str, form: RemoteQueryForm, timeout: float) -> list[Row] | bool:
        cache = self._cache if query != _PROBE_QUERY else None
        body = cache.get(query) if cache is not None else None
        if body is not None:
            return parse_response(
                HttpReply(200, "", http.client.HTTPMessage(), body, self._url), query, redact=self.redact
            )
        response = self._send_query(query, form, timeout)
        result = parse_response(response, query, self._address.timeout, redact=self.redact)
        self._note_statements(response.body)
        headers = response.headers  # which are not kept
        if (
            cache is not None
            and (headers.get_content_type() != "text/csv")
            and headers.get_content_charset() in (None, "utf-8")
        ):
            cache.put(query, response.body)
        return result

    def _note_statements(self, body: bytes) -> None:
        """Say once how many statements about statements are not read, if a result seems to hold any."""
        if self._has_noted_statements or not any(f'"{kind}"'.encode() in body for kind in STATEMENT_KINDS):
            return
        self._has_noted_statements = True
        with suppress(EndpointFailure):
            counted = self._run_once(_COUNT_STATEMENTS, "SELECT", self._timeout)
            number = read_count(counted[0]["n"]) if isinstance(counted, list) and counted else 0
            if number:
                logger.warning("%s: %d statements about statements are not read", self.name, number)

    def _send(self, method: str, url: str, headers: Mapping[str, str], body: bytes, timeout: float) -> HttpReply:
        self._rate_limiter.acquire()
        try:
            reply = self._client.send(method, url, headers, body, timeout=timeout)
        except UnknownCoding as error:
            raise EndpointFailure(ResultUnreadable, str(error), "query") from error
        except ReplyTooLarge as error:
            raise EndpointFailure(ResultUnreadable, too_large_message(MAX_RESULT_BYTES), "query") from error
        except (OSError, http.client.HTTPException) as error:
            raise failure_from_connection_error(error, timeout) from error
        if not 200 <= reply.status < 300:
            raise failure_from_status(reply, has_credentials=bool(self._credentials), redact=self.redact)
        self.server = self.redact(reply.headers.get("server") or "")
        home, origin = parse_origin(self._url), parse_origin(reply.url)
        if origin == home or is_upgrade(home, origin) or not self._has_secrets:  # elsewhere no secrets may go
            self._url = reply.url.partition("?")[0]
        return reply

    def _send_query(self, query: str, form: RemoteQueryForm, timeout: float) -> HttpReply:
        """Send a query in the first way that the server takes, which later queries start with."""
        ways = sorted(self._ways, key=lambda way: way[0] == (GET if len(query) > _MAX_GET_LENGTH else POST))
        for way in ways:
            try:
                response = self._send(*self._request(query, form, way), timeout)
            except EndpointFailure as failure:
                if way == ways[-1] or not failure.message.startswith(_REFUSED_WAY):
                    raise
            else:
                self._ways = tuple(each for each in self._ways if each not in ways[: ways.index(way)])
                return response
        raise AssertionError("the last way returns or raises")

    def _request(self, query: str, form: RemoteQueryForm, way: _Way) -> tuple[str, str, Mapping[str, str], bytes]:
        """Return method, URL, headers and body of a query."""
        wrapper: Any = SPARQLWrapper(self._url, returnFormat=JSON, agent=self._user_agent)
        wrapper.queryString, wrapper.queryType = query, form  # setQuery would guess the form and log warnings
        wrapper.setMethod(way[0])
        wrapper.setRequestMethod(way[1])
        wrapper.setOnlyConneg(True)
        wrapper.addCustomHttpHeader("Accept", RESULT_TYPES)
        for key, value in self._address.parameters:
            wrapper.addParameter(key, value)
        # SPARQLWrapper's query() would use urllib's shared opener, which sends parameters to the target of a redirect.
        request = wrapper._createRequest()
        return request.get_method(), request.full_url, dict(request.header_items()), request.data or b""


class _GuardedRemote(GuardedEndpoint):
    def __init__(self, remote: RemoteEndpoint) -> None:
        super().__init__(remote.name, remote.row_limit, remote.functions)
        self._remote = remote

    def run(self, guarded: GuardedQuery, query: str) -> list[Row] | bool:
        return self._remote.ask(guarded.query) if guarded.form == "ASK" else self._remote.select(guarded.query)


def _delays(retries: int) -> Iterator[float]:
    """Yield the seconds before each retry, for a server that does not name them."""
    return (_FIRST_DELAY * 2**number for number in range(retries))


class CircuitBreaker:
    """Counts failures in a row, from any thread (M. Nygard, Release It!, "Circuit Breaker").

    Closed: every query passes. Open, after ``MAX_FAILURES`` failures in a row: no query passes for ``PAUSE_SECONDS``.
    Then one query passes; its success closes the circuit, its failure opens it again.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures, self._last_reason = 0, ""
        self._opened_at: float | None = None
        self._lock = threading.Lock()

    def open_reason(self) -> str:
        """Return why no query may be sent now; empty if one may.

        After an empty reason the caller sends a query and records its success or failure.
        """
        with self._lock:
            if self._opened_at is None:
                return ""
            rest = self._opened_at + PAUSE_SECONDS - self._clock()
            if rest <= 0:
                self._opened_at = self._clock()  # this query is sent, the others wait for its outcome
                return ""
            reason = self._last_reason
            return f"left alone for {rest:.0f} s after {self._failures} failures in a row (the last: {reason})"

    def record_success(self) -> None:
        """Record that the server answered, even if it rejected the query."""
        with self._lock:
            self._failures, self._opened_at = 0, None

    def record_failure(self, reason: str) -> None:
        """Record that the server did not answer, after all retries."""
        with self._lock:
            self._failures, self._last_reason = self._failures + 1, reason
            if self._failures >= MAX_FAILURES:
                self._opened_at = self._clock()

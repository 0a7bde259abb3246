"""Any SPARQL 1.1 endpoint over HTTP: the only file that imports SPARQLWrapper."""

from __future__ import annotations

import http.client
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.request import Request

from SPARQLWrapper import GET, JSON, POST, SPARQLWrapper

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.address import parse_address
from chattyshared.endpoint.connection_options import DEFAULT_TIMEOUT, ConnectionOptions
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.error_mapping import (
    EndpointFailure,
    failure_from_connection_error,
    failure_from_http_error,
    parse_response,
)
from chattyshared.endpoint.guard import GuardedEndpoint
from chattyshared.endpoint.result_cache import RequestCoalescer, ResultCache
from chattyshared.endpoint.results import fetch_pages, too_large_message
from chattyshared.endpoint.retry import RETRIES, CircuitBreaker, RetryPolicy
from chattyshared.endpoint.transport import HttpResponse, HttpTransport
from chattyshared.errors import (
    ConfigError,
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultCut,
    ResultUnreadable,
)
from chattyshared.http_client import ReplyTooLarge
from chattyshared.rate_limit import EndpointRateLimiter
from chattyshared.redaction import make_redactor

logger = logging.getLogger(__name__)
ABOUT = "knowledge graph question answering"
_ACCEPT = "application/sparql-results+json"
_LONGEST_GET = 2_000
_LOGGED_WAIT = 5.0
"""Seconds from which on a wait is logged."""
_PROBE = "ASK { ?s ?p ?o }"
_PROBE_SECONDS, _PROBE_RETRIES, _PROBE_WAIT = 8.0, 1, 2.0

RemoteQueryForm = Literal["SELECT", "ASK"]


class RemoteEndpoint:
    """A SPARQL endpoint at a URL, which may hold credentials (``http://user:password@host/sparql``).

    Usable from many threads: each query is a request of its own, but for the same one asked at the same moment.
    ``server`` is what the server last called itself; ``redact`` takes the secrets of the address out of a text.

    Raises:
        ConfigError: the URL is none.
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
        """Take the address and who asks; ``timeout`` are the seconds of one query, ``retries`` further tries of it."""
        connection = connection or ConnectionOptions()
        self._address = parse_address(url)
        inside = Credentials(self._address.user, self._address.password)
        self._credentials = inside if inside else connection.credentials
        self.name = self._address.name
        self.server = ""
        self.row_limit = row_limit
        self._functions = connection.functions
        self._user_agent = f"chatty/0.1 ({connection.contact or ABOUT}) SPARQLWrapper/2"
        self._patience = RetryPolicy(timeout, retries)
        private = self._address.private_parameters
        self._transport = HttpTransport(
            self._address.url, self._credentials, private_parameters=[name for name, _ in private]
        )
        self.redact = make_redactor([*self._credentials.secrets, *(value for _, value in private)])
        self._rate_limiter = EndpointRateLimiter(connection.requests_per_second, clock=clock, sleep=sleep)
        self._breaker = CircuitBreaker(clock=clock)
        self._kept: ResultCache | None = None
        self._in_flight: RequestCoalescer[list[Row] | bool] = RequestCoalescer()
        self._sleep = sleep

    @property
    def authentication(self) -> str:
        """In what way the server was told who asks, without any secret."""
        return self._transport.authentication

    def use_cache(self, cache: ResultCache | None) -> None:
        """Take answers from those that are kept, and keep what comes."""
        self._kept = cache

    def select(self, query: str) -> list[Row]:
        """Run a SELECT query and return all of its solutions, in order; what a server cuts is asked for in pages.

        Raises:
            QueryRejected: the server does not take the query.
            EndpointTimeout: no whole answer in time, or the server gave up.
            EndpointUnavailable: nobody answers, or only to refuse, after the retries.
            ResultUnreadable: the answer is no SPARQL result, or not whole, or longer than the row limit.
        """
        try:
            rows = self._rows(query)
        except ResultCut as cut:
            rows = fetch_pages(self._rows, query, cut, max_rows=self.row_limit)
        if len(rows) > self.row_limit:
            raise ResultUnreadable(f"more than {self.row_limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        truth = self._result(query, "ASK")
        if not isinstance(truth, bool):
            raise QueryRejected("not an ASK query", endpoint=self.name, query=query)
        return truth

    def untrusted_view(self) -> Endpoint:
        """Return the view for queries that we did not build: guarded, on the same wire."""
        return GuardedEndpoint(self, self.row_limit, self._functions)

    def check_available(self) -> None:
        """Check, in about ten seconds at most, that there is a SPARQL endpoint that holds something.

        Raises:
            ConfigError: it is down, slow, refuses, is no SPARQL endpoint, or its default graph is empty.
        """
        patience = RetryPolicy(min(self._patience.timeout, _PROBE_SECONDS), _PROBE_RETRIES, _PROBE_WAIT)
        try:
            holds = self._asked(_PROBE, "ASK", patience, is_probe=True)
        except EndpointError as error:
            raise ConfigError(f"the SPARQL endpoint cannot be used: {error}") from error
        if not isinstance(holds, bool):
            raise ConfigError(f"{self.name}: is no SPARQL endpoint: it answers ASK with a table")
        if not holds:
            hint = "name a graph by ?default-graph-uri=IRI behind the address, or set the server to serve their union"
            raise ConfigError(f"{self.name}: holds no triples in its default graph; {hint}")

    def fetch_response(self, query: str, form: RemoteQueryForm = "SELECT") -> HttpResponse:
        """Run a query once, without retries, and return the reply as it came: for those who study the server.

        Raises:
            EndpointError: as one of its kinds.
        """
        try:
            return self._sent(self._request(query, form), self._patience.timeout)
        except EndpointFailure as failure:
            raise self._error(failure, query) from failure.__cause__

    def fetch_service_description(self) -> HttpResponse:
        """Ask nothing, once: a server may answer with a description of itself in Turtle; raises as ``fetch`` does."""
        request = Request(self._transport.url, headers={"Accept": "text/turtle", "User-Agent": self._user_agent})
        try:
            return self._sent(request, self._patience.timeout)
        except EndpointFailure as failure:
            raise self._error(failure, "") from failure.__cause__

    def _rows(self, query: str) -> list[Row]:
        rows = self._result(query, "SELECT")
        if isinstance(rows, bool):
            raise QueryRejected("not a SELECT query", endpoint=self.name, query=query)
        return list(rows)  # others may have the same

    def _result(self, query: str, form: RemoteQueryForm) -> list[Row] | bool:
        return self._in_flight.run_once(f"{form} {query}", lambda: self._guarded(query, form))

    def _guarded(self, query: str, form: RemoteQueryForm) -> list[Row] | bool:
        if refused := self._breaker.open_reason():
            raise EndpointUnavailable(refused, endpoint=self.name, query=query)
        try:
            result = self._asked(query, form, self._patience)
        except EndpointUnavailable as error:
            self._breaker.record_failure(str(error).removeprefix(f"{self.name}: "))
            raise
        except EndpointError:
            self._breaker.record_success()
            raise
        self._breaker.record_success()
        return result

    def _asked(
        self, query: str, form: RemoteQueryForm, patience: RetryPolicy, *, is_probe: bool = False
    ) -> list[Row] | bool:
        """Ask, and ask again where that may help.

        What may be the query's fault or the server's is told apart by a small query: where that is answered, it is the
        query's; where it is not, the server is gone, whatever it has said.
        """
        waits, is_doubted = patience.delays(), False
        while True:
            try:
                return self._once(query, form, patience.timeout)
            except EndpointFailure as failure:
                if failure.fault == "query" or (failure.fault == "either" and is_probe):
                    raise self._error(failure, query) from failure.__cause__
                if failure.fault == "either":
                    failure, has_recovered = self._examined(failure, waits)
                    if not has_recovered or is_doubted or failure.error_type is EndpointTimeout:
                        raise self._error(failure, query) from failure.__cause__
                    is_doubted = True
                    continue
                wait = next(waits, None)
                if wait is None:
                    raise self._error(failure if is_probe else self._in_the_end(failure), query) from failure.__cause__
                self._rest(
                    failure, wait if failure.retry_after is None else min(failure.retry_after, patience.max_delay)
                )

    def _examined(self, failure: EndpointFailure, waits: Iterator[float]) -> tuple[EndpointFailure, bool]:
        """Wait until the server answers a small query; return the failure, and whether it does."""
        while not self._lives():
            wait = next(waits, None)
            if wait is None:
                return failure.as_server_failure(), False
            self._rest(failure, wait)
        return failure.as_query_failure(), True

    def _in_the_end(self, failure: EndpointFailure) -> EndpointFailure:
        """Say what a failure is that no waiting has helped: one query alone may bring a server, or its proxy, down."""
        if failure.is_busy:
            return failure
        return failure.as_query_failure() if self._lives() else failure.as_server_failure()

    def _lives(self) -> bool:
        try:
            return isinstance(self._once(_PROBE, "ASK", min(self._patience.timeout, _PROBE_SECONDS)), bool)
        except EndpointFailure:
            return False

    def _rest(self, failure: EndpointFailure, seconds: float) -> None:
        if seconds >= _LOGGED_WAIT:
            said = self.redact(failure.message)
            logger.warning("%s: %s; it is asked again in %.0f s", self.name, said, seconds)
        self._sleep(seconds)

    def _once(self, query: str, form: RemoteQueryForm, timeout: float) -> list[Row] | bool:
        kept = self._kept if query != _PROBE else None
        body = kept.get(query) if kept is not None else None
        if body is not None:
            return parse_response(HttpResponse(body, http.client.HTTPMessage()), query, redact=self.redact)
        reply = self._sent(self._request(query, form), timeout)
        result = parse_response(reply, query, self._address.timeout, redact=self.redact)
        if kept is not None:
            kept.put(query, reply.body)
        return result

    def _sent(self, request: Request, timeout: float) -> HttpResponse:
        self._rate_limiter.acquire()
        try:
            reply = self._transport.send(request, timeout)
        except HTTPError as error:
            with error:
                raise failure_from_http_error(
                    error, has_credentials=bool(self._credentials), redact=self.redact
                ) from error
        except ReplyTooLarge as error:
            raise EndpointFailure(ResultUnreadable, too_large_message(self._transport.max_bytes), "query") from error
        except (OSError, http.client.HTTPException) as error:
            raise failure_from_connection_error(error, timeout) from error
        self.server = self.redact(reply.headers.get("Server", "") or "")
        return reply

    def _request(self, query: str, form: RemoteQueryForm) -> Request:
        wrapper: Any = SPARQLWrapper(self._transport.url, returnFormat=JSON, agent=self._user_agent)
        wrapper.queryString, wrapper.queryType = query, form  # setQuery would guess the form, with warnings
        wrapper.setMethod(GET if len(query) <= _LONGEST_GET else POST)
        wrapper.setOnlyConneg(True)
        wrapper.addCustomHttpHeader("Accept", _ACCEPT)
        for key, value in self._address.parameters:
            wrapper.addParameter(key, value)
        # Its query() would send this through urllib's common opener, which hands parameters on wherever a redirect
        # leads, and would leave most refusals to us all the same.
        request: Request = wrapper._createRequest()
        return request

    def _error(self, failure: EndpointFailure, query: str) -> EndpointError:
        return failure.to_error(self.name, query, self.redact)

"""Any SPARQL 1.1 endpoint over HTTP: the only file that imports SPARQLWrapper."""

from __future__ import annotations

import http.client
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.error import HTTPError
from urllib.request import Request

from SPARQLWrapper import GET, JSON, POST, SPARQLWrapper

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.address import address
from chattyshared.endpoint.circuit_breaker import Breaker
from chattyshared.endpoint.connection_options import TIMEOUT, Reach
from chattyshared.endpoint.credentials import Credentials
from chattyshared.endpoint.error_mapping import Failure, of_break, of_status, result_of
from chattyshared.endpoint.pagination import in_pages
from chattyshared.endpoint.rate_limit import Pacing
from chattyshared.endpoint.request_coalescing import InFlight
from chattyshared.endpoint.result_cache import KeptAnswers
from chattyshared.endpoint.results import too_large
from chattyshared.endpoint.transport import Reply, TooLarge, Transport
from chattyshared.endpoint.untrusted import ForeignRemote
from chattyshared.errors import (
    ConfigError,
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultCut,
    ResultUnreadable,
)
from chattyshared.redaction import redactor

logger = logging.getLogger(__name__)
ABOUT = "knowledge graph question answering"
_ACCEPT = "application/sparql-results+json"
_LONGEST_GET = 2_000
_FIRST_WAIT, _SAID_WAIT = 0.5, 5.0
_PROBE = "ASK { ?s ?p ?o }"
_PROBE_SECONDS, _PROBE_RETRIES, _PROBE_WAIT = 8.0, 1, 2.0

Form = Literal["SELECT", "ASK"]
RETRIES = 6
"""Times that a busy or unreachable server is asked again; the waits double, 31 s in all: a server's own restart."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer may take, how often a busy or unreachable server is asked again, and the longest wait."""

    timeout: float = TIMEOUT
    retries: int = RETRIES
    longest_wait: float = 60

    def waits(self) -> Iterator[float]:
        """Yield the seconds before each further try, where the server does not name them."""
        for number in range(self.retries):
            yield min(_FIRST_WAIT * 2**number, self.longest_wait)


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
        reach: Reach | None = None,
        *,
        timeout: float = TIMEOUT,
        row_limit: int = 100_000,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the address and who asks; ``timeout`` are the seconds of one query, ``retries`` further tries of it."""
        reach = reach or Reach()
        self._address = address(url)
        inside = Credentials(self._address.user, self._address.password)
        self._credentials = inside if inside else reach.credentials
        self.name = self._address.name
        self.server = ""
        self.row_limit = row_limit
        self._functions = reach.functions
        self._user_agent = f"chatty/0.1 ({reach.contact or ABOUT}) SPARQLWrapper/2"
        self._patience = Patience(timeout, retries)
        private = self._address.private
        self._transport = Transport(self._address.url, self._credentials, private=[name for name, _ in private])
        self.redact = redactor([*self._credentials.secret, *(value for _, value in private)])
        self._pacing = Pacing(reach.per_second, clock=clock, sleep=sleep)
        self._breaker = Breaker(clock=clock)
        self._kept: KeptAnswers | None = None
        self._in_flight: InFlight[list[Row] | bool] = InFlight()
        self._sleep = sleep

    @property
    def access(self) -> str:
        """In what way the server was told who asks, without any secret."""
        return self._transport.access

    def keep(self, answers: KeptAnswers | None) -> None:
        """Take answers from those that are kept, and keep what comes."""
        self._kept = answers

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
            rows = in_pages(self._rows, query, cut, most=self.row_limit)
        if len(rows) > self.row_limit:
            raise ResultUnreadable(f"more than {self.row_limit} rows", endpoint=self.name, query=query)
        return rows

    def ask(self, query: str) -> bool:
        """Run an ASK query and return its truth; raises as ``select`` does."""
        truth = self._result(query, "ASK")
        if not isinstance(truth, bool):
            raise QueryRejected("not an ASK query", endpoint=self.name, query=query)
        return truth

    def foreign(self) -> Endpoint:
        """Return the view for queries that we did not build: guarded, on the same wire."""
        return ForeignRemote(self, self.row_limit, self._functions)

    def probe(self) -> None:
        """Check, in about ten seconds at most, that there is a SPARQL endpoint that holds something.

        Raises:
            ConfigError: it is down, slow, refuses, is no SPARQL endpoint, or its default graph is empty.
        """
        patience = Patience(min(self._patience.timeout, _PROBE_SECONDS), _PROBE_RETRIES, _PROBE_WAIT)
        try:
            holds = self._asked(_PROBE, "ASK", patience, is_probe=True)
        except EndpointError as error:
            raise ConfigError(f"the SPARQL endpoint cannot be used: {error}") from error
        if not isinstance(holds, bool):
            raise ConfigError(f"{self.name}: is no SPARQL endpoint: it answers ASK with a table")
        if not holds:
            hint = "name a graph by ?default-graph-uri=IRI behind the address, or set the server to serve their union"
            raise ConfigError(f"{self.name}: holds no triples in its default graph; {hint}")

    def fetch(self, query: str, form: Form = "SELECT") -> Reply:
        """Run a query once, without retries, and return the reply as it came: for those who study the server.

        Raises:
            EndpointError: as one of its kinds.
        """
        try:
            return self._sent(self._request(query, form), self._patience.timeout)
        except Failure as failure:
            raise self._error(failure, query) from failure.__cause__

    def describe(self) -> Reply:
        """Ask nothing, once: a server may answer with a description of itself in Turtle; raises as ``fetch`` does."""
        request = Request(self._transport.url, headers={"Accept": "text/turtle", "User-Agent": self._user_agent})
        try:
            return self._sent(request, self._patience.timeout)
        except Failure as failure:
            raise self._error(failure, "") from failure.__cause__

    def _rows(self, query: str) -> list[Row]:
        rows = self._result(query, "SELECT")
        if isinstance(rows, bool):
            raise QueryRejected("not a SELECT query", endpoint=self.name, query=query)
        return list(rows)  # others may have the same

    def _result(self, query: str, form: Form) -> list[Row] | bool:
        return self._in_flight.ask(f"{form} {query}", lambda: self._guarded(query, form))

    def _guarded(self, query: str, form: Form) -> list[Row] | bool:
        if refused := self._breaker.refused():
            raise EndpointUnavailable(refused, endpoint=self.name, query=query)
        try:
            result = self._asked(query, form, self._patience)
        except EndpointUnavailable as error:
            self._breaker.failed(str(error).removeprefix(f"{self.name}: "))
            raise
        except EndpointError:
            self._breaker.well()
            raise
        self._breaker.well()
        return result

    def _asked(self, query: str, form: Form, patience: Patience, *, is_probe: bool = False) -> list[Row] | bool:
        """Ask, and ask again where that may help.

        What may be the query's fault or the server's is told apart by a small query: where that is answered, it is the
        query's; where it is not, the server is gone, whatever it has said.
        """
        waits, is_doubted = patience.waits(), False
        while True:
            try:
                return self._once(query, form, patience.timeout)
            except Failure as failure:
                if failure.fault == "query" or (failure.fault == "either" and is_probe):
                    raise self._error(failure, query) from failure.__cause__
                if failure.fault == "either":
                    failure, has_recovered = self._examined(failure, waits)
                    if not has_recovered or is_doubted or failure.kind is EndpointTimeout:
                        raise self._error(failure, query) from failure.__cause__
                    is_doubted = True
                    continue
                wait = next(waits, None)
                if wait is None:
                    raise self._error(failure if is_probe else self._in_the_end(failure), query) from failure.__cause__
                self._rest(failure, wait if failure.wait is None else min(failure.wait, patience.longest_wait))

    def _examined(self, failure: Failure, waits: Iterator[float]) -> tuple[Failure, bool]:
        """Wait until the server answers a small query; return the failure, and whether it does."""
        while not self._lives():
            wait = next(waits, None)
            if wait is None:
                return failure.of_the_server(), False
            self._rest(failure, wait)
        return failure.of_the_query(), True

    def _in_the_end(self, failure: Failure) -> Failure:
        """Say what a failure is that no waiting has helped: one query alone may bring a server, or its proxy, down."""
        if failure.is_busy:
            return failure
        return failure.of_the_query() if self._lives() else failure.of_the_server()

    def _lives(self) -> bool:
        try:
            return isinstance(self._once(_PROBE, "ASK", min(self._patience.timeout, _PROBE_SECONDS)), bool)
        except Failure:
            return False

    def _rest(self, failure: Failure, seconds: float) -> None:
        if seconds >= _SAID_WAIT:
            said = self.redact(failure.said)
            logger.warning("%s: %s; it is asked again in %.0f s", self.name, said, seconds)
        self._sleep(seconds)

    def _once(self, query: str, form: Form, timeout: float) -> list[Row] | bool:
        kept = self._kept if query != _PROBE else None
        body = kept.get(query) if kept is not None else None
        if body is not None:
            return result_of(Reply(body, http.client.HTTPMessage()), query, shown=self.redact)
        reply = self._sent(self._request(query, form), timeout)
        result = result_of(reply, query, self._address.timeout, shown=self.redact)
        if kept is not None:
            kept.put(query, reply.body)
        return result

    def _sent(self, request: Request, timeout: float) -> Reply:
        self._pacing.begin()
        try:
            reply = self._transport.send(request, timeout)
        except HTTPError as error:
            with error:
                raise of_status(error, named=bool(self._credentials), shown=self.redact) from error
        except TooLarge as error:
            raise Failure(ResultUnreadable, too_large(self._transport.largest), "query") from error
        except (OSError, http.client.HTTPException) as error:
            raise of_break(error, timeout) from error
        self.server = self.redact(reply.headers.get("Server", "") or "")
        return reply

    def _request(self, query: str, form: Form) -> Request:
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

    def _error(self, failure: Failure, query: str) -> EndpointError:
        return failure.error(self.name, query, self.redact)

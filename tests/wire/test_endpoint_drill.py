"""The drill of SPARQL endpoints: each fault is a clear error or a retried success, and never an empty answer."""

import re
import resource
import threading

import pytest
from chattyshared.endpoint.connection_options import ConnectionOptions
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.errors import (
    EndpointError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultUnreadable,
)
from chattyshared.http_client import PRODUCT
from wire.server import JSON_RESULTS, Fault
from wire.still_clock import StillClock

TURTLE = "PREFIX e: <http://e/> e:a e:p 1, 2, 3 ."
ASKED = "SELECT ?o { ?s ?p ?o }"
HTML = Fault(body="<!DOCTYPE html><title>x</title><p>Down for repairs", content_type="text/html")
NO_JSON = "is no whole JSON (Expecting value: line 1 column 1 (char 0))"
CUT = Fault(headers={"Content-Length": "5000"})
GONE = "; nor does it answer anything else"
OTHERS = ", though it answers other queries"


@pytest.fixture
def server(sparql_server):
    return sparql_server(TURTLE)


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture
def endpoint(server, clock):
    return RemoteEndpoint(server.url, timeout=2, sleep=clock.sleep, clock=clock)


def plain(error):
    """A dropped connection has several names."""
    return re.sub(r"(cannot be reached) \([^)]*\)", r"\1", str(error))


@pytest.mark.parametrize(
    ("faults", "naps"),
    [
        ([Fault(reset=True)], [0.5]),
        ([Fault(503)] * 5, [0.5, 1, 2, 4, 8]),
        ([Fault(429, headers={"Retry-After": "7"})] * 2, [7, 7]),
        ([Fault(502), Fault(504)], [0.5, 1]),
        ([HTML] * 3, [0.5, 1]),
        ([Fault(500, "out of memory")], []),
        ([CUT], []),
        ([Fault(keep=20)], []),
    ],
    ids=["down", "503 for 10 s", "429", "a proxy's", "HTML for a while", "500 once", "cut once", "half a JSON once"],
)
def test_what_passes_is_asked_again(server, endpoint, clock, faults, naps):
    server.faults.extend(faults)
    assert len(endpoint.select(ASKED)) == 3
    assert clock.naps == naps


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (Fault(400, "line 3: no"), QueryRejected, "HTTP 400: line 3: no"),
        (Fault(403, "blocked"), QueryRejected, f"HTTP 403: blocked{OTHERS}"),
        (Fault(404, "x" * 5_000), QueryRejected, f"HTTP 404: {'x' * 300}{OTHERS}"),
        (Fault(414, "long"), QueryRejected, "HTTP 414: long"),
        (Fault(500, "transitive start not given"), QueryRejected, "HTTP 500: transitive start not given"),
        (Fault(500, "S1T00 Error SR171"), EndpointTimeout, "HTTP 500: S1T00 Error SR171"),
        (Fault(502, "bad gateway"), QueryRejected, f"HTTP 502: bad gateway{OTHERS}"),
        (Fault(503, "Query timed out"), EndpointTimeout, "HTTP 503: Query timed out"),
        (Fault(504, "gateway"), EndpointTimeout, "HTTP 504: gateway"),
        (Fault(reset=True), QueryRejected, f"cannot be reached{OTHERS}"),
        (HTML, ResultUnreadable, f"the answer (text/html) {NO_JSON}: x Down for repairs"),
        (Fault(body="x\n1\n", content_type="text/plain"), ResultUnreadable, f"the answer (text/plain) {NO_JSON}: x 1"),
        (Fault(keep=0, content_type="text/x"), ResultUnreadable, f"the answer (text/x) {NO_JSON}: "),
        (CUT, ResultUnreadable, "the answer breaks off"),
        (Fault(delay=3), EndpointTimeout, "no answer within 0.2 s"),
        (Fault(body="[" * 50_000), ResultUnreadable,
         f"the answer ({JSON_RESULTS}) is no whole JSON (nested too deeply): {'[' * 120}"),
        (Fault(body='{"head":{\nTimeoutException'), EndpointTimeout, "the server gave up in the middle of its answer"),
        (Fault(headers={"X-SQL-State": "S1TAT"}), EndpointTimeout,
         "the server gave up at its time limit; the answer is not whole"),
        (Fault(headers={"X-SQL-State": "22023"}), ResultUnreadable, "the server reports the state 22023"),
    ],
)  # fmt: skip
def test_what_is_the_querys_fault_is_its_own_error(server, clock, fault, kind, said):
    server.heavy = ("COUNT", fault)
    endpoint = RemoteEndpoint(server.url, timeout=0.2 if fault.delay else 2, sleep=clock.sleep, clock=clock)
    for _ in range(4):
        with pytest.raises(EndpointError) as caught:
            endpoint.select("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
        assert (type(caught.value), plain(caught.value)) == (kind, f"{server.url}: {said}")
    assert len(endpoint.select(ASKED)) == 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(401, ""), "HTTP 401 (set CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN)"),
        (Fault(403, ""), "HTTP 403"),
        (Fault(429, "slow down"), "HTTP 429: slow down"),
        (Fault(500, "disk full"), f"HTTP 500: disk full{GONE}"),
        (Fault(503, "busy"), "HTTP 503: busy"),
        (Fault(504, ""), f"HTTP 504{GONE}"),
        (Fault(reset=True), "cannot be reached"),
        (HTML, f"the answer (text/html) {NO_JSON}: x Down for repairs{GONE}"),
        (CUT, f"the answer breaks off{GONE}"),
        (Fault(delay=0.4), f"no answer within 0.05 s{GONE}"),
    ],
)
def test_a_server_that_is_gone_is_said_to_be(server, clock, fault, said):
    server.always = fault
    endpoint = RemoteEndpoint(server.url, timeout=0.05 if fault.delay else 2, sleep=clock.sleep, clock=clock)
    with pytest.raises(EndpointUnavailable) as caught:
        endpoint.select(ASKED)
    assert plain(caught.value) == f"{server.url}: {said}"
    assert clock.now <= 32


def test_a_flood_of_rows_ends_soon_and_takes_little_memory(server, endpoint):
    server.always = Fault(flood=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ResultUnreadable, match="the answer has more than 64 MB: ask for fewer rows"):
        endpoint.select(ASKED)
    assert server.flooded < 100 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150 << 10


def test_a_server_that_fails_again_and_again_is_left_alone(server, endpoint, clock):
    server.always = Fault(503, "busy")
    for _ in range(3):
        with pytest.raises(EndpointUnavailable, match="HTTP 503: busy"):
            endpoint.select(ASKED)
    sent = len(server.received)
    with pytest.raises(
        EndpointUnavailable, match=r"left alone for 30 s after 3 failures in a row \(the last: HTTP 503"
    ):
        endpoint.select(ASKED)
    assert len(server.received) == sent
    clock.now += 31
    server.always = None
    assert len(endpoint.select(ASKED)) == len(endpoint.select(ASKED)) == 3


def test_a_long_wait_is_said(server, endpoint, caplog):
    server.faults.append(Fault(429, "easy", {"Retry-After": "20"}))
    endpoint.select(ASKED)
    assert caplog.messages == [f"{server.url}: HTTP 429: easy; it is asked again in 20 s"]


def test_requests_keep_to_their_pace(server, clock):
    endpoint = RemoteEndpoint(server.url, ConnectionOptions(requests_per_second=4), sleep=clock.sleep, clock=clock)
    for _ in range(4):
        endpoint.ask("ASK {}")
    assert clock.naps == [0.25, 0.25, 0.25]


def test_the_owners_learn_whom_to_write_to(server):
    RemoteEndpoint(server.url, ConnectionOptions(contact="mailto:jo@example.org")).ask("ASK {}")
    assert server.received[0].headers["User-Agent"] == f"{PRODUCT} (mailto:jo@example.org) SPARQLWrapper/2"


def test_many_threads_survive_a_short_outage(server, endpoint):
    server.faults.extend([Fault(503)] * 7)
    found = []
    queries = [f"SELECT ?o {{ ?s ?p ?o }} LIMIT {number + 3}" for number in range(4)]
    threads = [
        threading.Thread(target=lambda asked=asked: found.append(len(endpoint.select(asked)))) for asked in queries
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 4


@pytest.mark.parametrize(
    ("software", "delay", "is_whole"), [("Virtuoso/07", 1.1, False), ("Virtuoso/07", 0, True), ("x/1", 1.1, True)]
)
def test_what_a_server_had_when_the_time_of_the_address_was_up_is_no_answer(server, software, delay, is_whole):
    server.software = software
    server.always = Fault(body=None, delay=delay)
    endpoint = RemoteEndpoint(f"{server.url}?timeout=1000", timeout=2)
    if is_whole:
        assert len(endpoint.select(ASKED)) == 3
        return
    with pytest.raises(EndpointTimeout) as caught:
        endpoint.select(ASKED)
    said = "the answer took longer than timeout=1000 in the address, and need not be whole"
    assert str(caught.value) == f"{server.url}?timeout=1000: {said}"

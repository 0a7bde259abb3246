"""Systems behind HTTP that fail: what is asked again, what ends the run, and what only the question."""

import gzip
import time

import pytest
from chattyshared.errors import (
    ConfigError,
    EndpointTimeout,
    EndpointUnavailable,
    QueryRejected,
    ResultUnreadable,
)
from wire.raw_server import OK, RawServer, endless, whole
from wire.systems import Fault, SystemServer

from chattykg.engines.system_client import MAX_RETRIES, SystemClient


def asked(server, waits, **more):
    return SystemClient(server.url, sleep=waits.append, **more).get(question="?")


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_what_may_pass_is_asked_again(status, caplog):
    waits = []
    with SystemServer(lambda *_: {"query": "q"}, Fault(status), Fault(status, headers={"Retry-After": "7"})) as server:
        assert asked(server, waits) == {"query": "q"}
    assert waits == [0.5, 7.0]
    assert caplog.messages == [f"{server.url}/: HTTP {status}; it is asked again in 7 s"]


def test_what_does_not_pass_ends_the_run():
    waits = []
    with SystemServer(lambda *_: {}) as server:
        server.always = Fault(503, '{"detail": "closed for repairs"}')
        with pytest.raises(EndpointUnavailable, match="HTTP 503: closed for repairs"):
            asked(server, waits)
        assert len(server.asked) == MAX_RETRIES + 1 == len(waits) + 1


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (Fault(404, '{"detail": "Unknown dataset ..."}'), ConfigError, "HTTP 404: Unknown dataset"),
        (Fault(401), ConfigError, "HTTP 401$"),
        (Fault(422, '{"detail": [{"msg": "x"}]}'), QueryRejected, "HTTP 422"),
        (Fault(500, "<html>oh\nno</html>"), QueryRejected, "HTTP 500: <html>oh no</html>"),
        (Fault(200, "<html>"), ResultUnreadable, "no JSON"),
        (Fault(200, ""), ResultUnreadable, "no JSON"),
        (Fault(200, "[" * 100_000), ResultUnreadable, "no JSON .nested too deeply"),
        (Fault(200, "[" * 200 + "]" * 200), ResultUnreadable, "no JSON .nested too deeply"),
        (Fault(200, '{"query": NaN}'), ResultUnreadable, "no JSON"),
        (Fault(200, '{"query": ' + "1" * 5000 + "}"), ResultUnreadable, "number of 5000 digits"),
        (Fault(400, '{"detail": ' + "[" * 900 + "]" * 900 + "}"), QueryRejected, "HTTP 400: {"),
    ],
)
def test_what_is_refused_is_told_and_not_asked_again(fault, error, said):
    with SystemServer(lambda *_: {}, fault) as server:
        with pytest.raises(error, match=said):
            asked(server, [])
        assert len(server.asked) == 1


def test_a_slow_answer_is_the_questions_fault():
    with SystemServer(lambda *_: time.sleep(1)) as server, pytest.raises(EndpointTimeout, match=r"within 0\.2 s"):
        asked(server, [], timeout=0.2)


@pytest.mark.parametrize("url", ["", "ftp://h/x", "http://", "http:///x", "http://h:x/", "http://é/", "http://h/ x"])
def test_what_is_no_address(url):
    with pytest.raises(ConfigError, match="not the address of a system"):
        SystemClient(url)


def test_secrets_of_an_address_stay_with_its_origin_and_out_of_messages():
    with SystemServer(lambda *_: {}) as server, SystemServer(lambda *_: {"query": "q"}) as other:
        system = SystemClient(server.url.replace("//", "//me:s3cret@") + "/api?key=abcdef&timeout=9")
        server.faults.append(Fault(307, headers={"Location": f"{other.url}/x?question=Who&key=abcdef"}))
        assert system.get(question="Who") == {"query": "q"}
        assert other.asked == [("GET", "/x", {"question": "Who"})]
        server.faults.append(Fault(307, headers={"Location": f"{other.url}/y"}))
        with pytest.raises(QueryRejected, match="HTTP 307"):  # what is asked stays with whom it is asked
            system.post("ask", {"question": "Who"})
        assert len(other.asked) == 1
        assert server.asked[1][1] == "/api/ask?key=abcdef&timeout=9"
        server.faults.append(Fault(403, "Basic bWU6czNjcmV0 with abcdef is wrong"))
        with pytest.raises(ConfigError) as caught:
            system.get(question="Who")
        assert str(caught.value) == f"{server.url}/api?key=***&timeout=9: HTTP 403: Basic *** with *** is wrong"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "error", "said"),
    [
        (endless(OK + b"\r\n", b" ", 0.05), EndpointTimeout, r"no answer within 0\.4 s"),
        (endless(b"HTTP/1.1 200 OK\r\nX: ", b"a", 0.05), EndpointTimeout, r"no answer within 0\.4 s"),
        (endless(b"HTTP/1.1 400 Oh\r\nContent-Length: 99999\r\n\r\n", b"a", 0.05), QueryRejected, "HTTP 400"),
        (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000), EndpointTimeout, "no answer within"),
        (endless(OK + b"\r\n", b" " * 65536), ResultUnreadable, "larger than 16 MB"),
        (
            lambda _: [whole(gzip.compress(b" " * (20 << 20)), b"Content-Encoding: gzip")],
            ResultUnreadable,
            "larger than 16 MB",
        ),
    ],
    ids=["drip", "drip in a header", "drip in an error", "flood of 100", "endless", "gzip"],
)
def test_an_answer_is_bounded_in_time_and_size(script, error, said):
    with RawServer(script) as server:
        began = time.monotonic()
        with pytest.raises(error, match=said):
            asked(server, [], timeout=10 if error is ResultUnreadable else 0.4)
        assert time.monotonic() - began < (10 if error is ResultUnreadable else 1.0)

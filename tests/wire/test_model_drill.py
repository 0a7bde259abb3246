"""The fault drill of models: what a server does, what is raised in the end, how often it is asked, how it is waited."""

from __future__ import annotations

import gzip
import math
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from chattyshared.model import Message, Request, Usage
from chattyshared.model.openai import OpenAIModel
from chattyshared.model.throttle import ThrottledModel
from chattyshared.rate_limit import RateLimiter, RateLimits
from wire.model_server import Fault, ModelServer, completion, error
from wire.raw_server import OK, RawServer, endless, whole
from wire.still_clock import StillClock

KEY = "sk-very-secret-key"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
ASKED = Request("answer/qir", (Message("system", "Be brief."), Message("user", "Who keeps the light?")), SCHEMA)
DOUBLED = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


@pytest.fixture(scope="module")
def running():
    server = ModelServer().start()
    yield server
    server.stop()


@pytest.fixture
def server(running):
    running.faults.clear()
    running.asked.clear()
    running.always = None
    return running


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture
def waits(clock):
    return clock.naps


@pytest.fixture
def model(server, clock):
    asked = OpenAIModel("m", base_url=server.url, api_key=KEY, timeout=0.3)
    yield ThrottledModel(asked, RateLimiter(clock=clock, sleep=clock.sleep), sleep=clock.sleep, jitter=lambda: 0)
    asked.close()


CUT = Fault(keep=40)
TOO_LONG = error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.")
LLAMA_CPP = error("the request exceeds the available context size (4096 tokens), try increasing it", code=400)
NO_QUOTA = error("You exceeded your current quota, please check your plan and billing details.",
                 code="insufficient_quota")  # fmt: skip
GEMINI_BUSY = [{"error": {"code": 429, "message": "Resource exhausted", "details": [{"retryDelay": "7s"}]}}]
IN_BODY = {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-min"}}
NO_CREDITS = {"error": {"code": 402, "message": "Insufficient credits"}}


@pytest.mark.parametrize(
    ("fault", "kind", "said", "slept"),
    [
        pytest.param(Fault(429, error("slow down")), ModelUnavailable, "status 429: slow down", DOUBLED, id="429"),
        pytest.param(Fault(429, error("Please try again in 1m2.5s.")), ModelUnavailable, "429", [62.5] * 8, id="said"),
        pytest.param(
            Fault(429, GEMINI_BUSY), ModelUnavailable, "status 429: Resource exhausted$", [7.0] * 8, id="429-gemini"
        ),
        pytest.param(Fault(200, IN_BODY), ModelUnavailable, "status 429: Rate limit", DOUBLED, id="429-in-200"),
        pytest.param(Fault(429, NO_QUOTA), ModelUnavailable, "no money is left at http://", [], id="429-no-quota"),
        pytest.param(Fault(200, NO_CREDITS), ModelUnavailable, "no money is left at", [], id="402-in-200"),
        pytest.param(Fault(402, error("Insufficient Balance")), ModelUnavailable, "no money is left", [], id="402"),
        pytest.param(Fault(503, error("Loading model")), ModelUnavailable, "status 503: Loading", DOUBLED, id="503"),
        pytest.param(Fault(500, error("oops")), ModelUnavailable, "status 500: oops", DOUBLED[:4], id="500"),
        pytest.param(
            Fault(502, "<html>bad gateway"), ModelUnavailable, "status 502: <html>bad gateway", DOUBLED[:4], id="502"
        ),
        pytest.param(Fault(504, ""), ModelUnavailable, "status 504", DOUBLED[:4], id="504"),
        pytest.param(Fault(keep=0), ModelUnavailable, "cannot reach http://127", DOUBLED[:4], id="reset"),
        pytest.param(CUT, ModelUnavailable, "cannot reach http://127", DOUBLED[:4], id="reset-in-mid-body"),
        pytest.param(Fault(hang=0.6), ModelUnavailable, "in time", DOUBLED[:1], id="hang"),
        pytest.param(Fault(body='{"choices": [{'), ModelUnavailable, "unreadable reply", DOUBLED[:1], id="half-json"),
        pytest.param(Fault(body={"hello": 1}), ModelUnavailable, "not with a chat", DOUBLED[:1], id="other-json"),
        pytest.param(Fault(body=completion() | {"choices": []}), ModelUnavailable, "no choice", [0.5], id="no-choice"),
        pytest.param(Fault(body=completion(None, refusal="No.")), ModelRefused, "declined: No.", [], id="refusal"),
        pytest.param(Fault(body=completion("", "content_filter")), ModelRefused, "content filter", [], id="filter"),
        pytest.param(Fault(401, error(f"bad {KEY}")), ModelUnavailable, "check OPENAI_API_KEY", [], id="wrong-key"),
        pytest.param(Fault(400, error("API key not valid.")), ModelUnavailable, "check OPENAI", [], id="gemini-key"),
        pytest.param(Fault(403, error(f"no {KEY}")), ModelUnavailable, r"403: no \*\*\*$", [], id="no-right"),
        pytest.param(Fault(404, error("no model m")), ConfigError, "unknown model at http", [], id="unknown-model"),
        pytest.param(Fault(400, error("m is not a valid model ID")), ConfigError, "unknown model", [], id="400-model"),
        pytest.param(Fault(400, TOO_LONG), ContextTooLong, "maximum context length", [], id="too-long"),
        pytest.param(Fault(400, LLAMA_CPP), ContextTooLong, "available context size", [], id="too-long-llama.cpp"),
        pytest.param(Fault(413, "too large"), ContextTooLong, "too large", [], id="413"),
        pytest.param(Fault(400, error("no such voice")), ModelError, "status 400: no such voice", [], id="400"),
    ],
)
def test_a_fault_that_stays(server, model, waits, fault, kind, said, slept):
    server.always = fault
    with pytest.raises((ModelError, ConfigError), match=said) as caught:
        model.complete(ASKED)
    assert type(caught.value) is kind
    assert [wait for wait in waits if wait] == pytest.approx(slept, rel=0.001)
    assert len(server.asked) == 1 + len(slept)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "fault",
    [Fault(429, error("slow down")), Fault(500, "x"), Fault(502, "x"), Fault(503, "x"), Fault(keep=0), CUT,
     Fault(hang=0.5), Fault(body='{"choices": [{')],
)  # fmt: skip
def test_a_fault_that_passes_leaves_no_mark(server, model, fault):
    server.faults.append(fault)
    assert model.complete(ASKED).text == '{"a": "b"}'
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"Retry-After": "3"}, 3.0), ({"retry-after-ms": "1500"}, 1.5), ({"Retry-After": "soon"}, 0.5),
     ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0), ({"Retry-After": "-5"}, 0.0),
     *(({"Retry-After": odd}, 0.5) for odd in ("nan", "inf", "1e400", "9" * 4000, "Mon, 01 Jan 0001 00:00:00 +9999",
                                               "Fri, 31 Dec 99999 23:59:59 GMT")),
     *(({"retry-after-ms": odd}, 0.5) for odd in ("nan", "-inf", "9" * 4000))],
)  # fmt: skip
def test_a_server_is_waited_for_as_long_as_it_asks(server, model, waits, headers, wait):
    server.faults.append(Fault(429, error("slow down"), headers))
    model.complete(ASKED)
    assert waits[0] == wait


def test_a_server_that_asks_for_an_hour_stops_the_run(server, model, waits):
    server.always = Fault(429, error("come back later"), {"Retry-After": "3600"})
    with pytest.raises(ModelUnavailable, match="asks to wait for 3600 seconds; the same command goes on") as caught:
        model.complete(ASKED)
    assert (waits, caught.value.reason) == ([], "closed")


def test_what_was_paid_before_a_retry_is_counted(server, model):
    server.faults.append(Fault(body=completion() | {"choices": []}))
    assert model.complete(ASKED).usage == Usage(2, 22, 6)


def test_a_reply_that_was_cut_is_a_completion_that_says_so(server, model):
    server.faults.append(Fault(body=completion('{"a": ', "length")))
    assert (model.complete(ASKED).finish, len(server.asked)) == ("length", 1)


def test_the_lengths_that_a_server_tells_are_carried(server, model):
    server.faults.append(Fault(400, TOO_LONG))
    with pytest.raises(ContextTooLong) as caught:
        model.complete(ASKED)
    assert (caught.value.limit, caught.value.requested) == (8192, 9001)


def test_after_a_burst_of_429_fewer_calls_are_in_flight():
    server = ModelServer(slow=0.01, at_once=4).start()
    asked = OpenAIModel("m", base_url=server.url, api_key=KEY)
    model = ThrottledModel(asked, RateLimiter(RateLimits(max_concurrent=16)), sleep=lambda _: None)
    try:
        with ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(lambda _: model.complete(ASKED), range(120)))
    finally:
        asked.close()
        server.stop()
    assert {reply.text for reply in replies} == {'{"a": "b"}'}
    assert server.most <= 16
    assert model.rate_limiter.concurrency_limit <= 8
    assert server.refused < 60


def asked_once(script, timeout=0.4):
    """Return what is raised, and the seconds until then."""
    with RawServer(script) as server:
        model = OpenAIModel("m", base_url=server.url, api_key=KEY, timeout=timeout)
        began = time.monotonic()
        with pytest.raises(ModelUnavailable) as caught:
            model.complete(ASKED)
        model.close()
        return caught.value, time.monotonic() - began


BLANKS = b" " * (20 << 20)


@pytest.mark.parametrize(
    ("script", "reason", "said"),
    [
        (endless(OK + b"\r\n", b" " * 65536), "garbled", "unreadable reply: the reply is larger than 16 MB$"),
        (lambda _: [whole(gzip.compress(BLANKS), b"Content-Encoding: gzip")], "garbled", "larger than 16 MB$"),
        (endless(b"HTTP/1.1 500 Oh\r\nContent-Length: 9999999999\r\n\r\n", b"e r " * 9999), "failed", "500: e r e r"),
        (lambda _: [whole(b'{"choices": [' + b"{}," * 1_000_000 + b"{}]}")], "garbled", "too many parts$"),
        (lambda _: [whole(gzip.compress(BLANKS), b"Content-Type: text/html; charset=zlib_codec", status=b"500 Oh")],
         "failed", "status 500"),
    ],
    ids=["endless", "gzip", "error page", "a million choices", "a charset that decompresses"],
)  # fmt: skip
def test_a_reply_of_any_size_takes_little_memory(script, reason, said):
    tracemalloc.start()
    failure, _ = asked_once(script, timeout=10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert failure.reason == reason
    assert peak < 100 << 20
    with pytest.raises(ModelUnavailable, match=said):
        raise failure


DEEP = "[" * 50_000 + "]" * 50_000
NESTED = "[" * 600 + "]" * 600


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (Fault(body=DEEP), ModelUnavailable, "unreadable reply: nested too deeply$"),
        (Fault(body=f'{{"error": {{"message": "m", "code": {NESTED}}}}}'), ModelUnavailable, "nested too deeply$"),
        (Fault(400, f'{{"error": {{"message": {NESTED}, "code": {NESTED}}}}}'), ModelError, "status 400"),
        (Fault(400, '{"error": {"message": "m", "param": 5}}'), ModelError, "status 400: m$"),
        (Fault(400, '{"error": {"message": "m", "param": ["temperature"]}}'), ModelError, "status 400: m$"),
        (Fault(body='{"choices": [5]}'), ModelUnavailable, "holds no choice"),
        (Fault(body='{"choices": [{"message": 5}], "usage": 5}'), ModelUnavailable, "holds no choice"),
        (Fault(body='{"choices": [], "n": ' + "1" * 5000 + "}"), ModelUnavailable, "no choice"),
        (Fault(body="1" * 5000), ModelUnavailable, "not with a chat completion"),
        (Fault(body="[]"), ModelUnavailable, "not with a chat completion"),
    ],
)
def test_json_of_any_form_is_survived(server, fault, kind, said):
    server.always = fault
    model = OpenAIModel("m", base_url=server.url, api_key=KEY, timeout=5)
    with pytest.raises(kind, match=said):
        model.complete(ASKED)
    model.close()


PROMPT = sum(len(message.content) for message in ASKED.messages) // 4
ESTIMATED = Usage(1, PROMPT, len('{"a": "b"}') // 4, estimated=True)


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 12.0, "completion_tokens": 3}, Usage(1, 12, 3)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "cost": 0.5}, Usage(1, 12, 3, 0, 0.5)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "prompt_cache_hit_tokens": 5}, Usage(1, 12, 3, 5)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "prompt_cache_hit_tokens": 50}, Usage(1, 12, 3, 12)),
        ({"prompt_tokens": 12, "completion_tokens": 3, "prompt_cache_hit_tokens": -50}, Usage(1, 12, 3)),
        *(({"prompt_tokens": 12, "completion_tokens": 3, "cost": cost}, Usage(1, 12, 3))
          for cost in (-5, -0.001, "5", True, [5], 1e300, 10**200, math.nan, math.inf)),
        *(({"prompt_tokens": odd, "completion_tokens": 3}, ESTIMATED)
          for odd in (-12, "12", True, None, [12], 1.5, 10**10, 10**200, 10**4000, math.nan, -math.inf, 0)),
        *(({"prompt_tokens": 12, "completion_tokens": odd}, ESTIMATED) for odd in (-3, "3", False, None, 10**10, 0)),
        ({"prompt_tokens": -12, "completion_tokens": 3, "cost": -1}, ESTIMATED),
        ([1], ESTIMATED),
    ],
)  # fmt: skip
def test_usage_that_cannot_be_true_is_estimated(server, usage, counted):
    server.always = Fault(body=completion() | {"usage": usage})
    model = OpenAIModel("m", base_url=server.url, api_key=KEY, timeout=5)
    assert model.complete(ASKED).usage == counted
    model.close()

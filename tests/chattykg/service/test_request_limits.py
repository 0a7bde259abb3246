"""Clients that are slow, many, or gone, and the end of the service: nobody takes what others need."""

import asyncio
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice

import pytest
from starlette.responses import PlainTextResponse, StreamingResponse
from wire.running_service import Running, got_until_closed

from chattykg.service.app import make_app
from chattykg.service.request_limits import MAX_HELD_BYTES, InFlightRequests, RequestLimits, RequestLimitsMiddleware
from chattykg.service.request_pool import MAX_WAITING_PER_SESSION
from chattykg.service.server import url_of
from chattykg.service.sessions import SessionStore

pytestmark = pytest.mark.slow

PLANTED = "Who planted Old Bramley?"
HEAD = b"POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
QUICK = RequestLimits(head_seconds=0.4, body_seconds=0.6, idle_seconds=1, unread_seconds=1, grace_seconds=0.3)


class Slow:
    """An engine that answers ``wait`` when it is told to, and everything else at once."""

    def __init__(self, engine):
        self.engine, self.go, self.begun, self.in_flight = engine, threading.Event(), [], None

    def answer_with_trace(self, question, history=(), *, span="", progress=None):
        if question == "wait":
            self.begun.append(question)
            assert self.go.wait(20)
        return self.engine.answer_with_trace(PLANTED, history, span=span, progress=progress)

    def answer(self, question, history=(), *, span=""):
        return self.answer_with_trace(question, history, span=span).answer

    def await_begun(self, count):
        """Wait until so many questions are in the engine."""
        self._await(lambda: len(self.begun) >= count)

    def await_requests(self, count):
        """Wait until so many requests are in flight, those that wait for something included."""
        self._await(lambda: self.in_flight.count == count)

    def _await(self, come):
        end = time.monotonic() + 20
        while not come():
            assert time.monotonic() < end
            time.sleep(0.01)


@contextmanager
def serving(desk, *, workers=2, limits=QUICK):
    """Serve a data set ``orchard`` with a slow engine; whatever waits for it is let go at the end."""
    orchard = desk.datasets["orchard"]
    slow = Slow(orchard.engine)
    app = make_app(
        replace(desk, datasets={"orchard": replace(orchard, engine=slow)}),
        SessionStore(),
        workers=workers,
        limits=limits,
    )
    slow.in_flight = app.state.in_flight
    try:
        with Running(app) as client:
            yield client, slow
    finally:
        slow.go.set()


def ask_to_wait(connection, session=""):
    """Send the question that the engine waits with."""
    body = json.dumps({"question": "wait", "session": session}).encode()
    connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def drip(connection, drop, seconds=8):
    """Send a drop every tenth of a second until the service closes the connection; return what it said."""
    end = time.monotonic() + seconds
    connection.settimeout(0.1)
    got = b""
    while time.monotonic() < end:
        try:
            connection.sendall(drop)
            part = connection.recv(1 << 16)
            if not part:
                return got
            got += part
        except TimeoutError:
            continue
        except ConnectionError:
            return got
    raise TimeoutError


def test_clients_that_do_not_finish_a_request_are_let_go(desk):
    with serving(desk) as (client, _):
        half_open = [client.open() for _ in range(20)]
        half_head = client.open(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")
        half_body = client.open(HEAD + b"Content-Length: 500\r\n\r\n{")
        began = time.monotonic()
        assert [got_until_closed(each) for each in half_open] == [b""] * 20
        assert b"408" in got_until_closed(half_head) and b'"the body took more than 0.6 s"' in got_until_closed(
            half_body
        )
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("begun", "drop", "said"),
    [
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ", b"y", b"the head of the request took more than 0.4 s"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n", b'"status":"ok"'),
        (HEAD + b"Content-Length: 5000\r\n\r\n", b" ", b"the body took more than 0.6 s"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", b"the body took more than 0.6 s"),
    ],
)
def test_a_request_in_drops_is_let_go(desk, begun, drop, said):
    with serving(desk) as (client, _), client.open(begun) as connection:
        assert said in drip(connection, drop)


def test_an_endless_body_is_cut_off(service):
    with service.open(HEAD + b"Transfer-Encoding: chunked\r\n\r\n") as connection:
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        with pytest.raises(ConnectionError):
            for _ in range(300):
                connection.sendall(chunk)


def test_an_idle_connection_is_let_go_and_a_slow_answer_is_not(desk):
    with serving(desk) as (client, slow):
        with client.open(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n") as connection:
            assert got_until_closed(connection).count(b"HTTP/1.1 200") == 1
        with client.open() as connection:
            ask_to_wait(connection)
            slow.await_begun(1)
            time.sleep(1.5)  # longer than each of the limits
            slow.go.set()
            assert b"Ida Moor" in got_until_closed(connection)


def test_of_too_many_connections_the_idlest_goes(desk):
    limits = RequestLimits(connections=5)
    with serving(desk, limits=limits) as (client, slow), ExitStack() as stack:
        idle = [stack.enter_context(client.open()) for _ in range(12)]
        assert client.get("/health").status == 200
        for connection in idle[:7]:
            assert got_until_closed(connection) == b""
        asking = [stack.enter_context(client.open()) for _ in range(5)]
        for connection in asking:
            ask_to_wait(connection)
        slow.await_requests(5)
        refused = got_until_closed(client.open())
        assert b"503 Service Unavailable" in refused and b"too many connections are open" in refused
        slow.go.set()
        assert all(b"HTTP/1.1 200" in got_until_closed(connection) for connection in asking)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00 no HTTP\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nno header\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000,
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ],
)
def test_what_is_no_http_is_refused_in_json(service, sent, capfd):
    head, _, body = got_until_closed(service.open(sent)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ") and list(json.loads(body)) == ["detail"]
    assert capfd.readouterr().err == ""


def test_who_waits_for_a_session_holds_no_worker(desk):
    with ThreadPoolExecutor(MAX_WAITING_PER_SESSION + 3) as crowd, serving(desk) as (client, slow):
        busy, other = (client.chat(PLANTED).json["session"] for _ in range(2))
        posts = [crowd.submit(client.chat, "wait", session=busy) for _ in range(MAX_WAITING_PER_SESSION + 3)]
        refused = list(islice(as_completed(posts, timeout=20), 2))
        for got in (post.result() for post in refused):
            assert (got.status, got.headers["retry-after"]) == (429, "5")
            assert got.json["detail"].startswith("too many requests of yours wait already")
        assert client.chat(PLANTED, session=other).json["turn"] == 2
        slow.go.set()
        answered = [post.result().json["turn"] for post in posts if post not in refused]
        assert sorted(answered) == list(range(2, MAX_WAITING_PER_SESSION + 3))


def test_who_leaves_while_waiting_is_not_answered(desk):
    with serving(desk, workers=1) as (client, slow):
        session = client.chat(PLANTED).json["session"]
        with client.open() as first:
            ask_to_wait(first)
            slow.await_begun(1)
            for _ in range(5):
                for of_session in ("", session):
                    with client.open() as gone:
                        ask_to_wait(gone, of_session)
                        slow.await_requests(2)
                    slow.await_requests(1)
            slow.go.set()
            assert client.chat(PLANTED, session=session).json["turn"] == 2
        assert len(slow.begun) == 1


def test_a_conversation_is_deleted_after_its_last_answer(desk):
    with ThreadPoolExecutor(2) as crowd, serving(desk) as (client, slow):
        session = client.chat(PLANTED).json["session"]
        post = crowd.submit(client.chat, "wait", session=session)
        slow.await_begun(1)
        deletion = crowd.submit(client.send, "DELETE", f"/chat/{session}")
        slow.await_requests(2)
        slow.go.set()
        assert (post.result().status, deletion.result().status) == (200, 204)
        assert client.get(f"/chat/{session}").status == 404


def test_an_answer_that_takes_too_long_ends_with_a_sentence(desk):
    with serving(desk, workers=1, limits=replace(QUICK, answer_seconds=0.3)) as (client, slow):
        session = client.chat(PLANTED).json["session"]
        late = client.chat("wait", session=session)
        assert (late.status, len(slow.begun)) == (504, 1)
        assert late.json["detail"].startswith("the answer takes more than 0.3 s")
        slow.go.set()  # the worker is free again, and the conversation as it was
        assert client.chat(PLANTED, session=session).json["turn"] == 2


def test_the_end_answers_everybody(desk, capfd, caplog):
    """What finishes in the time of grace is answered, all else gets 503: in a thread, in both queues, half sent."""
    with ExitStack() as sockets:
        with serving(desk, workers=1, limits=replace(QUICK, grace_seconds=0.8, body_seconds=20)) as (client, slow):
            session = client.chat(PLANTED).json["session"]
            asked = [sockets.enter_context(client.open()) for _ in range(4)]
            for connection, talk in zip(asked, ("", session, session, ""), strict=True):
                ask_to_wait(connection, talk)
                slow.await_begun(1)
            asked.append(sockets.enter_context(client.open(HEAD + b"Content-Length: 500\r\n\r\n{")))
            slow.await_requests(5)
        for connection in asked:
            head, _, body = got_until_closed(connection).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ") and b"retry-after: 5" in head.lower()
            assert json.loads(body) == {"detail": "the service stops: ask again in some seconds"}
    assert (capfd.readouterr().err, caplog.text) == ("", "")


def test_the_end_waits_for_an_answer(desk):
    with ThreadPoolExecutor(1) as crowd:
        with serving(desk, limits=replace(QUICK, grace_seconds=10)) as (client, slow):
            asked = crowd.submit(client.chat, "wait")
            slow.await_begun(1)
            threading.Timer(0.5, slow.go.set).start()
        assert asked.result().json["labels"] == ["Ida Moor"]


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")])
def test_the_url_leads_to_this_machine(host, shown):
    with socket.create_server((host, 0)) as sock:
        assert url_of(sock) == f"http://{shown}:{sock.getsockname()[1]}/"


def test_a_stream_that_its_client_does_not_read_ends(desk):
    app, ended = make_app(desk, SessionStore(), limits=QUICK), threading.Event()

    async def flood():
        try:
            while True:
                yield b"x" * 65_536
                await asyncio.sleep(0)
        finally:
            ended.set()

    app.add_route("/flood", lambda _: StreamingResponse(flood()))
    with Running(app) as client, client.open(b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        assert ended.wait(15)


def test_the_bodies_in_memory_are_bounded():
    async def answer(scope, receive, send):
        await receive()
        held.append(limits._held_bytes)
        await PlainTextResponse("answered")(scope, receive, send)

    async def post(bytes_held):
        limits._held_bytes = bytes_held
        sent = []
        messages = [{"type": "http.request", "body": b"x" * 1_000, "more_body": False}]

        async def receive():
            return messages.pop() if messages else await asyncio.Event().wait()

        async def send(message):
            sent.append(message)

        await limits({"type": "http", "path": "/v1/chat/completions"}, receive, send)
        assert limits._held_bytes == bytes_held
        return sent[0]["status"]

    held = []
    limits = RequestLimitsMiddleware(answer, RequestLimits(), InFlightRequests())
    assert asyncio.run(post(0)) == 200 and held == [1_000]
    assert asyncio.run(post(MAX_HELD_BYTES - 999)) == 503 and held == [1_000]

"""Questions of keys with limits: whole and as a stream, who may see a conversation, and what is counted at the end."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from chattyshared.model import Completion, Message, Request, Usage
from wire.running_service import Running

from chattykg.service.access.accounts import AccessPolicy
from chattykg.service.access.api_keys import ApiKey, ApiKeys
from chattykg.service.access.daily_limits import DailyBudget, DailyLimits
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.sessions import SessionStore
from chattykg.steps import StoppableModel

pytestmark = pytest.mark.slow

ALICE, BOB = "sk-alice-0123456789", "sk-bob-0123456789ab"
NO_LIMITS = DailyLimits()
PLANTED = "Who planted Old Bramley?"


class PaidModel:
    """A model whose calls cost 0.25 USD and wait until they may go on."""

    name = "openai:paid"

    def __init__(self):
        self.calls, self.go = 0, threading.Event()
        self.go.set()

    def complete(self, request):
        self.calls += 1
        assert self.go.wait(20)
        return Completion("{}", Usage(1, 90, 10, usd=0.25))


class PayingEngine:
    """An engine that asks a model twice before it answers."""

    def __init__(self, engine, model):
        self.engine, self.model = engine, model

    def answer_with_trace(self, question, history=(), *, span="", progress=None):
        for _ in range(2):
            StoppableModel(self.model, progress).complete(Request("answer/direct", (Message("user", "x" * 40),)))
        return self.engine.answer_with_trace(question, history, span=span, progress=progress)


class Service:
    def __init__(self, client):
        self.client = client

    def chat(self, key, **body):
        sent = json.dumps({"question": PLANTED, **body}).encode()
        return self.client.send("POST", "/chat", sent, Content_Type="application/json", X_API_Key=key)

    def get(self, path, key):
        return self.client.send("GET", path, Authorization=f"Bearer {key}")

    def left(self, key):
        return {(each["of"], each["what"]): each["left"] for each in self.get("/health", key).json["limits"]}

    def metric(self, name, **labels):
        text = self.get("/metrics", BOB).body.decode()
        shown = ",".join(f'{label}="{value}"' for label, value in sorted(labels.items()))
        found = re.search(
            rf"^chattykg_{name}{re.escape('{' + shown + '}') if shown else ''} (\S+)$", text, re.MULTILINE
        )
        return float(found[1]) if found else 0


@pytest.fixture
def model():
    return PaidModel()


@pytest.fixture
def serve(desk, tmp_path, model):
    def make(limits=None, alice=NO_LIMITS, **more):
        keys = ApiKeys([ApiKey("alice", ALICE, alice), ApiKey("bob", BOB)])
        budget = DailyBudget(limits, tmp_path / "spent.sqlite")
        orchard = desk.datasets["orchard"]
        orchard = replace(orchard, engine=PayingEngine(orchard.engine, model))
        registry = DatasetRegistry({"orchard": orchard}, "openai:paid")
        access = AccessPolicy(keys, budget=budget, **more)
        return Running(make_app(registry, SessionStore(tmp_path / "talks.sqlite"), workers=8, access=access))

    return make


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_conversation_belongs_to_its_key_and_survives_a_restart(serve):
    with serve() as client:
        session = Service(client).chat(ALICE).json["session"]
    with serve() as client:
        service = Service(client)
        assert service.get(f"/chat/{session}", ALICE).json["turns"][0]["question"] == PLANTED
        assert service.chat(ALICE, session=session).json["turn"] == 2
        assert service.get(f"/chat/{session}", BOB).status == 404
        assert service.chat(BOB, session=session).status == 404
        client.send("DELETE", f"/chat/{session}", X_API_Key=BOB)
        assert service.get(f"/chat/{session}", ALICE).status == 200
        client.send("DELETE", f"/chat/{session}", X_API_Key=ALICE)
        assert service.get(f"/chat/{session}", ALICE).status == 404


def test_limits_are_told_kept_and_refused_at_every_door(serve):
    with serve(DailyLimits(usd=100), DailyLimits(questions=2)) as client:
        service = Service(client)
        assert service.chat(ALICE).status == 200
        query = "/?question=Who%20planted%20Old%20Bramley%3F&dataset=orchard"
        assert service.get(query, ALICE).status == 200
        assert service.left(ALICE) == {("key", "questions a day"): 0, ("service", "USD a day"): 99.0}
        message = {"role": "user", "content": PLANTED}
        headers = {"Authorization": f"Bearer {ALICE}", "Content-Type": "application/json"}
        body = {"model": "orchard", "messages": [message]}
        requests = [
            ("POST", "/chat", {"question": PLANTED}, {}),
            ("POST", "/chat", {"question": PLANTED}, {"Accept": "text/event-stream"}),
            ("GET", query, None, {}),
            ("POST", "/v1/chat/completions", body, {}),
            ("POST", "/v1/chat/completions", {**body, "stream": True}, {}),
            ("POST", "/ask", {"question": PLANTED}, {}),
        ]
        client.send("POST", "/start_chat", b"{}", **headers)
        for method, path, sent, more in requests:
            got = client.send(method, path, json.dumps(sent).encode() if sent else None, **headers, **more)
            assert got.status == 429 and 0 < int(got.headers["retry-after"]) <= 86_401, path
            assert "your key's limit of 2 questions a day is reached; it begins anew at 00:00 UTC" in got.body.decode()
        assert service.chat(BOB).status == 200
    with serve(DailyLimits(usd=100), DailyLimits(questions=2)) as client:
        assert Service(client).chat(ALICE).status == 429


def test_money_stops_an_answer_between_two_calls(serve, model):
    with serve(DailyLimits(usd=0.75)) as client:
        service = Service(client)
        assert service.chat(ALICE).status == 200
        got = service.chat(BOB)
        assert (got.status, model.calls) == (429, 3)
        assert got.json["detail"].startswith("the service's limit of 0.75 USD a day is reached")
        assert service.metric("model_usd_total", model=model.name, account="alice") == 0.5
        assert service.metric("model_usd_total", model=model.name, account="bob") == 0.25
        assert service.metric("questions_total", dataset="orchard", door="chat", status="refused") == 1


def test_fifty_questions_at_once_exceed_a_limit_of_money_by_a_call_of_each_worker(serve, model):
    model.go.clear()
    with serve(DailyLimits(usd=1.0)) as client, ThreadPoolExecutor(50) as pool:
        service = Service(client)
        asked = [pool.submit(service.chat, ALICE) for _ in range(50)]
        wait_for(lambda: model.calls == 8 and service.metric("questions_waiting") == 42)
        model.go.set()
        statuses = {each.result().status for each in asked}
        assert 8 <= model.calls < 4 + 8 and 429 in statuses
        assert service.left(ALICE) == {("service", "USD a day"): 0}


def test_a_client_that_leaves_in_mid_stream_pays_for_the_call_that_was_made(serve, model):
    model.go.clear()
    with serve(DailyLimits(usd=100)) as client:
        service = Service(client)
        body = json.dumps({"question": PLANTED}).encode()
        head = (
            f"POST /chat HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {ALICE}\r\nAccept: text/event-stream\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection = client.open(head.encode() + body)
        wait_for(lambda: model.calls == 1)
        assert service.metric("open_streams") == 1 and service.metric("questions_in_progress") == 1
        connection.close()
        wait_for(lambda: service.metric("open_streams") == 0)
        model.go.set()
        wait_for(lambda: service.left(ALICE)["service", "USD a day"] == 99.75)
        wait_for(lambda: service.metric("questions_in_progress") == 0)
        assert model.calls == 1
        assert service.metric("questions_total", dataset="orchard", door="chat", status="stopped") == 1


def test_many_wrong_keys_leave_no_trace(serve, caplog, capfd):
    with serve(requests_per_minute=5) as client:
        service = Service(client)
        assert {service.get("/graph", f"sk-wrong-{number}-0123456789").status for number in range(300)} == {401}
        assert service.metric("responses_total", code="401") == 300
        assert service.get("/v1/models", ALICE).status == 200
    assert caplog.records == [] and capfd.readouterr() == ("", "")


def test_no_key_reaches_metrics_or_files(serve, tmp_path):
    with serve(DailyLimits(questions=9)) as client:
        service = Service(client)
        service.chat(ALICE)
        service.chat("sk-wrong-0123456789")
        text = service.get("/metrics", BOB).body
        assert b'account="alice"' in text and b"sk-" not in text
        kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"alice" in kept and b"sk-" not in kept


def test_what_needs_no_key_tells_nothing(serve):
    with serve() as client:
        assert client.get("/health").json == {"status": "ok", "key_required": True}
        assert client.send("GET", "/", Accept="text/html").status == 200
        assert client.get("/page/app.js").status == 200
        for path in ("/graph", "/metrics", "/v1/models", "/thing?iri=x", "/chat/x", "/docs", "/nowhere"):
            assert client.get(path).status == 401, path
        assert Service(client).get("/health", ALICE).json["account"] == "alice"

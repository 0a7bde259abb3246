"""A streamed answer: its steps, its end, its errors, and a client that leaves in the middle."""

import http.client
import json
import time

import pytest
from chattyshared.errors import EndpointUnavailable
from wire.running_service import Client

PLANTED = "Who planted Old Bramley?"


def stream(client: Client, **body: str) -> tuple[int, list[tuple[str, dict]]]:
    """Return the status and the events of a streamed question."""
    sent = json.dumps({"dataset": "orchard", **body}).encode()
    got = client.send("POST", "/chat", sent, Content_Type="application/json", Accept="text/event-stream")
    events = [part.splitlines() for part in got.body.decode().split("\n\n") if part.startswith("event: ")]
    return got.status, [(name[7:], json.loads(data[6:])) for name, data in events]


def test_steps_come_before_the_answer(service: Client) -> None:
    status, events = stream(service, question=PLANTED)
    assert status == 200
    assert [name for name, _ in events] == ["session", "step", "step", "step", "answer"]
    assert [data["kind"] for name, data in events if name == "step"] == ["linked", "query", "check"]
    answer = events[-1][1]
    assert answer["session"] == events[0][1]["session"]
    assert answer["values"] == [
        {"value": "https://orchard.example/g1", "kind": "iri", "label": "Ida Moor", "type": "person"}
    ]
    assert [
        [triple[name]["label"] for name in ("subject", "predicate", "object")] for triple in answer["evidence"]
    ] == [["Old Bramley", "planted by", "Ida Moor"]]


def test_a_stream_goes_on_with_a_conversation(service: Client) -> None:
    session = stream(service, question=PLANTED)[1][0][1]["session"]
    events = stream(service, question="When was she born?", session=session)[1]
    assert events[1] == ("step", {
        "kind": "understood", "text": "Understood as: When was Ida Moor born?", "sparql": "", "links": [],
    })  # fmt: skip
    assert events[-1][1]["turn"] == 2 and events[-1][1]["answers"] == ["1931-04-02"]


@pytest.mark.parametrize(
    ("body", "status"), [({"question": " "}, 422), ({"session": "no"}, 404), ({"dataset": "no"}, 404)]
)
def test_what_is_wrong_at_the_start_has_its_status(service: Client, body: dict[str, str], status: int) -> None:
    assert stream(service, **{"question": PLANTED, **body})[0] == status


def test_who_leaves_in_mid_stream_stops_the_work_and_loses_nothing(scripted) -> None:
    engine, client = scripted
    kept = stream(client, question="Who planted Young Russet?")[1][-1][1]["session"]
    connection = http.client.HTTPConnection(client.place, timeout=20)
    body = json.dumps({"question": PLANTED, "session": kept}).encode()
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    connection.request("POST", "/chat", body, headers)
    response = connection.getresponse()
    while b"Running query 1" not in response.readline():
        pass
    response.close()
    connection.close()
    end = time.monotonic() + 10
    while not engine.ended:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert engine.ended == ["stopped"]
    assert len(client.get(f"/chat/{kept}").json["turns"]) == 1
    assert stream(client, question="Who planted Young Russet?", session=kept)[1][-1][1]["turn"] == 2


@pytest.mark.parametrize(
    ("error", "status"), [(EndpointUnavailable("the graph is down"), 503), (ZeroDivisionError("secret"), 500)]
)
def test_an_error_in_mid_stream_is_an_event(scripted, error: Exception, status: int) -> None:
    engine, client = scripted
    engine.error = error
    got, events = stream(client, question=PLANTED)
    assert got == 200 and events[-1][0] == "error"
    assert events[-1][1]["status"] == status and "secret" not in events[-1][1]["detail"]
    engine.error = None
    engine.go.set()
    assert stream(client, question=PLANTED)[1][-1][0] == "answer"

"""OpenAI's Responses API: whole and streamed, and conversations by their last response."""

import json

import pytest
from wire.running_service import Client, Got

PLANTED = "Who planted Old Bramley?"


def respond(client: Client, input: object, **more: object) -> Got:
    body = json.dumps({"model": "orchard", "input": input, **more}).encode()
    return client.send("POST", "/v1/responses", body, Content_Type="application/json")


def test_a_response_is_one_message_of_text(service: Client) -> None:
    got = respond(service, PLANTED).json
    (message,) = got["output"]
    (part,) = message["content"]
    assert (got["object"], got["status"], message["role"], part["type"]) == (
        "response", "completed", "assistant", "output_text",
    )  # fmt: skip
    assert "Ida Moor" in part["text"] and got["chatty"]["answers"] == ["https://orchard.example/g1"]
    assert got["usage"]["total_tokens"] == got["usage"]["input_tokens"] + got["usage"]["output_tokens"] > 0


def test_a_conversation_goes_on_from_a_response_or_is_repeated(service: Client) -> None:
    first = respond(service, PLANTED).json
    then = respond(service, "When was she born?", previous_response_id=first["id"]).json
    assert then["chatty"]["answers"] == ["1931-04-02"] and then["previous_response_id"] == first["id"]
    repeated = [
        {"role": "user", "content": PLANTED},
        *first["output"],
        {"role": "user", "content": "When was she born?"},
    ]
    assert respond(service, repeated).json["chatty"]["answers"] == ["1931-04-02"]
    lost = respond(service, "When?", previous_response_id=respond(service, PLANTED, store=False).json["id"])
    assert (lost.status, lost.json["error"]["code"]) == (400, "previous_response_not_found")


def test_what_is_not_read_is_told_and_a_format_is_kept(service: Client) -> None:
    items = [{"type": "reasoning", "summary": []}, {"type": "message", "role": "user", "content": PLANTED}]
    form = {"format": {"type": "json_schema", "name": "x", "schema": {"properties": {"status": {}}}}}
    got = respond(service, items, instructions="Rhyme.", temperature=1, text=form).json
    assert json.loads(got["output"][0]["content"][0]["text"]) == {"status": "answered"}
    assert got["chatty"]["remarks"] == [
        "The messages of the role system are not read.", "The messages of the role tool are not read.",
        "These parameters have no effect: temperature.",
    ]  # fmt: skip


def test_a_stream_has_the_events_of_a_message(service: Client) -> None:
    text = respond(service, PLANTED, stream=True).body.decode()
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert [line[7:] for line in text.splitlines() if line.startswith("event: ")] == [event["type"] for event in events]
    said = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    assert said == events[-1]["response"]["output"][0]["content"][0]["text"] and "Ida Moor" in said


@pytest.mark.parametrize(
    ("input", "param"),
    [
        (None, "input"),
        ([], "input"),
        ([{"role": "user", "content": [{"type": "input_image"}]}], "input[0].content[0].type"),
    ],
)
def test_a_bad_request_is_refused(service: Client, input: object, param: str) -> None:
    got = respond(service, input)
    assert (got.status, got.json["error"]["param"]) == (400, param)

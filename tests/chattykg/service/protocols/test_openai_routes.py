"""OpenAI's API: whole and streamed replies, conversations that only the client keeps, models, and errors."""

import json
import time
from dataclasses import replace
from urllib.parse import quote

import pytest
from chattyshared.errors import EndpointUnavailable, QueryRejected
from wire.running_service import Client, Got, Running

from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.sessions import MAX_TURNS, SessionStore

PLANTED = "Who planted Old Bramley?"
PATH = "/v1/chat/completions"


def said(*texts: str) -> list[dict]:
    """Return texts as messages of the user and the assistant in turn."""
    return [{"role": ("user", "assistant")[index % 2], "content": text} for index, text in enumerate(texts)]


def complete(client: Client, messages: object, **more: object) -> Got:
    body = json.dumps({"model": "orchard", "messages": messages, **more}).encode()
    return client.send("POST", PATH, body, Content_Type="application/json")


def choice(got: Got) -> dict:
    assert got.status == 200, got.body
    (only,) = got.json["choices"]
    return only


def stream(client: Client, messages: object, **more: object) -> tuple[int, list]:
    got = complete(client, messages, stream=True, **more)
    events = [part[6:] for part in got.body.decode().split("\n\n") if part.startswith("data: ")]
    return got.status, [event if event == "[DONE]" else json.loads(event) for event in events]


def error(got: Got) -> tuple:
    assert list(got.json) == ["error"] and set(got.json["error"]) == {"message", "type", "param", "code"}
    shown = got.json["error"]
    assert shown["message"]
    return got.status, shown["type"], shown["param"], shown["code"]


def test_an_answer_is_a_completion_with_the_services_fields_beside(service: Client) -> None:
    got = complete(service, said(PLANTED))
    only, reply = choice(got), got.json
    assert only["message"] == {"role": "assistant", "content": only["chatty"]["sentence"], "refusal": None}
    assert "Ida Moor" in only["message"]["content"] and only["finish_reason"] == "stop"
    extras = only["chatty"]
    assert [value["label"] for value in extras["values"]] == ["Ida Moor"] and extras["status"] == "answered"
    assert {"sparql", "confidence", "standalone", "evidence", "timing"} < set(extras) and "remarks" not in extras
    assert (reply["object"], reply["model"]) == ("chat.completion", "orchard")
    assert reply["id"].startswith("chatcmpl-") and abs(reply["created"] - time.time()) < 60
    usage = reply["usage"]
    assert usage["prompt_tokens"] > 0 and usage["completion_tokens"] > 0
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_stream_has_the_role_the_steps_the_text_and_the_fields(service: Client) -> None:
    status, events = stream(service, said(PLANTED), stream_options={"include_usage": True})
    *chunks, usage, done = events
    assert (status, done) == (200, "[DONE]")
    assert usage["choices"] == [] and usage["usage"]["total_tokens"] > 0
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in (*chunks, usage)}) == 1
    assert all(chunk["usage"] is None for chunk in chunks)
    deltas = [chunk["choices"][0] for chunk in chunks]
    assert deltas[0]["delta"] == {"role": "assistant", "content": ""}
    steps = [delta["chatty"]["step"]["kind"] for delta in deltas if "step" in delta.get("chatty", {})]
    assert steps == ["linked", "query", "check"]
    text = "".join(delta["delta"].get("content", "") for delta in deltas)
    assert text == choice(complete(service, said(PLANTED)))["message"]["content"]
    assert deltas[-1]["finish_reason"] == "stop" and deltas[-1]["delta"] == {}
    assert deltas[-1]["chatty"]["answers"] == ["https://orchard.example/g1"]
    assert "usage" not in stream(service, said(PLANTED))[1][0]


def test_a_client_that_repeats_its_messages_has_a_conversation(service: Client) -> None:
    first = choice(complete(service, said(PLANTED)))["message"]["content"]
    second = choice(complete(service, said(PLANTED, first, "When was she born?")))
    assert second["chatty"]["answers"] == ["1931-04-02"] and second["chatty"]["turn"] == 2
    assert second["chatty"]["standalone"] == "When was Ida Moor born?" and "remarks" not in second["chatty"]
    rendered = f"<p>{first.replace('.', '')}</p>".replace("<p>", "**").replace("</p>", "** ")
    again = choice(complete(service, said(PLANTED, rendered, "When was she born?")))
    assert again["chatty"]["answers"] == ["1931-04-02"] and "remarks" not in again["chatty"]


def test_a_reply_that_the_service_does_not_know_is_read_and_that_is_told(service: Client) -> None:
    got = choice(complete(service, said("Who planted it?", "It was Tom Reed.", "When was he born?")))
    assert got["chatty"]["answers"] == ["1950-09-12"]
    assert got["chatty"]["remarks"] == ["The answers of these turns were read from their text: 1."]


def test_no_conversation_is_stored(desk: DatasetRegistry, tmp_path) -> None:
    with SessionStore(tmp_path / "talks.sqlite") as sessions, Running(make_app(desk, sessions)) as client:
        choice(complete(client, said(PLANTED)))
        assert sessions.count_sessions() == 0


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "Answer in rhymes."}, *said(PLANTED)],
        [{"role": "developer", "content": [{"type": "image_url"}]}, *said(PLANTED)],
        [*said(PLANTED), {"role": "system", "content": "Be brief."}],
        [
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "content": "42"},
            *said(PLANTED),
        ],
    ],
)
def test_messages_that_no_person_wrote_have_no_effect_and_that_is_told(service: Client, messages: list) -> None:
    extras = choice(complete(service, messages))["chatty"]
    assert extras["answers"] == ["https://orchard.example/g1"] and extras["turn"] == 1
    assert [text.startswith("The messages of the role ") for text in extras["remarks"]] == [True]


def test_parameters_without_effect_are_told(service: Client) -> None:
    more = {"temperature": 0.5, "max_tokens": 1, "stop": ["I"], "n": 1, "tools": [{}], "tool_choice": "auto"}
    got = choice(complete(service, said(PLANTED), **more))
    assert got["chatty"]["remarks"] == ["These parameters have no effect: max_tokens, stop, temperature, tools."]
    assert "Ida Moor" in got["message"]["content"]


def test_content_may_be_parts_of_text(service: Client) -> None:
    parts = [{"type": "text", "text": "Who planted"}, {"type": "text", "text": "Old Bramley?"}]
    assert choice(complete(service, [{"role": "user", "content": parts}]))["chatty"]["answers"]


def test_a_prompt_for_a_language_model_is_no_question(service: Client) -> None:
    prompt = f"### Task:\nGenerate a concise title.\n### Chat History:\nUSER: {PLANTED}"
    got = choice(complete(service, said(prompt)))
    assert (got["chatty"]["status"], got["chatty"]["reason"]["code"]) == ("unknown", "not-a-question")
    assert got["chatty"]["usage"]["calls"] == got["chatty"]["queries"] == 0 and "{" not in got["message"]["content"]


def reply_format(**properties: object) -> dict:
    return {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object", "properties": properties}}}


def test_a_structured_reply_has_the_fields_of_an_answer(service: Client) -> None:
    wanted = reply_format(answers={"type": "array", "items": {"type": "string"}}, status={})
    first = choice(complete(service, said(PLANTED), response_format=wanted))["message"]["content"]
    assert json.loads(first) == {"answers": ["https://orchard.example/g1"], "status": "answered"}
    whole = choice(complete(service, said(PLANTED), response_format={"type": "json_object"}))["message"]["content"]
    assert json.loads(whole)["labels"] == ["Ida Moor"]
    repeated = said(PLANTED, json.dumps({"answers": ["https://orchard.example/g2"]}), "When was he born?")
    assert choice(complete(service, repeated))["chatty"]["answers"] == ["1950-09-12"]


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        (b"{", 400, None, None),
        (b"[" * 100_000, 400, None, None),
        (b"\xff\xfe", 400, None, None),
        (b"[1]", 400, None, None),
        ({"model": 3}, 400, "model", None),
        ({"model": None}, 400, "model", None),
        ({"model": "nowhere"}, 404, "model", "model_not_found"),
        ({"messages": "hello"}, 400, "messages", None),
        ({"messages": []}, 400, "messages", None),
        ({"messages": [1]}, 400, "messages[0]", None),
        ({"messages": [{"role": "critic", "content": ""}]}, 400, "messages[0].role", None),
        ({"messages": [{"role": ["user"], "content": ""}]}, 400, "messages[0].role", None),
        ({"messages": [{"role": "user", "content": 5}]}, 400, "messages[0].content", None),
        ({"messages": [{"role": "user"}]}, 400, "messages[0].content", None),
        ({"messages": [{"role": "user", "content": " "}]}, 400, "messages", None),
        ({"messages": [{"role": "system", "content": "x"}]}, 400, "messages", None),
        ({"messages": said("a", "b")}, 400, "messages", None),
        ({"messages": [{"role": "user", "content": [{"type": "image"}]}]}, 400, "messages[0].content[0].type", None),
        ({"messages": [{"role": "user", "content": ["x"]}]}, 400, "messages[0].content[0]", None),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, 400, "messages[0].content[0].text", None),
        ({"messages": said(*"ab" * MAX_TURNS, "c")}, 400, "messages", "context_length_exceeded"),
        ({"n": 2}, 400, "n", None),
        ({"n": "1"}, 400, "n", None),
        ({"stream": "yes"}, 400, "stream", None),
        ({"stream": True, "stream_options": 3}, 400, "stream_options", None),
        ({"tool_choice": "required"}, 400, "tool_choice", None),
        ({"tool_choice": {"type": "function"}}, 400, "tool_choice", None),
        ({"modalities": ["text", "audio"]}, 400, "modalities[1]", None),
        ({"response_format": "json"}, 400, "response_format", None),
        ({"response_format": {"type": "grammar"}}, 400, "response_format.type", None),
        ({"response_format": {"type": "json_schema"}}, 400, "response_format", None),
        ({"response_format": reply_format(poem={"type": "string"})}, 400, "response_format", None),
        ({"response_format": reply_format(answers={"type": "string"})}, 400, "response_format", None),
    ],
)  # fmt: skip
def test_a_bad_request_is_refused_before_anything_is_asked(service: Client, body, status, param, code) -> None:
    if isinstance(body, bytes):
        got = service.send("POST", PATH, body, Content_Type="application/json")
    else:
        got = complete(service, **{"messages": said(PLANTED), **body})
    assert error(got) == (status, "invalid_request_error", param, code)


def test_models_are_the_graphs(service: Client) -> None:
    listed = service.get("/v1/models").json
    assert listed["object"] == "list" and [model["id"] for model in listed["data"]] == ["orchard", "urn:x:piers"]
    assert service.get("/v1/models/urn:x:piers").json == listed["data"][1]
    assert service.get("/v1/models/urn%3Ax%3Apiers").json["object"] == "model"
    assert error(service.get("/v1/models/no")) == (404, "invalid_request_error", "model", "model_not_found")


def test_a_graph_may_be_named_by_a_path_or_an_iri(desk: DatasetRegistry, tmp_path) -> None:
    names = ("https://orchard.example/2024/?v=1#top", "my graphs/orchard")
    registry = replace(desk, datasets={name: replace(desk.datasets["orchard"], name=name) for name in names})
    with Running(make_app(registry, SessionStore(tmp_path / "talks.sqlite"))) as client:
        for name in names:
            assert client.get(f"/v1/models/{quote(name, safe='')}").json["id"] == name
            assert choice(complete(client, said(PLANTED), model=name))["chatty"]["answers"]


def test_every_error_under_v1_has_openais_shape(service: Client) -> None:
    json_type = {"Content_Type": "application/json"}
    assert error(service.get("/v1/nothing"))[0] == 404
    assert error(service.get(PATH))[0] == 405
    assert error(service.send("POST", PATH, b"{}", Content_Type="text/plain"))[0] == 400
    assert error(service.send("POST", PATH, b"{}", Host="evil.example", **json_type))[0] == 421
    foreign = service.send("POST", PATH, b"{}", Origin="https://evil.example", **json_type)
    assert error(foreign)[:2] == (403, "permission_error")
    long = complete(service, said("x" * 10_000_000))
    assert error(long) == (413, "invalid_request_error", None, "request_too_large")
    assert "1,024 kB" in long.json["error"]["message"]
    assert list(service.get("/nothing").json) == ["detail"]
    assert service.send("POST", "/chat", b"x" * 100_000, **json_type).status == 413


@pytest.mark.parametrize(
    ("failure", "status", "is_final"),
    [
        (EndpointUnavailable("the graph is down"), 503, False),
        (QueryRejected("the graph refuses"), 502, True),
        (ZeroDivisionError("secret"), 500, True),
    ],
)
def test_a_failure_is_an_error_of_the_server(scripted, failure: Exception, status: int, is_final: bool) -> None:
    engine, client = scripted
    engine.error = failure
    got = complete(client, said(PLANTED))
    assert error(got)[:2] == (status, "server_error") and b"secret" not in got.body
    assert (got.headers.get("x-should-retry") == "false") is is_final
    got_status, events = stream(client, said(PLANTED))
    assert got_status == 200 and list(events[-1]) == ["error"] and "[DONE]" not in events
    assert events[-1]["error"]["type"] == "server_error" and "secret" not in json.dumps(events)

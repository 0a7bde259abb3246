from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from chattyshared.errors import ModelRefused, QueryRejected, StorageFailed
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.trace import MAX_TEXT_LENGTH, Event, Trace, TracedEndpoint, TracedModel, note_problems, open_run_trace
from rdflib import Literal


def events(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Parrot:
    name = "parrot"

    def complete(self, request):
        if request.attempt > 1:
            raise ModelRefused("no", model=self.name)
        return Completion(request.messages[-1].content, Usage(1, 2, 3))


class Shelf:
    name = "shelf"

    def select(self, query):
        if "bad" in query:
            raise QueryRejected("bad query", endpoint=self.name, query=query)
        return [{"x": Literal("1")}]

    def ask(self, query):
        return True

    def untrusted_view(self, stop: object = None):
        return self


def test_a_model_call_is_recorded_with_all_that_replays_it(tmp_path):
    request = Request("answer/chat", (Message("user", "Hé"),))
    with Trace(tmp_path / "t.jsonl") as trace:
        assert TracedModel(Parrot(), trace, "d1/2").complete(request).text == "Hé"
    (event,) = events(tmp_path / "t.jsonl")
    assert event.pop("seconds") >= 0
    assert event.pop("at") > 0
    assert event == {
        "kind": "model", "span": "d1/2", "error": "",
        "data": {
            "agent": "answer/chat", "model": "parrot", "attempt": 1, "digest": request.digest(),
            "messages": [{"role": "user", "content": "Hé"}], "text": "Hé", "finish": "stop",
            "usage": {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3, "cached_tokens": 0, "usd": None,
                      "estimated": False},
        },
    }  # fmt: skip


def test_a_model_call_that_fails_is_recorded_and_fails(tmp_path):
    with Trace(tmp_path / "t.jsonl") as trace, pytest.raises(ModelRefused):
        TracedModel(Parrot(), trace, "p").complete(Request("a", (Message("user", "x"),), attempt=2))
    (event,) = events(tmp_path / "t.jsonl")
    assert (event["error"], event["data"]["raised"]) == ("parrot: no", "ModelRefused")
    assert "text" not in event["data"]


def test_queries_are_recorded_and_counted_foreign_ones_too(tmp_path):
    with Trace(tmp_path / "t.jsonl") as trace:
        endpoint = TracedEndpoint(Shelf(), trace, "p")
        endpoint.select("SELECT 1")
        endpoint.ask("ASK 2")
        with pytest.raises(QueryRejected):
            endpoint.untrusted_view().select("bad")
    assert endpoint.query_count == 3
    assert [(event["data"], event["error"]) for event in events(tmp_path / "t.jsonl")] == [
        ({"query": "SELECT 1", "rows": 1}, ""),
        ({"query": "ASK 2", "truth": True}, ""),
        ({"query": "bad", "raised": "QueryRejected"}, "shelf: bad query"),
    ]


def test_without_a_path_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Trace() as trace:
        trace.record(Event("note", "p", 0.0))
    assert list(tmp_path.iterdir()) == []


def test_secrets_never_reach_the_file(tmp_path):
    with Trace(tmp_path / "t.jsonl", secrets=['key-with-"quote', "short", ""]) as trace:
        trace.record(
            Event(
                "note",
                "p",
                0.0,
                {"header": 'Bearer key-with-"quote, short, ?key=key-with-%22quote'},
                'no: key-with-"quote',
            )
        )
    (event,) = events(tmp_path / "t.jsonl")
    assert (event["data"], event["error"]) == ({"header": "Bearer ***, short, ?key=***"}, "no: ***")


@pytest.mark.parametrize(
    ("left", "kept"), [("", 0), ('{"a": 1}\n', 1), ('{"a": 1}\n{"b', 1), ('{"b', 0), ("x" * 70000, 0)]
)
def test_a_trace_goes_on_behind_the_last_whole_line(tmp_path, left, kept):
    path = tmp_path / "t.jsonl"
    path.write_text(left)
    with Trace(path) as trace:
        trace.record(Event("note", "p", 0.0))
    assert len(events(path)) == kept + 1


def test_a_trace_begun_anew_takes_its_place_when_it_is_kept(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("earlier\n")
    with Trace(path, replace_existing=True) as trace:
        trace.record(Event("note", "first", 0.0))
        assert path.read_text() == "earlier\n"
        trace.commit()
        trace.record(Event("note", "second", 0.0))
    assert [json.loads(line)["span"] for line in path.read_text().splitlines()] == ["first", "second"]
    assert [file.name for file in tmp_path.iterdir()] == ["t.jsonl"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_once():
    with pytest.raises(StorageFailed, match="cannot write /dev/full: No space left"), Trace(Path("/dev/full")) as trace:
        trace.record(Event("note", "first", 0.0))


def test_a_trace_begun_anew_that_nobody_keeps_leaves_what_was_there(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("earlier\n")
    with Trace(path, replace_existing=True) as trace:
        trace.record(Event("note", "first", 0.0))
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("t.jsonl", "earlier\n")]


def test_long_texts_are_cut_and_the_trace_says_so(tmp_path):
    secret = "sk-very-secret"
    asked, said = "q" * (MAX_TEXT_LENGTH + 7), "s" * (MAX_TEXT_LENGTH - 5) + secret + "s" * 100_000
    whole = "w" * MAX_TEXT_LENGTH
    with Trace(tmp_path / "t.jsonl", secrets=[secret]) as trace:
        parrot = TracedModel(Parrot(), trace, "p")
        for text in (asked, said, whole):
            parrot.complete(Request("a", (Message("system", "x"), Message("user", text))))
        trace.record(Event("query", "p", 0.1, {"query": "q" * 3 * MAX_TEXT_LENGTH}, "e" * 2 * MAX_TEXT_LENGTH))
    first, second, third, query = events(tmp_path / "t.jsonl")
    assert first["data"]["cut"] == {"messages": 7, "text": 7}
    assert first["data"]["text"] == "q" * MAX_TEXT_LENGTH + " [cut here: 7 more characters]"
    assert first["data"]["messages"][1] == {"role": "user", "content": first["data"]["text"]}
    assert second["data"]["text"].startswith("s" * (MAX_TEXT_LENGTH - 5) + "***ss [cut here: 99998 more")
    assert third["data"]["text"] == whole and "cut" not in third["data"]
    assert query["data"]["cut"] == {"query": 2 * MAX_TEXT_LENGTH, "error": MAX_TEXT_LENGTH}
    assert query["error"].endswith(f"ee [cut here: {MAX_TEXT_LENGTH} more characters]")


def test_the_time_of_a_stage_is_its_own_and_its_events_name_it(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    with Trace(path) as trace:
        with trace.stage("dialogue"):
            with trace.stage("queries"):
                TracedEndpoint(Shelf(), trace, "slot 1").ask("ASK { ?s ?p ?o }")
                threading.Event().wait(0.02)
            note_problems("generate/dialogue", 1, ["json"])
        note_problems("generate/dialogue", 1, ["json"])
    query, inner, note, outer = events(path)
    assert [event["data"]["stage"] for event in (query, inner, note, outer)] == ["queries"] * 2 + ["dialogue"] * 2
    assert inner["seconds"] >= 0.02 > outer["seconds"]
    assert note["data"]["problems"] == ["json"]


def test_beyond_its_limit_a_trace_keeps_figures_and_no_texts(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    with Trace(path, max_length=10) as trace:
        for _ in range(2):
            TracedModel(Parrot(), trace, "slot 1").complete(Request("agent", (Message("user", "hello"),)))
    first, second = events(path)
    assert first["data"]["text"] == "hello"
    assert not {"text", "messages"} & second["data"].keys()
    assert second["data"]["usage"] == first["data"]["usage"]


def test_the_trace_of_a_run_is_replaced_unless_the_user_named_it(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    for is_named, number in ((False, 1), (False, 1), (True, 2)):
        with open_run_trace(path, is_named=is_named, overwrite=True, secrets=()) as trace:
            trace.record(Event("note", "", 0.0))
            trace.commit()
        assert len(events(path)) == number

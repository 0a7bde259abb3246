"""``chattykg converse``: what a person types, good and bad, and systems that misbehave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from ship_talk import write_plan
from wire.model_server import Fault, ModelServer, completion

from chattykg.cli import main


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    server = ModelServer().start()
    yield server
    server.stop()


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "ships.ttl"
    path.write_text(
        "@prefix : <https://ships.example/> . @prefix v: <https://ships.example/vocab/> .\n"
        "@prefix l: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        'v:captain l:label "captain" . v:birthPlace l:label "birth place" . v:country l:label "country" .\n'
        ':aurora a v:Ship ; l:label "Aurora" ; v:captain :ann . :ann a v:Person ; l:label "Ann Lee" ; '
        'v:birthPlace :kiel .\n:kiel a v:Harbor ; l:label "Kiel Port" ; v:country :de . :de l:label "Germany" .\n'
    )
    return path


def converse(*arguments: Any, code: int = 0) -> Result:
    done = CliRunner().invoke(main, ["converse", *map(str, arguments)], prog_name="chattykg")
    assert done.exit_code == code, done.output
    return done


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_plan_is_pursued_printed_and_resumed(graph: Path, tmp_path: Path) -> None:
    plan, output = write_plan(tmp_path / "plan.jsonl"), tmp_path / "c.jsonl"
    arguments = ("--kg", graph, "--plan", plan, "-o", output)
    shown = converse(*arguments, "--show", 1).stdout
    assert shown.startswith("d0001: done\n  goal 1: reached\n    user    Who is the captain of Aurora?\n")
    assert "goals reached" in shown
    manifest = json.loads((tmp_path / "c.jsonl.run.json").read_text())["conversations"]
    assert manifest["user"] == {"model": "rules", "patience": 2, "give_up": 3, "max_turns": 40}
    assert manifest["engine"]["clarify"] == "ask"
    first = output.read_bytes()
    assert json.loads(converse(*arguments, "--json").stdout)["reached"] == 1.0
    assert output.read_bytes() == first
    assert "patience: 2 there, 1 now" in converse(*arguments, "--set", "patience=1", code=2).stderr


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (Fault(body=completion('{"answers": ["Paris"]}')), "loop"),
        (Fault(body=completion("You fool. Go away!")), "error"),
        (Fault(body=completion(json.dumps({"answers": ["x" * 200_000]}))), "too-long"),
        (Fault(body=" " * (17 << 20)), "too-long"),
    ],
    ids=["loop", "insult", "long value", "flood"],
)
def test_a_broken_bot_ends_its_conversations_and_the_run_goes_on(
    fault: Fault, status: str, server: ModelServer, tmp_path: Path
) -> None:
    server.always, output = fault, tmp_path / "c.jsonl"
    plan = write_plan(tmp_path / "plan.jsonl", 2)
    done = converse("--engine", f"remote:openai:{server.url}", "--plan", plan, "-o", output, "--set", "theta=1")
    assert [line["status"] for line in read(output)] == [status] * 2
    assert ("held" in done.stderr or "holds them again" in done.stderr) == (status == "error")


def test_a_bot_that_never_ends_is_cut_off_in_time(server: ModelServer, tmp_path: Path) -> None:
    server.always, output = Fault(hang=0.4), tmp_path / "c.jsonl"
    plan = write_plan(tmp_path / "plan.jsonl")
    limit = ("--model-timeout", 0.1, "-o", output)
    done = converse("--engine", f"remote:openai:{server.url}", "--plan", plan, *limit)
    assert "1 conversations ended because the system failed" in done.stderr
    assert "in time" in read(output)[0]["reason"]


def test_a_model_words_the_messages_of_the_user(server: ModelServer, graph: Path, tmp_path: Path) -> None:
    def say(asked: dict[str, Any]) -> Fault:
        draft = asked["messages"][1]["content"].rpartition("Draft: ")[2]
        return Fault(body=completion(json.dumps({"message": f"Please: {draft}"})))

    server.says, output = say, tmp_path / "c.jsonl"
    arguments = ("--kg", graph, "--plan", write_plan(tmp_path / "plan.jsonl"), "-o", output)
    converse(*arguments, "--user-model", "openai:m", "--base-url", server.url)
    (line,) = read(output)
    assert line["turns"][0]["text"] == "Please: Who is the captain of Aurora?"
    assert line["usage"]["calls"] > 4 and line["goals"][0]["reached"]
    sent = json.dumps(server.asked[0])
    assert "SELECT" not in sent and "Ann Lee" not in sent

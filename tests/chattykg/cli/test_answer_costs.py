"""What a run of the engine may cost: limits that hold across resumed runs, kept replies, estimates."""

import json

import pytest
from chattyshared.jsonlines import read_lines
from click.testing import CliRunner
from wire.recorded_server import RecordedServer

from chattykg.cli import main

pytestmark = pytest.mark.slow

TRIP = ("--kg", "demo", "--type", "Album", "--dialogues", "2", "--turns", "2", "--set", "mix=lookup=100")
"""Look-ups alone: what else a plan may hold depends on who words it."""


def call(*arguments, given=""):
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattykg", input=given)


def without_time(path):
    return [{k: v for k, v in line.items() if k not in ("seconds", "stages")} for _, line in read_lines(path)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A round trip by the rules, unbroken."""
    folder = tmp_path_factory.mktemp("made") / "trip"
    done = call("roundtrip", *TRIP, "-o", folder)
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture
def server(made):
    server = RecordedServer([made / f"{half}.jsonl.trace.jsonl" for half in ("benchmark", "answers")])
    server.start()
    yield server
    server.stop()


def hosted(server, *more):
    return ("--model", "openai:m", "--base-url", server.url, "--strategy", "staged", *more)


def spent(path):
    rows = [row for _, row in read_lines(path)]
    return {name: sum(row[name] or 0 for row in rows) for name in ("calls", "queries", "usd")}


@pytest.mark.parametrize(("limit", "said"), [
    ("max_calls=2", "the limit of 2 calls of the model is reached"),
    ("max_queries=5", "the limit of 5 queries is reached"),
    ("max_tokens=900", "the limit of 900 tokens is reached"),
])  # fmt: skip
def test_answers_stop_at_a_limit_and_go_on_with_a_higher_one(made, tmp_path, limit, said):
    out = tmp_path / "a.jsonl"
    command = ("answer", "--kg", "demo", "--benchmark", made / "benchmark.jsonl", "-o", out)
    stopped = call(*command, "--set", limit)
    assert (stopped.exit_code, stopped.stdout) == (3, "")
    assert said in stopped.stderr and f"counted in {out}.spent.jsonl" in stopped.stderr
    again = call(*command, "--set", limit)
    assert again.exit_code == 3, "what was spent before counts"
    assert call(*command, "--set", f"{limit}9999999").exit_code == 0
    assert without_time(out) == without_time(made / "answers.jsonl")


def test_a_round_trip_has_one_budget_for_both_halves(made, tmp_path):
    whole = tmp_path / "whole"
    assert call("roundtrip", *TRIP, "-o", whole, "--set", "max_calls=9999").exit_code == 0
    calls = spent(whole / "roundtrip.spent.jsonl")["calls"]
    run = tmp_path / "run"
    stopped = call("roundtrip", *TRIP, "-o", run, "--set", f"max_calls={calls - 1}")
    assert stopped.exit_code == 3
    assert "roundtrip.spent.jsonl" in stopped.stderr
    assert (run / "benchmark.jsonl").read_bytes() == (made / "benchmark.jsonl").read_bytes()
    assert not (run / "scores.json").exists()
    assert spent(run / "roundtrip.spent.jsonl")["calls"] == calls - 1
    assert call("roundtrip", *TRIP, "-o", run).exit_code == 0
    assert without_time(run / "answers.jsonl") == without_time(made / "answers.jsonl")


def test_what_a_hosted_model_has_said_is_not_paid_for_again(made, server, tmp_path):
    paid = hosted(server, "--set", "price=m=1000,1000", "--cache-dir", tmp_path / "cache")
    assert call("roundtrip", *TRIP, *paid, "-o", tmp_path / "one").exit_code == 0
    first, served = spent(tmp_path / "one" / "roundtrip.spent.jsonl"), len(server.order)
    assert served == first["calls"] > 4
    assert first["usd"] == pytest.approx(served * 14 / 1000)
    assert call("roundtrip", *TRIP, *paid, "-o", tmp_path / "two").exit_code == 0
    assert len(server.order) == served
    assert (tmp_path / "one" / "benchmark.jsonl").read_bytes() == (tmp_path / "two" / "benchmark.jsonl").read_bytes()
    assert without_time(tmp_path / "one" / "answers.jsonl") == without_time(tmp_path / "two" / "answers.jsonl")
    assert call("roundtrip", *TRIP, *paid, "-o", tmp_path / "three", "--set", "no_reply_cache=on").exit_code == 0
    assert len(server.order) == 2 * served - 1, "what names the things of a type is kept otherwise"
    told = json.loads(call("cache", "stats", "--cache-dir", tmp_path / "cache", "--json").stdout)
    assert [sum(one[what] for one in told["replies"]) for what in ("replies", "hits")] == [served, served - 1]


def test_money_stops_a_run_and_models_of_single_agents_have_prices_of_their_own(made, server, tmp_path):
    out = tmp_path / "a.jsonl"
    command = ("answer", "--kg", "demo", "--benchmark", made / "benchmark.jsonl", "-o", out, "--base-url", server.url)
    command += ("--model", "qir=openai:dear", "--set", "price=dear=1000000,0", "--max-usd", "20")
    stopped = call(*command)
    assert (stopped.exit_code, len(server.order)) == (3, 2), stopped.stderr  # eleven dollars a call
    assert "the limit of 20 USD is reached" in stopped.stderr


def test_a_question_and_a_talk_end_at_a_limit_too(server):
    one = call("answer", "--kg", "demo", "--set", "max_queries=1", "Who directed Inception?")
    assert (one.exit_code, one.stdout) == (3, "")
    assert "a higher limit lets it go on" in one.stderr
    talk = call(
        "chat", "--kg", "demo", "--set", "max_calls=3", given="Who directed Inception?\nWhen was he born?\n/quit\n"
    )
    assert talk.exit_code == 3
    assert "the limit of 3 calls of the model is reached" in talk.stderr


def test_a_dry_run_estimates_both_halves_and_makes_nothing(made, tmp_path):
    out = tmp_path / "run"
    dry = ("--dry-run", "--set", "price=m=1000,1000", "--json")
    done = call("roundtrip", *TRIP, *dry, "--model", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "-o", out)
    told = json.loads(done.stdout)
    assert (told["wanted"], out.exists()) == (2, False)
    parts = [told["generate"], told["answer"]]
    assert told["both"]["calls"] == sum(part["calls"] for part in parts)
    assert all(p["usd"] == pytest.approx((p["prompt_tokens"] + p["reply_tokens"]) / 1000) for p in parts)
    bench = ("answer", "--kg", "demo", "--benchmark", made / "benchmark.jsonl", *dry)
    free = json.loads(call(*bench, "-o", out).stdout)
    used = [line["usage"] for line in without_time(made / "answers.jsonl")]
    assert free["questions"] == 4 and free["usd"] == 0
    assert (free["calls"], free["prompt_tokens"]) == (
        sum(u["calls"] for u in used),
        sum(u["prompt_tokens"] for u in used),
    ), "of so few, all are tried"
    assert not out.exists()


def test_a_dry_run_follows_the_strategy_of_the_model():
    def foretold(*more):
        given = ("answer", "--kg", "demo", "--dry-run", "--json", "Who directed Inception?")
        return json.loads(call(*given, *more).stdout)

    direct, staged = (foretold("--model", "openai:x", "--strategy", way) for way in ("direct", "staged"))
    assert (direct["calls"], staged["calls"]) == (1, 1)
    assert direct["prompt_tokens"] != staged["prompt_tokens"]
    assert direct["usd"] is staged["usd"] is None
    assert foretold("--model", "openai:x", "--set", "say=on")["calls"] == staged["calls"] + 1


def test_spending_below_nothing_is_not_counted_on(made, tmp_path):
    out = tmp_path / "a.jsonl"
    (tmp_path / "a.jsonl.spent.jsonl").write_text(
        '{"calls": 1, "prompt_tokens": -1000000, "queries": 1, "seconds": 1}\n'
    )
    command = ("answer", "--kg", "demo", "--benchmark", made / "benchmark.jsonl", "-o", out, "--set", "max_tokens=900")
    refused = call(*command)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "does not tell what was spent (no number of calls and tokens" in refused.stderr


PRICED = ("--set", "price=1000000,0", "--max-usd", 20)


@pytest.mark.parametrize(
    ("usage", "limit", "said"),
    [({"prompt_tokens": -10000, "completion_tokens": -10000}, ("--set", "max_tokens=2000"), "the limit of 2000 tokens"),
     ({"prompt_tokens": 9, "completion_tokens": 9, "cost": -5}, PRICED, "of 20 USD"),
     ({"prompt_tokens": 9, "completion_tokens": 9, "cost": float("nan")}, PRICED, "of 20 USD"),
     ({"prompt_tokens": float("nan"), "completion_tokens": 1e999}, ("--set", "max_tokens=2000"), "limit of 2000")],
)  # fmt: skip
def test_a_server_cannot_lift_a_limit(made, tmp_path, server, usage, limit, said):
    server.usage = usage
    command = ("answer", "--kg", "demo", "--benchmark", made / "benchmark.jsonl", "-o", tmp_path / "a.jsonl")
    stopped = call(*command, *hosted(server, *limit))
    assert (stopped.exit_code, stopped.stdout) == (3, "")
    assert said in stopped.stderr and "Traceback" not in stopped.stderr

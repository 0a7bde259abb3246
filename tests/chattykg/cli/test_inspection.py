"""``chattykg cache``: what is kept, why a reply was paid for, and what may go."""

import json

import pytest
from chattyshared.endpoint.result_cache import ResultCache
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.cache import CachedModel
from chattyshared.model.reply_store import ReplyStore
from click.testing import CliRunner

from chattykg.cli import main

SCHEMA = {"type": "object"}


class Paid:
    def __init__(self, name="openai:small"):
        self.name = name

    def complete(self, request):
        return Completion("{}", Usage(1, 100, 20, usd=0.5))


def request(text, attempt=1, schema=SCHEMA):
    return Request("answer/qir", (Message("system", "Read it."), Message("user", text)), schema, {}, attempt)


def call(*arguments):
    return CliRunner().invoke(main, ["cache", *map(str, arguments)], prog_name="chattykg")


@pytest.fixture
def folder(tmp_path):
    """A cache folder; each ask is a second later than the one before."""
    now = iter(range(1_700_000_000, 1_800_000_000))
    replies = ReplyStore(tmp_path / "replies.sqlite", clock=lambda: float(next(now)))
    cold = CachedModel(Paid(), replies, {"temperature": 0})
    cold.complete(request("Who wove the carpet?"))
    cold.complete(request("Who wove the carpet?"))
    cold.complete(request("Who dyed the carpet?"))
    cold.complete(request("Who dyed the carpet?", attempt=2))
    cold.complete(request("Who dyed the carpet?", schema={"type": "array"}))
    CachedModel(Paid(), replies, {"temperature": 1}).complete(request("Who wove the carpet?"))
    CachedModel(Paid("openai:large"), replies, {"temperature": 0}).complete(request("Who wove the carpet?"))
    replies.close()
    answers = ResultCache(
        tmp_path / "answers.sqlite", "f00d http://looms.example/sparql", clock=lambda: 1_700_000_000.0
    )
    answers.put("ASK {}", b"true")
    answers.get("ASK {}")
    answers.close()
    return tmp_path


def test_stats_tell_what_is_kept_and_spared(folder):
    done = call("stats", "--cache-dir", folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "openai:small, answer/qir" in done.stdout and "openai:large, answer/qir" in done.stdout
    assert "in all 6 replies; 1 calls, 120 tokens, 0.5000 USD spared" in done.stdout
    assert "f00d http://looms.example/sparql" in done.stdout
    told = json.loads(call("stats", "--cache-dir", folder, "--json").stdout)
    assert [(one["replies"], one["hits"], one["spared_usd"]) for one in told["replies"]] == [(1, 0, 0.0), (5, 1, 0.5)]
    assert [(one["answers"], one["hits"]) for one in told["answers"]] == [(1, 1)]


def test_explain_names_the_part_that_differs(folder):
    done = call("explain", "--cache-dir", folder, "--json")
    rows = json.loads(done.stdout)
    whys = [row["why"].partition(": ")[2] for row in rows]
    assert whys[0].startswith("model is 'openai:large', kept is 'openai:small'")
    assert whys[1] == "parameters is {'temperature': 1}, kept is {'temperature': 0}"
    assert whys[2] == "attempt is 1, kept is 2; the reply schema differs"
    assert whys[3] == "attempt is 2, kept is 1"
    assert "the prompt differs: -[user] Who wove the carpet? | +[user] Who dyed the carpet?" in whys[4]
    assert rows[5]["why"] == "nothing is kept for this agent"
    one = call("explain", rows[1]["key"][:8], "--cache-dir", folder)
    assert rows[1]["why"] in one.stdout and one.stdout.count("\n") == 2
    assert call("explain", "--last", "2", "--cache-dir", folder).stdout.count("\n") == 4


def test_prune_takes_what_meets_the_conditions_and_nothing_else(folder):
    def left():
        told = json.loads(call("stats", "--cache-dir", folder, "--json").stdout)
        return sum(one["replies"] for one in told["replies"]), sum(one["answers"] for one in told["answers"])

    assert (
        call("prune", "--cache-dir", folder, "--model", "openai:large").stdout == "1 replies and 0 answers are gone\n"
    )
    assert left() == (5, 1)
    assert call("prune", "--cache-dir", folder, "--kg", "other.example").exit_code == 0
    assert left() == (5, 1)
    assert call("prune", "--cache-dir", folder, "--kg", "looms.example").exit_code == 0
    assert left() == (5, 0)
    assert call("prune", "--cache-dir", folder, "--unused-for", "100000").exit_code == 0
    assert left() == (5, 0)
    assert call("prune", "--cache-dir", folder, "--max-size", "0").exit_code == 0
    assert left() == (0, 0)


def test_what_is_not_there_is_said(tmp_path, folder):
    assert call("prune", "--cache-dir", folder).exit_code == 2
    nothing = call("explain", "ffffffffffffffffffff", "--cache-dir", folder)
    assert (nothing.exit_code, nothing.stdout) == (2, "")
    assert "no such reply is kept" in nothing.stderr
    empty = call("stats", "--cache-dir", tmp_path / "none")
    assert empty.exit_code == 2 and "neither replies of models nor answers" in empty.stderr
    assert not (tmp_path / "none").exists()

"""Generating, answering and evaluating on a cluster of processes: the same bytes as with threads, whatever happens."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message
from chattyshared.errors import ConfigError, WorkersLost
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.runs.cluster_job import job_stamp, make_job, open_cluster_runner
from chattyshared.runs.dask import DaskCluster
from chattyshared.runs.remote_worker import pack_task
from chattyshared.sparql.gold_queries import run_queries
from click.testing import CliRunner
from ship_graph import SHIPS, ships
from wire.dask_cluster import RunningCluster

import chattygen.cli
import chattykg.cli
from chattygen.runs.recording import record_run
from chattykg.runs.batch import answer_conversation
from chattykg.runs.question_sets import Conversation, QuestionItem

GIVEN = ("--dialogues", "6", "--turns", "3")
NOTHING = {
    "models": (), "base_url": None, "store": None, "cache_dir": None, "lang": "", "model_timeout": 10.0,
    "profile": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def running():
    pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[dist]'")
    cluster = RunningCluster()
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def kg(tmp_path_factory):
    path = tmp_path_factory.mktemp("kg") / "ships.ttl"
    path.write_text(ships(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def whole(kg, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "bench.jsonl"
    done = generate(kg, path, "--set", f"trace={path.with_name('trace.jsonl')}")
    assert done.exit_code == 0, done.output
    return path


def run(program, *arguments: object):
    return CliRunner().invoke(program.cli.main, [str(part) for part in arguments])


def on(cluster: RunningCluster) -> tuple[str, ...]:
    return ("--set", f"scheduler={cluster.address}")


def generate(kg: Path, path: Path, *more: object):
    return run(chattygen, "generate", "--kg", kg, *GIVEN, "-o", path, *more)


def same(one: Path, other: Path) -> bool:
    return all(
        one.with_name(one.name + end).read_bytes() == other.with_name(other.name + end).read_bytes()
        for end in ("", ".rejected.jsonl", ".run.json")
    )


def events(path: Path) -> Counter[tuple[str, str]]:
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return Counter((event["span"], event["kind"]) for event in read if event["span"].startswith("slot"))


def test_a_cluster_makes_the_bytes_that_threads_make_and_traces_what_they_trace(running, kg, whole, tmp_path):
    path, trace = tmp_path / "bench.jsonl", tmp_path / "trace.jsonl"
    done = generate(kg, path, *on(running), "--set", f"trace={trace}")
    assert (done.exit_code, same(path, whole)) == (0, True), done.output
    assert events(trace) == events(whole.with_name("trace.jsonl")) != Counter()


@pytest.mark.parametrize("first", ["threads", "dask"])
def test_a_run_goes_on_with_another_runner(running, kg, whole, tmp_path, first):
    path = tmp_path / "bench.jsonl"
    runners = {"threads": (), "dask": on(running)}
    # A limit that is reached in the middle; with workers elsewhere it is noticed when a dialogue comes home.
    broken = generate(kg, path, *runners.pop(first), "--set", "max_calls=2")
    assert broken.exit_code == 3, broken.output
    kept = path.read_text(encoding="utf-8").count("\n") - 1
    assert 0 < kept < 6
    (second,) = runners.values()
    done = generate(kg, path, *second)
    assert (done.exit_code, same(path, whole)) == (0, True), done.output


def test_a_scheduler_that_dies_stops_the_run_which_goes_on_with_the_next_one(kg, whole, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[dist]'")
    given = {"sources": (str(kg),), **NOTHING}
    graph, path, told = open_kg([str(kg)]), tmp_path / "bench.jsonl", []
    cluster = RunningCluster(workers=1)

    def watch(tally):
        told.append(tally.dialogues)
        if tally.dialogues == 2:
            cluster.kill()

    def made(runner, watch):
        options = chattygen.parse_options({"dialogues": 6, "turns": 3})
        return record_run(graph, RuleModel(chattygen.RULEBOOK), options, path, runner=runner, on_progress=watch)

    with DaskCluster(cluster.address) as there:
        runner = open_cluster_runner(there, "chattygen.cli.generate:open_worker_resources", given, graph, None, ())
        with pytest.raises(WorkersLost, match="the same command goes on from there") as caught:
            made(runner, watch)
    assert (exit_code_and_message(caught.value)[0], 2 <= len(told) < 6) == (STOPPED, True)
    restarted = RunningCluster(workers=1, port=cluster.port)
    try:
        with DaskCluster(restarted.address) as there:
            made(
                open_cluster_runner(there, "chattygen.cli.generate:open_worker_resources", given, graph, None, ()),
                lambda _: None,
            )
    finally:
        restarted.stop()
    assert path.read_bytes() == whole.read_bytes()


def lines(path: Path):
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in line.items() if name not in ("seconds", "stages")} for line in read]


def test_a_cluster_makes_a_round_trip_and_runs_the_queries_of_an_evaluation(running, kg, tmp_path):
    for name, more in (("threads", ()), ("dask", on(running))):
        done = run(chattykg, "roundtrip", "--kg", kg, *GIVEN[:1], "3", "--turns", "3", "-o", tmp_path / name, *more)
        assert done.exit_code == 0, done.output
    one, other = tmp_path / "threads", tmp_path / "dask"
    assert (one / "benchmark.jsonl").read_bytes() == (other / "benchmark.jsonl").read_bytes()
    assert lines(one / "answers.jsonl") == lines(other / "answers.jsonl")
    query = "SELECT ?x WHERE {{ <https://ships.example/{}> <https://ships.example/vocab/{}> ?x }}"
    asked = [{"id": n, "question": "?", "sparql": query.format(SHIPS[n], "commandedBy")} for n in range(5)]
    said = [{"qname": str(n), "query": query.format(SHIPS[n], "commandedBy" if n < 3 else "builder")} for n in range(5)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    (tmp_path / "said.json").write_text(json.dumps(said))
    figures = [
        run(chattykg, "evaluate", "--kg", kg, "--json", tmp_path / "gold.jsonl", tmp_path / "said.json", *more)
        for more in ((), ("--workers", "2"), on(running))
    ]
    assert [done.exit_code for done in figures] == [0, 0, 0], figures[-1].output
    assert figures[0].stdout == figures[1].stdout == figures[2].stdout
    assert '"f1": 0.6' in figures[0].stdout


def test_without_dask_the_command_says_what_to_install(kg, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = generate(kg, tmp_path / "bench.jsonl", "--set", "scheduler=tcp://127.0.0.1:1")
    assert (done.exit_code, "pip install -e '.[dist]'" in done.stderr) == (2, True)


SECRETS = {
    "sources": ("http://ann:sesame@e.org/sparql",),
    "base_url": "https://e.org/v1?key=sesame",
    "engine": "remote:chattykg:https://ann:sesame@e.org",
    "contact": "sk-of-the-client",
}


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_do_not_travel(name):
    with pytest.raises(ConfigError, match="would travel to the scheduler") as caught:
        make_job("m:f", {name: SECRETS[name]}, {}, ["sk-of-the-client"])
    assert not any(secret in str(caught.value) for secret in ("sesame", "sk-of-the-client"))


def test_what_travels_is_plain_and_names_whole_paths(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-client")
    monkeypatch.chdir(tmp_path)
    given = {"sources": ("a.ttl",), "models": ("qir=replay:t.jsonl",), "translate": "auto", "output": Path("o")}
    sent = make_job("m:f", given, {}, ["sk-of-the-client"])
    assert dict(sent.options) == {
        "sources": (str(tmp_path / "a.ttl"),), "models": (f"qir=replay:{tmp_path / 't.jsonl'}",), "translate": "auto",
    }  # fmt: skip
    task = pack_task(sent, answer_conversation, Conversation((QuestionItem(0, "1", "Who?"),)), is_traced=True)
    assert b"sk-of" not in task and len(task) < 2000


def test_a_worker_that_reads_another_graph_is_refused(running, kg, tmp_path):
    """The same name of a file, other triples: as on a machine with an older copy."""
    mine = tmp_path / "ships.ttl"
    mine.write_text(kg.read_text(encoding="utf-8"), encoding="utf-8")

    def older(marks):
        return {**marks, "graph": marks["graph"].replace("(", "(0")}

    here = job_stamp(open_kg([str(mine)]))
    given = {"sources": (str(mine),), **NOTHING}
    with DaskCluster(running.address) as there:
        runner = there.make_runner(make_job("chattykg.cli.engines:open_query_worker", given, older(here)))
        with pytest.raises(ConfigError, match=r"would give other results: its graph is ships.ttl"):
            run_queries(["ASK { ?s ?p ?o }"], open_kg([str(mine)]), runner)
        runner = there.make_runner(make_job("chattykg.cli.engines:open_query_worker", given, here))
        assert run_queries(["ASK { ?s ?p ?o }"], open_kg([str(mine)]), runner)[0].values[0].value == "true"

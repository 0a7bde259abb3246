"""Work on a cluster of processes: what comes home, what is done again, and what ends the run."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from chattyshared.commands.exit_codes import STOPPED, exit_code_and_message
from chattyshared.errors import ConfigError, ModelRefused, WorkersLost
from chattyshared.model.spend_log import Spending
from chattyshared.runs.dask import DaskCluster
from chattyshared.runs.remote_worker import WorkerJob
from chattyshared.trace import Trace
from wire.dask_cluster import RunningCluster
from wire.dask_station import work

pytest.importorskip("distributed", reason="Dask is not installed: pip install -e '.[dist]'")
KEY = "sk-of-the-workers"


@pytest.fixture(scope="module")
def running():
    cluster = RunningCluster(environ={"OPENAI_API_KEY": KEY})
    yield cluster
    cluster.stop()


def job(folder: Path, name: str = "spoons", **options: str) -> WorkerJob:
    return WorkerJob(f"{name}-{time.monotonic()}", "wire.dask_station:station", {"folder": str(folder), **options})


def begun(folder: Path, item: str) -> list[int]:
    return [int(path.name.rpartition("-")[2]) for path in folder.glob(f"{item}-*")]


def test_results_traces_and_costs_come_home_and_stations_are_closed(running, tmp_path):
    spent, items = [], [f"item{number}" for number in range(9)]
    with DaskCluster(running.address) as cluster, Trace(tmp_path / "trace.jsonl") as trace:
        runner = cluster.make_runner(job(tmp_path), spent.append)
        found = dict(runner.map_unordered(work, None, items, trace=trace))
    assert found == {number: item.upper() for number, item in enumerate(items)}
    said = (tmp_path / "trace.jsonl").read_text()
    assert (said.count("\n"), said.count("***"), KEY in said) == (9, 9, False)
    total = sum(spent, Spending())
    assert (total.usage.calls, total.usage.prompt_tokens) == (9, 90)
    workers = {pid for item in items for pid in begun(tmp_path, item)}
    assert set(begun(tmp_path, "closed")) == workers


def test_an_error_of_ours_ends_the_run_after_what_was_under_way(running, tmp_path):
    found, spent = [], []
    with DaskCluster(running.address) as cluster:
        results = cluster.make_runner(job(tmp_path), spent.append).map_unordered(
            work, None, ["refused", "slow", *"abcdef"]
        )
        with pytest.raises(ModelRefused):
            found.extend(results)
    assert (1, "SLOW") in found
    assert not begun(tmp_path, "f")
    assert sum(spent, Spending()).usage.calls == len(found) + 1


def test_a_mistake_in_the_program_comes_through_as_it_is(running, tmp_path):
    with DaskCluster(running.address) as cluster, pytest.raises(ValueError, match="a mistake in the program"):
        list(cluster.make_runner(job(tmp_path)).map_unordered(work, None, ["broken"]))


def test_nothing_begins_once_the_run_is_stopped(running, tmp_path):
    stop = threading.Event()
    with DaskCluster(running.address) as cluster:
        results = cluster.make_runner(job(tmp_path)).map_unordered(
            work, None, [f"item{n}" for n in range(20)], stop=stop
        )
        found = [next(results)]
        stop.set()
        found.extend(results)
    assert 1 <= len(found) <= 3


def test_what_a_worker_lacks_and_what_differs_there_is_said(running, tmp_path):
    with DaskCluster(running.address) as cluster:
        with pytest.raises(ConfigError, match=r"the worker on .*: no such file"):
            list(cluster.make_runner(job(tmp_path, fails="no such file")).map_unordered(work, None, ["a"]))
        other = WorkerJob("forks", "wire.dask_station:station", {"folder": str(tmp_path)}, {"graph": "forks"})
        with pytest.raises(ConfigError, match="would give other results: its graph is spoons, not forks"):
            list(cluster.make_runner(other).map_unordered(work, None, ["a"]))
        nobody = WorkerJob("nobody", "wire.no_such_module:station", {})
        with pytest.raises(ConfigError, match="install the same version"):
            list(cluster.make_runner(nobody).map_unordered(work, None, ["a"]))


class Unreadable:
    def __reduce__(self):
        return int, ("no number",)


def test_an_item_that_cannot_be_read_there_fails_and_takes_nobody_down(running, tmp_path):
    with DaskCluster(running.address) as cluster:
        with pytest.raises(ValueError, match="no number"):
            list(cluster.make_runner(job(tmp_path)).map_unordered(work, None, [Unreadable()]))
        assert list(cluster.make_runner(job(tmp_path)).map_unordered(work, None, ["a"])) == [(0, "A")]


def test_a_worker_that_is_killed_is_replaced_and_its_item_done_again(running, tmp_path):
    items = ["slow0", "slow1", "item2", "item3"]
    with DaskCluster(running.address) as cluster:
        results = cluster.make_runner(job(tmp_path)).map_unordered(work, None, items)
        killer = threading.Thread(target=_kill_who_begins, args=(tmp_path, "slow0"))
        killer.start()
        found = dict(results)
        killer.join()
    assert found == {number: item.upper() for number, item in enumerate(items)}
    assert len(set(begun(tmp_path, "slow0"))) == 2
    assert len(begun(tmp_path, "item3")) == 1


def _kill_who_begins(folder: Path, item: str) -> None:
    until = time.monotonic() + 30
    while not begun(folder, item) and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(begun(folder, item)[0], signal.SIGKILL)


def test_an_item_that_kills_whoever_does_it_ends_the_run(running, tmp_path):
    with (
        DaskCluster(running.address) as cluster,
        pytest.raises(WorkersLost, match="has taken 2 workers down") as caught,
    ):
        list(cluster.make_runner(job(tmp_path)).map_unordered(work, None, ["deadly"]))
    assert exit_code_and_message(caught.value)[0] == STOPPED
    assert len(begun(tmp_path, "deadly")) == 2


def test_a_scheduler_that_is_not_there_is_said_at_the_start():
    with pytest.raises(ConfigError, match="no Dask scheduler answers at tcp://127.0.0.1:1 "):
        DaskCluster("tcp://127.0.0.1:1", timeout=0.3)

"""Engines in processes of their own: answers, steps, stops, failures, and a process that dies."""

import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange
from chattyshared.errors import AnswerStopped, ConfigError, EndpointUnavailable, WorkersLost
from chattyshared.trace import Trace
from wire.process_engines import open_scripted_engines

from chattykg.service.engine_processes import EngineProcesses, ProcessEngine
from chattykg.steps import AnswerProgress, AnswerStep

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("engine_processes")]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trace]:
    with Trace(tmp_path_factory.mktemp("trace") / "trace.jsonl") as trace:
        yield trace


@pytest.fixture(scope="module")
def engine(trace: Trace) -> Iterator[ProcessEngine]:
    with EngineProcesses(open_scripted_engines, {}, 2, trace) as processes:
        yield processes.engine("orchard")


def answer(engine: ProcessEngine, question: str) -> Answer:
    return engine.answer_with_trace(question).answer


def test_questions_are_answered_in_other_processes_at_a_time(engine: ProcessEngine) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(partial(answer, engine), ["slow"] * 4))
    processes = {one.values[0].value.split()[0] for one in answers}
    assert len(processes) == 2 and str(os.getpid()) not in processes


def test_history_and_steps_cross_the_pipe(engine: ProcessEngine, trace: Trace) -> None:
    steps: list[AnswerStep] = []
    result = engine.answer_with_trace(
        "hello", (Exchange("before", Answer()),), span="x", progress=AnswerProgress(steps.append)
    )
    assert result.answer.values[0].value.endswith(" 1")
    assert [step.text for step in steps] == ["Running query 1"]
    assert trace.path is not None
    assert "hello" in [json.loads(line)["data"]["query"] for line in trace.path.read_text().splitlines()]


def test_a_stop_reaches_the_process_which_then_answers_the_next(engine: ProcessEngine) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    started = time.monotonic()
    with pytest.raises(AnswerStopped):
        engine.answer_with_trace("wait", progress=AnswerProgress(lambda _: None, stop))
    assert time.monotonic() - started < 5
    assert answer(engine, "again").values


def test_failures_keep_their_class(engine: ProcessEngine) -> None:
    with pytest.raises(EndpointUnavailable, match="the graph is down"):
        answer(engine, "fail")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        answer(engine, "break")
    assert answer(engine, "again").values


def test_a_process_that_dies_is_replaced(engine: ProcessEngine) -> None:
    for _ in range(3):
        with pytest.raises(WorkersLost, match="ask again"):
            answer(engine, "die")
    with ThreadPoolExecutor(2) as pool:
        assert len({a.values[0].value for a in pool.map(partial(answer, engine), ["slow"] * 2)}) == 2


def test_who_waits_for_a_process_can_be_stopped(trace: Trace, tmp_path: Path) -> None:
    stop, waiting = threading.Event(), threading.Event()
    with EngineProcesses(open_scripted_engines, {}, 1, trace) as processes, ThreadPoolExecutor(1) as pool:
        engine = processes.engine("orchard")
        first = pool.submit(engine.answer_with_trace, "wait", progress=AnswerProgress(lambda _: waiting.set(), stop))
        assert waiting.wait(10)
        gone = threading.Event()
        gone.set()
        with pytest.raises(AnswerStopped):
            engine.answer_with_trace("hello", progress=AnswerProgress(lambda _: None, gone))
        stop.set()
        with pytest.raises(AnswerStopped):
            first.result(10)


def test_engines_that_cannot_be_opened_are_told(trace: Trace) -> None:
    with pytest.raises(ConfigError, match=r"cannot be started: orchard\.ttl: no such file"):
        EngineProcesses(open_scripted_engines, {"broken": True}, 1, trace)

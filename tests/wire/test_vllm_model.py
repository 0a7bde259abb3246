"""A vLLM server of our own, kept by a stand-in for the program: start, slow start, crashes, and the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chattyshared.errors import ConfigError, ModelUnavailable
from chattyshared.model import Message, Request, Usage
from chattyshared.model.registry import open_model
from chattyshared.model.target import ModelOptions
from chattyshared.model.vllm import VllmModel, VllmServer

ASKED = Request("answer/qir", (Message("user", "Who?"),), {"type": "object"})


@pytest.fixture
def program(tmp_path):
    script = Path(__file__).with_name("vllm_stand_in.py").read_text(encoding="utf-8")
    found = tmp_path / "bin" / "vllm"
    found.parent.mkdir()
    found.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
    found.chmod(0o755)
    return found


@pytest.fixture
def serve(program, tmp_path):
    started = []

    def start(*args, **more):
        options = ("--pids", str(tmp_path / "pids"), *args)
        more = {"log": tmp_path / "vllm.log", "executable": program, "poll_interval": 0.02, "grace_period": 0.3} | more
        started.append(VllmServer("org/small", options, **more))
        return started[-1]

    yield start
    for served in started:
        served.close()


def pids(tmp_path):
    return [int(number) for number in (tmp_path / "pids").read_text().split()]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone_within(seconds, *numbers):
    end = time.monotonic() + seconds
    while any(map(is_alive, numbers)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(is_alive, numbers))


def test_it_starts_with_the_first_question_and_ends_with_its_children(serve, tmp_path):
    said = []
    served = serve("--max-model-len", "64", on_progress=said.append)
    model = VllmModel("org/small", served)
    assert not served.log.exists()
    assert [model.complete(ASKED).usage for _ in range(2)] == [Usage(1, 5, 4)] * 2
    assert model.name == "vllm:org/small"
    assert said[0] == f"starting vllm for org/small (what it says: {served.log})"
    assert said[-1].startswith("vllm is ready after")
    assert "'--max-model-len', '64'" in served.log.read_text()
    mother, child = pids(tmp_path)
    assert is_alive(mother) and is_alive(child)
    model.close()
    assert gone_within(2, mother, child)


def test_a_start_that_takes_too_long_is_ended(serve, tmp_path):
    with pytest.raises(ConfigError, match=r"^vllm:org/small: not ready after 0.6 seconds: INFO vLLM API server"):
        serve("--slow", "60", start_timeout=0.6).url()
    assert gone_within(2, *pids(tmp_path))


def test_a_crash_at_the_start_is_told_with_its_error_and_its_log(serve):
    served = serve("--crash", "start")
    with pytest.raises(ConfigError) as caught:
        served.url()
    assert str(caught.value) == (
        "vllm:org/small: at its start vllm ended (exit code 1): RuntimeError: Failed to infer device type: no GPU was "
        f"found; all that it said: {served.log} (is there a GPU, and is its memory free?)"
    )


def test_a_crash_in_the_middle_is_told_and_not_waited_out(serve):
    served = serve("--crash", "later")
    with pytest.raises(
        ModelUnavailable, match=r"^vllm:org/small: vllm ended \(exit code 7\): .*engine is dead"
    ) as told:
        VllmModel("org/small", served).complete(ASKED)
    assert told.value.reason == "closed"


def test_one_that_does_not_listen_is_killed(serve, tmp_path):
    served = serve("--stubborn")
    served.url()
    served.close()
    assert gone_within(2, *pids(tmp_path))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_it_ends_with_us_however_we_end(program, tmp_path, number):
    script = (
        "import pathlib, sys, time\nfrom chattyshared.model.vllm import VllmServer\n"
        "place = pathlib.Path(sys.argv[1])\n"
        "served = VllmServer('m', ['--pids', str(place / 'pids')], log=place / 'log',"
        " executable=place / 'bin' / 'vllm', poll_interval=0.02, grace_period=0.3)\n"
        "print(served.url(), flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        os.kill(process.pid, number)
    assert gone_within(3, *pids(tmp_path))


def test_without_vllm_it_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match=r"^vllm:m needs vLLM, which is not installed here: pip install"):
        VllmServer("m", executable=tmp_path / "none").find_executable()


def test_one_that_runs_is_used_by_its_address(serve):
    served = serve()
    model = open_model(
        "vllm:org/small", rulebook={}, base_url=served.url(), api_key=served.key, model_options=ModelOptions()
    )
    assert (model.name, model.complete(ASKED).text) == ("vllm:org/small", '{"a": "b"}')

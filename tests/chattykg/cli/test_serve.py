"""``chattykg serve`` as a user calls it: names of graphs, what is missing, and a process that starts and ends."""

import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from wire.model_server import Fault, ModelServer, completion
from wire.running_service import ORCHARD, PIERS

from chattykg.cli import main
from chattykg.cli.serve import _parse_graphs

pytestmark = pytest.mark.slow


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "orchard.ttl").write_text(ORCHARD)
    (tmp_path / "piers.ttl").write_text(PIERS)
    (tmp_path / "more.ttl").write_text('<https://orchard.example/t9> <https://orchard.example/note> "tall" .')
    return tmp_path


def test_graphs_are_named(room):
    more = str(room / "more.ttl")
    graphs = ["demo", f"a={more}", "b=http://h/sparql?graph=x", f"a={more}", f"http://i/?set=1={more}"]
    assert _parse_graphs(graphs) == {
        "demo": ("demo",), "a": (more, more), "b": ("http://h/sparql?graph=x",), "http://i/?set=1": (more,),
    }  # fmt: skip


def test_graphs_without_a_name_are_one_that_is_called_after_them(room):
    orchard, more = str(room / "orchard.ttl"), str(room / "more.ttl")
    endpoint = "http://h/sparql?default-graph-uri=http://x"
    assert _parse_graphs([orchard, f"b={more}", more]) == {"orchard-more": (orchard, more), "b": (more,)}
    assert _parse_graphs([endpoint]) == {"h-sparql-default-graph-uri-http-x": (endpoint,)}


def test_a_port_that_is_taken_is_told(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(
            main,
            ["serve", "--kg", f"a={room / 'piers.ttl'}", "--port", str(port), "--sessions", str(room / "s.sqlite")],
        )
    assert done.exit_code == 2 and f"cannot serve at 127.0.0.1, port {port}: Address already in use" in done.stderr


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "prometheus_client"])
def test_a_missing_extra_is_named_with_the_line_that_installs_it(missing):
    program = (
        f"import sys; sys.modules[{missing!r}] = None; from chattykg.cli import main; main(['serve', '--kg', 'demo'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.endswith(f": the service needs {missing}: pip install -e '.[serve]' in a checkout of chattykg\n")


def test_the_engine_s_options_hold_for_all_that_is_served(room, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = ModelServer().start()
    server.always = Fault(body=completion("no JSON"))
    (room / "serve.toml").write_text(f"theta = 1\nmodel = 'openai:m'\nbase-url = '{server.url}'\nstrategy = 'staged'\n")
    command = [sys.executable, "-m", "chattykg", "serve", "--port", "0", "--kg", str(room / "orchard.ttl")]
    command += ["--config", str(room / "serve.toml"), "--sessions", str(room / "s.sqlite")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        url = process.stderr.readline().strip().partition(": ")[2]
        said = json.dumps({"question": "Who planted Old Bramley?"}).encode()
        with urlopen(Request(f"{url}chat", said, {"Content-Type": "application/json"})) as reply:
            assert json.load(reply)["reason"]["code"] == "too-unsure"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    server.stop()
    assert len(server.asked) == 1


def test_it_serves_until_it_is_interrupted(room):
    """Two files under one name are one graph; a second start goes on with the first one's conversation."""
    command = [
        sys.executable, "-c", "from chattykg.cli import main; main()", "serve", "--port", "0",
        "--kg", f"orchard={room / 'orchard.ttl'}", "--kg", f"orchard={room / 'more.ttl'}",
        "--kg", f"p={room / 'piers.ttl'}",
        "--store", str(room / "store"), "--sessions", str(room / "talks" / "s.sqlite"),
        "--allow-host", "kg.example.org",
    ]  # fmt: skip
    session = None
    for question, answer in (("Who planted Old Bramley?", "Ida Moor"), ("When was she born?", "1931-04-02")):
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            told = process.stderr.readline()
            names, _, url = told.strip().partition(": ")
            assert names == "orchard, p" and url.startswith("http://127.0.0.1:")
            said = {"question": question, "dataset": "orchard", **({"session": session} if session else {})}
            request = Request(f"{url}chat", json.dumps(said).encode(), {"Content-Type": "application/json"})
            with urlopen(request) as reply:
                read = json.load(reply)
            session = read["session"]
            assert read["labels"] == [answer]
            with urlopen(Request(f"{url}health", headers={"Host": "kg.example.org"})) as reply:
                assert [each["triples"] for each in json.load(reply)["datasets"]] == [19, 7]
            with pytest.raises(HTTPError, match="421"):
                urlopen(Request(f"{url}health", headers={"Host": "evil.example"}))
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
            assert process.stderr.read() == "stopped\n"
    assert sorted(path.name for path in (room / "store").iterdir()) == ["orchard", "p"]


def started(room, *more):
    """Start the command in a process of its own; return the process and its URL."""
    command = [
        sys.executable, "-c", "from chattykg.cli import main; main()", "serve", "--port", "0",
        "--kg", f"orchard={room / 'orchard.ttl'}", "--sessions", str(room / "s.sqlite"), *more,
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    return process, urlsplit(process.stderr.readline().strip().partition(": ")[2])


def test_a_second_signal_cuts_off_what_is_in_flight(room):
    """The model never replies; its thread does not keep the process."""
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(1) as client:
        model = ("--model", "openai:m", "--base-url", f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        process, url = started(room, *model)
        with process:
            asked = client.submit(posted, url.netloc, "Who planted Old Bramley?")
            silent.settimeout(20)
            with silent.accept()[0]:
                process.send_signal(signal.SIGTERM)
                time.sleep(0.5)
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=20) == 0
            said = process.stderr.read()
        status, headers, body = asked.result()
    assert (status, headers["Retry-After"], list(body)) == (503, "5", ["detail"])
    assert said == "stopped; unfinished requests that were answered with 503: 1\n"


def test_a_thread_whose_client_is_gone_does_not_keep_the_process(room):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        model = ("--model", "openai:m", "--base-url", f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        process, url = started(room, *model)
        with process:
            client = HTTPConnection(url.netloc, timeout=20)
            body = json.dumps({"question": "Who planted Old Bramley?"})
            client.request("POST", "/chat", body, {"Content-Type": "application/json"})
            silent.settimeout(20)
            with silent.accept()[0]:
                client.close()
                time.sleep(0.5)
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=20) == 0
            assert process.stderr.read() == "stopped\n"


_HELD = """
import ctypes, sys, threading
from contextlib import asynccontextmanager
from starlette.applications import Starlette
from chattykg.service.request_limits import InFlightRequests, RequestLimits
from chattykg.service.server import serve_app
hold = ctypes.PyDLL(None).sleep  # keeps the interpreter's lock, as a long match of a regular expression does

@asynccontextmanager
async def lifespan(_):
    yield
    hold(100)

app = Starlette(lifespan=lifespan)
app.state.limits, app.state.in_flight = RequestLimits(grace_seconds=0.1), InFlightRequests()

serve_app(app, "127.0.0.1", 0, lambda url: sys.stdout.write(url + "\\n") and sys.stdout.flush())
"""


def test_a_call_that_holds_the_interpreter_is_ended_by_force():
    with subprocess.Popen(
        [sys.executable, "-c", _HELD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as it:
        it.stdout.readline()
        time.sleep(0.5)
        it.send_signal(signal.SIGTERM)
        assert it.wait(timeout=30) == 1
        assert "Timeout" in it.stderr.read()


def posted(place, question):
    connection = HTTPConnection(place, timeout=20)
    connection.request("POST", "/chat", json.dumps({"question": question}), {"Content-Type": "application/json"})
    with closing(connection), connection.getresponse() as reply:
        return reply.status, reply.headers, json.load(reply)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts the open files of a process as Linux shows them")
def test_without_files_for_connections_it_says_so_once_and_goes_on(room):
    import resource

    process, url = started(room)
    with process, ExitStack() as clients:
        assert posted(url.netloc, "Who planted Old Bramley?")[0] == 200
        most = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
        opened = len(list(Path(f"/proc/{process.pid}/fd").iterdir()))
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (opened, most[1]))
        for _ in range(50):
            clients.enter_context(closing(socket.create_connection((url.hostname, url.port), timeout=20)))
        time.sleep(2.5)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, most)
        assert posted(url.netloc, "Who planted Old Bramley?")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
        assert process.stderr.read() == (
            "warning: connections wait: the process may open no more files (ulimit -n)\nstopped\n"
        )

"""``chattykg serve`` as a user calls it: names of graphs, what is missing, and a process that starts and ends."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner
from wire.model_server import Fault, ModelServer, completion
from wire.running_service import ORCHARD, PIERS

from chattykg.cli import main
from chattykg.cli.serve import _named


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "orchard.ttl").write_text(ORCHARD)
    (tmp_path / "piers.ttl").write_text(PIERS)
    (tmp_path / "more.ttl").write_text('<https://orchard.example/t9> <https://orchard.example/note> "tall" .')
    return tmp_path


def test_graphs_are_named(room):
    more = str(room / "more.ttl")
    assert _named(["demo", f"a={more}", "b=http://h/sparql?graph=x", f"a={more}", f"http://i/?set=1={more}"]) == {
        "demo": ("demo",), "a": (more, more), "b": ("http://h/sparql?graph=x",), "http://i/?set=1": (more,),
    }  # fmt: skip


def test_graphs_without_a_name_are_one_that_is_called_after_them(room):
    orchard, more = str(room / "orchard.ttl"), str(room / "more.ttl")
    endpoint = "http://h/sparql?default-graph-uri=http://x"
    assert _named([orchard, f"b={more}", more]) == {"orchard-more": (orchard, more), "b": (more,)}
    assert _named([endpoint]) == {"h-sparql-default-graph-uri-http-x": (endpoint,)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing option '--kg'"),
        (("--kg", "orchard.ttl"), "orchard.ttl: no such file"),
        (("--kg", "orchard="), "--kg takes NAME=KG, such as films=films.ttl, not 'orchard='"),
        (("--kg", "=orchard.ttl"), "--kg takes NAME=KG"),
        (("--kg", "a=nowhere.ttl"), "nowhere.ttl: no such file"),
        (("--kg", "a=demo", "--port", "99999"), "--port"),
        (("--kg", "a=demo", "--host", "no.such.host.example"), "cannot serve at no.such.host.example"),
        (("--kg", "a=demo", "--kg", "b=demo", "--profile", "p.toml"), "--profile describes one graph"),
    ],
)
def test_what_is_wrong_is_told_at_the_start(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["serve", *arguments], prog_name="chattykg")
    assert done.exit_code == 2 and said in done.stderr and "Traceback" not in done.output


def test_a_port_that_is_taken_is_told(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(
            main,
            ["serve", "--kg", f"a={room / 'piers.ttl'}", "--port", str(port), "--sessions", str(room / "s.sqlite")],
        )
    assert done.exit_code == 2 and f"cannot serve at 127.0.0.1, port {port}: Address already in use" in done.stderr


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn", "langgraph.checkpoint.sqlite"])
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
            with urlopen(f"{url}health") as reply:
                assert [each["triples"] for each in json.load(reply)["datasets"]] == [19, 7]
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
            assert process.stderr.read() == ""
    assert sorted(path.name for path in (room / "store").iterdir()) == ["orchard", "p"]

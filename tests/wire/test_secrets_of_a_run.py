"""What a whole run leaves behind: no secret in any file, stream or repr; sane modes; no path of a benchmark opened."""

from __future__ import annotations

import base64
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from urllib.parse import quote

import pytest
from chattyshared.endpoint.connection_options import read_connection_options
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.model.registry import ModelFactory, collect_secrets, model_session
from chattyshared.trace import Trace
from wire.model_server import Fault, error
from wire.recorded_server import RecordedServer

from chattykg.runs.answer_run import RunOptions

KEY, GEMINI, GOOGLE = "sk-proj-Key0fTheOwner+/7", "AIzaKey0fTheOwner-8", "AIzaKey0fTheOwner-9"
USER, PASSWORD, TOKEN = "ann", 'pass w0rd/of"ann', "t0ken-of-the-endpoint-5"
LOOMS = """
@prefix : <http://looms.example/> . @prefix v: <http://looms.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
v:Mill rdfs:label "mill"@en . v:Weaver rdfs:label "weaver"@en .
""" + "\n".join(
    f':m{n} a v:Mill ; rdfs:label "{name} Mill"@en ; v:owner :w{n} ; v:looms {n + 20} ;'
    f' v:opened "18{n}1-05-0{n + 1}"^^xsd:date .'
    f':w{n} a v:Weaver ; rdfs:label "Ada {name}son"@en ; v:born {1800 + n} ; v:teacher :w{(n + 1) % 6} .'
    for n, name in enumerate(("Elder", "Birken", "Harrow", "Tansy", "Quarry", "Nettle"))
)
LOUD = (
    "import logging, sys; logging.basicConfig(level=logging.DEBUG, stream=sys.stderr); "
    "from {0}.cli import main; main(sys.argv[1:], prog_name={0!r})"
)
WATCHED = (
    "import sys; seen = []\n"
    "sys.addaudithook(lambda name, said: seen.append(str(said[0])) if name == 'open' else None)\n"
    "from {0}.cli import main\n"
    "try: main(sys.argv[1:], prog_name={0!r})\n"
    "finally: print('OPENED', *[one for one in seen if 'canary' in one], file=sys.stderr)"
)


def spellings(secret):
    """The secret as it may lie somewhere: as it is, in JSON, in an address, as a header of Basic, as bytes."""
    basic = base64.b64encode(f"{USER}:{secret}".encode()).decode()
    forms = {secret, json.dumps(secret)[1:-1], quote(secret), quote(secret, safe=""), basic}
    return [form.encode() for form in (*forms, base64.b64encode(secret.encode()).decode().rstrip("="))]


def contents(folder):
    """Every file below a folder with its bytes; bodies that a database holds compressed are read too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, path.read_bytes()
    for path in folder.rglob("answers.sqlite"):
        with sqlite3.connect(path) as base:
            for kg, body in base.execute("SELECT kg, body FROM kept_answer"):
                yield path, kg.encode() + zlib.decompress(body)


def environment(**more):
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI", "GEMINI", "GOOGLE"))}
    return plain | more | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def ran(program, *arguments, code=LOUD, umask=0o022, **more):
    return subprocess.run(
        [sys.executable, "-c", code.format(program), *map(str, arguments)],
        env=environment(**more), capture_output=True, text=True, timeout=300, check=False, umask=umask,
    )  # fmt: skip


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "looms.ttl"
    path.write_text(LOOMS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def traces(graph):
    """What the rules say to every prompt of a round trip over the graph."""
    made = ran("chattykg", "roundtrip", "--kg", graph, "--dialogues", 2, "--turns", 3, "-o", graph.parent / "rules",
               code="import sys; from {0}.cli import main; main(sys.argv[1:])")  # fmt: skip
    assert made.returncode == 0, made.stderr
    return [graph.parent / "rules" / f"{half}.jsonl.trace.jsonl" for half in ("benchmark", "answers")]


@pytest.fixture
def model(traces):
    server = RecordedServer(traces)
    server.start()
    yield server
    server.stop()


ACCESS = {
    "password": {"CHATTY_KG_USER": USER, "CHATTY_KG_PASSWORD": PASSWORD},
    "token": {"CHATTY_KG_TOKEN": TOKEN},
}


@pytest.mark.parametrize("way", ACCESS)
def test_nothing_that_a_run_leaves_behind_holds_a_secret(way, graph, model, sparql_server, tmp_path):
    endpoint, folder = sparql_server(graph), tmp_path / "left"
    basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    expected = f"Basic {basic}" if way == "password" else f"Bearer {TOKEN}"
    endpoint.gate = lambda method, path, said: None if said == expected else 'Basic realm="looms"'
    keys = {"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": GEMINI, "GOOGLE_API_KEY": GOOGLE, **ACCESS[way]}
    folder.mkdir()
    hosted = ("--kg", endpoint.url, "--model", "openai:m", "--base-url", model.url, "--cache-dir", folder / "cache")
    making = ("--dialogues", 2, "--turns", 3, "--set", f"trace={folder / 'making.jsonl'}")
    bench, told = folder / "bench.jsonl", folder / "answers.jsonl"
    asking = ("--benchmark", bench, "-o", told, "--strategy", "staged")
    done = [
        ran("chattygen", "generate", *hosted, *making, "-o", bench, "--set", "max_calls=1", umask=0o077, **keys),
        ran("chattygen", "generate", *hosted, *making, "-o", bench, umask=0o077, **keys),
        ran("chattykg", "answer", *hosted, *asking, "--max-usd", 9, umask=0o077, **keys),
        ran("chattykg", "doctor", "--kg", endpoint.url, "-o", folder / "profile.toml", umask=0o077, **keys),
        ran("chattykg", "cache", "explain", "--cache-dir", folder / "cache", umask=0o077, **keys),
    ]
    assert [one.returncode for one in done] == [3, 0, 0, 0, 0], [one.stderr[-600:] for one in done]
    assert model.missing == 0 and len(model.order) > 4
    # A server that tells what it was sent, as some do.
    model.always = Fault(401, error(f"Incorrect API key provided: {KEY}. Basic {basic} {TOKEN}"))
    done.append(
        ran("chattykg", "answer", *hosted, *asking, "--overwrite", "--set", "no_reply_cache=on", umask=0o077, **keys)
    )
    model.always = Fault(500, f"<html>{KEY} {KEY}")
    single = (
        "--model",
        "openai:m",
        "--base-url",
        model.url,
        "--set",
        f"trace={folder / 'one.jsonl'}",
        "Who owns Elder Mill?",
    )
    done.append(ran("chattykg", "answer", "--kg", graph, *single, umask=0o077, **keys))
    endpoint.gate = lambda method, path, said: f'Basic realm="{said}"'
    done.append(ran("chattygen", "generate", *hosted, "-o", folder / "none.jsonl", umask=0o077, **keys))
    assert all(one.returncode in (2, 3) for one in done[5:]), [one.returncode for one in done]
    assert "OPENAI_API_KEY" in done[5].stderr
    left = {str(path.relative_to(folder)) for path, _ in contents(folder)}
    expected_files = "bench.jsonl bench.jsonl.run.json bench.jsonl.spent.jsonl answers.jsonl cache/replies.sqlite"
    assert {*expected_files.split(), "making.jsonl", "answers.jsonl.trace.jsonl", "one.jsonl", "profile.toml"} <= left
    streams = [("stdout and stderr", (one.stdout + one.stderr).encode()) for one in done]
    for secret in (KEY, GEMINI, GOOGLE, *([PASSWORD] if way == "password" else [TOKEN])):
        for spelling in spellings(secret):
            assert [place for place, held in (*contents(folder), *streams) if spelling in held] == [], spelling
    modes = {str(path.relative_to(folder)): path.stat().st_mode & 0o177 for path in folder.rglob("*") if path.is_file()}
    assert {name for name, mode in modes.items() if mode} == set()


def test_credentials_in_addresses_are_left_behind_nowhere(graph, model, sparql_server, tmp_path):
    endpoint = sparql_server(graph)
    address = endpoint.url.replace("//", "//ann:s3cret-of-address@")
    server = model.url.replace("//", "//me:s3cret-of-server@")
    done = ran("chattykg", "roundtrip", "--kg", address, "--model", "openai:m", "--base-url", server, "--dialogues", 2,
               "--turns", 3, "-o", tmp_path / "run", "--strategy", "staged",
               "--cache-dir", tmp_path / "cache")  # fmt: skip
    held = [path for path, held in contents(tmp_path) if b"s3cret-of" in held]
    assert (held, "s3cret-of" in done.stdout + done.stderr) == ([], False)


def test_no_value_shows_a_secret(sparql_server, graph):
    environ = {"OPENAI_API_KEY": KEY, "GEMINI_API_KEY": GEMINI, **ACCESS["password"]}
    asked = read_connection_options({}, environ)
    endpoint = RemoteEndpoint(sparql_server(graph).url, asked)
    hidden = collect_secrets(environ)
    basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    assert set(hidden) == {KEY, GEMINI, PASSWORD, basic, basic.rstrip("=")}
    with model_session({}) as access:
        opener = ModelFactory({"base_url": "http://127.0.0.1:1/v1"}, environ, access)
        model = opener("openai:m", {})
        values = [
            asked,
            asked.credentials,
            endpoint,
            access,
            opener,
            model,
            RunOptions(secrets=hidden),
            Trace(secrets=hidden),
        ]
        shown = " ".join(f"{value!r} {value}" for value in values)
    assert not any(secret in shown for secret in hidden)


def test_a_path_in_a_file_of_others_is_never_opened(graph, traces, tmp_path):
    canary = tmp_path / "canary.ttl"
    canary.write_text("<http://e/a> <http://e/b> <http://e/c> .", encoding="utf-8")
    place = canary.as_uri()
    source = graph.parent / "rules" / "benchmark.jsonl"
    header, *dialogues = map(json.loads, source.read_text(encoding="utf-8").splitlines())
    header["benchmark"]["kg"] |= {"sources": [str(canary)], "path": str(canary), "profile": str(canary)}
    header["benchmark"]["generate"]["model"] = f"replay:{canary}"
    for dialogue in dialogues:
        dialogue["seed"]["iri"] = place
        for turn in dialogue["turns"]:
            turn["sparql"] = f"SELECT ?x FROM <{place}> WHERE {{ SERVICE <{place}> {{ ?x ?p ?o }} }}"
    bench = tmp_path / "bench.jsonl"
    bench.write_text("\n".join(map(json.dumps, (header, *dialogues))), encoding="utf-8")
    told = tmp_path / "told.jsonl"
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"id": "1", "question": f"Who owns {canary}?", "kg": str(canary), "sparql": turn["sparql"]}) + "\n",
        encoding="utf-8",
    )
    commands = [
        ("chattykg", "answer", "--kg", graph, "--benchmark", bench, "-o", told),
        (
            "chattykg",
            "answer",
            "--kg",
            graph,
            "--questions",
            questions,
            "-o",
            tmp_path / "q.jsonl",
        ),
        ("chattykg", "evaluate", bench, told),
        ("chattygen", "lint", bench, "--kg", graph),
        ("chattygen", "stats", bench),
        ("chattygen", "export", bench, "--to", "qald", "-o", tmp_path / "exported"),
    ]
    for command in commands:
        done = ran(*command, code=WATCHED)
        said, mark, opened = done.stderr.rpartition("OPENED")
        assert (mark, opened.split()) == ("OPENED", []), command[1]
        assert (done.returncode, "Traceback" in said) == (0, False), (command[1], said[-800:])

"""The gate's rows about the world outside: hostile queries, faults, killed runs, a big graph, imports, capabilities.

    python benchmarks/gate_world.py [--quick] [--root CHECKOUT]

``measure_world`` yields the rows. By hand, this script prints them, and on stderr each case that did not hold. The
cases are data that only grow: ``gate/hostile_queries.jsonl``, ``gate/faults.toml`` and ``docs/capabilities.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, count, cycle, repeat
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HOME / "tests"), str(HOME / "benchmarks")]

from chattyshared.endpoint.guard import guard_query  # noqa: E402
from chattyshared.endpoint.local import LocalEndpoint  # noqa: E402
from chattyshared.errors import EndpointError, UnsafeQuery  # noqa: E402
from import_graph import STRATEGIES, count_lines, find_circles, find_modules, read_imports  # noqa: E402
from scale import dask_cluster  # noqa: E402
from scholarly_graph import graph  # noqa: E402
from wire.model_server import Fault as ModelFault  # noqa: E402
from wire.model_server import ModelServer  # noqa: E402
from wire.raw_server import RawServer  # noqa: E402
from wire.server import Fault, SparqlServer  # noqa: E402

CASES = HOME / "benchmarks" / "gate"
DEMO = HOME / "data" / "chattydata" / "demo.ttl"
QUERY_SECONDS = 0.5
"""Seconds that a hostile query may run."""
GRACE_SECONDS = 30.0
"""Seconds after which it must be refused or stopped at the latest."""
COMMAND_SECONDS = 300.0
TRIPLES, DIALOGUES, TURNS, QUESTIONS = 1_000_000, 10, 5, 20
QUESTION = "Who directed Inception?"
FAULTY_COMMANDS: dict[str, Sequence[Sequence[str]]] = {
    "endpoint": (
        ("chattykg", "answer", "--set", "query_timeout=1", "--kg", "{url}", QUESTION),
        ("chattygen", "generate", "--set", "query_timeout=1", "--dialogues", "1", "-o", "new.jsonl", "--kg", "{url}"),
    ),
    "model": (
        ("chattykg", "answer", "--kg", "demo", "--model-timeout", "1", "--model", "openai:m", "--base-url", "{url}",
         QUESTION),
        ("chattygen", "generate", "--kg", "demo", "--model-timeout", "1", "--model", "openai:m", "--base-url", "{url}",
         "--dialogues", "1", "-o", "new.jsonl"),
    ),
}  # fmt: skip
"""Commands over a faulty endpoint and with a faulty model server."""
PAGE = HOME / "docs" / "capabilities.md"
_ROW = re.compile(r"^\| (?P<name>[^|]+) \| `(?P<command>[^`]+)` \| (?P<tests>`.+`) \|$", re.MULTILINE)
ENDPOINT, GATED, SCHEDULER = "http://127.0.0.1:8890/sparql", "http://127.0.0.1:8891/sparql", "tcp://127.0.0.1:8786"
"""Addresses on the page: the demo graph, the same for those who log in, and a scheduler of Dask."""
QUICK_PREFIXES = ("closure/", "safety/")
SLOW_PREFIXES = ("scale/", "capabilities/", "faults/resume", "faults/one-line")
"""What ``measure_world`` measures; those that take long first."""
LOGIN = {"CHATTY_KG_USER": "reader", "CHATTY_KG_PASSWORD": "secret"}


def measure_world(root: Path, prefix: str) -> Iterator[tuple[str, float]]:
    """Yield the rows of a prefix for a checkout; its packages are those that this process imports."""
    if prefix == "closure/":
        yield from measure_imports(root)
    elif prefix == "safety/":
        yield "safety/refused", share(map(holds_against, hostile_queries()))
    elif prefix == "faults/one-line":
        with ThreadPoolExecutor(4) as pool:
            yield "faults/one-line", share(pool.map(ends_in_one_line, faulty_runs()))
    elif prefix == "faults/resume":
        yield "faults/resume", share(chain.from_iterable(map(resume_killed, (1, 4))))
    elif prefix == "capabilities/":
        yield "capabilities/commands", share(run_capabilities())
    else:
        yield from measure_scale()


def share(cases: Iterator[bool]) -> float:
    """Return the share of the cases that hold."""
    held = list(cases)
    return sum(held) / len(held)


def report(case: str) -> bool:
    """Say on stderr what did not hold; return False."""
    print(f"does not hold: {case}", file=sys.stderr)
    return False


def measure_imports(root: Path) -> Iterator[tuple[str, float]]:
    """Yield the raw lines of chattykg that importing a strategy needs, and the circles of modules."""
    modules = find_modules(root)
    imports = read_imports(modules)
    for name in STRATEGIES:
        yield f"closure/{name.rpartition('.')[2]}", count_lines(modules, imports, name)
    yield "closure/circles", len(find_circles(read_imports(modules, with_types=True)))


def hostile_queries() -> Iterator[Mapping[str, Any]]:
    """Yield the hostile queries: text, kind, and whether the guard or the limits must stop them."""
    for line in (CASES / "hostile_queries.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        parts = case["query"] if isinstance(case["query"], list) else [[case["query"], 1]]
        yield case | {"query": "".join(text * times for text, times in parts)}


def holds_against(case: Mapping[str, Any]) -> bool:
    """Tell whether a hostile query is refused by the guard, or stopped by the limits, as it must be."""
    query, started = case["query"], time.monotonic()
    name = f"{case['kind']}: {query[:100]!r}"
    try:
        form = guard_query(query, limit=1_000).form
    except UnsafeQuery:
        stopped_by = "guard"
    else:
        stopped_by = "limits" if case["by"] == "limits" and is_stopped(query, form) else "nothing"
    if stopped_by != case["by"] or time.monotonic() - started > GRACE_SECONDS:
        return report(f"{name} (stopped by {stopped_by} after {time.monotonic() - started:.1f} s)")
    return True


def is_stopped(query: str, form: str) -> bool:
    """Tell whether the limits of a local store stop a query."""
    with sandboxed_store() as store:
        view = store.untrusted_view()
        view.ask("ASK {}")  # the process starts
        try:
            view.select(query) if form == "SELECT" else view.ask(query)
        except EndpointError:
            return True
        return False


@contextmanager
def sandboxed_store() -> Iterator[LocalEndpoint]:
    """Open a ring of 1,000 things with a value each."""
    with tempfile.TemporaryDirectory() as folder:
        file, thing = Path(folder) / "ring.nt", "<http://e/{}>".format
        with file.open("w", encoding="utf-8") as stream:
            for number in range(1_000):
                stream.write(f'{thing(number)} {thing("p")} "{number}" .\n')
                stream.write(f"{thing(number)} {thing('next')} {thing((number + 1) % 1_000)} .\n")
        with LocalEndpoint([file], timeout=QUERY_SECONDS, row_limit=10_000) as endpoint:
            yield endpoint


def faulty_runs() -> Iterator[tuple[str, Mapping[str, Any], Sequence[str]]]:
    """Yield the kind of server, its fault, and a command: both take turns."""
    for kind, cases in tomllib.loads((CASES / "faults.toml").read_text(encoding="utf-8")).items():
        for case, command in zip(cases, cycle(FAULTY_COMMANDS[kind]), strict=False):
            yield kind, case, command


@contextmanager
def faulty_server(kind: str, case: Mapping[str, Any]) -> Iterator[str]:
    """Serve a fault; yield the URL."""
    if "sends" in case:
        sent = [case["sends"].encode(), *repeat(case.get("again", "").encode(), case.get("times", 0))]
        with RawServer(lambda _: sent) as raw:
            yield raw.url + ("/v1" if kind == "model" else "/sparql")
        return
    fault = dict(case["fault"])
    if isinstance(fault.get("body"), str):
        fault["body"] *= case.get("times", 1)
    server: SparqlServer | ModelServer
    if kind == "model":
        server = ModelServer()
        server.always = ModelFault(**fault)
    else:
        server = SparqlServer([DEMO])
        requests, late = count(), Fault(**fault)
        server.gate = lambda *_: setattr(server, "always", late) if next(requests) >= case.get("after", 0) else None
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def ends_in_one_line(run: tuple[str, Mapping[str, Any], Sequence[str]]) -> bool:
    """Tell whether a command over a fault ends with exit code 2 or 3 and one line on stderr, besides its warnings."""
    kind, case, command = run
    with faulty_server(kind, case) as url, tempfile.TemporaryDirectory() as folder:
        done = run_command([part.format(url=url) for part in command], folder, OPENAI_API_KEY="sk-none")
    said = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    if done.returncode not in (2, 3) or len(said) != 1:
        return report(f"{kind} {case['name']}: {command[0]} ends with {done.returncode}: {done.stderr[-300:]}")
    return True


def run_command(command: Sequence[str], folder: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of this process's environment in a folder."""
    scripts = Path(sys.executable).parent
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "CHATTY_"))}
    return subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env=kept | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", **variables}, timeout=COMMAND_SECONDS,
    )  # fmt: skip


def read_capabilities() -> list[list[re.Match[str]]]:
    """Return the rows (name, command, tests) of each section of the page."""
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    return [rows for section in sections if (rows := list(_ROW.finditer(section)))]


def run_capabilities() -> Iterator[bool]:
    """Run the commands of the page; yield whether each ends with 0."""
    servers = [SparqlServer([DEMO]) for _ in range(2)]
    token = b64encode(":".join(LOGIN.values()).encode()).decode()
    servers[1].gate = lambda method, path, said: None if said == f"Basic {token}" else 'Basic realm="demo"'
    with tempfile.TemporaryDirectory() as name, dask_cluster(1, Path(name)) as (scheduler, _):
        for shown in ("tests", "docs", "benchmarks"):
            Path(name, shown).symlink_to(HOME / shown)

        addresses = {ENDPOINT: servers[0].url, GATED: servers[1].url, SCHEDULER: scheduler}

        def succeeds(row: re.Match[str]) -> bool:
            text = row["command"]
            for said, address in addresses.items():
                text = text.replace(said, address)
            done = run_command(shlex.split(text), name, **LOGIN)
            return done.returncode == 0 or report(f"{row['name']}: ends with {done.returncode}: {done.stderr[-300:]}")

        for server in servers:
            server.start()
        try:
            with ThreadPoolExecutor(2) as pool:
                for rows in read_capabilities():
                    yield from list(pool.map(succeeds, rows))
        finally:
            for server in servers:
                server.stop()


def resume_killed(workers: int) -> Iterator[bool]:
    """Kill a round trip twice and resume it; yield whether each of its files is that of an unbroken run."""
    drill = [sys.executable, str(HOME / "benchmarks" / "killing.py"), "--kg", "demo", "--dialogues", "12"]
    done = run_command([*drill, "--turns", "2", "--kills", "2", "--workers", str(workers), "--json"], HOME)
    if not done.stdout:
        yield report(f"killed with {workers} workers: {done.stderr[-300:]}")
        return
    for file, is_same in json.loads(done.stdout)["same"].items():
        yield is_same or report(f"{file} of {workers} workers, resumed")


def measure_scale() -> Iterator[tuple[str, float]]:
    """Yield what dialogues and questions over a big graph on a server take; the questions are the dialogues' turns."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "scholarly.nt")
        with file.open("w", encoding="utf-8") as stream:
            stream.writelines(graph(TRIPLES))
        server = SparqlServer([file])
        server.start()
        try:
            made = ["chattygen", "generate", "--kg", server.url, "--dialogues", str(DIALOGUES), "-o", "made.jsonl"]
            yield from measure_command("dialogue", DIALOGUES, made, server, Path(name))
            lines = Path(name, "made.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
            Path(name, "asked.jsonl").write_text("".join(lines[: 1 + QUESTIONS // TURNS]), encoding="utf-8")
            asked = ["chattykg", "answer", "--kg", server.url, "--benchmark", "asked.jsonl", "-o", "answers.jsonl"]
            yield from measure_command("question", QUESTIONS, asked, server, Path(name))
        finally:
            server.stop()


def measure_command(
    unit: str, number: int, command: Sequence[str], server: SparqlServer, folder: Path
) -> Iterator[tuple[str, float]]:
    """Run a command over a server; yield seconds, peak memory, and requests and prompt tokens a unit."""
    requests, started = len(server.received), time.perf_counter()
    with (folder / "stderr").open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [Path(sys.executable).with_name(command[0]), *command[1:]], cwd=folder, stdout=said, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: {(folder / 'stderr').read_text(encoding='utf-8')[-300:]}")
    yield f"scale/{unit}/seconds", (time.perf_counter() - started) / number
    yield f"scale/{unit}/megabytes", usage.ru_maxrss / 1024
    yield f"scale/{unit}/requests", (len(server.received) - requests) / number
    trace = folder / f"{command[command.index('-o') + 1]}.trace.jsonl"
    events = map(json.loads, trace.read_text(encoding="utf-8").splitlines())
    asked = [event["data"]["messages"] for event in events if event["kind"] == "model"]
    yield f"scale/{unit}/prompt-tokens", sum(len(one["content"]) for each in asked for one in each) / 4 / number


def main() -> int:
    """Print the rows of a checkout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="only what takes seconds")
    parser.add_argument("--root", type=Path, default=HOME, help="the checkout whose imports are read")
    options = parser.parse_args()
    for prefix in QUICK_PREFIXES if options.quick else (*QUICK_PREFIXES, *SLOW_PREFIXES):
        for name, value in measure_world(options.root, prefix):
            print(f"{name:32} {value:,.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

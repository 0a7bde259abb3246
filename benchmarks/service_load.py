"""Clients that hold conversations with a running service: errors, seconds of an answer, and memory.

    python benchmarks/service_load.py [--kg demo] [--clients 200] [--seconds 60] [--pause 0]
                                      [--workers 4] [--processes 1]

The service is a process of its own on the loopback, with the embedded rule model. Each client asks the turns of a
generated dialogue one after the other, --pause seconds after each answer, and then begins another dialogue. The clients
start within the first second. The memory is the resident set of the service, before and after.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from chattyshared.model.rules import RuleModel
from chattyshared.resources import open_kg

from chattygen.options import Options
from chattygen.pipeline import generate
from chattygen.rulebook import RULEBOOK

DIALOGUES, TURNS = 40, 5


@dataclass(slots=True)
class Load:
    """What the clients have seen: the seconds of each answer, and the number of each kind of failure."""

    seconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)


def make_conversations(kg: str) -> list[list[str]]:
    """Return the questions of generated dialogues."""
    results = generate(open_kg(kg), RuleModel(RULEBOOK), Options(dialogues=DIALOGUES, turns=TURNS))
    return [[turn.question for turn in result.dialogue.turns] for result in results if result.dialogue]


@contextmanager
def running_service(kg: str, workers: int, processes: int, folder: Path) -> Iterator[tuple[str, int]]:
    """Run ``chattykg serve`` and yield its address and its process id."""
    command = [str(Path(sys.executable).with_name("chattykg")), "serve", "--kg", kg, "--port", "0"]
    command += ["--workers", str(workers), "--processes", str(processes)]
    command += ["--sessions", str(folder / "sessions.sqlite")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = next(filter(None, (re.search(r"http://\S+", line) for line in process.stderr)))
        try:
            yield urlsplit(found[0]).netloc, process.pid
        finally:
            process.terminate()


async def converse(place: str, conversations: Sequence[Sequence[str]], end: float, load: Load, pause: float) -> None:
    """Hold conversations until the time is up."""
    while time.monotonic() < end:
        session = ""
        for question in random.choice(conversations):
            if time.monotonic() >= end:
                return
            started = time.perf_counter()
            try:
                status, reply = await asyncio.wait_for(post(place, {"question": question, "session": session}), 60)
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                load.failures[type(error).__name__] += 1
                break
            if status != 200:
                load.failures[f"{status} {reply.get('detail', '')}"[:80]] += 1
                break
            load.seconds.append(time.perf_counter() - started)
            session = reply["session"]
            await asyncio.sleep(pause)


async def post(place: str, body: dict[str, str]) -> tuple[int, dict[str, str]]:
    """Send one question on a connection of its own; return the status and the reply."""
    host, port = place.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        data = json.dumps(body).encode()
        head = f"POST /chat HTTP/1.1\r\nHost: {place}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        received = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: (\d+)", received, re.IGNORECASE)
        payload = await reader.readexactly(int(length[1])) if length else b"{}"
        return int(received.split()[1]), json.loads(payload)
    finally:
        writer.close()


async def run_clients(place: str, conversations: Sequence[Sequence[str]], options: argparse.Namespace) -> Load:
    """Let all clients talk, and return what they have seen."""
    load, end = Load(), time.monotonic() + options.seconds

    async def start(delay: float) -> None:
        await asyncio.sleep(delay)
        await converse(place, conversations, end, load, options.pause)

    await asyncio.gather(*(start(number / options.clients) for number in range(options.clients)))
    return load


def resident_megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile of some values; 0 without values."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kg", default="demo")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=0, help="seconds between an answer and the next question")
    parser.add_argument("--workers", type=int, default=4, help="of the service")
    parser.add_argument("--processes", type=int, default=1, help="of the service; the memory is that of the first")
    options = parser.parse_args(arguments)
    conversations = make_conversations(options.kg)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_service(options.kg, options.workers, options.processes, Path(folder)) as (place, pid),
    ):
        asyncio.run(post(place, {"question": conversations[0][0]}))
        before = resident_megabytes(pid)
        load = asyncio.run(run_clients(place, conversations, options))
        after = resident_megabytes(pid)
    print(f"{options.clients} clients, {options.seconds:g} s, {options.pause:g} s between an answer and a question")
    answers = len(load.seconds)
    print(f"answers {answers} ({answers / options.seconds:.1f} a second), errors {load.failures.total()}")
    p50, p95, most = (quantile(load.seconds, share) for share in (0.5, 0.95, 1))
    print(f"seconds: p50 {p50:.2f}, p95 {p95:.2f}, most {most:.2f}")
    print(f"memory of the service: {before:.0f} MB before, {after:.0f} MB after")
    for failure, number in load.failures.most_common():
        print(f"{number:>6} {failure}")


if __name__ == "__main__":
    main()

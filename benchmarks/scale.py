"""Measure both products on big graphs: a local store of several sizes, a server behind a slow line, a cluster.

    python benchmarks/scale.py local [--triples 1000000 10000000] [--folder DIR]
    python benchmarks/scale.py remote URL [--delay 50] [--workers 1 16] [--dialogues 50]
    python benchmarks/scale.py cluster [FILE...] [--workers 1 2 4] [--dialogues 200]

``local`` writes synthetic graphs (``scholarly_graph.py``) to the folder, unless they lie there. For each it prints the
seconds of the first load with all indexes, of opening the kept store with its indexes, of 200 dialogues and of 200
questions, with the peak memory. Each part runs in a process of its own. ``remote`` puts a line in front of a server
that holds each request back for so many milliseconds, and prints requests and seconds. ``cluster`` generates with
Dask's workers on this machine, at last with one of them killed. It prints the digests of the files, and the serial
share: the time of the processor that the command itself takes, of all that is taken once the workers have read the
graph. Figures stand beside their targets; nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any
from urllib.parse import urlsplit

from answering import Clock, TimedEndpoint, generate_conversations, turns_with_history
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from generation import count_requests, generate_dialogues
from scholarly_graph import graph

from chattygen import RULEBOOK as GENERATOR_RULEBOOK
from chattygen import Options
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

PARTS = {"load": "first load, indexes included", "open": "opened again, with its indexes (target 5 s)",
         "dialogues": "200 dialogues (target 30 s)", "questions": "questions"}  # fmt: skip
KILLED_AFTER = 4.0
"""Seconds until a worker is killed."""
QUESTION_DIALOGUES = 40
"""Dialogues whose turns are the questions: 200 of them."""


def open_with_indexes(file: Path, store: Path) -> KnowledgeGraph:
    """Open a graph whose store and indexes lie in a folder, or are made there."""
    kg = open_kg(file, store=store)
    kg.search(["a name"])
    kg.search_literals(["1999"])
    for each in kg.types():
        kg.sample_entities(each.iri, rng=Random(0), limit=1)
    return kg


def measure_part(part: str, file: Path, store: Path) -> dict[str, Any]:
    """Measure one part in this process."""
    started, cpu = time.perf_counter(), time.process_time()
    kg = open_with_indexes(file, store)
    figures: dict[str, Any] = {}
    if part == "dialogues":
        started, cpu = time.perf_counter(), time.process_time()
        figures["made"] = generate_dialogues(kg, RuleModel(GENERATOR_RULEBOOK), Options(dialogues=200))
    if part == "questions":
        figures |= time_questions(kg)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "seconds": time.perf_counter() - started,
        "cpu": time.process_time() - cpu,
        "mb": peak,
        "triples": kg.count_triples(),
        **figures,
    }


def time_questions(kg: KnowledgeGraph) -> dict[str, Any]:
    """Answer the turns of generated dialogues by the rules; return the first's seconds, p50 and p95."""
    conversations = generate_conversations(kg, Options(dialogues=QUESTION_DIALOGUES))
    whole = Clock()
    engine = ChattyEngine(kg.with_endpoint(TimedEndpoint(kg.endpoint, Clock())), RuleModel(RULEBOOK))
    seconds = []
    for question, history, _ in turns_with_history(conversations):
        whole.seconds = 0.0
        with whole.running():
            engine.answer(question, history)
        seconds.append(whole.seconds)
    return {"first": seconds[0], "p50": median(seconds[1:]), "p95": quantiles(seconds[1:], n=20)[-1], "n": len(seconds)}


def print_local(triples: Sequence[int], folder: Path) -> None:
    """Print the figures of each size, and those of the biggest against those of the smallest."""
    by_size = {}
    for number in triples:
        folder.mkdir(parents=True, exist_ok=True)
        file, store = folder / f"scholarly-{number}.nt", folder / f"store-{number}"
        if not file.exists():
            with file.open("w", encoding="utf-8") as stream:
                stream.writelines(graph(number))
        figures = {}
        for part, title in PARTS.items():
            call = [sys.executable, __file__, "part", part, str(file), str(store)]
            figures[part] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
            made = figures[part]
            if part == "load":
                print(f"{file.name}: {made['triples']:,} triples")
            text = f"{made['seconds']:.1f} s ({made['cpu']:.1f} s of the processor)"
            if part == "questions":
                text = (f"p50 {1000 * made['p50']:.0f} ms (target 40), p95 {1000 * made['p95']:.0f} ms (target 300), "
                        f"the first {made['first']:.1f} s; {made['n']} of them")  # fmt: skip
            print(f"  {title}: {text}; {made['mb']:,} MB at most (target 4,000)", flush=True)
        by_size[number] = figures
    small, big = by_size[triples[0]], by_size[triples[-1]]
    if len(triples) > 1:
        dialogues = big["dialogues"]["seconds"] / small["dialogues"]["seconds"]
        questions = big["questions"]["p50"] / small["questions"]["p50"]
        print(f"the biggest / the smallest: a dialogue {dialogues:.2f}, a question {questions:.2f} (target 2)")


@contextmanager
def slow_line(url: str, seconds: float) -> Iterator[str]:
    """Forward connections to a server; what the client sends waits for so many seconds. Yield the address to use."""
    address, loop = urlsplit(url), asyncio.new_event_loop()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
        while data := await reader.read(1 << 16):
            await asyncio.sleep(delay)
            writer.write(data)
            await writer.drain()
        writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(address.hostname, address.port)
        await asyncio.gather(
            forward(reader, far_writer, seconds), forward(far_reader, writer, 0), return_exceptions=True
        )

    server = loop.run_until_complete(asyncio.start_server(connect, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        port = server.sockets[0].getsockname()[1]
        yield address._replace(netloc=f"127.0.0.1:{port}").geturl()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def print_remote(url: str, delay: float, workers: Sequence[int], dialogues: int) -> None:
    """Print requests and seconds of both products over a server."""
    with slow_line(url, delay) as slow_url:
        options = Options(dialogues=dialogues)
        for number in workers:
            kg = open_kg(slow_url)
            counted, counting = count_requests(kg)
            started = time.perf_counter()
            made = generate_dialogues(counted, RuleModel(GENERATOR_RULEBOOK), replace(options, workers=number))
            seconds = time.perf_counter() - started
            each = counting.requests / max(1, made)
            print(f"{number:3} workers: {made} dialogues in {seconds:.1f} s, {each:.1f} requests each (target 11)")
        kg = open_kg(slow_url)
        conversations = generate_conversations(kg, replace(options, dialogues=min(20, dialogues)))
        engine, requests, seconds_of = ChattyEngine(kg, RuleModel(RULEBOOK)), [], []
        conversation = engine.for_conversation()
        for question, history, _ in turns_with_history(conversations):
            conversation = conversation if history else engine.for_conversation()
            started = time.perf_counter()
            requests.append(conversation.answer(question, history).queries)
            seconds_of.append(time.perf_counter() - started)
        mean = sum(requests) / len(requests)
        print(f"{len(requests)} questions: {mean:.1f} requests each, {max(requests)} at most (target 8), "
              f"p50 {median(seconds_of):.2f} s, p95 {quantiles(seconds_of, n=20)[-1]:.2f} s")  # fmt: skip


def cpu_seconds(process: int) -> float:
    """Return the time of the processor that a process and its ended children have taken."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def dask_cluster(workers: int, folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Run a scheduler and workers of one thread each; yield the scheduler's address and the workers."""
    dask, file = Path(sys.executable).with_name("dask"), folder / f"scheduler-{time.monotonic_ns()}.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [str(dask), "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
    processes = [subprocess.Popen([*scheduler, "--no-dashboard"], **quiet)]
    try:
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        worker = [str(dask), "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        processes += [subprocess.Popen([*worker, "--local-directory", str(folder)], **quiet) for _ in range(workers)]
        yield address, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def print_cluster(sources: Sequence[str], workers: Sequence[int], dialogues: int) -> None:
    """Print seconds and digests of the same run by several numbers of workers, and what 100 would give."""
    with tempfile.TemporaryDirectory() as name:
        folder, serial, parallel = Path(name), 0.0, 0.0
        for number, is_killed in [*((number, False) for number in workers), (max(workers), True)]:
            with dask_cluster(number, folder) as (address, processes):
                generate_on_cluster(sources, 1, folder / "first.jsonl", address).wait()  # workers read the graph
                before, started = sum(cpu_seconds(each.pid) for each in processes), time.perf_counter()
                output = folder / f"{number}{is_killed}.jsonl"
                command = generate_on_cluster(sources, dialogues, output, address)
                if is_killed:
                    time.sleep(KILLED_AFTER)
                    processes[0].kill()
                _, status, usage = os.wait4(command.pid, 0)
                seconds = time.perf_counter() - started
                if not is_killed:
                    serial = usage.ru_utime + usage.ru_stime
                    parallel = sum(cpu_seconds(each.pid) for each in processes) - before
            digest = hashlib.sha256(output.read_bytes()).hexdigest()[:16]
            note = (
                f", one killed after {KILLED_AFTER} s (exit {os.waitstatus_to_exitcode(status)})" if is_killed else ""
            )
            print(f"{number} workers{note}: {seconds:.1f} s, {digest}", flush=True)
        share = serial / (serial + parallel)
        print(f"serial share {share:.1%} (the command {serial:.1f} s, the workers {parallel:.1f} s of the processor); "
              f"100 workers give {1 / (share + (1 - share) / 100):.1f} times the speed of one (Amdahl)")  # fmt: skip


def generate_on_cluster(sources: Sequence[str], dialogues: int, output: Path, address: str) -> subprocess.Popen[bytes]:
    """Start the command that generates on a cluster."""
    command = [str(Path(sys.executable).with_name("chattygen")), "generate", "--dialogues", str(dialogues), "-o",
               str(output), "--overwrite", "--set", f"scheduler={address}"]  # fmt: skip
    graphs = [part for source in sources for part in ("--kg", source)]
    return subprocess.Popen([*command, *graphs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    local = kinds.add_parser("local")
    local.add_argument("--triples", type=int, nargs="*", default=[1_000_000, 10_000_000])
    local.add_argument("--folder", type=Path)
    remote = kinds.add_parser("remote")
    remote.add_argument("url")
    remote.add_argument("--delay", type=float, default=50, metavar="MS")
    remote.add_argument("--workers", type=int, nargs="*", default=[1, 16])
    remote.add_argument("--dialogues", type=int, default=50)
    cluster = kinds.add_parser("cluster")
    cluster.add_argument("sources", nargs="*", default=["demo"])
    cluster.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    cluster.add_argument("--dialogues", type=int, default=200)
    part = kinds.add_parser("part")
    part.add_argument("part", choices=tuple(PARTS))
    part.add_argument("file", type=Path)
    part.add_argument("store", type=Path)
    given = parser.parse_args(arguments)
    if given.what == "part":
        print(json.dumps(measure_part(given.part, given.file, given.store)))
    elif given.what == "cluster":
        print_cluster(given.sources, given.workers, given.dialogues)
    elif given.what == "remote":
        print_remote(given.url, given.delay / 1000, given.workers, given.dialogues)
    else:
        with tempfile.TemporaryDirectory() as folder:
            print_local(given.triples, given.folder or Path(folder))


if __name__ == "__main__":
    sys.exit(main())

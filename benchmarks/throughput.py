"""Calls of a model a second, by the number of threads, and what happens to the calls in flight in a burst of 429.

    python benchmarks/throughput.py [--seconds 0.3] [--threads 1 4 16 64] [--calls 10] [--refuse 8]

The model server is a process of its own on the loopback that takes --seconds over each reply. Each number of threads
makes --calls calls a thread through the same wrappers as a run's model (pace, retries, meter). "of ideal" compares with
threads / seconds, which nobody can reach. Then the most threads go on for some seconds; from the third to the fifth the
server answers 429, without Retry-After, to all that goes beyond --refuse requests at a time.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from chattyshared.model import LanguageModel, Message, Request
from chattyshared.model.budget import Meter
from chattyshared.model.registry import open_model
from chattyshared.model.target import ModelOptions
from chattyshared.runs.threads import map_unordered
from waiting_server import WaitingServer

BEFORE, BURST, AFTER = 2, 3, 12
"""Seconds before the burst, of the burst, and after it."""
ASKED = Request("asked", (Message("user", "Say a."),))


@dataclass(frozen=True, slots=True)
class Second:
    """One second of a run: what the server has served and refused in it, and the most requests in flight."""

    number: int
    served: int
    refused: int
    most: int


def open_benchmark_model(url: str) -> LanguageModel:
    """Open a model as a command does."""
    return open_model("openai:m", rulebook={}, base_url=url, model_options=ModelOptions(meter=Meter()))


def calls_a_second(url: str, threads: int, calls: int) -> float:
    """Make calls in some threads, and return how many were answered a second."""
    model = open_benchmark_model(url)
    model.complete(ASKED)
    started = time.perf_counter()
    number = sum(1 for _ in map_unordered(lambda _: model.complete(ASKED), range(threads * calls), workers=threads))
    return number / (time.perf_counter() - started)


def measure_burst(server: WaitingServer, threads: int, at_once: int) -> list[Second]:
    """Return the seconds of a run in whose middle the server refuses most requests for a while."""
    model, ended = open_benchmark_model(server.url), threading.Event()
    work = map_unordered(lambda _: model.complete(ASKED), repeat(None), workers=threads, stop=ended)
    runner = threading.Thread(target=lambda: [None for _ in work])
    last = server.stats()
    runner.start()
    seconds = []
    for number in range(1, BEFORE + BURST + AFTER + 1):
        if number in (BEFORE + 1, BEFORE + BURST + 1):
            server.refuse(at_once if number == BEFORE + 1 else None)
        time.sleep(1)
        now = server.stats()
        seconds.append(Second(number, now.served - last.served, now.refused - last.refused, now.most))
        last = now
    ended.set()
    runner.join()
    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--calls", type=int, default=10, help="calls a thread")
    parser.add_argument("--refuse", type=int, default=8, help="requests at a time that the burst lets through")
    options = parser.parse_args(arguments)
    with WaitingServer(options.seconds) as server:
        print(f"{'threads':>7} {'calls/s':>8} {'ideal':>8} {'of ideal':>8} {'in flight':>9}")
        for threads in options.threads:
            server.stats()
            rate, ideal = calls_a_second(server.url, threads, options.calls), threads / options.seconds
            print(f"{threads:>7} {rate:>8.1f} {ideal:>8.1f} {rate / ideal:>8.0%} {server.stats().most:>9}")
        print(f"\n{max(options.threads)} threads; the server takes {options.refuse} at a time in seconds marked *")
        print(f"{'second':>7} {'served':>7} {'refused':>8} {'in flight':>9}")
        for second in measure_burst(server, max(options.threads), options.refuse):
            mark = "*" if BEFORE < second.number <= BEFORE + BURST else " "
            print(f"{second.number:>6}{mark} {second.served:>7} {second.refused:>8} {second.most:>9}")


if __name__ == "__main__":
    main()

"""Measure the generator with the embedded rule model: seconds, memory, SPARQL requests, prompts, workers.

    python benchmarks/generation.py speed FILE... [--dialogues 200]     seconds and requests, the store already open
    python benchmarks/generation.py size [--triples 1000000]            a synthetic graph and one a tenth of its size
    python benchmarks/generation.py prompts FILE... [--dialogues 20]    calls and prompt tokens (characters / 4)
    python benchmarks/generation.py workers FILE... [--dialogues 20]    a model that takes 300 ms, 1 and 16 workers

Every figure is printed with its name; nothing is asserted.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, LanguageModel, Request
from chattyshared.model.rules import RuleModel
from scholarly_graph import graph

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate


class CountingEndpoint:
    """An endpoint that counts the requests made through it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name, self.requests = endpoint.name, 0
        self._endpoint, self._lock = endpoint, Lock()

    def select(self, query: str) -> list[Row]:
        """Count a SELECT query and pass it on."""
        self._count()
        return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        """Count an ASK query and pass it on."""
        self._count()
        return self._endpoint.ask(query)

    def untrusted_view(self) -> Endpoint:
        """Return the endpoint for queries of others; not counted."""
        return self._endpoint.untrusted_view()

    def _count(self) -> None:
        with self._lock:
            self.requests += 1


class CountingModel:
    """A model that counts calls and prompt characters, and may be slow."""

    def __init__(self, model: LanguageModel, seconds: float = 0.0) -> None:
        self.name, self.calls, self.tokens = model.name, dict[str, int](), dict[str, int]()
        self._model, self._seconds, self._lock = model, seconds, Lock()

    def complete(self, request: Request) -> Completion:
        """Count, wait, and pass the request on."""
        with self._lock:
            size = sum(len(message.content) for message in request.messages) // 4
            self.calls[request.agent] = self.calls.get(request.agent, 0) + 1
            self.tokens[request.agent] = self.tokens.get(request.agent, 0) + size
        time.sleep(self._seconds)
        return self._model.complete(request)


def measure_seconds(work: Callable[[], int]) -> tuple[int, float]:
    """Return the result of the work, and its seconds."""
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def generate_dialogues(kg: KnowledgeGraph, model: LanguageModel, options: Options) -> int:
    """Generate and return the number of dialogues."""
    return sum(one.dialogue is not None for one in generate(kg, model, options))


def count_requests(kg: KnowledgeGraph) -> tuple[KnowledgeGraph, CountingEndpoint]:
    """Return the KG over a counting endpoint, without an index."""
    counting = CountingEndpoint(kg.endpoint)
    return KnowledgeGraph(counting, name=kg.name, use_index=False), counting


def print_speed(sources: Sequence[str], options: Options) -> float:
    """Print seconds and requests over one KG; return the seconds per dialogue."""
    kg, opened = open_timed(sources)
    number, seconds = measure_seconds(lambda: generate_dialogues(kg, RuleModel(RULEBOOK), options))
    counted_kg, counting = count_requests(kg)
    generate_dialogues(
        counted_kg, RuleModel(RULEBOOK), Options(dialogues=1, turns=options.turns, approach=options.approach)
    )
    start = counting.requests
    counted_kg, counting = count_requests(kg)
    generate_dialogues(counted_kg, RuleModel(RULEBOOK), options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{kg.name}: {kg.count_triples():,} triples, opened in {opened:.1f} s")
    print(f"  {number} dialogues in {seconds:.2f} s: {1000 * seconds / max(1, number):.1f} ms each")
    print(f"  SPARQL requests per accepted dialogue: {counting.requests / max(1, number):.1f} with those at the start")
    print(f"  (a run of one dialogue makes {start}); peak memory {peak:,.0f} MB")
    return seconds / max(1, number)


def open_timed(sources: Sequence[str]) -> tuple[KnowledgeGraph, float]:
    """Open a KG."""
    started = time.perf_counter()
    return open_kg(sources), time.perf_counter() - started


def print_size_ratio(triples: int, options: Options) -> None:
    """Print the time per dialogue on a synthetic graph against that on one of a tenth of its size."""
    seconds_by_size = []
    for number in (triples // 10, triples):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"scholarly-{number}.nt"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(graph(number))
            seconds_by_size.append(print_speed([str(path)], options))
    ratio = seconds_by_size[1] / seconds_by_size[0]
    print(f"time per dialogue at {triples:,} triples / at {triples // 10:,}: {ratio:.2f}")


def print_prompts(sources: Sequence[str], options: Options) -> None:
    """Print calls and prompt tokens per dialogue."""
    model = CountingModel(RuleModel(RULEBOOK))
    number = max(1, generate_dialogues(open_kg(sources), model, options))
    for agent in sorted(model.calls):
        print(
            f"  {agent}: {model.calls[agent] / number:.2f} calls, {model.tokens[agent] / number:.0f} prompt tokens "
            f"a dialogue ({model.tokens[agent] / model.calls[agent]:.0f} a call)"
        )
    print(
        f"  together: {sum(model.calls.values()) / number:.2f} calls, {sum(model.tokens.values()) / number:.0f} tokens"
    )


def print_workers(sources: Sequence[str], options: Options) -> None:
    """Print how long a slow model takes with one worker and with sixteen."""
    seconds_by_workers = []
    for number in (1, 16):
        model = CountingModel(RuleModel(RULEBOOK), seconds=0.3)
        worker_options = Options(
            dialogues=options.dialogues, turns=options.turns, seed=options.seed, approach=options.approach,
            workers=number,
        )  # fmt: skip
        kg = open_kg(sources)
        seconds_by_workers.append(
            measure_seconds(
                lambda kg=kg, model=model, worker_options=worker_options: generate_dialogues(kg, model, worker_options)
            )[1]
        )  # type: ignore[misc]
        print(f"  {number:2} workers: {seconds_by_workers[-1]:.1f} s, {sum(model.calls.values())} calls")
    print(f"  16 workers / 1 worker: 1 / {seconds_by_workers[0] / seconds_by_workers[1]:.1f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "size", "prompts", "workers"))
    parser.add_argument("sources", nargs="*", default=["demo"])
    parser.add_argument("--dialogues", type=int)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--approach", default=Options().approach)
    parser.add_argument("--triples", type=int, default=1_000_000)
    arguments_given = parser.parse_args(arguments)
    dialogues = arguments_given.dialogues or (20 if arguments_given.what in ("prompts", "workers") else 200)
    options = Options(
        dialogues=dialogues, turns=arguments_given.turns, seed=arguments_given.seed, approach=arguments_given.approach
    )
    if arguments_given.what == "size":
        print_size_ratio(arguments_given.triples, options)
    else:
        {"speed": print_speed, "prompts": print_prompts, "workers": print_workers}[arguments_given.what](
            arguments_given.sources or ["demo"], options
        )


if __name__ == "__main__":
    sys.exit(main())

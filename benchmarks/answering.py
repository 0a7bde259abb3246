"""Measure the engine: calls and prompt tokens of its two strategies, seconds, SPARQL requests and overhead.

    python benchmarks/answering.py cost [FILE...] [--dialogues 40]     per question, follow-ups apart
    python benchmarks/answering.py speed [FILE...] [--triples 100000 1000000] [--cpu]

The questions are those of a benchmark that is generated from the graph at hand (the demo graph, unless the files of one
graph are given), in the order of its dialogues and with the right history. ``cost`` asks a model that follows the
rules, so that the pipeline goes on, and counts what a hosted one would be sent, at four characters a token. ``speed``
answers by the rules, warm, and then does so over synthetic graphs of these sizes (--triples alone: over none); with
--cpu it counts the seconds of the processor, for a machine on which others work too. Figures stand beside their
targets; nothing is asserted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Literal

from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Completion, LanguageModel, Request, Usage
from chattyshared.model.rules import RuleModel
from scholarly_graph import graph

from chattygen import RULEBOOK as GENERATOR_RULEBOOK
from chattygen import Options
from chattygen.pipeline import generate
from chattykg.engine import ChattyEngine, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.runs.question_sets import Conversation, conversations_from_dialogues, link_gold_answers

Strategy = Literal["staged", "direct"]
TARGETS = {
    "staged": "3.4 calls and 1,700 tokens at most",
    "direct": "2,000 tokens at most; 1 call, 2 for a follow-up, 1 more where the first query fails",
}
TARGET_P50, TARGET_P95, TARGET_OVERHEAD, TARGET_REQUESTS, LARGE_GRAPH_FACTOR = 0.030, 0.150, 0.010, 8, 2
"""Targets of seconds and requests per question; a large graph may take twice the seconds."""
LARGE_GRAPH_TRIPLES = 500_000


class Clock:
    """Seconds of one part of the work, of the clock or (``is_cpu``) of the processor."""

    def __init__(self, *, is_cpu: bool = False) -> None:
        self.seconds = 0.0
        self._now = time.process_time if is_cpu else time.perf_counter

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time of a block."""
        started = self._now()
        try:
            yield
        finally:
            self.seconds += self._now() - started


class TimedEndpoint:
    """An endpoint that measures its seconds."""

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        self.name = endpoint.name
        self._endpoint, self._clock = endpoint, clock

    def select(self, query: str) -> list[Row]:
        """Pass a SELECT query on."""
        with self._clock.running():
            return self._endpoint.select(query)

    def ask(self, query: str) -> bool:
        """Pass an ASK query on."""
        with self._clock.running():
            return self._endpoint.ask(query)

    def untrusted_view(self) -> Endpoint:
        """Return the endpoint for queries of others."""
        return TimedEndpoint(self._endpoint.untrusted_view(), self._clock)


class TimedModel:
    """A model that measures its seconds."""

    def __init__(self, model: LanguageModel, clock: Clock) -> None:
        self.name = model.name
        self._model, self._clock = model, clock

    def complete(self, request: Request) -> Completion:
        """Pass a request on."""
        with self._clock.running():
            return self._model.complete(request)


@dataclass(slots=True)
class Spent:
    """Calls and prompt tokens."""

    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class CountingModel:
    """A model that counts calls and prompt tokens by agent, and answers by the rules.

    The rules write no queries: the direct strategy gets the query of the staged strategy.
    """

    kg: KnowledgeGraph
    name: str = "counting"
    spent: dict[str, Spent] = field(default_factory=dict)

    def complete(self, request: Request) -> Completion:
        """Count a request and reply to it."""
        spent = self.spent.setdefault(request.agent, Spent())
        spent.calls += 1
        spent.tokens += sum(len(message.content) for message in request.messages) // 4
        if request.agent != "answer/direct":
            return RuleModel(RULEBOOK).complete(request)
        staged = ChattyEngine(self.kg, RuleModel(RULEBOOK), mode="single").answer(str(request.variables["question"]))
        reply = {"shape": answer_shape(staged), "sparql": staged.sparql if staged.values else ""}
        return Completion(json.dumps(reply), Usage(1))

    def total(self) -> Spent:
        """Return calls and tokens of all agents so far."""
        every = self.spent.values()
        return Spent(sum(each.calls for each in every), sum(each.tokens for each in every))


def answer_shape(answer: Answer) -> str:
    """Return the shape of an answer in the terms of the direct strategy."""
    kinds = {value.kind for value in answer.values}
    if not kinds:
        return "none"
    if kinds == {"boolean"}:
        return "boolean"
    return "table" if answer.rows else "list"


def generate_conversations(kg: KnowledgeGraph, options: Options) -> tuple[Conversation, ...]:
    """Generate dialogues from a graph and return them as conversations."""
    generated = generate(kg, RuleModel(GENERATOR_RULEBOOK), options)
    return link_gold_answers(
        conversations_from_dialogues([result.dialogue for result in generated if result.dialogue is not None]), kg
    )


def turns_with_history(conversations: Sequence[Conversation]) -> Iterator[tuple[str, History, bool]]:
    """Yield each question with its gold history, and whether it is a follow-up that needs the history."""
    for conversation in conversations:
        history: History = ()
        for item in conversation.items:
            gold = item.gold or Exchange(item.question, Answer())
            yield item.question, history, bool(history) and item.question != gold.answer.standalone
            history = (*history, gold)


def print_costs(sources: Sequence[str], options: Options) -> None:
    """Print calls and prompt tokens per question of both strategies."""
    kg = open_kg(sources)
    conversations = generate_conversations(kg, options)
    strategies: tuple[Strategy, ...] = ("staged", "direct")
    for strategy in strategies:
        model = CountingModel(kg)
        engine = ChattyEngine(kg, model, settings=Settings(strategy=strategy))
        spent: dict[bool, list[Spent]] = {False: [], True: []}
        for question, history, is_follow_up in turns_with_history(conversations):
            before = model.total()
            engine.answer(question, history)
            now = model.total()
            spent[is_follow_up].append(Spent(now.calls - before.calls, now.tokens - before.tokens))
        print(f"{kg.name}, {strategy} (target: {TARGETS[strategy]})")
        for group, group_spent in (
            ("all", [*spent[False], *spent[True]]), ("standing alone", spent[False]), ("follow-ups", spent[True])
        ):  # fmt: skip
            print(f"  {group:15} {len(group_spent):4} questions: {_mean_text(group_spent)}")
        for agent, total in sorted(model.spent.items()):
            print(f"  {agent:20} {total.calls:4} calls, {total.tokens / total.calls:,.0f} tokens each")


def _mean_text(spent: Sequence[Spent]) -> str:
    number = max(1, len(spent))
    calls, tokens = sum(each.calls for each in spent) / number, sum(each.tokens for each in spent) / number
    most = max((each.tokens for each in spent), default=0)
    return f"{calls:.2f} calls, {tokens:,.0f} tokens each ({most:,} at most)"


def print_speed(kg: KnowledgeGraph, options: Options, *, is_cpu: bool) -> float:
    """Print seconds, requests and overhead per question over one graph; return the median of the seconds."""
    conversations = generate_conversations(kg, options)
    whole, in_endpoint, in_model = (Clock(is_cpu=is_cpu) for _ in range(3))
    timed_kg = kg.with_endpoint(TimedEndpoint(kg.endpoint, in_endpoint))
    engine = ChattyEngine(timed_kg, TimedModel(RuleModel(RULEBOOK), in_model))
    with whole.running():
        engine.answer(next(turns_with_history(conversations))[0])  # what is read once, and the compiled graph
    cold = whole.seconds
    seconds, overhead, requests = [], [], []
    for question, history, _ in turns_with_history(conversations):
        whole.seconds = in_endpoint.seconds = in_model.seconds = 0.0
        with whole.running():
            answer = engine.answer(question, history)
        seconds.append(whole.seconds)
        overhead.append(seconds[-1] - in_endpoint.seconds - in_model.seconds)
        requests.append(answer.queries)
    target_factor = LARGE_GRAPH_FACTOR if kg.count_triples() >= LARGE_GRAPH_TRIPLES else 1
    unit = "seconds of the processor" if is_cpu else "seconds of the clock"
    print(f"{kg.name}: {kg.count_triples():,} triples, {len(seconds)} questions, {unit}; the first took {cold:.2f} s")
    print(f"  seconds p50:  {1000 * median(seconds):6.1f} ms (target {1000 * TARGET_P50 * target_factor:.0f} ms)")
    print(f"  seconds p95:  {1000 * _p95(seconds):6.1f} ms (target {1000 * TARGET_P95 * target_factor:.0f} ms)")
    print(f"  overhead p50: {1000 * median(overhead):6.1f} ms (target {1000 * TARGET_OVERHEAD:.0f} ms; p95 "
          f"{1000 * _p95(overhead):.1f} ms): all but model and endpoint")  # fmt: skip
    print(f"  requests p50: {median(requests):6.1f}    (target {TARGET_REQUESTS}; {max(requests)} at most)")
    return median(seconds)


def _p95(figures: Sequence[float]) -> float:
    return quantiles(figures, n=20)[-1] if len(figures) > 1 else figures[0]


def print_speed_by_size(triples: Sequence[int], options: Options, *, is_cpu: bool) -> None:
    """Print the figures over synthetic graphs, and the seconds of the last against those of the first."""
    medians = []
    for triple_count in triples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"scholarly-{triple_count}.nt"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(graph(triple_count))
            medians.append(print_speed(open_kg([str(path)]), options, is_cpu=is_cpu))
    if len(medians) > 1:
        print(f"seconds p50 at {triples[-1]:,} triples / at {triples[0]:,}: {medians[-1] / medians[0]:.2f}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cost", "speed"))
    parser.add_argument("sources", nargs="*", default=["demo"])
    parser.add_argument("--dialogues", type=int, default=40)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--triples", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--cpu", action="store_true")
    arguments_given = parser.parse_args(arguments)
    options = Options(dialogues=arguments_given.dialogues, turns=arguments_given.turns, seed=arguments_given.seed)
    sources = arguments_given.sources or ["demo"]
    if arguments_given.what == "cost":
        print_costs(sources, options)
    else:
        print_speed(open_kg(sources), options, is_cpu=arguments_given.cpu)
        print_speed_by_size(arguments_given.triples, options, is_cpu=arguments_given.cpu)


if __name__ == "__main__":
    sys.exit(main())

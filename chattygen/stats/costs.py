"""The cost of generating a benchmark: seeds, tokens, price, and, if there is a trace, time and calls per stage."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from chattyshared.dialogue import Dialogue
from chattyshared.errors import BenchmarkInvalid
from chattyshared.jsonlines import read_lines
from chattyshared.model import Usage
from chattyshared.model.spend_log import usage_of_run

from chattygen.run import Stage
from chattygen.stats.distributions import Counts, SummaryStatistics, share

UNTRIED = "seed"
"""The error class of seeds that did not meet the conditions: no dialogue was tried with them."""
QUERY_AGENTS = frozenset({"generate/query", "generate/single_shot"})
"""The agents whose replies hold SPARQL."""


@dataclass(frozen=True, slots=True)
class SeedCounts:
    """The outcome of the seeds: ``used`` = dialogues + ``errors``; ``untried`` did not meet the conditions."""

    used: int
    success: float | None
    errors: Counts
    untried: int = 0


@dataclass(frozen=True, slots=True)
class StageCost:
    """The cost of one stage: seconds of work (of all threads), model calls, their tokens, and queries."""

    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    queries: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """The times in a trace: seconds waited for the model, for the endpoint, for either (overlaps once), and calls.

    ``stages`` are the stages that the trace names, in their order. ``first_queries`` counts the first replies of a
    model that hold SPARQL, ``right_first_queries`` those among them without a problem of their queries.
    """

    seconds: float
    model_seconds: float = 0.0
    query_seconds: float = 0.0
    model_calls: int = 0
    queries: int = 0
    queries_per_dialogue: float | None = None
    stages: Mapping[str, StageCost] = field(default_factory=dict)
    first_queries: int = 0
    right_first_queries: int = 0


@dataclass(frozen=True, slots=True)
class GenerationCosts:
    """The cost of the dialogues.

    The sums are over the dialogues in the file, and over the rejected seeds if their file states their usage; or the
    recorded spending of the whole run, if that is greater. ``usd`` is None if no price is known.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    estimated: bool
    tokens_per_dialogue: SummaryStatistics
    calls_per_dialogue: SummaryStatistics
    seeds: SeedCounts | None
    timing: Timing | None


def sum_costs(
    dialogues: Sequence[Dialogue],
    *,
    rejected_usage: Usage,
    seeds: SeedCounts | None,
    timing: Timing | None = None,
    run_usage: Usage | None = None,
) -> GenerationCosts:
    """Sum up the usage of the dialogues and the rejected seeds; use ``run_usage``, the whole run's, if it is
    greater."""
    usage = usage_of_run(sum((dialogue.usage for dialogue in dialogues), rejected_usage), run_usage or Usage())
    return GenerationCosts(
        calls=usage.calls,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        usd=usage.usd,
        estimated=usage.estimated,
        tokens_per_dialogue=SummaryStatistics.of(d.usage.prompt_tokens + d.usage.completion_tokens for d in dialogues),
        calls_per_dialogue=SummaryStatistics.of(d.usage.calls for d in dialogues),
        seeds=seeds,
        timing=timing,
    )


def count_seeds(dialogues: int, errors: Iterable[str]) -> SeedCounts:
    """Count the outcomes of the seeds, by the error classes of the rejected ones."""
    counted = Counts.of(errors)
    failed = Counts(tuple(item for item in counted.items if item[0] != UNTRIED))
    used = dialogues + failed.total
    return SeedCounts(used, share(dialogues, used), failed, counted[UNTRIED])


def read_timing(trace: Path, dialogues: int) -> Timing:
    """Read the times in a trace, line by line.

    Raises:
        ConfigError: it cannot be read.
        BenchmarkInvalid: a line is not JSON, or no event.
    """
    spans: list[tuple[float, float]] = []
    seconds: defaultdict[str, float] = defaultdict(float)
    calls: Counter[str] = Counter()
    stages: dict[str, defaultdict[str, float]] = {name: defaultdict(float) for name in get_args(Stage)}
    first_queries: Counter[str] = Counter()
    for number, event in read_lines(trace, skip_partial_line=True):
        if not isinstance(event, dict) or not isinstance(event.get("data", {}), dict):
            raise BenchmarkInvalid("no event of a trace", file=str(trace), line=number)
        kind, duration, data = event.get("kind"), _number(event.get("seconds")), event.get("data", {})
        if kind in ("model", "query"):
            calls[kind] += 1
            seconds[kind] += duration
            spans.append((_number(event.get("at")) - duration, _number(event.get("at"))))
        for name, cost in _stage_costs(kind, duration, data).items() if data.get("stage") in stages else ():
            stages[data["stage"]][name] += cost
        if data.get("agent") in QUERY_AGENTS and data.get("attempt") == 1 and "raised" not in data:
            first_queries[_query_outcome(kind, data.get("problems", ()))] += 1
    return Timing(
        _covered(spans), seconds["model"], seconds["query"], calls["model"], calls["query"],
        share(calls["query"], dialogues),
        {name: StageCost(c["seconds"], int(c["calls"]), int(c["tokens"]), int(c["queries"]))
         for name, c in stages.items() if c},
        first_queries["asked"], first_queries["asked"] - first_queries["wrong"],
    )  # fmt: skip


def _stage_costs(kind: Any, seconds: float, data: Mapping[str, Any]) -> dict[str, float]:
    """Return what an event adds to the costs of its stage."""
    if kind == "stage":
        return {"seconds": seconds}
    if kind == "query":
        return {"queries": 1}
    usage = data.get("usage") if kind == "model" else None
    if not isinstance(usage, dict):
        return {}
    return {"calls": _number(usage.get("calls")),
            "tokens": _number(usage.get("prompt_tokens")) + _number(usage.get("completion_tokens"))}  # fmt: skip


def _query_outcome(kind: Any, problems: Sequence[str]) -> str:
    """Return what an event tells of a first query: it was asked for, it was wrong, or neither.

    All problems of a reply that is a single query are the query's; where one reply holds all, they name the stage.
    """
    if kind == "model":
        return "asked"
    return "wrong" if any(rule.rpartition("/")[0] in ("", "query") for rule in problems) else ""


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of spans: the pause of a run that was resumed the next day does not count."""
    covered, end = 0.0, float("-inf")
    for begin, until in sorted(spans):
        covered += max(0.0, until - max(begin, end))
        end = max(end, until)
    return covered


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0

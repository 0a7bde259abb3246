"""The times and queries of a run, from its trace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from chattyshared.errors import BenchmarkInvalid
from chattyshared.figures import share
from chattyshared.jsonlines import read_lines

from chattygen.run import Stage

QUERY_AGENTS = frozenset({"generate/query", "generate/single_shot"})
"""The agents whose replies hold SPARQL."""


def read_timing(trace: Path, dialogues: int) -> dict[str, Any]:
    """Read the times in a trace, line by line.

    ``seconds`` are those waited for the model or the endpoint (overlaps once); ``stages`` are the stages that the trace
    names, with their seconds of work of all threads. ``first_queries`` counts the first replies of a model that hold
    SPARQL, ``right_first_queries`` those among them without a problem of their queries.

    Raises:
        ConfigError: it cannot be read.
        BenchmarkInvalid: a line is not JSON, or no event.
    """
    spans: list[tuple[float, float]] = []
    seconds: defaultdict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    stages = {name: {"seconds": 0.0, "calls": 0, "tokens": 0, "queries": 0} for name in get_args(Stage)}
    for number, event in read_lines(trace, skip_partial_line=True):
        if not isinstance(event, dict) or not isinstance(event.get("data", {}), dict):
            raise BenchmarkInvalid("no event of a trace", file=str(trace), line=number)
        kind, duration, data = event.get("kind"), _number(event.get("seconds")), event.get("data", {})
        if kind in ("model", "query"):
            counts[kind] += 1
            seconds[kind] += duration
            spans.append((_number(event.get("at")) - duration, _number(event.get("at"))))
        if stage := stages.get(data.get("stage", "")):
            usage = data.get("usage") if kind == "model" and isinstance(data.get("usage"), dict) else {}
            stage["seconds"] += duration if kind == "stage" else 0.0
            stage["queries"] += kind == "query"
            stage["calls"] += int(_number(usage.get("calls")))
            stage["tokens"] += int(_number(usage.get("prompt_tokens")) + _number(usage.get("completion_tokens")))
        if data.get("agent") in QUERY_AGENTS and data.get("attempt") == 1 and "raised" not in data:
            counts["first"] += kind == "model"
            counts["wrong"] += kind != "model" and _is_of_query(data.get("problems", ()))
    return {
        "seconds": _covered(spans),
        "model_seconds": seconds["model"],
        "query_seconds": seconds["query"],
        "model_calls": counts["model"],
        "queries": counts["query"],
        "queries_per_dialogue": share(counts["query"], dialogues),
        "stages": {name: costs for name, costs in stages.items() if any(costs.values())},
        "first_queries": counts["first"],
        "right_first_queries": counts["first"] - counts["wrong"],
    }


def _is_of_query(problems: Sequence[str]) -> bool:
    """Tell whether a problem is one of a query: all of a reply that is a single query are; where one reply holds all,
    they name the stage."""
    return any(rule.rpartition("/")[0] in ("", "query") for rule in problems)


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of spans: the pause of a run that was resumed the next day does not count."""
    covered, end = 0.0, float("-inf")
    for begin, until in sorted(spans):
        covered += max(0.0, until - max(begin, end))
        end = max(end, until)
    return covered


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0

"""Files that figures are computed from: our benchmarks with the files of their run, and the published files of
Chatty-Gen and Maestro."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from chattyshared import benchmark
from chattyshared.dialogue import Dialogue
from chattyshared.errors import BenchmarkInvalid
from chattyshared.figures import Counts, share
from chattyshared.formats import chatty_gen, maestro
from chattyshared.jsonlines import read_lines
from chattyshared.model import Usage
from chattyshared.model.spend_log import SpendLog, spend_log_path
from chattyshared.trace import trace_path_of

from chattygen.run import Stage

UNTRIED = "seed"
"""The error class of seeds that did not meet the conditions: no dialogue was tried with them."""
QUERY_AGENTS = frozenset({"generate/query", "generate/single_shot"})
"""The agents whose replies hold SPARQL."""
_ERROR_SUFFIX, _SKIPPED_PREFIX = " Error", "Skipped "
"""How Chatty-Gen's run file names its counters of lost seeds: ``... Error`` and ``Skipped ...``."""


@dataclass(frozen=True, slots=True)
class BenchmarkSource:
    """One file: its dialogues, its header (empty if the format has none), and what is known of the run.

    ``is_annotated``: the file states gold, links, types and difficulty; those of others do not. ``seeds`` are the
    figures of their outcome: ``used`` = dialogues + ``errors``; ``timing`` those of the trace. ``rejected_usage`` is
    the usage of the rejected seeds, ``run_usage`` that of the whole run, as far as it was recorded.
    """

    path: Path
    name: str
    dialogues: tuple[Dialogue, ...]
    header: Mapping[str, Any] = field(default_factory=dict)
    is_annotated: bool = True
    seeds: Mapping[str, Any] | None = None
    rejected_usage: Usage = Usage()
    timing: Mapping[str, Any] | None = None
    run_usage: Usage = Usage()

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the run that generated it."""
        stated = self.header.get("generate", {}).get("options", {})
        return stated if isinstance(stated, dict) else {}

    @property
    def model(self) -> str:
        """The model that generated it; empty if the file does not state it."""
        return str(self.header.get("generate", {}).get("model", ""))

    @property
    def mix(self) -> tuple[tuple[str, float], ...]:
        """The requested shares of the turns; only a planned run has any."""
        stated = self.options.get("mix") if self.options.get("approach") == "planned" else ()
        pairs = stated.items() if isinstance(stated, dict) else stated or ()
        return tuple((str(name), float(weight)) for name, weight in pairs)


def open_source(path: Path) -> BenchmarkSource:
    """Read a benchmark of ours, or a published file of Chatty-Gen or Maestro, and the files of its run.

    The files of our runs are ``PATH.rejected.jsonl`` (rejected seeds), ``PATH.trace.jsonl`` (time) and
    ``PATH.spent.jsonl`` (usage of the whole run).

    Raises:
        ConfigError: a file does not exist or cannot be read.
        BenchmarkInvalid: it has none of these formats.
    """
    if not _is_published(path):
        return _read_benchmark(path)
    questions = maestro.read_maestro(path)
    if questions is not None:
        return BenchmarkSource(path, path.stem, questions, is_annotated=False)
    return _read_release(path)


def _is_published(path: Path) -> bool:
    """Tell a whole JSON value from JSON Lines: it has no header, and may span many lines."""
    if path.suffix.casefold() != ".json":
        return False
    try:
        _, first = next(read_lines(path), (0, None))
    except BenchmarkInvalid:
        return True
    return not (isinstance(first, dict) and "benchmark" in first)


def _read_benchmark(path: Path) -> BenchmarkSource:
    content = benchmark.read_benchmark(path)
    rejected_path = path.with_name(f"{path.name}.rejected.jsonl")
    trace_path = trace_path_of(path)
    rejections = list(_read_objects(rejected_path, "no rejected seed")) if rejected_path.exists() else None
    errors = (str(line.get("error") or line.get("stage") or "unknown") for line in rejections or ())
    return BenchmarkSource(
        path,
        content.name,
        content.dialogues,
        content.header,
        seeds=None if rejections is None else _count_seeds(len(content.dialogues), errors),
        rejected_usage=sum((benchmark.usage_from_json(line.get("usage", {})) for line in rejections or ()), Usage()),
        timing=read_timing(trace_path, len(content.dialogues)) if trace_path.exists() else None,
        run_usage=SpendLog(spend_log_path(path)).earlier_spending.usage,
    )


def _count_seeds(dialogues: int, errors: Iterable[str]) -> Mapping[str, Any]:
    """Count the outcomes of the seeds, by the error classes of the rejected ones."""
    numbers = Counter(errors)
    untried = numbers.pop(UNTRIED, 0)
    return _seed_figures(dialogues, dialogues + numbers.total(), Counts.of(numbers.elements()), untried)


def _seed_figures(dialogues: int, used: int, errors: Counts, untried: int = 0) -> Mapping[str, Any]:
    return {"used": used, "success": share(dialogues, used), "errors": errors, "untried": untried}


def _read_objects(path: Path, fault: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of a run, each an object whose ``data``, if there is any, is one too.

    Raises:
        ConfigError: it cannot be read.
        BenchmarkInvalid: a line is no such object.
    """
    for number, line in read_lines(path, skip_partial_line=True):
        if not isinstance(line, dict) or not isinstance(line.get("data", {}), dict):
            raise BenchmarkInvalid(fault, file=str(path), line=number)
        yield line


def _read_release(path: Path) -> BenchmarkSource:
    release = chatty_gen.read_release(path)
    run = release.run
    counters = {
        key.removeprefix(_SKIPPED_PREFIX).removesuffix(_ERROR_SUFFIX): value
        for key, value in run.items()
        if key.endswith(_ERROR_SUFFIX) or key.startswith(_SKIPPED_PREFIX)
    }
    errors = Counts.of(name for name, number in counters.items() if isinstance(number, int) for _ in range(number))
    used = run.get("seeds_used")
    dialogues = tuple(dialogue for dialogue in chatty_gen.to_dialogues(release) if dialogue.turns)
    seconds = run.get("total_time")
    return BenchmarkSource(
        path,
        path.stem,
        dialogues,
        is_annotated=False,
        seeds=_seed_figures(len(dialogues), used, errors) if isinstance(used, int) else None,
        timing={"seconds": float(seconds)} if isinstance(seconds, (int, float)) else None,
    )


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
    for event in _read_objects(trace, "no event of a trace"):
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

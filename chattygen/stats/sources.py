"""Files that figures are taken of: our benchmarks with what lies beside them, and Chatty-Gen's published files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared import benchmark
from chattyshared.dialogue import Dialogue
from chattyshared.errors import BenchmarkInvalid
from chattyshared.formats import chatty_gen
from chattyshared.jsonlines import read_lines
from chattyshared.model import Usage
from chattyshared.model.spend_log import SpendLog, spend_log_path

from chattygen.stats.costs import SeedCounts, Timing, count_seeds, read_timing
from chattygen.stats.distributions import Counts, share

_COUNTERS = " Error"
_SKIPPED = "Skipped "


@dataclass(frozen=True, slots=True)
class BenchmarkSource:
    """One file: its dialogues, its header (empty where the format has none), and what is known of the run.

    ``is_whole``: the file states gold, links, types and difficulty; Chatty-Gen's do not. ``rejected`` is what the
    rejected seeds used, ``spent`` what the run has spent in all, as far as that was kept.
    """

    path: Path
    name: str
    dialogues: tuple[Dialogue, ...]
    header: Mapping[str, Any] = field(default_factory=dict)
    is_annotated: bool = True
    seeds: SeedCounts | None = None
    rejected_usage: Usage = Usage()
    timing: Timing | None = None
    run_usage: Usage = Usage()

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the run that made it."""
        found = self.header.get("generate", {}).get("options", {})
        return found if isinstance(found, dict) else {}

    @property
    def model(self) -> str:
        """The model that made it; empty where the file does not say."""
        return str(self.header.get("generate", {}).get("model", ""))

    @property
    def mix(self) -> tuple[tuple[str, float], ...]:
        """The shares of the turns that were wanted; only a planned run has any."""
        stated = self.options.get("mix") if self.options.get("approach") == "planned" else ()
        pairs = stated.items() if isinstance(stated, dict) else stated or ()
        return tuple((str(name), float(weight)) for name, weight in pairs)


def open_source(path: Path) -> BenchmarkSource:
    """Read a benchmark of ours or a published file of Chatty-Gen's, and what lies beside it.

    Beside ours: ``PATH.rejected.jsonl`` (what became of the seeds), ``PATH.trace.jsonl`` (time) and
    ``PATH.spent.jsonl`` (what the whole run has spent).

    Raises:
        ConfigError: a file is not there or cannot be read.
        BenchmarkInvalid: it is neither, or does not keep its format.
    """
    return _published(path) if _is_published(path) else _ours(path)


def _is_published(path: Path) -> bool:
    """Tell a whole JSON value from JSON Lines: it has no header, and may go over many lines."""
    if path.suffix.casefold() != ".json":
        return False
    try:
        _, first = next(read_lines(path), (0, None))
    except BenchmarkInvalid:
        return True
    return not (isinstance(first, dict) and "benchmark" in first)


def _ours(path: Path) -> BenchmarkSource:
    read = benchmark.read_benchmark(path)
    beside, trace = path.with_name(f"{path.name}.rejected.jsonl"), path.with_name(f"{path.name}.trace.jsonl")
    lines = list(_rejected(beside)) if beside.exists() else None
    return BenchmarkSource(
        path,
        read.name,
        read.dialogues,
        read.header,
        seeds=None if lines is None else count_seeds(len(read.dialogues), map(_error, lines)),
        rejected_usage=sum((benchmark.usage_from_json(line.get("usage", {})) for line in lines or ()), Usage()),
        timing=read_timing(trace, len(read.dialogues)) if trace.exists() else None,
        run_usage=SpendLog(spend_log_path(path)).earlier_spending.usage,
    )


def _rejected(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in read_lines(path, skip_partial_line=True):
        if not isinstance(line, dict):
            raise BenchmarkInvalid("no rejected seed", file=str(path), line=number)
        yield line


def _error(line: Mapping[str, Any]) -> str:
    return str(line.get("error") or line.get("stage") or "unknown")


def _published(path: Path) -> BenchmarkSource:
    release = chatty_gen.read_release(path)
    run = release.run
    counters = {
        key.removeprefix(_SKIPPED).removesuffix(_COUNTERS): value
        for key, value in run.items()
        if key.endswith(_COUNTERS) or key.startswith(_SKIPPED)
    }
    errors = Counts.of(name for name, number in counters.items() if isinstance(number, int) for _ in range(number))
    used = run.get("seeds_used")
    dialogues = tuple(dialogue for dialogue in chatty_gen.to_dialogues(release) if dialogue.turns)
    took = run.get("total_time")
    return BenchmarkSource(
        path,
        path.stem,
        dialogues,
        is_annotated=False,
        seeds=SeedCounts(used, share(len(dialogues), used), errors) if isinstance(used, int) else None,
        timing=Timing(float(took)) if isinstance(took, (int, float)) else None,
    )

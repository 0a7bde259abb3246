"""Whether a graph reproduces the gold of a benchmark: each query is run again, and its result compared as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from chattyshared.benchmark import Benchmark, read_benchmark, turn_id
from chattyshared.certificates import value_to_json
from chattyshared.dialogue import Turn, Value
from chattyshared.jsonlines import to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.sparql.gold_queries import QueryRun, run_query


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How many turns there are, and which the graph does not reproduce: turn id and reason."""

    turns: int
    differing: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.turns - len(self.differing)} of {self.turns} gold results reproduced"


def reproduce_box(path: Path, on_progress: Callable[[], None] = lambda: None) -> Reproduction:
    """Run the gold queries of a box on its own snapshot.

    Raises:
        ConfigError: it is no box, or an altered one.
        BenchmarkInvalid: its benchmark is not valid.
    """
    return reproduce_gold(open_kg(path), read_benchmark(path), on_progress)


def reproduce_gold(
    kg: KnowledgeGraph, benchmark: Benchmark, on_progress: Callable[[], None] = lambda: None
) -> Reproduction:
    """Run the gold queries of a benchmark; the order of the answers does not matter.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    untrusted, differing, turns = kg.endpoint.untrusted_view(), [], 0
    for dialogue in benchmark.dialogues:
        for turn in dialogue.turns:
            reason = _difference(turn, run_query(kg, turn.sparql, untrusted))
            differing += [(turn_id(dialogue, turn), reason)] if reason else []
            turns += 1
            on_progress()
    return Reproduction(turns, tuple(differing))


def result_values(turn: Turn, run: QueryRun) -> tuple[Value, ...]:
    """Return the values of a result as gold states them: a literal that is a boolean is a literal, and what a yes-no
    question about something unknown gives is no answer."""
    if turn.sparql.lstrip().upper().startswith("ASK") or turn.form == "boolean":
        return () if not turn.answerable and [value.value for value in run.values] == ["false"] else run.values
    return tuple(replace(value, kind="literal") if value.kind == "boolean" else value for value in run.values)


def _difference(turn: Turn, run: QueryRun) -> str:
    """Return what differs between a turn's gold and a result; empty if nothing does."""
    if run.failure:
        return run.failure
    stated, given = (sorted(to_json_line(value_to_json(value)) for value in values)
                     for values in (turn.answers, result_values(turn, run)))  # fmt: skip
    if stated == given:
        return ""
    missing = [line for line in stated if line not in given]
    added = [line for line in given if line not in stated]
    parts = [f"missing {missing[0]}"] if missing else []
    parts += [f"not in the gold {added[0]}"] if added else []
    return f"{len(stated)} answers stated, {len(given)} given: {', '.join(parts)}"

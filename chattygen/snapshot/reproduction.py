"""The gold of a benchmark on another graph than its own: which turns can be kept, and whether it is reproduced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from chattyshared.benchmark import Benchmark, read_benchmark, turn_id
from chattyshared.dialogue import Dialogue, Turn, Value
from chattyshared.errors import ChattyError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.sparql.gold_queries import QueryRun, run_queries
from chattyshared.sparql.result_comparison import compare_answers, gold_values


class TurnLeftOut(ChattyError):
    """A turn cannot be kept; the message says why."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How many turns there are, and which the graph does not reproduce: turn id and reason."""

    turns: int
    differing: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.turns - len(self.differing)} of {self.turns} gold results reproduced"


def keep_turns(
    benchmark: Benchmark, read_turns: Callable[[Dialogue], Iterable[Turn]], on_progress: Callable[[], None]
) -> tuple[Benchmark, tuple[str, ...]]:
    """Return a benchmark with the turns that ``read_turns`` gives, and those that are left out, each with the reason.

    A dialogue ends before the turn at which ``read_turns`` raises ``TurnLeftOut``.
    """
    dialogues, left_out = [], []
    for dialogue in benchmark.dialogues:
        turns: list[Turn] = []
        try:
            for turn in read_turns(dialogue):
                turns.append(turn)
        except TurnLeftOut as error:
            first, *later = dialogue.turns[len(turns) :]
            left_out.append(f"{turn_id(dialogue, first)}: {error}")
            left_out += [f"{turn_id(dialogue, turn)}: follows a turn that is left out" for turn in later]
        if turns:
            dialogues.append(replace(dialogue, turns=tuple(turns)))
        on_progress()
    return replace(benchmark, dialogues=tuple(dialogues)), tuple(left_out)


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
    turns = {turn_id(dialogue, turn): turn for dialogue in benchmark for turn in dialogue.turns}
    runs = run_queries([turn.sparql for turn in turns.values()], kg, on_progress=on_progress)
    differences = ((name, _difference(turn, run)) for (name, turn), run in zip(turns.items(), runs, strict=True))
    return Reproduction(len(turns), tuple((name, reason) for name, reason in differences if reason))


def _difference(turn: Turn, run: QueryRun) -> str:
    """Return what differs between a turn's gold and a result, also in names and datatypes; empty if nothing does."""
    if run.failure:
        return run.failure
    given = gold_values(turn, run)
    missing, added = compare_answers(turn.answers, given, key=_describe_value)
    if not missing and not added:
        return ""
    parts = [f"missing {line}" for line in sorted(map(_describe_value, missing))[:1]]
    parts += [f"not in the gold {line}" for line in sorted(map(_describe_value, added))[:1]]
    return f"{len(turn.answers)} answers in the gold, {len(given)} on the graph: {', '.join(parts)}"


def _describe_value(value: Value) -> str:
    """Return a value as people read it, with all that tells it from others."""
    if value.kind == "iri":
        return f"{value.label} <{value.value}>".strip()
    kept = ", ".join(filter(None, (value.kind, value.datatype.rpartition("#")[2], value.lang)))
    return f'"{value.value}" ({kept})'

"""Make a twin: read the whole graph, swap what the benchmark tests, and run its queries on the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from chattyshared.benchmark import Benchmark, turn_id
from chattyshared.dialogue import Dialogue
from chattyshared.errors import ConfigError
from chattyshared.formats.box import GRAPH
from chattyshared.jsonlines import to_json_line, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import fetch_pages
from chattyshared.kg.factory import open_kg
from chattyshared.sparql.analysis import analyze_query
from chattyshared.terms import Triple
from rdflib import URIRef

from chattygen.snapshot.archive import render_triples
from chattygen.snapshot.matches import PAGE_SIZE, MatchesTooLarge, drop_unstable_nodes, match_query
from chattygen.stages.queries import to_benchmark_triple
from chattygen.twin.dialogues import DialogueReader, has_same_gold, read_dialogue
from chattygen.twin.renaming import EntityRenamer, Renaming
from chattygen.twin.swaps import ObjectSwapper, Swap

MAX_TRIPLES = 2_000_000
"""Triples of the largest graph that gets a twin: it is held in memory as Python objects."""


@dataclass(frozen=True, slots=True)
class Twin:
    """The twin of a graph and of its benchmark.

    ``unswapped`` counts the tested facts without a partner by the label of their predicate; ``unchanged`` are the ids
    of the turns whose gold is the same, ``left_out`` those that make no sense on the twin, with the reason.
    """

    triples: frozenset[Triple]
    benchmark: Benchmark
    swaps: tuple[Swap, ...]
    unswapped: Mapping[str, int]
    unchanged: tuple[str, ...]
    left_out: tuple[str, ...]
    renaming: Renaming = Renaming()

    @property
    def turn_count(self) -> int:
        """The number of turns."""
        return sum(len(dialogue.turns) for dialogue in self.benchmark)


def make_twin(
    kg: KnowledgeGraph, benchmark: Benchmark, *, seed: int = 0, rename: bool = False,
    on_progress: Callable[[], None] = lambda: None,
) -> Twin:  # fmt: skip
    """Return the twin of a graph and a benchmark; ``on_progress`` is called after each dialogue.

    Raises:
        ConfigError: the graph is too large, or nothing can be swapped.
        EndpointError: the endpoint does not answer.
    """
    graph = _read_graph(kg)
    swapper = ObjectSwapper(graph, kg.profile, Random(f"{seed}/swaps"))
    unswapped = _label_predicates(kg, swapper.swap(_tested_facts(kg, benchmark)))
    if not swapper.swaps:
        listed = ", ".join(f"{label} ({count})" for label, count in unswapped.items())
        raise ConfigError(f"nothing can be swapped: no tested fact has a partner{f' of {listed}' if listed else ''}")
    entities = {iri for iri in _entities(benchmark, swapper.swaps) if str(iri) not in kg.vocabulary.classes}
    renamer = EntityRenamer(graph, kg.profile, Random(f"{seed}/names"))
    renaming = renamer.rename(entities if rename else ())
    triples = frozenset(graph)
    original = replace(benchmark, dialogues=tuple(map(renaming.rewrite_dialogue, benchmark.dialogues)))
    with TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / GRAPH
        write_atomically(path, render_triples(triples))
        twin_kg = open_kg(path)
        dialogues, left_out = _read_dialogues(twin_kg, triples, original, on_progress)
        header = _header(benchmark, twin_kg)
    unchanged = tuple(_unchanged_turns(original.dialogues, dialogues))
    kept = tuple(dialogue for dialogue in dialogues if dialogue.turns)
    if not kept:
        raise ConfigError(f"no dialogue makes sense on the twin: {left_out[0]}")
    stated = {
        "of": benchmark.digest(), "seed": seed, "rename": rename, "swapped": len(swapper.swaps),
        "unswapped": unswapped, "renamed": renaming.renamed, "unchanged": list(unchanged),
        "left_out": list(left_out),
    }  # fmt: skip
    twin = Benchmark({**header, "twin": stated}, kept)
    return Twin(triples, twin, tuple(swapper.swaps), unswapped, unchanged, left_out, renaming)


def write_twin(folder: Path, twin: Twin) -> None:
    """Write the graph, the benchmark and the swaps into a folder.

    Raises:
        ConfigError: a file cannot be written.
        StorageFailed: the disk is full.
    """
    write_atomically(folder / GRAPH, render_triples(twin.triples))
    write_atomically(folder / "swaps.jsonl", map(_swap_line, twin.swaps))
    twin.benchmark.save(folder / "benchmark.jsonl")


def _read_graph(kg: KnowledgeGraph) -> set[Triple]:
    if kg.count_triples() > MAX_TRIPLES:
        raise ConfigError(
            f"{kg.name} has more than {MAX_TRIPLES:,} triples: make a box with `chattygen box`, and name it by --kg"
        )
    rows = fetch_pages(kg.endpoint, "SELECT ?s ?p ?o WHERE { ?s ?p ?o }", PAGE_SIZE)
    triples = ((row["s"], row["p"], row["o"]) for row in rows)
    return drop_unstable_nodes(kg.endpoint, triples)  # type: ignore[arg-type]


def _tested_facts(kg: KnowledgeGraph, benchmark: Benchmark) -> set[Triple]:
    """Return the facts that the gold of answerable turns rests on: all that the patterns of their queries match."""
    tested: set[Triple] = set()
    for dialogue in benchmark.dialogues:
        for turn in dialogue.turns:
            if turn.answerable:
                try:
                    tested |= set(match_query(kg.endpoint, turn.sparql, limit=MAX_TRIPLES))
                except MatchesTooLarge as error:
                    raise ConfigError(f"{turn_id(dialogue, turn)}: {error}") from error
    return tested


def _entities(benchmark: Benchmark, swaps: list[Swap]) -> set[URIRef]:
    """Return what questions and answers may name: seeds, what queries name, and both ends of swapped facts."""
    turns = [turn for dialogue in benchmark.dialogues for turn in dialogue.turns]
    named = {dialogue.seed.iri for dialogue in benchmark.dialogues}
    named |= {iri for turn in turns for iri in analyze_query(turn.sparql).iris}
    named |= {value.value for turn in turns for value in turn.answers if value.kind == "iri"}
    ends = {end for swap in swaps for end in (swap.subject, swap.new) if isinstance(end, URIRef)}
    return {URIRef(iri) for iri in named} | ends


def _read_dialogues(
    kg: KnowledgeGraph, triples: frozenset[Triple], benchmark: Benchmark, on_progress: Callable[[], None]
) -> tuple[list[Dialogue], tuple[str, ...]]:
    """Return the dialogues on the twin, as far as they make sense, and the turns that are left out."""
    untrusted, dialogues, left_out = kg.endpoint.untrusted_view(), [], []
    for dialogue in benchmark.dialogues:
        read, reason = read_dialogue(DialogueReader(kg, untrusted, triples, dialogue.seed.iri), dialogue)
        dialogues.append(read)
        for turn in dialogue.turns[len(read.turns) :]:
            left_out.append(f"{turn_id(dialogue, turn)}: {reason}")
            reason = "follows a turn that is left out"
        on_progress()
    return dialogues, tuple(left_out)


def _unchanged_turns(before: Sequence[Dialogue], after: Sequence[Dialogue]) -> Iterator[str]:
    """Yield the ids of the turns with the same gold."""
    for old, new in zip(before, after, strict=True):
        for old_turn, turn in zip(old.turns, new.turns, strict=False):
            if has_same_gold(old_turn, turn):
                yield turn_id(new, turn)


def _header(benchmark: Benchmark, kg: KnowledgeGraph) -> dict[str, Any]:
    graph = {"sources": [GRAPH], "fingerprint": kg.fingerprint(), "triples": kg.count_triples()}
    return {**benchmark.header, "name": f"{benchmark.name}, twin", "kg": graph}


def _label_predicates(kg: KnowledgeGraph, counts: Counter[URIRef]) -> dict[str, int]:
    labels = kg.labels(counts)
    return {f"{labels[predicate]} <{predicate}>": count for predicate, count in sorted(counts.items())}


def _swap_line(swap: Swap) -> str:
    subject, predicate, old = to_benchmark_triple((swap.subject, swap.predicate, swap.old))
    new = to_benchmark_triple((swap.subject, swap.predicate, swap.new))[2]
    return to_json_line({"subject": subject, "predicate": predicate, "old": old, "new": new})

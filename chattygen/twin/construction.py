"""Make a twin: read the whole graph, swap what the benchmark tests, and run its queries on the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import starmap
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from chattyshared.benchmark import Benchmark, turn_id
from chattyshared.errors import ConfigError
from chattyshared.formats.box import GRAPH
from chattyshared.jsonlines import to_json_line, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import fetch_pages
from chattyshared.kg.factory import open_kg
from chattyshared.sparql.result_comparison import compare_answers
from chattyshared.terms import Term, Triple
from rdflib import Literal, URIRef

from chattygen.snapshot.archive import render_triples
from chattygen.snapshot.extraction import PAGE_SIZE, drop_unstable_nodes, match_query
from chattygen.snapshot.reproduction import TurnLeftOut, keep_turns
from chattygen.turns import to_benchmark_triple
from chattygen.twin.dialogues import DialogueReader
from chattygen.twin.swaps import ObjectSwapper

MAX_TRIPLES = 2_000_000
"""Triples of the largest graph that gets a twin: it is held in memory as Python objects."""


@dataclass(frozen=True, slots=True)
class Twin:
    """The twin of a graph and of its benchmark, whose header states under ``twin`` how it was made.

    ``swaps`` are the changed facts, with the objects that they had.
    """

    triples: frozenset[Triple]
    benchmark: Benchmark
    swaps: Mapping[Triple, Term]


def make_twin(
    kg: KnowledgeGraph, benchmark: Benchmark, *, seed: int = 0, on_progress: Callable[[], None] = lambda: None
) -> Twin:
    """Return the twin of a graph and a benchmark; ``on_progress`` is called after each dialogue.

    Raises:
        ConfigError: the graph is too large, or nothing can be swapped.
        EndpointError: the endpoint does not answer.
    """
    graph = _read_graph(kg)
    tested = _tested_facts(kg, benchmark)
    swapper = ObjectSwapper(graph, kg.profile, Random(f"{seed}/swaps"), names=_read_names(kg, benchmark, graph, tested))
    unswapped = _label_predicates(kg, swapper.swap(tested))
    naming = _label_predicates(kg, Counter(fact[1] for fact in tested if fact[1] in swapper.naming))
    if not swapper.swaps:
        listed = ", ".join(f"{label} ({count})" for label, count in unswapped.items())
        raise ConfigError(f"nothing can be swapped: no tested fact has a partner{f' of {listed}' if listed else ''}")
    triples = frozenset(graph)
    with TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / GRAPH
        write_atomically(path, render_triples(triples))
        twin_kg = KnowledgeGraph(open_kg(path).endpoint, kg.profile)
        untrusted = twin_kg.endpoint.untrusted_view()
        kept, left_out = keep_turns(
            benchmark,
            lambda dialogue: map(DialogueReader(twin_kg, untrusted, triples, dialogue.seed.iri).read, dialogue.turns),
            on_progress,
        )
        source = {"sources": [GRAPH], "fingerprint": twin_kg.fingerprint(), "triples": twin_kg.count_triples()}
    if not kept.dialogues:
        raise ConfigError(f"no dialogue makes sense on the twin: {left_out[0]}")
    turns = {turn_id(dialogue, turn): turn for dialogue in benchmark for turn in dialogue.turns}
    ids = ((turn_id(dialogue, turn), turn) for dialogue in kept for turn in dialogue.turns)
    stated = {
        "of": benchmark.digest(), "seed": seed, "swapped": len(swapper.swaps),
        "unswapped": unswapped, "naming": naming,
        "unchanged": [id for id, turn in ids if not any(compare_answers(turns[id].answers, turn.answers))],
        "left_out": list(left_out),
    }  # fmt: skip
    header = {**benchmark.header, "name": f"{benchmark.name}, twin", "kg": source, "twin": stated}
    return Twin(triples, replace(kept, header=header), swapper.swaps)


def write_twin(folder: Path, twin: Twin) -> None:
    """Write the graph, the benchmark and the swaps into a folder.

    Raises:
        ConfigError: a file cannot be written.
        StorageFailed: the disk is full.
    """
    write_atomically(folder / GRAPH, render_triples(twin.triples))
    write_atomically(folder / "swaps.jsonl", starmap(_swap_line, twin.swaps.items()))
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
                except TurnLeftOut as error:
                    raise ConfigError(f"{turn_id(dialogue, turn)}: {error}") from error
    return tested


def _read_names(
    kg: KnowledgeGraph, benchmark: Benchmark, graph: Iterable[Triple], tested: Iterable[Triple]
) -> dict[Term, str]:
    """Return the names of the things that have a literal by a tested predicate, as the benchmark or the graph states
    them; a thing without a label is named by its IRI."""
    predicates = {predicate for _, predicate, _ in tested}
    names = kg.labels({s for s, p, o in graph if p in predicates and isinstance(o, Literal)})
    return {**names, **{URIRef(dialogue.seed.iri): dialogue.seed.label for dialogue in benchmark.dialogues}}


def _label_predicates(kg: KnowledgeGraph, counts: Counter[URIRef]) -> dict[str, int]:
    labels = kg.labels(counts)
    return {f"{labels[predicate]} <{predicate}>": count for predicate, count in sorted(counts.items())}


def _swap_line(fact: Triple, old: Term) -> str:
    subject, predicate, new = to_benchmark_triple(fact)
    former = to_benchmark_triple((fact[0], fact[1], old))[2]
    return to_json_line({"subject": subject, "predicate": predicate, "old": former, "new": new})

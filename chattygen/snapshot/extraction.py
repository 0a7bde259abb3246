"""The snapshot: the part of a graph that reproduces a benchmark's gold and offers the wrong answers near it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

from chattyshared.benchmark import Benchmark
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ChattyError, ConfigError, EndpointUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches, count_of, fetch_pages, format_iri, in_filter, is_nameable, values_block
from chattyshared.option_specs import SHOWN_ANSWERS
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.pattern_groups import PatternGroup, is_monotone, read_pattern_groups
from chattyshared.terms import Triple
from rdflib import BNode, URIRef

from chattygen.snapshot.reproduction import TurnLeftOut, keep_turns

PAGE_SIZE = 100_000
"""Rows of one page; a server that gives fewer is asked for the rest."""
MAX_ENTITY_TRIPLES = 400
"""Triples of one entity in each direction, as in the subgraphs that dialogues are made from."""


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """``max_triples`` bounds what the gold queries match; ``skip`` leaves out the turns that exceed it, and those
    whose gold the snapshot does not reproduce.

    ``distractors`` are the further entities of each class, ``seed`` is the seed of their sample.
    """

    distractors: int
    max_triples: int
    skip: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The triples, the benchmark without the turns that were left out, and these turns, each with the reason."""

    triples: frozenset[Triple] = field(repr=False)
    benchmark: Benchmark
    left_out: tuple[str, ...] = ()


def extract_snapshot(
    kg: KnowledgeGraph, benchmark: Benchmark, options: SnapshotOptions, on_progress: Callable[[], None] = lambda: None
) -> Snapshot:
    """Return the snapshot of a benchmark; ``on_progress`` is called after each dialogue.

    It holds all matches of the gold queries' patterns, the other facts of the seeds, of the answers and of what the
    queries name, further entities of their classes, and names, classes and schema of everything.

    Raises:
        ConfigError: a turn is too large.
        EndpointError: the endpoint does not answer.
    """
    triples: set[Triple] = set()

    def match_turns(dialogue: Dialogue) -> Iterator[Turn]:
        for turn in dialogue.turns:
            triples.update(_match_turn(kg, turn, options.max_triples, triples))
            yield turn

    kept, left_out = keep_turns(benchmark, match_turns, on_progress)
    if left_out and not options.skip:
        raise ConfigError(
            f"{left_out[0]}; at most {options.max_triples:,} triples may be matched: raise max_triples, or leave "
            "such turns out with --skip"
        )
    triples |= set(_context(kg, kept.dialogues, triples, options))
    triples |= set(_descriptions(kg, triples))
    return Snapshot(frozenset(drop_unstable_nodes(kg.endpoint, triples)), kept, left_out)


def add_predicates(kg: KnowledgeGraph, snapshot: Snapshot, queries: Iterable[str], *, max_triples: int) -> Snapshot:
    """Return a snapshot with all triples of the predicates in some queries, as far as they are not too many.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    triples = set(snapshot.triples)
    for predicate in {iri: None for query in queries for iri in analyze_query(query).predicates}:
        with suppress(TurnLeftOut):
            every = f"SELECT * WHERE {{ ?s {format_iri(predicate)} ?o }}"
            triples |= set(match_query(kg.endpoint, every, limit=max_triples))
    triples |= set(_descriptions(kg, triples))
    return replace(snapshot, triples=frozenset(drop_unstable_nodes(kg.endpoint, triples)))


def match_query(endpoint: Endpoint, sparql: str, *, limit: int) -> Iterator[Triple]:
    """Yield the triples of all matches of a query's patterns.

    Raises:
        TurnLeftOut: they are more than ``limit``, or cannot be counted in time.
        EndpointError: the endpoint does not answer.
    """
    for group in read_pattern_groups(sparql):
        yield from _match_group(endpoint, group, limit)


def _match_turn(kg: KnowledgeGraph, turn: Turn, limit: int, triples: set[Triple]) -> set[Triple]:
    """Return the triples that a turn's query matches; what ``triples`` already holds counts as well."""
    if not turn.answers and is_monotone(turn.sparql):  # no part of the graph gives an answer either
        return set()
    matches = set(match_query(kg.endpoint, turn.sparql, limit=limit))
    size = len(triples | matches)
    if size > limit:
        raise TurnLeftOut(f"its query brings the snapshot to {size:,} triples")
    return matches


def _match_group(endpoint: Endpoint, group: PatternGroup, limit: int) -> Iterator[Triple]:
    text = group.text
    try:  # the patterns are those of a file: they may take for ever
        counted = endpoint.untrusted_view().select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {text} }}")
    except EndpointUnavailable:
        raise
    except ChattyError as error:
        raise TurnLeftOut(f"its matches cannot be counted: {' '.join(str(error).split())[:100]}") from error
    rows = count_of(counted[0], "n") if counted else 0
    if rows > limit:
        raise TurnLeftOut(f"its patterns have {rows:,} matches")
    query = f"SELECT * WHERE {{ {text} }}"
    for row in fetch_pages(endpoint, query, PAGE_SIZE) if rows > PAGE_SIZE else endpoint.select(query):
        yield from group.triples_of(row)


def _context(
    kg: KnowledgeGraph, dialogues: Sequence[Dialogue], matches: set[Triple], options: SnapshotOptions
) -> Iterator[Triple]:
    """Yield the facts of the entities in question, of nodes beside them that nobody names, and of distractors."""
    entities = list(dict.fromkeys(filter(is_nameable, entities_in_question(dialogues))))
    facts = list(_facts(kg, entities))
    yield from facts
    ends = dict.fromkeys(end for s, _, o in facts for end in (s, o) if isinstance(end, URIRef))
    # Nodes that nobody names: a row, a statement, a value with a unit.
    types = kg.types_of(ends)
    yield from _facts(kg, [end for end in ends if any(kg.hidden_class(kind) is not None for kind in types[end])])
    used = {predicate for _, predicate, _ in matches}
    distractors = _distractors(kg, entities, options)
    yield from (triple for triple in _facts(kg, distractors) if triple[1] in used)


def entities_in_question(dialogues: Iterable[Dialogue]) -> Iterator[URIRef]:
    """Yield the seeds, what the queries name, and the first answers of each turn."""
    for dialogue in dialogues:
        yield URIRef(dialogue.seed.iri)
        for turn in dialogue.turns:
            yield from (URIRef(value.value) for value in turn.answers[:SHOWN_ANSWERS] if value.kind == "iri")
            yield from map(URIRef, analyze_query(turn.sparql).iris)


def _facts(kg: KnowledgeGraph, entities: Sequence[URIRef]) -> Iterator[Triple]:
    things = [entity for entity in entities if not _is_schema(kg, entity)]
    for edges in kg.neighbourhoods(things, limit=MAX_ENTITY_TRIPLES).values():
        yield from ((edge.subject, edge.predicate, edge.object) for edge in edges)


def _distractors(kg: KnowledgeGraph, entities: Sequence[URIRef], options: SnapshotOptions) -> list[URIRef]:
    """Return further entities of the classes in question: those with similar names first, the others at random."""
    if not options.distractors:
        return []
    classes = Counter(kind for kinds in kg.types_of(entities).values() for kind in kinds)
    labels = list(dict.fromkeys(kg.labels(entities).values()))
    found: dict[str, dict[URIRef, None]] = {kind: {} for kind in classes}
    for hits in kg.search(labels, limit=options.distractors).values():
        for hit in hits:
            for kind in classes.keys() & set(hit.types):
                found[kind][URIRef(hit.iri)] = None
    taken: dict[URIRef, None] = {}
    for kind in sorted(classes):
        sample = kg.sample_entities(kind, rng=Random(f"{options.seed}/{kind}"), limit=2 * options.distractors)
        further = [each for each in (*found[kind], *sample) if each not in entities]
        taken |= dict.fromkeys(list(dict.fromkeys(further))[: options.distractors])
    return list(filter(is_nameable, taken))


def _descriptions(kg: KnowledgeGraph, triples: Iterable[Triple]) -> Iterator[Triple]:
    """Yield names and classes of all nodes, and every statement about their classes and predicates, and those above."""
    naming = in_filter("p", (*kg.profile.naming, *kg.profile.types))
    nodes = {node for triple in triples for node in triple if isinstance(node, URIRef)}
    schema: set[URIRef] = set()
    described: set[URIRef] = set()
    while nodes:
        schema |= {node for node in nodes if _is_schema(kg, node)}
        named = list(_statements(kg, nodes - schema, naming))
        yield from named
        schema |= {o for _, p, o in named if str(p) in kg.profile.types and isinstance(o, URIRef)}
        stated = [triple for triple in _statements(kg, schema - described) if not isinstance(triple[2], BNode)]
        yield from stated
        described |= schema | nodes
        nodes = {end for _, p, end in stated if isinstance(end, URIRef)} | {p for _, p, _ in (*named, *stated)}
        nodes -= described


def _is_schema(kg: KnowledgeGraph, node: URIRef) -> bool:
    return str(node) in kg.vocabulary.classes or str(node) in kg.vocabulary.predicates


def _statements(kg: KnowledgeGraph, subjects: Iterable[URIRef], condition: str = "") -> Iterator[Triple]:
    for batch in batches(sorted(filter(is_nameable, subjects))):
        query = f"SELECT ?s ?p ?o WHERE {{ {values_block('s', batch)} ?s ?p ?o {condition} }}"
        for row in fetch_pages(kg.endpoint, query, PAGE_SIZE):
            yield row["s"], row["p"], row["o"]  # type: ignore[misc]


def drop_unstable_nodes(endpoint: Endpoint, triples: Iterable[Triple]) -> set[Triple]:
    """Return triples without those with blank nodes, if the endpoint is a server: it names them anew in each reply."""
    is_stable = isinstance(endpoint, LocalEndpoint)
    return {triple for triple in triples if is_stable or not any(isinstance(term, BNode) for term in triple)}

"""The entities of a class: counts, pages, random samples, and their literal predicates."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout
from chattyshared.kg.batches import batches, count_of, fetch_pages, format_iri, text_of, union_pattern, values_block
from chattyshared.kg.cache import open_or_build_index
from chattyshared.kg.labels import language_rank
from chattyshared.kg.records import LiteralPredicate
from chattyshared.profile import Profile
from chattyshared.progress import ShowProgress, hide_progress, report_items

PAGE_SIZE = 10_000
"""Rows of one page: the limit of the strictest public endpoint."""
SAMPLED_PAGE_SIZE = 200
"""Rows of one page of a random sample."""
PAGES_AT_ONCE = 5
"""Pages of a random sample that one request reads: a server skips all rows before each."""
MAX_FULL_READ = 100_000
"""Classes of up to this many entities are read whole for a random sample."""
ANY_CLASS = ""
"""Stands for a class in KGs without types: every entity that the KG describes."""


def fetch_members(endpoint: Endpoint, profile: Profile, classes: Sequence[str]) -> tuple[URIRef, ...]:
    """Return all entities (IRIs only) of the classes, sorted.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    rows = fetch_pages(endpoint, f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }}", PAGE_SIZE)
    return tuple(sorted({term for row in rows if isinstance(term := row.get("s"), URIRef)}))


def count_subjects(endpoint: Endpoint, profile: Profile, *, at_most: int) -> int:
    """Return the number of IRIs that are subjects; ``at_most`` if counting takes too long.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    try:
        rows = endpoint.select(
            f"SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members_pattern(profile, (ANY_CLASS,))} }}"
        )
    except EndpointTimeout:
        return at_most
    return count_of(rows[0], "n") if rows else 0


def count_degrees(endpoint: Endpoint, profile: Profile, classes: Sequence[str]) -> dict[URIRef, int]:
    """Return the number of triples with each entity of the classes as subject or object, in one request.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    inner = f"{{ SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} }}"
    branches = [
        f"{{ SELECT ?s (COUNT(*) AS ?n) WHERE {{ {inner} {pattern} }} GROUP BY ?s }}"
        for pattern in ("?s ?p ?o", "?o ?p ?s")
    ]
    counts: Counter[URIRef] = Counter()
    for row in endpoint.select(f"SELECT ?s ?n WHERE {{ {union_pattern(branches)} }}"):
        if isinstance(entity := row.get("s"), URIRef):
            counts[entity] += count_of(row, "n")
    return dict(counts)


def fetch_page(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], *, limit: int, offset: int
) -> list[URIRef]:
    """Return one page of the entities of the classes, in the endpoint's own order."""
    query = f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} LIMIT {limit} OFFSET {offset}"
    return [term for row in endpoint.select(query) if isinstance(term := row.get("s"), URIRef)]


def sample_members(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], size: int, *, rng: Random, limit: int
) -> tuple[URIRef, ...]:
    """Sample from classes too big to read: up to 20 entities from each of several pages at random offsets."""
    sampled: dict[URIRef, None] = {}
    offsets = [rng.randrange(max(1, size - SAMPLED_PAGE_SIZE)) for _ in range(max(4, 4 * limit // 20))]
    for batch in batches(offsets, PAGES_AT_ONCE):
        for page in _fetch_pages_at(endpoint, profile, classes, batch):
            sampled |= dict.fromkeys(rng.sample(page, min(20, len(page))))
        if len(sampled) >= limit:
            break
    members = list(sampled)
    rng.shuffle(members)
    return tuple(members[:limit])


def _fetch_pages_at(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], offsets: Sequence[int]
) -> list[list[URIRef]]:
    """Return several pages of the entities of the classes, in one request."""
    pattern = members_pattern(profile, classes)
    parts = [
        f"SELECT DISTINCT ({page} AS ?page) ?s WHERE {{ {pattern} }} LIMIT {SAMPLED_PAGE_SIZE} OFFSET {offset}"
        for page, offset in enumerate(offsets)
    ]
    pages: list[list[URIRef]] = [[] for _ in offsets]
    for row in endpoint.select(f"SELECT ?page ?s WHERE {{ {union_pattern(parts)} }}"):
        if isinstance(term := row.get("s"), URIRef):
            pages[count_of(row, "page")].append(term)
    return pages


def draw_members(  # noqa: PLR0913
    endpoint: Endpoint,
    profile: Profile,
    classes: Sequence[str],
    path: Path | None,
    *,
    show_progress: ShowProgress = hide_progress,
    size: int | None = None,
) -> tuple[URIRef, ...]:
    """Return ``MAX_FULL_READ`` entities of classes too big to read, drawn uniformly, from a file that keeps them.

    For local stores only: the first draw reads all entities once. ``size`` is their number, for its progress.

    Raises:
        EndpointError: the endpoint does not answer.
    """

    def fill(connection: sqlite3.Connection) -> None:
        query = f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }}"
        members = (text_of(row, "s") for row in fetch_pages(endpoint, query, PAGE_SIZE))
        with show_progress("sample of entities", size) as advance:
            drawn = draw_from_stream(report_items(members, advance), MAX_FULL_READ, Random(" ".join(classes)))
        connection.execute("CREATE TABLE member(iri TEXT)")
        connection.executemany("INSERT INTO member VALUES (?)", ((iri,) for iri in sorted(drawn)))
        connection.commit()

    file = open_or_build_index(path, fill, table="member")
    return tuple(URIRef(iri) for (iri,) in file.select("SELECT iri FROM member ORDER BY rowid"))


def draw_from_stream(items: Iterable[str], size: int, rng: Random) -> list[str]:
    """Return ``size`` items drawn uniformly, or all if there are fewer (Vitter 1985, algorithm R)."""
    drawn: list[str] = []
    for number, item in enumerate(items):
        if number < size:
            drawn.append(item)
        elif (position := int(rng.random() * (number + 1))) < size:
            drawn[position] = item
    return drawn


def sample_literal_predicates(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], *, sample_size: int
) -> list[LiteralPredicate]:
    """Return the literal predicates of sampled entities of the classes, by share; each has its IRI as label.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    sample_query = f"{{ SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} LIMIT {sample_size} }}"
    rows = endpoint.select(f"SELECT ?s ?p ?o WHERE {{ {sample_query} ?s ?p ?o }}")
    entities = {text_of(row, "s") for row in rows}
    subjects_by_predicate: dict[str, set[str]] = defaultdict(set)
    literals: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("o")
        if isinstance(value, Literal):
            subjects_by_predicate[text_of(row, "p")].add(text_of(row, "s"))
            literals[text_of(row, "p")].append(value)
    literal_predicates = [
        LiteralPredicate(
            iri=predicate,
            label=predicate,
            share=round(len(subjects_by_predicate[predicate]) / len(entities), 4),
            samples=_sample_texts(values, profile),
            datatype=_most_frequent(str(v.datatype or "http://www.w3.org/2001/XMLSchema#string") for v in values),
            languages=tuple(sorted({v.language for v in values if v.language})),
        )
        for predicate, values in literals.items()
    ]
    return sorted(literal_predicates, key=lambda p: (-p.share, p.iri))


def members_pattern(profile: Profile, classes: Sequence[str]) -> str:
    """Return the graph pattern that binds ``?s`` to the entities of the classes (IRIs only)."""
    if ANY_CLASS in classes:
        return "?s ?anything ?said FILTER(!isBlank(?s))"
    if len(classes) == 1:
        return f"{profile.type_pattern('?s', format_iri(classes[0]))} FILTER(!isBlank(?s))"
    return f"{values_block('c', classes)} {profile.type_pattern('?s', '?c')} FILTER(!isBlank(?s))"


def _sample_texts(values: Sequence[Literal], profile: Profile) -> tuple[str, ...]:
    ordered = sorted(values, key=lambda v: (language_rank(v, profile), str(v)))
    best_rank = language_rank(ordered[0], profile)
    texts = list(dict.fromkeys(str(v) for v in ordered if language_rank(v, profile) == best_rank))
    step = max(1, len(texts) // 5)
    return tuple(texts[::step][:5])


def _most_frequent(names: Iterable[str]) -> str:
    tally = Counter(names)
    return min(tally, key=lambda name: (-tally[name], name))

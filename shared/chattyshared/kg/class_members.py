"""The entities of a class: counted, in pages, drawn by chance, and what literals they have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from random import Random

from rdflib import Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout
from chattyshared.kg.batches import count_of, fetch_pages, format_iri, text_of, union_pattern, values_block
from chattyshared.kg.labels import language_rank
from chattyshared.kg.records import LiteralPredicate
from chattyshared.profile import Profile

PAGE = 10_000
"""Rows of one page: what the strictest public endpoint gives at once."""
MAX_FULL_READ = 100_000
"""Classes up to this size are read whole for a draw."""
ANY_CLASS = ""
"""In place of a class: whatever the KG describes, for KGs that do not type their entities."""


def fetch_members(endpoint: Endpoint, profile: Profile, classes: Sequence[str]) -> tuple[URIRef, ...]:
    """Return all entities (IRIs only) of some classes, sorted.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    rows = fetch_pages(endpoint, f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }}", PAGE)
    return tuple(sorted({term for row in rows if isinstance(term := row.get("s"), URIRef)}))


def count_subjects(endpoint: Endpoint, profile: Profile, *, at_most: int) -> int:
    """Return how many IRIs a KG says anything of; the given upper bound where counting takes too long.

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
    """Return the number of triples that each entity of some classes stands in, as subject or as object; one request.

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
    """Return one page of the entities of huge classes in the endpoint's own order."""
    query = f"SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} LIMIT {limit} OFFSET {offset}"
    return [term for row in endpoint.select(query) if isinstance(term := row.get("s"), URIRef)]


def sample_members(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], size: int, *, rng: Random, limit: int
) -> tuple[URIRef, ...]:
    """Draw from classes too big to be read: entities at random places, some from each page that is asked for."""
    found: dict[URIRef, None] = {}
    width = 200
    for _ in range(max(4, 4 * limit // 20)):
        block = fetch_page(endpoint, profile, classes, limit=width, offset=rng.randrange(max(1, size - width)))
        for entity in rng.sample(block, min(20, len(block))):
            found.setdefault(entity)
        if len(found) >= limit:
            break
    drawn = list(found)
    rng.shuffle(drawn)
    return tuple(drawn[:limit])


def sample_literal_predicates(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], *, sample_size: int
) -> list[LiteralPredicate]:
    """Return the literal predicates of sampled entities of some classes, most shared first; labels are the IRIs yet.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    inner = f"{{ SELECT DISTINCT ?s WHERE {{ {members_pattern(profile, classes)} }} LIMIT {sample_size} }}"
    rows = endpoint.select(f"SELECT ?s ?p ?o WHERE {{ {inner} ?s ?p ?o }}")
    entities = {text_of(row, "s") for row in rows}
    having: dict[str, set[str]] = defaultdict(set)
    literals: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("o")
        if isinstance(value, Literal):
            having[text_of(row, "p")].add(text_of(row, "s"))
            literals[text_of(row, "p")].append(value)
    made = [
        LiteralPredicate(
            iri=predicate,
            label=predicate,
            share=round(len(having[predicate]) / len(entities), 4),
            samples=_samples(found, profile),
            datatype=_most(str(v.datatype or "http://www.w3.org/2001/XMLSchema#string") for v in found),
            languages=tuple(sorted({v.language for v in found if v.language})),
        )
        for predicate, found in literals.items()
    ]
    return sorted(made, key=lambda p: (-p.share, p.iri))


def members_pattern(profile: Profile, classes: Sequence[str]) -> str:
    """Return the graph pattern that binds ``?s`` to the entities of some classes (IRIs only)."""
    if ANY_CLASS in classes:
        return "?s ?anything ?said FILTER(isIRI(?s))"
    if len(classes) == 1:
        return f"{profile.type_pattern('?s', format_iri(classes[0]))} FILTER(isIRI(?s))"
    return f"{values_block('c', classes)} {profile.type_pattern('?s', '?c')} FILTER(isIRI(?s))"


def _samples(found: Sequence[Literal], profile: Profile) -> tuple[str, ...]:
    order = sorted(found, key=lambda v: (language_rank(v, profile), str(v)))
    best = language_rank(order[0], profile)
    texts = list(dict.fromkeys(str(v) for v in order if language_rank(v, profile) == best))
    step = max(1, len(texts) // 5)
    return tuple(texts[::step][:5])


def _most(names: Iterable[str]) -> str:
    tally = Counter(names)
    return min(tally, key=lambda name: (-tally[name], name))

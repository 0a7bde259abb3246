"""What the things of a class have: their predicates with the number that has each, and the values of one predicate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Value
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import count_of, format_iri
from chattyshared.kg.class_statistics import measure_class, members_pattern
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.morphology import normalize_text
from chattyshared.literals import to_value
from chattyshared.terms import Term
from rdflib import URIRef


@dataclass(frozen=True, slots=True)
class PredicateCount:
    """How many things of a class have a predicate: as its subject, or with ``is_inverse`` as its object."""

    iri: str
    count: int
    is_inverse: bool = False


@dataclass(frozen=True, slots=True)
class ClassPredicates:
    """The predicates at the things of a class, most frequent first, and the number of these things."""

    class_iri: str
    size: int
    predicates: tuple[PredicateCount, ...]


@dataclass(frozen=True, slots=True)
class ValueCounts:
    """The values of a predicate, most frequent first, each with the number of its subjects.

    ``class_iri`` is the class of the subjects ("": any), ``size`` its number of things. ``subjects`` have a value at
    all; ``distinct`` is the number of all values; ``lowest`` and ``highest`` are the ends of their order.
    """

    predicate: str
    class_iri: str
    size: int
    subjects: int
    distinct: int
    values: tuple[tuple[Value, int], ...]
    lowest: Value | None = None
    highest: Value | None = None


def find_class(kg: KnowledgeGraph, text: str) -> str:
    """Return the IRI of the class that a text is or names; "" for an empty text.

    Raises:
        ConfigError: no class has such a name.
    """
    return _find_entry(kg.vocabulary.classes, text, "class")


def find_predicate(kg: KnowledgeGraph, text: str) -> str:
    """Return the IRI of the predicate that a text is or names.

    Raises:
        ConfigError: no predicate has such a name.
    """
    return _find_entry(kg.vocabulary.predicates, text, "predicate")


def find_entry_named(entries: Iterable[ClassEntry | PredicateEntry], text: str) -> str:
    """Return the IRI of the first class or predicate with a name; "" without one."""
    name = normalize_text(text)
    return next((e.iri for e in entries if name in map(normalize_text, (e.label, *e.alt_labels))), "")


def _find_entry(entries: Mapping[str, ClassEntry | PredicateEntry], text: str, kind: str) -> str:
    bare = text.strip().strip("<>")
    if not bare or bare in entries:
        return bare
    named = find_entry_named(entries.values(), text)
    if not named:
        raise ConfigError(f"no {kind} is called {text.strip()[:80]!r}")
    return named


def class_pattern(kg: KnowledgeGraph, class_iri: str) -> str:
    """Return the graph pattern that binds ``?s`` to the things of a class and of its subclasses."""
    return members_pattern(kg.profile, sorted(kg.vocabulary.subclasses(class_iri)))


def count_class_predicates(kg: KnowledgeGraph, class_iri: str) -> ClassPredicates:
    """Count the predicates at the things of a class, in both directions; one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    classes = sorted(kg.vocabulary.subclasses(class_iri))
    measured = measure_class(kg.endpoint, kg.profile, classes, class_iri, sample_size=0)
    counts = (PredicateCount(use.iri, use.thing_count, use.is_inverse) for use in measured.predicates)
    return ClassPredicates(class_iri, measured.size, tuple(counts))


def count_values(kg: KnowledgeGraph, predicate: str, class_iri: str = "", *, limit: int) -> ValueCounts:
    """Count the values of a predicate at the things of a class; two requests, one for the size and one for labels.

    Raises:
        EndpointError: the KG could not be asked.
    """
    members = class_pattern(kg, class_iri) if class_iri else ""
    pattern = f"{members} ?s {format_iri(predicate)} ?v"
    rows = kg.endpoint.select(
        f"SELECT ?v (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {pattern} }} GROUP BY ?v ORDER BY DESC(?n) ?v LIMIT {limit}"
    )
    totals = kg.endpoint.select(
        "SELECT (COUNT(DISTINCT ?s) AS ?n) (COUNT(DISTINCT ?v) AS ?d) (MIN(?v) AS ?low) (MAX(?v) AS ?high) "
        f"WHERE {{ {pattern} }}"
    )
    total = totals[0] if totals else {}
    ends = [total.get(name) for name in ("low", "high")]
    values = _to_values(kg, [row["v"] for row in rows if "v" in row])
    lowest, highest = (to_value(end) if end is not None and not isinstance(end, URIRef) else None for end in ends)
    counts = tuple(zip(values, (count_of(row, "n") for row in rows if "v" in row), strict=True))
    size = _count_members(kg, class_iri) if class_iri else 0
    return ValueCounts(predicate, class_iri, size, count_of(total, "n"), count_of(total, "d"), counts, lowest, highest)


def _count_members(kg: KnowledgeGraph, class_iri: str) -> int:
    rows = kg.endpoint.select(f"SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {class_pattern(kg, class_iri)} }}")
    return count_of(rows[0], "n") if rows else 0


def _to_values(kg: KnowledgeGraph, terms: Sequence[Term]) -> list[Value]:
    iris = {term for term in terms if isinstance(term, URIRef)}
    labels = kg.labels(iris) if iris else {}
    return [to_value(term, labels.get(term, "")) for term in terms]

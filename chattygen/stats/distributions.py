"""Counts of names, summary statistics of numbers, divergence of distributions; the same of the parts of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from math import log2
from statistics import fmean, median
from typing import Any

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.sparql.analysis import QueryShape, parse_query_shape, strip_query_terms
from chattyshared.sparql.pattern_groups import query_shape


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each name occurs: the most frequent first, equal ones by name."""

    items: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, names: Iterable[str]) -> Counts:
        """Count names."""
        return cls(tuple(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))))

    @property
    def total(self) -> int:
        """How many names were counted, repetitions included."""
        return sum(number for _, number in self.items)

    def __getitem__(self, name: str) -> int:
        return next((number for key, number in self.items if key == name), 0)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.items)

    def __len__(self) -> int:
        return len(self.items)

    def shares(self) -> dict[str, float]:
        """Return each name's share of the total, in 0..1."""
        total = self.total
        return {name: number / total for name, number in self.items}

    def entropy(self) -> float:
        """Return the Shannon entropy in bits: 0 if all are one name, log2 of the number of names if all are equally
        frequent."""
        return -sum(share * log2(share) for share in self.shares().values()) if len(self.items) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class SummaryStatistics:
    """Summary of numbers: how many there are, their mean, minimum, median, 90th percentile (nearest rank) and
    maximum."""

    n: int = 0
    mean: float = 0.0
    least: float = 0.0
    median: float = 0.0
    p90: float = 0.0
    most: float = 0.0

    @classmethod
    def of(cls, numbers: Iterable[float]) -> SummaryStatistics:
        """Describe numbers; without any, everything is 0."""
        ordered = sorted(numbers)
        if not ordered:
            return cls()
        rank = -(-len(ordered) * 9 // 10) - 1
        return cls(len(ordered), fmean(ordered), ordered[0], median(ordered), ordered[rank], ordered[-1])


def share(part: float, whole: float) -> float | None:
    """Return a share in 0..1; None if ``whole`` is 0."""
    return part / whole if whole else None


def js_divergence(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the Jensen-Shannon divergence of two distributions in bits (Lin 1991): 0 equal, 1 nothing in common."""

    def divergence_from_mean(shares: Mapping[str, float]) -> float:
        return sum(
            probability * log2(probability / ((one.get(name, 0.0) + other.get(name, 0.0)) / 2))
            for name, probability in shares.items()
            if probability > 0
        )

    return min(1.0, max(0.0, (divergence_from_mean(one) + divergence_from_mean(other)) / 2))


def to_json(value: Any) -> Any:
    """Return a value of figures in JSON types: counts as objects, floats rounded to four places."""
    if isinstance(value, Counts):
        return dict(value.items)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


MAESTRO_KEYWORDS = (
    "select", "ask", "where", "distinct", "limit", "offset", "orderby", "asc(", "desc(", "filter", "union{",
    "notexists{", "exists{", "minus{", "groupby", "having", "count(", "min(", "max(", "sum(", "avg(",
)  # fmt: skip
"""The SPARQL keywords that Maestro counts, in a query without blanks and in lower case."""
MAESTRO_SCALE = 300
"""Maestro's divisor, which brings the product of its three counts to 0..1."""


@dataclass(frozen=True, slots=True)
class QueryStats:
    """Statistics of the queries.

    ``triples`` counts triple patterns per query (as texts, so that they count like the others), ``predicates`` the
    queries that each predicate occurs in, ``shapes`` those of each shape of a graph; ``complexity`` is Maestro's,
    ``complexities`` its histogram in steps of 0.1.
    ``unread``: queries that are no SPARQL 1.1; they are in none of the other figures.
    """

    read: int
    unread: int
    triples: Counts
    triples_per_query: SummaryStatistics
    features: Counts
    predicates: Counts
    shapes: Counts
    complexity: SummaryStatistics
    complexities: Counts


def describe_queries(dialogues: Sequence[Dialogue]) -> QueryStats:
    """Describe the queries of all turns that have one."""
    turns = [turn for dialogue in dialogues for turn in dialogue.turns if turn.sparql.strip()]
    shapes = [(turn, parse_query_shape(turn.sparql)) for turn in turns]
    parsed = [(turn, shape) for turn, shape in shapes if shape is not None]
    complexities = [maestro_complexity(turn, shape) for turn, shape in parsed]
    return QueryStats(
        read=len(parsed),
        unread=len(turns) - len(parsed),
        triples=Counts.of(str(shape.triples) for _, shape in parsed),
        triples_per_query=SummaryStatistics.of(shape.triples for _, shape in parsed),
        features=Counts.of(feature for _, shape in parsed for feature in shape.features),
        predicates=Counts.of(iri for _, shape in parsed for iri in shape.predicates),
        shapes=Counts.of(query_shape(turn.sparql) or "none" for turn, _ in parsed),
        complexity=SummaryStatistics.of(complexities),
        complexities=Counts.of(f"{min(9, int(10 * value)) / 10:.1f}" for value in complexities),
    )


def maestro_complexity(turn: Turn, shape: QueryShape) -> float:
    """Return Maestro's complexity of a turn, in 0..1: words times triples times keywords by 300, to three places.

    The words are those of the standalone question, as in Maestro; keywords are counted outside of IRIs and literals,
    while Maestro also counts those within.
    """
    words = len(turn.standalone.split())
    compact = "".join(strip_query_terms(turn.sparql).casefold().split())
    keywords = sum(keyword in compact for keyword in MAESTRO_KEYWORDS)
    return round(min(1.0, words * shape.triples * keywords / MAESTRO_SCALE), 3)

"""Statistics of the queries: triple patterns, SPARQL features, predicates, Maestro's complexity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Dialogue, Turn
from chattyshared.sparql.analysis import QueryShape, parse_query_shape, strip_query_terms
from chattyshared.sparql.pattern_groups import query_shape

from chattygen.stats.distributions import Counts, SummaryStatistics

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

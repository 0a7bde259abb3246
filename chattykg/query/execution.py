"""Query execution: run candidate queries best first, within a budget, until one has a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.endpoint import Row
from chattyshared.errors import QueryCrashed, QueryRejected
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count, read_number

from chattykg.query.composition import Query
from chattykg.query.solution_modifiers import write_cut_query, write_probe_query

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_PROBED = 16
"""Candidates that are probed together, in one request, if the best one is empty."""
MAX_RETRIES = 2
"""Probed candidates that are run if they have a solution."""
_MIN_SHARE_OF_BEST = 0.55
"""Share (0..1) of the best query's score from which a query is probed."""
_REFUSALS = (QueryRejected, QueryCrashed)
"""Failures of one query at a store that answers others."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query: its rows, or ``boolean`` for an ASK query.

    ``request_count`` is the number of requests until this result; ``is_substitute``: the store refused a better query.
    """

    query: Query
    rows: tuple[Row, ...] = ()
    boolean: bool | None = None
    request_count: int = 1
    is_substitute: bool = False

    @property
    def is_empty(self) -> bool:
        """Tell whether there is no row, no bound value, or a count, sum or mean of 0; never for a boolean."""
        if self.boolean is not None:
            return False
        modifier = self.query.modifier
        functions = {"count"} if modifier.is_counted else {function for function, *_ in modifier.aggregates}
        is_whole = modifier.kind == "groups" and (modifier.is_counted or not modifier.targets)
        if is_whole and functions - {"min", "max"}:
            read = read_count if functions == {"count"} else read_number
            return all(read(term) == 0 for row in self.rows for term in row.values())  # of no numbers it is 0
        return not any(self.rows)


def execute_queries(queries: Sequence[Query], kg: KnowledgeGraph) -> QueryResult:
    """Run the best query; if it is empty, probe the next ones together and run the best that are not empty.

    A query that the store refuses counts as empty. At most four requests for at least one query. Return the empty
    result of the best one if all are empty.

    Raises:
        QueryRejected, QueryCrashed: the store refused the best query, and no other has a result.
    """
    queries = queries[next((at for at, query in enumerate(queries) if _denies_something(query, kg)), 0) :]
    try:
        first = _run_query(queries[0], kg)
    except _REFUSALS:
        substitute = _execute_in_order(queries, QueryResult(queries[0]), kg)
        if substitute.is_empty:
            raise
        return replace(substitute, is_substitute=True)
    return _execute_in_order(queries, first, kg)


def try_queries(queries: Sequence[Query], kg: KnowledgeGraph) -> QueryResult | None:
    """Run queries as ``execute_queries`` does; None if the store refuses the best, and no other has a result."""
    try:
        return execute_queries(queries, kg)
    except _REFUSALS:
        return None


def has_tie_at_cut(result: QueryResult, kg: KnowledgeGraph) -> bool:
    """Tell whether things beyond the limit of a result have the same value as its last one; one request at most."""
    modifier, order = result.query.modifier, result.query.modifier.order
    if not modifier.is_ranked or modifier.aggregates or order is None or not 0 < order.limit <= len(result.rows):
        return False
    values = [row.get("value") for row in kg.endpoint.select(write_cut_query(result.query.pattern, modifier, order))]
    return len(values) > 1 and values[0] == values[1]


def _denies_something(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether what a query denies holds of something in the graph; else its negation leaves nothing out."""
    denied = (replace(part, conditions=()) for body in query.pattern.bodies for part in body.negated)
    try:
        return all(kg.endpoint.ask(f"ASK {{ {part.to_sparql()} }}") for part in denied)
    except _REFUSALS:
        return True


def _execute_in_order(queries: Sequence[Query], first: QueryResult, kg: KnowledgeGraph) -> QueryResult:
    """Return the result of the best query, or of the best of the others if that is empty."""
    if not first.is_empty:
        return first
    min_score = queries[0].score * _MIN_SHARE_OF_BEST
    others = [q for q in queries[1:] if q.score >= min_score and q.modifier.kind != "ask"][:MAX_PROBED]
    if not others:
        return first
    request_count = 2  # the best candidate, and the others together
    for index in _probe(others, kg)[:MAX_RETRIES]:
        result, request_count = try_queries((others[index],), kg), request_count + 1
        if result is not None and not result.is_empty and _denies_something(result.query, kg):
            return replace(result, request_count=request_count)
    return replace(first, request_count=request_count)


def _probe(queries: Sequence[Query], kg: KnowledgeGraph) -> list[int]:
    """Return the indices of the queries with solutions; of all of them if the store refuses one, and so the probe."""
    try:
        rows = kg.endpoint.select(write_probe_query(tuple(query.pattern for query in queries)))
    except _REFUSALS:
        return list(range(len(queries)))
    return sorted(read_count(row["n"]) for row in rows)


def _run_query(query: Query, kg: KnowledgeGraph) -> QueryResult:
    if query.modifier.kind == "ask":
        return QueryResult(query, boolean=kg.endpoint.ask(query.sparql))
    return QueryResult(query, tuple(kg.endpoint.select(query.sparql)))

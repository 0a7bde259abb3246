"""Query execution: run candidate queries best first, within a budget, until one has a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.dialogue import Triples
from chattyshared.endpoint import Row
from chattyshared.errors import QueryCrashed, QueryRejected
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count, read_number
from chattyshared.terms import Term, n3
from rdflib import BNode, Literal

from chattykg.query.candidates import Query
from chattykg.query.graph_patterns import GraphPattern
from chattykg.query.solution_modifiers import write_cut_query, write_probe_query, write_sample_query

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_PROBED = 16
"""Candidates that are probed together, in one request, if the best one is empty."""
MAX_RETRIES = 2
"""Probed candidates that are run if they have a solution."""
MAX_WITNESSES = 20
"""Triples of a witness."""
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
        if self.query.modifier.kind in ("count", "having count"):
            return not any(read_count(term) for row in self.rows for term in row.values())
        modifier = self.query.modifier
        is_sum = modifier.kind == "aggregate" and modifier.aggregate in ("avg", "sum")
        if is_sum or modifier.kind == "summary" and not modifier.targets:
            return all(read_number(term) == 0 for row in self.rows for term in row.values())  # of no numbers it is 0
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


def _denies_something(query: Query, kg: KnowledgeGraph) -> bool:
    """Tell whether what a query denies holds of something in the graph; else its negation leaves nothing out."""
    denied = (replace(part, conditions=()) for body in query.pattern.bodies for part in body.negated)
    try:
        return all(kg.endpoint.ask(f"ASK {{ {part.to_sparql()} }}") for part in denied)
    except _REFUSALS:
        return True


def try_queries(queries: Sequence[Query], kg: KnowledgeGraph) -> QueryResult | None:
    """Run queries as ``execute_queries`` does; None if the store refuses the best, and no other has a result."""
    try:
        return execute_queries(queries, kg)
    except _REFUSALS:
        return None


def _execute_in_order(queries: Sequence[Query], first: QueryResult, kg: KnowledgeGraph) -> QueryResult:
    """Return the result of the best query, or of the best of the others if that is empty."""
    if not first.is_empty:
        return first
    min_score = queries[0].score * _MIN_SHARE_OF_BEST
    others = [query for query in queries[1:] if query.score >= min_score and not query.modifier.kind.startswith("ask")][
        :MAX_PROBED
    ]
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


def has_tie_at_cut(result: QueryResult, kg: KnowledgeGraph) -> bool:
    """Tell whether things beyond the limit of a result have the same value as its last one; one request at most."""
    modifier = result.query.modifier
    order = modifier.order
    if modifier.kind not in ("ranked", "most") or order is None or order.limit < 1 or len(result.rows) < order.limit:
        return False
    if modifier.kind == "most" and order.limit == 1 and not order.offset:
        return False  # this query keeps ties
    values = [row.get("value") for row in kg.endpoint.select(write_cut_query(result.query.pattern, modifier))]
    return len(values) > 1 and values[0] == values[1]


def fetch_witness(result: QueryResult, kg: KnowledgeGraph) -> Triples:
    """Return up to `MAX_WITNESSES` triples that support a result: the bound patterns of its query."""
    if result.boolean is False or result.is_empty:
        return ()
    found = (_witness_of(body, result, kg) for body in result.query.pattern.bodies)
    return tuple(sorted(dict.fromkeys(triple for triples in found for triple in triples)))[:MAX_WITNESSES]


def _witness_of(body: GraphPattern, result: QueryResult, kg: KnowledgeGraph) -> Triples:
    pattern = _bind_answers(body, result)
    variables = pattern.variables()
    rows: Sequence[Row] = result.rows
    is_whole = body is result.query.pattern
    if not is_whole or result.query.modifier.kind != "select" or set(variables) != set(result.query.modifier.targets):
        rows = kg.endpoint.select(write_sample_query(pattern, variables, MAX_WITNESSES)) if variables else ({},)
    triples: dict[tuple[str, str, str], None] = {}
    for row in sorted(rows, key=lambda row: sorted((name, _term_text(term)) for name, term in row.items())):
        for triple in pattern.patterns:
            if triple.is_transitive:
                continue  # no single triple states it
            subject, object_ = _bound_term(triple.subject, row), _bound_term(triple.object, row)
            if subject is not None and object_ is not None and len(triples) < MAX_WITNESSES:
                triples[_term_text(subject), triple.predicates[0], _term_text(object_)] = None
    return tuple(sorted(triples))


def _bind_answers(pattern: GraphPattern, result: QueryResult) -> GraphPattern:
    """Return the pattern with the answers bound, for modifiers that select some of the solutions."""
    modifier = result.query.modifier
    is_some = modifier.is_table or modifier.kind in ("extreme", "ranked", "most", "having")
    if not is_some or not modifier.targets:
        return pattern
    target = modifier.targets[0]
    answers = dict.fromkeys(row[target[1:]] for row in result.rows[:MAX_WITNESSES] if target[1:] in row)
    terms = tuple(term for term in answers if not isinstance(term, BNode))
    return replace(pattern, values=(*pattern.values, (target, terms))) if terms else pattern


def _run_query(query: Query, kg: KnowledgeGraph) -> QueryResult:
    if query.modifier.kind.startswith("ask"):
        return QueryResult(query, boolean=kg.endpoint.ask(query.sparql))
    return QueryResult(query, tuple(kg.endpoint.select(query.sparql)))


def _bound_term(node: str | tuple[Term, ...], row: Row) -> Term | None:
    if isinstance(node, str):
        return row.get(node.removeprefix("?"))
    return node[0] if len(node) == 1 else None


def _term_text(term: Term) -> str:
    return n3(term) if isinstance(term, Literal) else str(term)

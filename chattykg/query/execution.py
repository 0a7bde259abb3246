"""Execution: candidate queries run best first, within a budget, until one has an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.dialogue import Triples
from chattyshared.endpoint import Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import read_count
from chattyshared.terms import Term, n3
from rdflib import BNode, Literal

from chattykg.query.candidates import Query
from chattykg.query.graph_patterns import GraphPattern
from chattykg.query.solution_modifiers import write_probe_query, write_sample_query

PROBED = 16
"""Candidates that are tried together, in one request, once the best one came back empty."""
WITNESSES = 20
_LEAST_OF_BEST = 0.55


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query brought: rows (``truth`` for a boolean), or nothing at all.

    ``executed`` is the number of requests that ran candidates until this one was found.
    """

    query: Query
    rows: tuple[Row, ...] = ()
    boolean: bool | None = None
    request_count: int = 1

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to say: no row, no bound value, or a count of nothing."""
        if self.boolean is not None:
            return False
        if self.query.modifier.kind in ("count", "having count"):
            return not any(read_count(term) for row in self.rows for term in row.values())
        return not any(self.rows)


def execute_queries(queries: Sequence[Query], kg: KnowledgeGraph) -> QueryResult | None:
    """Run the best query; if it is empty, find out which of the next ones are not, and run the best of those.

    At most three requests. Returns the empty result of the best one if none has an answer; None without queries.
    """
    if not queries:
        return None
    first = _execute(queries[0], kg)
    if not first.is_empty:
        return first
    near = queries[0].score * _LEAST_OF_BEST
    others = [query for query in queries[1:] if query.score >= near and not query.modifier.kind.startswith("ask")][
        :PROBED
    ]
    if not others:
        return first
    alive = kg.endpoint.select(write_probe_query(tuple(query.pattern for query in others)))
    executed = 2  # the best candidate, and the others together
    for place in sorted(read_count(row["n"]) for row in alive)[:2]:
        result, executed = _execute(others[place], kg), executed + 1
        if not result.is_empty:
            return replace(result, request_count=executed)
    return replace(first, request_count=executed)


def fetch_witness(result: QueryResult, kg: KnowledgeGraph) -> Triples:
    """Return up to ``WITNESSES`` triples that support a result: the bound patterns of its query."""
    if result.boolean is False or result.is_empty:
        return ()
    body = _of_answers(result)
    variables = body.variables()
    rows: Sequence[Row] = result.rows
    if result.query.modifier.kind != "select" or set(variables) != set(result.query.modifier.targets):
        rows = kg.endpoint.select(write_sample_query(body, variables, WITNESSES)) if variables else ({},)
    found: dict[tuple[str, str, str], None] = {}
    for row in rows:
        for pattern in body.patterns:
            subject, other = _bound(pattern.subject, row), _bound(pattern.object, row)
            if subject is not None and other is not None and len(found) < WITNESSES:
                found[_written(subject), pattern.predicates[0], _written(other)] = None
    return tuple(sorted(found))


def _of_answers(result: QueryResult) -> GraphPattern:
    """Return the body bound to what was answered: the best of many are witnessed by themselves, not by all the rest."""
    body, form = result.query.pattern, result.query.modifier
    if form.kind not in ("extreme", "ranked", "most", "having", "table", "grouped"):
        return body
    target = form.targets[0]
    found = dict.fromkeys(row[target[1:]] for row in result.rows[:WITNESSES] if target[1:] in row)
    terms = tuple(term for term in found if not isinstance(term, BNode))
    return replace(body, values=(*body.values, (target, terms))) if terms else body


def _execute(query: Query, kg: KnowledgeGraph) -> QueryResult:
    if query.modifier.kind.startswith("ask"):
        return QueryResult(query, boolean=kg.endpoint.ask(query.sparql))
    return QueryResult(query, tuple(kg.endpoint.select(query.sparql)))


def _bound(node: str | tuple[Term, ...], row: Row) -> Term | None:
    if isinstance(node, str):
        return row.get(node.removeprefix("?"))
    return node[0] if len(node) == 1 else None


def _written(term: Term) -> str:
    return n3(term) if isinstance(term, Literal) else str(term)

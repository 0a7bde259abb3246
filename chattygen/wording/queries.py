"""The queries of turns: compiled and run, or written by a model, run as untrusted, and compared with the graph."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.check import Problem
from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.guard import guard_query
from chattyshared.errors import EndpointError, EndpointUnavailable
from chattyshared.literals import read_number
from chattyshared.model import Usage
from chattyshared.sparql.repair import find_query, unwrap_query
from chattyshared.terms import Term
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.rejection import reject_if_any
from chattygen.run import RunContext, in_stage
from chattygen.turns import TurnSpec

ResultTerms = tuple[Term, ...] | bool
"""The distinct terms of the only column of a query, or the truth of an ASK."""
WRITE_QUERY = replace(
    load_agent("generate/query"), read_text=lambda text: {"sparql": found} if (found := find_query(text)) else None
)
MAX_RELATIVE_ERROR = Decimal("1e-6")
"""Relative difference between a computed number and one that an engine gives, at most: engines round differently."""
_STRING = r'"(?:[^"\\\n]|\\.)*"' r"|'(?:[^'\\\n]|\\.)*'"
_IRI = r"<[^<>\"{}|^`\\\x00-\x20]*>"
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<iri>{_IRI})|(?P<short>(?<![\w?$@])[\w.-]{{0,99}}:[\w-]*)")
_ROW_LIMIT = 1_000
"""Rows that the guard allows; only the form of the query is read here, the endpoint has its own limit."""


@in_stage("queries")
def run_turn(run: RunContext, turn: TurnSpec) -> ResultTerms:
    """Run the compiled query of a turn; return its result in a stable order.

    Raises:
        SeedRejected: the result is not what the graph says of the turn.
        EndpointError: the endpoint fails.
    """
    result: ResultTerms
    if isinstance(turn.expected, bool):
        result = run.kg.endpoint.ask(turn.sparql)
    else:
        result = answers_of(run.kg.endpoint.select(turn.sparql), is_ordered=turn.is_ordered)
    reject_if_any("query", check_result(turn, result))
    return result


@in_stage("queries")
def write_query(run: RunContext, question: str, turn: TurnSpec, triples: str) -> tuple[TurnSpec, ResultTerms, Usage]:
    """Have a model write the query of a question; return the turn with it, its result, and the usage.

    The prompt shows ``triples``, those of the turn as SPARQL; the query may name only the IRIs of these.

    Raises:
        SeedRejected: no query passed.
        ModelError: the model fails.
        EndpointUnavailable: the endpoint is gone.
    """
    results: list[tuple[str, ResultTerms]] = []

    def check_query(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        sparql = query_on_one_line(unwrap_query(reply["sparql"]))
        result, problems = run_untrusted_query(run.kg.endpoint, sparql, iris_in(triples))
        yield from problems
        if result is not None:
            results.append((sparql, result))
            yield from check_written_query(turn, sparql, result)

    variables = {"question": question, "form": turn.form, "triples": triples}
    usage = run.ask(WRITE_QUERY, "query", variables, check_query).usage
    sparql, result = results[-1]
    if not (isinstance(result, bool) or turn.is_ordered):
        result = sorted_terms(result)
    return replace(turn, query=sparql), result, usage


def check_written_query(turn: TurnSpec, sparql: str, result: ResultTerms) -> Iterator[Problem]:
    """Yield how a query that a model wrote, or its result, differs from what the graph says of its turn."""
    offered = turn.hidden.offered_term
    if turn.kind.is_yes_no and offered is not None and not mentions_term(sparql, offered):
        yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
    yield from check_result(turn, result)


def check_result(turn: TurnSpec, result: ResultTerms) -> Iterator[Problem]:
    """Yield how the result of a query differs from what the graph says of its turn, without telling that."""
    expected = turn.expected
    if isinstance(expected, bool):
        if not isinstance(result, bool):
            yield Problem("result", "the question is answered by yes or no: write an ASK")
        elif result is not expected:
            yield Problem("result", f"the query gives {result}, which the graph does not say")
    elif isinstance(result, bool):
        yield Problem("result", f"the query is an ASK, but the form is {turn.form}")
    elif isinstance(expected, Decimal):
        number = read_number(result[0]) if len(result) == 1 else None
        if number is None or abs(number - expected) > MAX_RELATIVE_ERROR * max(Decimal(1), abs(expected)):
            yield Problem("result", f"the query gives {number}, another number than the triples")
    elif isinstance(expected, int):
        counted = str(result[0]) if len(result) == 1 else f"{len(result)} rows"
        if counted != str(expected):
            yield Problem("result", f"the query counts {counted}, the triples lead to another number of answers")
    elif result != expected if turn.is_ordered else set(result) != set(expected):
        yield Problem("result", f"the query gives {len(set(result))} answers, not the {len(expected)} of the graph")


def run_untrusted_query(
    endpoint: Endpoint, sparql: str, allowed: Collection[str]
) -> tuple[ResultTerms | None, tuple[Problem, ...]]:
    """Run an untrusted query; return its result (None: it was not run) and its problems.

    The terms keep the order of the query. The query must only read, name only ``allowed`` IRIs, use no prefixes, and
    give one column.

    Raises:
        EndpointUnavailable: the endpoint is gone.
    """
    foreign_names = tuple(_check_names(sparql, allowed))
    if foreign_names:
        return None, foreign_names
    try:
        if guard_query(sparql, limit=_ROW_LIMIT, functions=None).form == "ASK":
            return endpoint.untrusted_view().ask(sparql), ()
        rows = endpoint.untrusted_view().select(sparql)
    except EndpointUnavailable:
        raise
    except EndpointError as error:
        return None, (Problem("query", f"the query cannot be run: {str(error)[:200]}"),)
    columns = sorted({name for row in rows for name in row})
    if len(columns) > 1:
        return None, (Problem("one-variable", f"select one variable, not ?{' and ?'.join(columns)}"),)
    return tuple(dict.fromkeys(row[name] for name in columns for row in rows if name in row)), ()


def answers_of(rows: list[Row], *, is_ordered: bool = False) -> tuple[Term, ...]:
    """Return the distinct terms of the first column, sorted unless their order counts."""
    first = next((name for row in rows for name in row), "")
    terms = dict.fromkeys(row[first] for row in rows if first in row)
    return tuple(terms) if is_ordered else sorted_terms(terms)


def sorted_terms(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Return terms in an order that does not depend on the endpoint."""
    return tuple(sorted(terms, key=lambda term: (str(term), term.n3())))


def iris_in(text: str) -> frozenset[str]:
    """Return the IRIs in angle brackets of a piece of SPARQL, outside its strings."""
    return frozenset(token["iri"][1:-1] for token in _TOKEN.finditer(text) if token["iri"])


def mentions_term(sparql: str, term: Term) -> bool:
    """Tell whether a query names a term: an IRI in angle brackets, a literal by its lexical form."""
    return str(term) in (iris_in(sparql) if isinstance(term, URIRef) else sparql.replace('\\"', '"'))


def query_on_one_line(sparql: str) -> str:
    """Return a query on one line, without the lines that are comments."""
    lines = (line for line in sparql.splitlines() if not line.lstrip().startswith("#"))
    return " ".join(" ".join(lines).split())


def _check_names(sparql: str, allowed: Collection[str]) -> Iterator[Problem]:
    """Yield the prefixes and the IRIs of a query that its triples do not have."""
    prefixed = [token["short"] for token in _TOKEN.finditer(sparql) if token["short"]]
    if prefixed:
        yield Problem("prefix", f"write full IRIs in angle brackets, no prefixes: {prefixed[0]}")
    for iri in sorted(iris_in(sparql) - set(allowed)):
        if not iri.startswith(str(XSD)):
            yield Problem("foreign-iri", f"use only the IRIs that are given, not <{iri[:200]}>")

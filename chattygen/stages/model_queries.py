"""Queries that a model writes: run as untrusted, and checked against the gold or against the subgraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Turn
from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.guard import guard_query
from chattyshared.errors import EndpointError, EndpointUnavailable
from chattyshared.model import LanguageModel, Usage
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import Term
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.rejection import reject_failures_at
from chattygen.run import RunContext, in_stage


@in_stage("queries")
def write_turn_queries(run: RunContext, turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], Usage]:
    """Return the turns with queries that a model writes from the question, the form, and the triples with conditions.

    The result of a query must be the gold of its turn, in the same order if the question asks for one.

    Raises:
        SeedRejected: no query of a turn passed.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    rewritten, usage = [], Usage()
    for turn in turns:
        variables = {"question": turn.standalone, "form": turn.form, "triples": _pattern_of(turn.sparql)}
        with reject_failures_at("query"):
            sparql, _, more = write_query(
                run.kg.endpoint, run.model, variables, partial(_check_gold, turn), theta=run.options.theta
            )
        rewritten.append(replace(turn, sparql=sparql))
        usage += more
    return tuple(rewritten), usage


def _pattern_of(sparql: str) -> str:
    """Return the triples and conditions of a compiled query, and its order on a line of its own."""
    body, end, order = sparql.partition("{")[2].rpartition("}")
    if not end:
        raise ValueError(f"a compiled query without a body: {sparql}")
    return "\n".join(filter(None, (f"{body.strip()} .", order.strip())))


def _check_gold(turn: Turn, sparql: str, result: ResultTerms) -> Iterator[Problem]:
    """Yield how a query differs from the gold, without revealing the gold."""
    gold = [answer.value for answer in turn.answers]
    if isinstance(result, bool) or [answer.kind for answer in turn.answers] == ["boolean"]:
        if not isinstance(result, bool):
            yield Problem("result", "the question is answered by yes or no: write an ASK")
        elif gold != ["true" if result else "false"]:
            yield Problem("result", f"the query gives {result}, which the graph does not say")
        elif FORM_BY_NAME[turn.form].is_yes_no and re.search(
            r"[?$]\w", _TOKEN.sub(" ", sparql)
        ):  # outside of strings and IRIs
            yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
        return
    values = [str(term) for term in result]
    if sorted(values) != sorted(gold):
        yield Problem("result", f"the query gives {len(values)} answers that are not those of the triples: {len(gold)}")
    elif FORM_BY_NAME[turn.form].is_lookup and "ORDER BY" in turn.sparql and values != gold:
        yield Problem("order", "the answers stand in another order than the question asks for")


WRITE_QUERY = load_agent("generate/query")
ResultTerms = tuple[Term, ...] | bool
"""The distinct terms of the only column of a query, or the truth of an ASK."""

_STRING = r'"(?:[^"\\\n]|\\.)*"' r"|'(?:[^'\\\n]|\\.)*'"
_IRI = r"<[^<>\"{}|^`\\\x00-\x20]*>"
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<iri>{_IRI})|(?P<short>(?<![\w?$@])[\w.-]{{0,99}}:[\w-]*)")
_ROW_LIMIT = 1_000
"""Rows that the guard allows; only the form of the query is read here, the endpoint has its own limit."""


def write_query(
    endpoint: Endpoint,
    model: LanguageModel,
    variables: Mapping[str, str],
    result_check: Callable[[str, ResultTerms], Iterable[Problem]],
    *,
    theta: int,
) -> tuple[str, ResultTerms, Usage]:
    """Have a model write the query of one question; return the query, its result, and the usage.

    ``variables`` are those of the prompt: the question, its form, and its supporting triples as SPARQL; the query may
    name only the IRIs of these. ``result_check`` yields the problems of a query and its result.

    Raises:
        ReplyInvalid: none of ``theta`` queries passed.
        ModelError: the model fails.
        EndpointUnavailable: the endpoint is gone.
    """
    results: list[tuple[str, ResultTerms]] = []

    def check_query(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        sparql = query_on_one_line(reply["sparql"])
        result, problems = run_untrusted_query(endpoint, sparql, iris_in(variables["triples"]))
        yield from problems
        if result is not None:
            results.append((sparql, result))
            yield from result_check(sparql, result)

    reply = Agent(WRITE_QUERY.prompt, (check_query,))(model, dict(variables), theta=theta)
    return (*results[-1], reply.usage)


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


def answers_of(rows: list[Row]) -> tuple[Term, ...]:
    """Return the distinct terms of the first column, sorted."""
    first = next((name for row in rows for name in row), "")
    return sorted_terms({row[first] for row in rows if first in row})


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

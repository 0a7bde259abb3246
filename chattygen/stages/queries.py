"""Stage 2, query generation: a SPARQL query for each question, compiled from its fact or written by a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from chattyshared.check import Problem
from chattyshared.endpoint import Endpoint
from chattyshared.literals import read_number
from chattyshared.model import LanguageModel, Usage
from chattyshared.terms import n3

from chattygen.context.facts import Summary
from chattygen.stages.model_queries import ResultTerms, mentions_term, sorted_terms, write_query
from chattygen.stages.questions import ProposedQuestion
from chattygen.turns import TurnSpec, render_pattern

MAX_RELATIVE_ERROR = Decimal("1e-6")
"""Relative difference between a computed number and one that an engine gives, at most: engines round differently."""


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """A question in words, the turn that it asks, its query, and the result of the query (a bool for ASK)."""

    text: str
    turn: TurnSpec
    sparql: str
    result: ResultTerms


def bind_question(
    endpoint: Endpoint,
    summary: Summary,
    proposed: ProposedQuestion,
    *,
    writer: LanguageModel | None = None,
    theta: int = 3,
) -> tuple[BoundQuestion, Usage, tuple[Problem, ...]]:
    """Return a question with its query and result, the usage, and the problems.

    Without a ``writer`` the query is compiled. The problems say where the result differs from the subgraph; a question
    with problems must not be used.

    Raises:
        ReplyInvalid: none of the writer's queries passed.
        EndpointError: the endpoint fails.
        ModelError: the writer fails.
    """
    turn = turn_of_fact(summary, proposed.form, proposed.fact_number)
    if writer is None:
        result, problems = run_turn(endpoint, turn)
        return BoundQuestion(proposed.question, turn, turn.sparql, result), Usage(), problems

    def check_query(sparql: str, result: ResultTerms) -> Iterator[Problem]:
        return check_written_query(turn, sparql, result)

    triples = render_pattern(n3(summary.entity.iri), turn.fact, turn.hidden, turn.form)
    variables = {"question": proposed.question, "form": proposed.form, "triples": triples}
    sparql, terms, usage = write_query(endpoint, writer, variables, check_query, theta=theta)
    result = terms if isinstance(terms, bool) else sorted_terms(terms)
    return BoundQuestion(proposed.question, turn, sparql, result), usage, ()


def turn_of_fact(summary: Summary, form: str, fact_number: int) -> TurnSpec:
    """Return the turn that asks a fact of an entity."""
    fact, hidden = summary.fact_by_number(fact_number)
    return TurnSpec(0, form, "topic", summary.entity, fact, hidden=hidden)


def run_turn(endpoint: Endpoint, turn: TurnSpec) -> tuple[ResultTerms, tuple[Problem, ...]]:
    """Run the compiled query of a turn; return its result in a stable order, and how it differs from the expected one.

    Raises:
        EndpointError: the endpoint fails.
    """
    result: ResultTerms
    if isinstance(turn.expected, bool):
        result = endpoint.ask(turn.sparql)
    else:
        result = tuple(dict.fromkeys(term for row in endpoint.select(turn.sparql) for term in row.values()))
        result = result if turn.is_ordered else sorted_terms(result)
    return result, tuple(check_result(turn, result))


def check_result(turn: TurnSpec, result: ResultTerms) -> Iterator[Problem]:
    """Yield how the result of a query differs from what the graph says of its turn."""
    expected = turn.expected
    if isinstance(expected, bool):
        if result is not expected:
            yield Problem("result", f"the query gives {result}, the graph says {expected}")
    elif isinstance(result, bool):
        yield Problem("result", f"the query is an ASK, but the form is {turn.form}")
    elif isinstance(expected, Decimal):
        number = read_number(result[0]) if len(result) == 1 else None
        if number is None or abs(number - expected) > MAX_RELATIVE_ERROR * max(Decimal(1), abs(expected)):
            yield Problem("result", f"the query gives {number}, the graph {expected}")
    elif isinstance(expected, int):
        counted = str(result[0]) if len(result) == 1 else f"{len(result)} rows"
        if counted != str(expected):
            yield Problem("result", f"the query counts {counted}, the graph holds {expected}")
    elif result != expected if turn.is_ordered else set(result) != set(expected):
        yield Problem("result", f"the query gives {len(set(result))} answers, not the {len(expected)} of the graph")


def check_written_query(turn: TurnSpec, sparql: str, result: ResultTerms) -> Iterator[Problem]:
    """Yield how a query that a model wrote, or its result, differs from what the graph says of its turn."""
    offered = turn.hidden.offered_term
    if turn.kind.is_yes_no and offered is not None and not mentions_term(sparql, offered):
        yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
    yield from check_result(turn, result)

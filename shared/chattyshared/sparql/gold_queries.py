"""Execution of gold queries on a knowledge graph, with results as answers for a gold file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import QUERY_ERRORS, EndpointTimeout, QueryCrashed
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_number
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import Term


@dataclass(frozen=True, slots=True)
class QueryRun:
    """The result of one query: distinct rows of values (None: unbound), or why there is none (``failure``).

    An ASK is one row of one boolean. ``columns`` are the names of the selected variables. ``was_ended`` tells that the
    query took too long or too much memory; ``unexpected`` is the type and place of an unexpected exception, if there
    was one.
    """

    rows: tuple[tuple[Value | None, ...], ...] = ()
    columns: tuple[str, ...] = ()
    failure: str = ""
    was_ended: bool = False
    unexpected: str = ""

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, each once, row by row."""
        return tuple(dict.fromkeys(value for row in self.rows for value in row if value is not None))

    @property
    def is_table(self) -> bool:
        """Whether more than one column holds a value."""
        return sum(1 for column in range(len(self.columns)) if any(row[column] for row in self.rows)) > 1


def run_query(kg: KnowledgeGraph, sparql: str, untrusted: Endpoint | None = None) -> QueryRun:
    """Run an untrusted query, guarded and with limits of time and rows; a failure, also an unexpected exception, is
    returned as a result.

    ``untrusted`` is ``kg.endpoint.untrusted_view()``, if the caller has it already.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    try:
        run = catch_unexpected(partial(_run, kg, sparql, untrusted or kg.endpoint.untrusted_view()))
    except QUERY_ERRORS as error:
        was_ended = isinstance(error, EndpointTimeout | QueryCrashed)
        return QueryRun(failure=" ".join(str(error).split())[:200], was_ended=was_ended)
    return QueryRun(failure=run.sentence, unexpected=str(run)) if isinstance(run, UnexpectedError) else run


def _run(kg: KnowledgeGraph, sparql: str, endpoint: Endpoint) -> QueryRun:
    shape = parse_query_shape(sparql)
    if shape is not None and shape.form == "ASK":
        truth = "true" if endpoint.ask(sparql) else "false"
        return QueryRun(((Value(truth, "boolean", str(XSD.boolean)),),), ("",))
    return _build_run(kg, endpoint.select(sparql), shape.variables if shape else ())


@dataclass(frozen=True, slots=True)
class QueryRunner:
    """A knowledge graph and its view for untrusted queries."""

    kg: KnowledgeGraph
    untrusted: Endpoint

    @classmethod
    def from_kg(cls, kg: KnowledgeGraph) -> QueryRunner:
        """Open the view of a knowledge graph."""
        return cls(kg, kg.endpoint.untrusted_view())


def run_query_with(runner: QueryRunner, sparql: str) -> QueryRun:
    """Run one query as ``run_query`` does."""
    return run_query(runner.kg, sparql, runner.untrusted)


def run_queries(
    queries: Sequence[str],
    kg: KnowledgeGraph,
    runner: Runner | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> list[QueryRun]:
    """Run untrusted queries and return their results in the same order.

    ``runner`` runs them (default: the calling thread); ``on_progress`` is called after each.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
        WorkersLost: the workers of ``runner`` are lost.
    """
    runs_by_index: dict[int, QueryRun] = {}
    for index, run in (runner or ThreadRunner()).map_unordered(run_query_with, QueryRunner.from_kg(kg), queries):
        runs_by_index[index] = run
        on_progress()
    return [run for _, run in sorted(runs_by_index.items())]


def add_missing_gold(
    questions: Sequence[Question],
    kg: KnowledgeGraph,
    *,
    runner: Runner | None = None,
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """Add the results of its query as gold answers to each question with a query and without gold.

    Returns the questions, and a sentence for each query that failed; ``runner`` runs the queries.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
        WorkersLost: the workers of ``runner`` are lost.
    """
    missing = [index for index, run in enumerate(questions) if run.gold() is None and run.sparql]
    runs = run_queries([questions[index].sparql for index in missing], kg, runner)
    completed, failed = list(questions), []
    for index, run in zip(missing, runs, strict=True):
        if run.failure:
            failed.append(f"{questions[index].id}: {run.failure}")
        else:
            completed[index] = add_gold(questions[index], run)
    return tuple(completed), tuple(failed)


def add_gold(question: Question, run: QueryRun) -> Question:
    """Return a question with a result as its gold: the values, their labels, and the rows of a table."""
    values = run.values
    extra = {key: part for key, part in question.extra.items() if key not in ("cols", "nrows", "rows")}
    if run.is_table:
        rows = [[value.value if value else "" for value in row] for row in run.rows]
        extra |= {"cols": len(run.columns), "nrows": len(rows), "rows": rows}
    return replace(
        question,
        answers=tuple(value.value for value in values),
        answer_iris=(),
        answer_labels=tuple(value.label or value.value for value in values),
        extra=extra,
    )


def _build_run(kg: KnowledgeGraph, rows: Sequence[Row], variables: Sequence[str]) -> QueryRun:
    columns = tuple(variables) or tuple(dict.fromkeys(name for row in rows for name in row))
    terms = dict.fromkeys(term for row in rows for term in row.values())
    labels = kg.labels([term for term in terms if isinstance(term, URIRef)])
    values = {term: _build_value(term, labels.get(term, "")) for term in terms}
    # An unbound variable is absent from its row.
    value_rows = (tuple(values[row[name]] if name in row else None for name in columns) for row in rows)
    return QueryRun(tuple(line for line in dict.fromkeys(value_rows) if any(line)), columns)


def _build_value(term: Term, label: str) -> Value:
    if not isinstance(term, Literal):
        return Value(str(term), "iri", label=label)
    datatype = str(term.datatype or "")
    if term.datatype == XSD.boolean:
        return Value(str(term), "boolean", datatype)
    if is_number(term):
        return Value(str(term), "number", datatype)
    return Value(str(term), "literal", datatype, term.language or "")

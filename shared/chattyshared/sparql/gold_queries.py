"""Gold queries run on a knowledge graph: what they give, as answers that a file of gold can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_number
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.sparql.analysis import parse_query_shape
from chattyshared.terms import Term


@dataclass(frozen=True, slots=True)
class QueryRun:
    """What one query gave: rows of values (a missing one is None), each once; or why it gave nothing (``failure``).

    An ASK is one row of one boolean. ``columns`` are the names of what was selected. ``unexpected`` is the type and
    place of the unexpected exception that ended it, if one did.
    """

    rows: tuple[tuple[Value | None, ...], ...] = ()
    columns: tuple[str, ...] = ()
    failure: str = ""
    unexpected: str = ""

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, each once, row by row: the answers."""
        return tuple(dict.fromkeys(value for row in self.rows for value in row if value is not None))

    @property
    def is_table(self) -> bool:
        """Whether more than one column holds a value."""
        return sum(1 for place in range(len(self.columns)) if any(row[place] for row in self.rows)) > 1


def run_query(kg: KnowledgeGraph, sparql: str, untrusted: Endpoint | None = None) -> QueryRun:
    """Run a query that somebody else wrote: guarded, bounded in time and rows; its failure is a result, also where an
    unexpected exception ends it.

    ``foreign`` is ``kg.endpoint.foreign()``, where it was made before.

    Raises:
        EndpointUnavailable: nobody answers.
    """
    try:
        ran = catch_unexpected(partial(_run, kg, sparql, untrusted or kg.endpoint.untrusted_view()))
    except QUERY_ERRORS as error:
        return QueryRun(failure=" ".join(str(error).split())[:200])
    return QueryRun(failure=ran.sentence, unexpected=str(ran)) if isinstance(ran, UnexpectedError) else ran


def _run(kg: KnowledgeGraph, sparql: str, endpoint: Endpoint) -> QueryRun:
    shape = parse_query_shape(sparql)
    if shape is not None and shape.form == "ASK":
        truth = "true" if endpoint.ask(sparql) else "false"
        return QueryRun(((Value(truth, "boolean", str(XSD.boolean)),),), ("",))
    return _ran(kg, endpoint.select(sparql), shape.variables if shape else ())


@dataclass(frozen=True, slots=True)
class QueryRunner:
    """A graph, and the view of it for queries that somebody else wrote."""

    kg: KnowledgeGraph
    untrusted: Endpoint

    @classmethod
    def from_kg(cls, kg: KnowledgeGraph) -> QueryRunner:
        """Open the view."""
        return cls(kg, kg.endpoint.untrusted_view())


def run_query_with(runner: QueryRunner, sparql: str) -> QueryRun:
    """Run one query as ``run`` does."""
    return run_query(runner.kg, sparql, runner.untrusted)


def run_queries(
    queries: Sequence[str],
    kg: KnowledgeGraph,
    runner: Runner | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> list[QueryRun]:
    """Run queries that somebody else wrote, and return what they gave in their order.

    ``runner`` is who runs them, the calling thread unless said; ``done`` is called after each.

    Raises:
        EndpointUnavailable: nobody answers.
        WorkersLost: who runs them elsewhere is gone.
    """
    found: dict[int, QueryRun] = {}
    for place, ran in (runner or ThreadRunner()).map_unordered(run_query_with, QueryRunner.from_kg(kg), queries):
        found[place] = ran
        on_progress()
    return [ran for _, ran in sorted(found.items())]


def add_missing_gold(
    questions: Sequence[Question],
    kg: KnowledgeGraph,
    on_progress: Callable[[], None] = lambda: None,
    *,
    runner: Runner | None = None,
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """Give each question that has a query and no gold the answers that its query gives.

    Returns the questions, and a sentence for each query that gave none because it cannot be run; ``done`` is called
    after each question, ``runner`` is who runs the queries.

    Raises:
        EndpointUnavailable: nobody answers.
        WorkersLost: who runs the queries elsewhere is gone.
    """
    lacking = [place for place, one in enumerate(questions) if one.gold() is None and one.sparql]
    for _ in range(len(questions) - len(lacking)):
        on_progress()
    ran = run_queries([questions[place].sparql for place in lacking], kg, runner, on_progress)
    made, failed = list(questions), []
    for place, one in zip(lacking, ran, strict=True):
        if one.failure:
            failed.append(f"{questions[place].id}: {one.failure}")
        else:
            made[place] = add_gold(questions[place], one)
    return tuple(made), tuple(failed)


def add_gold(question: Question, ran: QueryRun) -> Question:
    """Return a question with a result as its gold: the values, their labels, and the rows where it is a table."""
    values = ran.values
    extra = {key: part for key, part in question.extra.items() if key not in ("cols", "nrows", "rows")}
    if ran.is_table:
        rows = [[value.value if value else "" for value in row] for row in ran.rows]
        extra |= {"cols": len(ran.columns), "nrows": len(rows), "rows": rows}
    return replace(
        question,
        answers=tuple(value.value for value in values),
        answer_iris=(),
        answer_labels=tuple(value.label or value.value for value in values),
        extra=extra,
    )


def _ran(kg: KnowledgeGraph, rows: Sequence[Row], variables: Sequence[str]) -> QueryRun:
    columns = tuple(variables) or tuple(dict.fromkeys(name for row in rows for name in row))
    terms = dict.fromkeys(term for row in rows for term in row.values())
    labels = kg.labels([term for term in terms if isinstance(term, URIRef)])
    values = {term: _value(term, labels.get(term, "")) for term in terms}
    # A variable that is unbound is absent from its row.
    lines = (tuple(values[row[name]] if name in row else None for name in columns) for row in rows)
    return QueryRun(tuple(line for line in dict.fromkeys(lines) if any(line)), columns)


def _value(term: Term, label: str) -> Value:
    if not isinstance(term, Literal):
        return Value(str(term), "iri", label=label)
    datatype = str(term.datatype or "")
    if term.datatype == XSD.boolean:
        return Value(str(term), "boolean", datatype)
    if is_number(term):
        return Value(str(term), "number", datatype)
    return Value(str(term), "literal", datatype, term.language or "")

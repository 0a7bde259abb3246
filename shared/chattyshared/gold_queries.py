"""Gold queries run on a knowledge graph: what they give, as answers that a file of gold can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.dialogue import Value
from chattyshared.endpoint import Endpoint, Row
from chattyshared.errors import OF_ONE_QUERY
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_number
from chattyshared.query_shape import shape_of
from chattyshared.questions import Question
from chattyshared.runs.containment import Unexpected, attempt
from chattyshared.runs.runner import Runner, Threads
from chattyshared.terms import Term


@dataclass(frozen=True, slots=True)
class Ran:
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


def run(kg: KnowledgeGraph, sparql: str, foreign: Endpoint | None = None) -> Ran:
    """Run a query that somebody else wrote: guarded, bounded in time and rows; its failure is a result, also where an
    unexpected exception ends it.

    ``foreign`` is ``kg.endpoint.foreign()``, where it was made before.

    Raises:
        EndpointUnavailable: nobody answers.
    """
    try:
        ran = attempt(partial(_run, kg, sparql, foreign or kg.endpoint.foreign()))
    except OF_ONE_QUERY as error:
        return Ran(failure=" ".join(str(error).split())[:200])
    return Ran(failure=ran.sentence, unexpected=str(ran)) if isinstance(ran, Unexpected) else ran


def _run(kg: KnowledgeGraph, sparql: str, endpoint: Endpoint) -> Ran:
    shape = shape_of(sparql)
    if shape is not None and shape.form == "ASK":
        truth = "true" if endpoint.ask(sparql) else "false"
        return Ran(((Value(truth, "boolean", str(XSD.boolean)),),), ("",))
    return _ran(kg, endpoint.select(sparql), shape.variables if shape else ())


@dataclass(frozen=True, slots=True)
class Querying:
    """A graph, and the view of it for queries that somebody else wrote."""

    kg: KnowledgeGraph
    foreign: Endpoint

    @classmethod
    def of(cls, kg: KnowledgeGraph) -> Querying:
        """Open the view."""
        return cls(kg, kg.endpoint.foreign())


def run_one(querying: Querying, sparql: str) -> Ran:
    """Run one query as ``run`` does."""
    return run(querying.kg, sparql, querying.foreign)


def run_many(
    queries: Sequence[str], kg: KnowledgeGraph, runner: Runner | None = None, done: Callable[[], None] = lambda: None
) -> list[Ran]:
    """Run queries that somebody else wrote, and return what they gave in their order.

    ``runner`` is who runs them, the calling thread unless said; ``done`` is called after each.

    Raises:
        EndpointUnavailable: nobody answers.
        WorkersLost: who runs them elsewhere is gone.
    """
    found: dict[int, Ran] = {}
    for place, ran in (runner or Threads()).results(run_one, Querying.of(kg), queries):
        found[place] = ran
        done()
    return [ran for _, ran in sorted(found.items())]


def with_answers(
    questions: Sequence[Question],
    kg: KnowledgeGraph,
    done: Callable[[], None] = lambda: None,
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
        done()
    ran = run_many([questions[place].sparql for place in lacking], kg, runner, done)
    made, failed = list(questions), []
    for place, one in zip(lacking, ran, strict=True):
        if one.failure:
            failed.append(f"{questions[place].id}: {one.failure}")
        else:
            made[place] = answered(questions[place], one)
    return tuple(made), tuple(failed)


def answered(question: Question, ran: Ran) -> Question:
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


def _ran(kg: KnowledgeGraph, rows: Sequence[Row], variables: Sequence[str]) -> Ran:
    columns = tuple(variables) or tuple(dict.fromkeys(name for row in rows for name in row))
    terms = dict.fromkeys(term for row in rows for term in row.values())
    labels = kg.labels([term for term in terms if isinstance(term, URIRef)])
    values = {term: _value(term, labels.get(term, "")) for term in terms}
    # A variable that is unbound is absent from its row.
    lines = (tuple(values[row[name]] if name in row else None for name in columns) for row in rows)
    return Ran(tuple(line for line in dict.fromkeys(lines) if any(line)), columns)


def _value(term: Term, label: str) -> Value:
    if not isinstance(term, Literal):
        return Value(str(term), "iri", label=label)
    datatype = str(term.datatype or "")
    if term.datatype == XSD.boolean:
        return Value(str(term), "boolean", datatype)
    if is_number(term):
        return Value(str(term), "number", datatype)
    return Value(str(term), "literal", datatype, term.language or "")

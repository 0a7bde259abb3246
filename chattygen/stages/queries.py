"""The second of the three stages: a SPARQL query for each question, compiled from its fact or written by a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from chattyshared.check import Problem
from chattyshared.endpoint import Endpoint
from chattyshared.model import LanguageModel, Usage
from chattyshared.terms import Term, Triple, n3
from rdflib import Literal, URIRef

from chattygen.stages.model_queries import ResultTerms, mentions_term, sorted_terms, write_query
from chattygen.stages.model_queries import answers_of as answers_of
from chattygen.stages.questions import ProposedQuestion
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Summary


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """A question with its entity, its fact, its query, and the terms that the query gives (a bool for ASK)."""

    proposed: ProposedQuestion
    entity: Entity
    fact: Fact
    hidden: HiddenEnds
    sparql: str
    result: ResultTerms

    @property
    def pattern(self) -> tuple[tuple[str, str, str], ...]:
        """The supporting triples with variables where the answers are hidden."""
        goal = (
            _spelled(self.hidden.offered_term) if self.proposed.form == "boolean" and self.hidden.offered_term else "?x"
        )
        return tuple(_chain(str(self.entity.iri), goal, self.fact))


def bind_question(
    endpoint: Endpoint,
    summary: Summary,
    proposed: ProposedQuestion,
    *,
    writer: LanguageModel | None = None,
    theta: int = 3,
) -> tuple[BoundQuestion, Usage, tuple[Problem, ...]]:
    """Give a question its query, execute it, and compare its result with what the subgraph says.

    Without a ``writer`` the query is compiled. The problems say where query and
    subgraph disagree; a bound question with problems must not be used.

    Raises:
        ReplyInvalid: none of the writer's queries passed.
        EndpointError: the endpoint cannot be asked.
        ModelError: the writer cannot be asked.
    """
    fact, hidden = summary.fact_by_number(proposed.fact_number)
    expected = ExpectedResult(proposed.form, fact, hidden)
    usage = Usage()
    problems: tuple[Problem, ...] = ()
    if writer is None:
        sparql = compile_query(summary.entity, fact, hidden, proposed.form)
        result, problems = run_query(endpoint, sparql, expected)
    else:
        triples = render_pattern(n3(summary.entity.iri), fact, hidden, proposed.form)
        asked = {"question": proposed.question, "form": proposed.form, "triples": triples}
        sparql, found, usage = write_query(endpoint, writer, asked, expected.check_written_query, theta=theta)
        result = found if isinstance(found, bool) else sorted_terms(found)
    return BoundQuestion(proposed, summary.entity, fact, hidden, sparql, result), usage, problems


@dataclass(frozen=True, slots=True)
class ExpectedResult:
    """What a query must give, by the subgraph."""

    form: str
    fact: Fact
    hidden: HiddenEnds

    def check_result(self, result: ResultTerms) -> Iterator[Problem]:
        """Compare a result with what the subgraph says."""
        if self.form == "boolean":
            if result is not self.hidden.is_offer_true:
                yield Problem("result", f"the query gives {result}, the graph says {self.hidden.is_offer_true}")
        elif isinstance(result, bool):
            yield Problem("result", f"the query is an ASK, but the form is {self.form}")
        elif self.form == "count":
            got = str(result[0]) if len(result) == 1 else f"{len(result)} rows"
            if got != str(self.fact.count):
                yield Problem("result", f"the query counts {got}, the graph holds {self.fact.count}")
        elif set(result) != set(self.hidden.ends):
            yield Problem(
                "result", f"the query gives {len(set(result))} answers, not the {self.fact.count} of the fact"
            )

    def check_written_query(self, sparql: str, result: ResultTerms) -> Iterator[Problem]:
        """Compare a query that a model wrote, and its result, with what the subgraph says."""
        if (
            self.form == "boolean"
            and self.hidden.offered_term is not None
            and not mentions_term(sparql, self.hidden.offered_term)
        ):
            yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
        yield from self.check_result(result)


def compile_query(entity: Entity, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Write the SPARQL 1.1 of a question from its fact: full IRIs, no prefixes, one answer variable.

    Raises:
        ValueError: a term of the KG cannot be written into a query.
    """
    goal = n3(hidden.offered_term) if form == "boolean" and hidden.offered_term is not None else "?x"
    body = " . ".join(" ".join(triple) for triple in _pattern(n3(entity.iri), goal, fact))
    if hidden.langs and goal == "?x":
        body += " . FILTER(" + " || ".join(f"LANG(?x) = {n3(Literal(tag))}" for tag in hidden.langs) + ")"
    if form == "boolean":
        return f"ASK {{ {body} }}"
    if form == "count":
        return f"SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {body} }}"
    return f"SELECT DISTINCT ?x WHERE {{ {body} }}"


def run_query(endpoint: Endpoint, sparql: str, expected: ExpectedResult) -> tuple[ResultTerms, tuple[Problem, ...]]:
    """Execute a query of our own and compare; the answers come in a stable order.

    Raises:
        EndpointError: the endpoint cannot be asked.
    """
    result: ResultTerms
    if sparql.lstrip()[:3].upper() == "ASK":
        result = endpoint.ask(sparql)
    else:
        result = answers_of(endpoint.select(sparql))
    return result, tuple(expected.check_result(result))


def render_pattern(start: str, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Say a fact as SPARQL's triples, one a line, from ``start`` to ``?x`` or to the value of a yes-no question."""
    goal = n3(hidden.offered_term) if form == "boolean" and hidden.offered_term is not None else "?x"
    lines = [" ".join(triple) + " ." for triple in _pattern(start, goal, fact)]
    if hidden.langs and goal == "?x":
        lines.append("keep only values with the language tag " + " or ".join(repr(tag) for tag in hidden.langs))
    return "\n".join(lines)


def _pattern(start: str, goal: str, fact: Fact) -> Iterator[tuple[str, str, str]]:
    return _chain(start, goal, fact, write=lambda iri: n3(URIRef(iri)))


def _chain(start: str, goal: str, fact: Fact, *, write: Callable[[str], str] = str) -> Iterator[tuple[str, str, str]]:
    here = start
    for place, step in enumerate(fact.steps, 1):
        there = goal if place == len(fact.steps) else "?y"
        predicate = write(step.predicate)
        yield (here, predicate, there) if step.direction == "out" else (there, predicate, here)
        here = there


def _spelled(term: Term) -> str:
    return n3(term) if isinstance(term, Literal) else str(term)


def to_benchmark_triple(triple: Triple) -> tuple[str, str, str]:
    """Return a triple as the benchmark file spells it: IRIs bare, literals as N-Triples."""
    subject, predicate, value = triple
    return _spelled(subject), str(predicate), _spelled(value)

"""Stage 2, query generation: a SPARQL query for each question, compiled from its fact or written by a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.check import Problem
from chattyshared.endpoint import Endpoint
from chattyshared.model import LanguageModel, Usage
from chattyshared.terms import Term, Triple, n3
from rdflib import Literal, URIRef

from chattygen.stages.model_queries import ResultTerms, answers_of, mentions_term, sorted_terms, write_query
from chattygen.stages.questions import ProposedQuestion
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Summary, chain_patterns


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """A question with its entity, its fact, its query, and the result of the query (a bool for ASK)."""

    proposed: ProposedQuestion
    entity: Entity
    fact: Fact
    hidden: HiddenEnds
    sparql: str
    result: ResultTerms

    @property
    def pattern(self) -> tuple[tuple[str, str, str], ...]:
        """The supporting triples, with variables for the hidden answers."""
        goal = (
            _benchmark_text(self.hidden.offered_term)
            if self.proposed.form == "boolean" and self.hidden.offered_term
            else "?x"
        )
        return tuple(chain_patterns(str(self.entity.iri), self.fact.steps, goal))


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
    fact, hidden = summary.fact_by_number(proposed.fact_number)
    expected = ExpectedResult(proposed.form, fact, hidden)
    usage = Usage()
    problems: tuple[Problem, ...] = ()
    if writer is None:
        sparql = compile_query(summary.entity, fact, hidden, proposed.form)
        result, problems = run_query(endpoint, sparql, expected)
    else:
        triples = render_pattern(n3(summary.entity.iri), fact, hidden, proposed.form)
        variables = {"question": proposed.question, "form": proposed.form, "triples": triples}
        sparql, terms, usage = write_query(endpoint, writer, variables, expected.check_written_query, theta=theta)
        result = terms if isinstance(terms, bool) else sorted_terms(terms)
    return BoundQuestion(proposed, summary.entity, fact, hidden, sparql, result), usage, problems


@dataclass(frozen=True, slots=True)
class ExpectedResult:
    """The result of a query according to the subgraph."""

    form: str
    fact: Fact
    hidden: HiddenEnds

    def check_result(self, result: ResultTerms) -> Iterator[Problem]:
        """Yield how a result differs from the subgraph."""
        if self.form == "boolean":
            if result is not self.hidden.is_offer_true:
                yield Problem("result", f"the query gives {result}, the graph says {self.hidden.is_offer_true}")
        elif isinstance(result, bool):
            yield Problem("result", f"the query is an ASK, but the form is {self.form}")
        elif self.form == "count":
            counted = str(result[0]) if len(result) == 1 else f"{len(result)} rows"
            if counted != str(self.fact.count):
                yield Problem("result", f"the query counts {counted}, the graph holds {self.fact.count}")
        elif set(result) != set(self.hidden.ends):
            yield Problem(
                "result", f"the query gives {len(set(result))} answers, not the {self.fact.count} of the fact"
            )

    def check_written_query(self, sparql: str, result: ResultTerms) -> Iterator[Problem]:
        """Yield how a query that a model wrote, or its result, differs from the subgraph."""
        if (
            self.form == "boolean"
            and self.hidden.offered_term is not None
            and not mentions_term(sparql, self.hidden.offered_term)
        ):
            yield Problem("offered-value", "ask whether the given triple holds, with its own end: ASK { the triple }")
        yield from self.check_result(result)


def compile_query(entity: Entity, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Return the SPARQL 1.1 query of a question about a fact: full IRIs, no prefixes, one answer variable.

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
    """Run a compiled query; return its result in a stable order, and how it differs from the expected one.

    Raises:
        EndpointError: the endpoint fails.
    """
    result: ResultTerms
    if sparql.lstrip()[:3].upper() == "ASK":
        result = endpoint.ask(sparql)
    else:
        result = answers_of(endpoint.select(sparql))
    return result, tuple(expected.check_result(result))


def render_pattern(start: str, fact: Fact, hidden: HiddenEnds, form: str) -> str:
    """Return a fact as SPARQL triples, one a line, from ``start`` to ``?x`` or to the value of a yes-no question."""
    goal = n3(hidden.offered_term) if form == "boolean" and hidden.offered_term is not None else "?x"
    lines = [" ".join(triple) + " ." for triple in _pattern(start, goal, fact)]
    if hidden.langs and goal == "?x":
        lines.append("keep only values with the language tag " + " or ".join(repr(tag) for tag in hidden.langs))
    return "\n".join(lines)


def _pattern(start: str, goal: str, fact: Fact) -> Iterator[tuple[str, str, str]]:
    for subject, predicate, value in chain_patterns(start, fact.steps, goal):
        yield subject, n3(URIRef(predicate)), value


def _benchmark_text(term: Term) -> str:
    return n3(term) if isinstance(term, Literal) else str(term)


def to_benchmark_triple(triple: Triple) -> tuple[str, str, str]:
    """Return a triple as the benchmark file writes it: IRIs bare, literals as N-Triples."""
    subject, predicate, value = triple
    return _benchmark_text(subject), str(predicate), _benchmark_text(value)

"""Gold answers: the result of an executed query as the values that the benchmark stores, and the turns with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chattyshared.check import Problem
from chattyshared.dialogue import Difficulty, LinkName, Triples, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from chattyshared.question_forms import OPERATION_FORMS
from chattyshared.terms import Triple
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.rejection import SeedRejected
from chattygen.stages.model_queries import ResultTerms
from chattygen.stages.queries import BoundQuestion, to_benchmark_triple
from chattygen.subgraph.extraction import term_text

MAX_WITNESS_TRIPLES = 100
"""The most witness triples of a turn; answers have no limit."""


def gold_answers(kg: KnowledgeGraph, result: ResultTerms) -> tuple[Value, ...]:
    """Return the result of a query as gold answers, with kinds, datatypes, languages and labels."""
    if isinstance(result, bool):
        return (Value("true" if result else "false", "boolean", datatype=str(XSD.boolean)),)
    labels = kg.labels([term for term in result if isinstance(term, URIRef)])
    return tuple(to_value(term, labels.get(term, "")) for term in result)


def answer_texts(kg: KnowledgeGraph, bound: BoundQuestion) -> tuple[str, ...]:
    """Return the texts of the answers, for the check that no question contains its own."""
    if isinstance(bound.result, bool) or bound.proposed.form == "count":
        return ()
    return tuple(term_text(term, kg.label(term)) for term in bound.result)


def answer_type(bound: BoundQuestion) -> str:
    """Return the answer type: the label of a class, a datatype, ``boolean`` or ``integer``."""
    if isinstance(bound.result, bool):
        return "boolean"
    if bound.proposed.form == "count":
        return "integer"
    if bound.fact.shape == "entity":
        return bound.fact.class_labels[0] if bound.fact.class_labels else "entity"
    return bound.fact.datatype or "string"


def difficulty(bound: BoundQuestion, link: LinkName) -> Difficulty:
    """Return the difficulty of a question.

    Hard: two steps, or an operation on an earlier answer. Medium: an operation, several answers, an incoming edge, or
    an earlier answer. Easy: all others.
    """
    is_operation = bound.proposed.form in OPERATION_FORMS
    if len(bound.fact.steps) > 1 or (is_operation and link == "answer"):
        return "hard"
    if is_operation or bound.fact.count > 1 or bound.fact.last_step.direction == "in" or link == "answer":
        return "medium"
    return "easy"


def witness_triples(bound: BoundQuestion) -> Triples:
    """Return the triples of the KG that support the answers; none for a false statement."""
    if bound.proposed.form == "boolean":
        if not bound.hidden.is_offer_true:
            return ()
        triples: Iterable[Triple] = bound.hidden.triples_to([bound.hidden.offered_term])
    else:
        triples = bound.hidden.triples
    return tuple(to_benchmark_triple(triple) for triple in list(triples)[:MAX_WITNESS_TRIPLES])


def links_of(number: int, about_seed: int) -> tuple[LinkName, ...]:
    """Return the link of each turn: ``opens``, then ``topic`` for those about the seed, then ``answer``."""
    return tuple("opens" if not index else "topic" if index < about_seed else "answer" for index in range(number))


def require_distinct_queries(bounds: Sequence[BoundQuestion]) -> None:
    """Check that no two turns of a dialogue have the same query.

    Raises:
        SeedRejected: two turns have.
    """
    if len({bound.sparql for bound in bounds}) < len(bounds):
        raise SeedRejected("dialogue", [Problem("repeated", "two turns run the same query")])


def assemble_turns(
    kg: KnowledgeGraph, bounds: Sequence[BoundQuestion], links: Sequence[LinkName], texts: Sequence[str]
) -> tuple[Turn, ...]:
    """Return the turns; ``texts`` are the questions in the dialogue, of which the first is standalone."""
    return tuple(
        Turn(
            number, text, bound.proposed.question, bound.proposed.form, link,  # type: ignore[arg-type]
            answer_type(bound), True, difficulty(bound, link), bound.sparql,
            gold_answers(kg, bound.result), bound.pattern, witness_triples(bound),
        )
        for number, (bound, link, text) in enumerate(zip(bounds, links, texts, strict=True), 1)
    )  # fmt: skip

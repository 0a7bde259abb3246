"""Gold answers: the result of an executed query as the values that the benchmark stores, and the turns with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.check import Problem
from chattyshared.dialogue import LinkName, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.context.subgraph import term_text
from chattygen.rejection import SeedRejected
from chattygen.stages.model_queries import ResultTerms
from chattygen.stages.queries import BoundQuestion
from chattygen.turns import TurnSpec


def gold_answers(kg: KnowledgeGraph, result: ResultTerms) -> tuple[Value, ...]:
    """Return the result of a query as gold answers, with kinds, datatypes, languages and labels."""
    if isinstance(result, bool):
        return (Value("true" if result else "false", "boolean", datatype=str(XSD.boolean)),)
    labels = kg.labels([term for term in result if isinstance(term, URIRef)])
    return tuple(to_value(term, labels.get(term, "")) for term in result)


def answer_texts(kg: KnowledgeGraph, bound: BoundQuestion) -> tuple[str, ...]:
    """Return the texts of the answers, for the check that no question contains its own."""
    if isinstance(bound.result, bool) or bound.turn.kind.is_count:
        return ()
    return tuple(term_text(term, kg.label(term)) for term in bound.result)


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
    turns = (
        replace(bound.turn, number=number, link=link)
        for number, (bound, link) in enumerate(zip(bounds, links, strict=True), 1)
    )
    return tuple(
        assemble_turn(kg, turn, bound.sparql, bound.result, bound.text, text)
        for turn, bound, text in zip(turns, bounds, texts, strict=True)
    )


def assemble_turn(
    kg: KnowledgeGraph, turn: TurnSpec, sparql: str, result: ResultTerms, standalone: str, question: str
) -> Turn:
    """Return a turn of a dialogue: as it is asked there and standing alone, with its query and gold answers."""
    return Turn(
        turn.number, question, standalone, turn.form, turn.link, turn.answer_type, turn.answerable,
        turn.difficulty, sparql, gold_answers(kg, result) if turn.answerable else (), turn.pattern, turn.witness,
        turn.unanswerable, turn.certificate,
    )  # fmt: skip

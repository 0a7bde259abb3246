"""Gold answers, and the assembly of turns: what a question asks, in which words, and what the graph answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from rdflib import URIRef
from rdflib.namespace import XSD

from chattygen.context.subgraph import term_text
from chattygen.turns import TurnSpec
from chattygen.wording.queries import ResultTerms


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """A standalone question with the turn that it asks and, once its query was run, the result (a bool for ASK)."""

    text: str
    turn: TurnSpec
    result: ResultTerms = ()


def collapse_whitespace(text: str) -> str:
    """Return a text with single spaces for all white space."""
    return " ".join(text.split())


def gold_answers(kg: KnowledgeGraph, result: ResultTerms) -> tuple[Value, ...]:
    """Return the result of a query as gold answers, with kinds, datatypes, languages and labels."""
    if isinstance(result, bool):
        return (Value("true" if result else "false", "boolean", datatype=str(XSD.boolean)),)
    labels = kg.labels([term for term in result if isinstance(term, URIRef)])
    return tuple(to_value(term, labels.get(term, "")) for term in result)


def hidden_answer_texts(
    kg: KnowledgeGraph, turns: Sequence[TurnSpec], results: Sequence[ResultTerms]
) -> tuple[tuple[str, ...], ...]:
    """Return, per turn, the answers that its question must not contain; a comparison has to name its answer."""
    answers = [
        () if isinstance(result, bool) or turn.kind.is_count or turn.other_entity is not None else result
        for turn, result in zip(turns, results, strict=True)
    ]
    labels = kg.labels([term for terms in answers for term in terms if isinstance(term, URIRef)])
    return tuple(tuple(term_text(term, labels.get(term, "")) for term in terms) for terms in answers)


def assemble_turns(kg: KnowledgeGraph, questions: Sequence[BoundQuestion], texts: Sequence[str]) -> tuple[Turn, ...]:
    """Return the turns of a dialogue; ``texts`` are the questions as they are asked there."""
    return tuple(
        Turn(
            turn.number, collapse_whitespace(text), question.text, turn.form, turn.link, turn.answer_type,
            turn.answerable, turn.difficulty, turn.sparql,
            gold_answers(kg, question.result) if turn.answerable else (),
            turn.pattern, turn.witness, turn.unanswerable, turn.certificate,
        )
        for question, text in zip(questions, texts, strict=True)
        for turn in [question.turn]
    )  # fmt: skip

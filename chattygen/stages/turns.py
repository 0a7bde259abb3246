"""Turn assembly: the turns of a dialogue from bound questions and their rewritten texts."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.check import Problem
from chattyshared.dialogue import LinkName, Turn
from chattyshared.kg import KnowledgeGraph

from chattygen.rejection import SeedRejected
from chattygen.stages import gold
from chattygen.stages.queries import BoundQuestion


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
            gold.answer_type(bound), True, gold.difficulty(bound, link), bound.sparql,
            gold.gold_answers(kg, bound.result), bound.pattern, gold.witness_triples(bound),
        )
        for number, (bound, link, text) in enumerate(zip(bounds, links, texts, strict=True), 1)
    )  # fmt: skip

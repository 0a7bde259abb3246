"""The turns of a dialogue, put together from bound questions and their wording in the course of the talk."""

from __future__ import annotations

from collections.abc import Sequence

from chattyshared.check import Problem
from chattyshared.dialogue import LinkName, Turn
from chattyshared.kg import KnowledgeGraph

from chattygen.rejection import SeedRejected
from chattygen.stages import gold
from chattygen.stages.queries import BoundQuestion


def links_of(number: int, about_seed: int) -> tuple[LinkName, ...]:
    """Return how each turn hangs on the others: the first opens, some are about the seed, the rest about an answer."""
    return tuple("opens" if not place else "topic" if place < about_seed else "answer" for place in range(number))


def require_distinct_queries(bounds: Sequence[BoundQuestion]) -> None:
    """Refuse a dialogue two turns of which run the same query.

    Raises:
        Unfit: they do.
    """
    if gold.has_repeated_query(bounds):
        raise SeedRejected("dialogue", [Problem("repeated", "two turns run the same query")])


def assemble_turns(
    kg: KnowledgeGraph, bounds: Sequence[BoundQuestion], links: Sequence[LinkName], texts: Sequence[str]
) -> tuple[Turn, ...]:
    """Return the turns: texts are the questions as they stand in the talk, the first one as it stands alone."""
    return tuple(
        Turn(
            number, text, bound.proposed.question, bound.proposed.form, link,  # type: ignore[arg-type]
            gold.answer_type(bound), True, gold.difficulty(bound, link), bound.sparql, gold.gold_answers(kg, bound),
            bound.pattern, gold.witness_triples(bound),
        )
        for number, (bound, link, text) in enumerate(zip(bounds, links, texts, strict=True), 1)
    )  # fmt: skip

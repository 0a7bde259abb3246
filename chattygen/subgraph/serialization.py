"""What a prompt sees of an entity: a line per predicate with its objects hidden, or the triples in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import parse_moment, year_text
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.checks import contains
from chattygen.subgraph.extraction import said
from chattygen.subgraph.facts import Fact, Hidden, Summary

TRIMMED = 60
"""Characters of a literal that a prompt shows."""
CHARACTERS = 4
"""Characters of a token, about."""


def seen(kg: KnowledgeGraph, summary: Summary, context: Literal["summarized", "full"]) -> Summary:
    """Return the facts as a prompt shall show them: in a full context each says what stands at its end.

    Labels stand for IRIs, long literals are trimmed. What a fact hides stays beside it as it was.
    """
    if context == "summarized":
        return summary
    labels = kg.labels([term for hidden in summary.hidden for term in hidden.ends if isinstance(term, URIRef)])
    facts = (
        replace(fact, values=(*_told(hidden.ends, labels), *("..." for _ in range(hidden.cut))))
        for fact, hidden in _pairs(summary)
    )
    return replace(summary, facts=tuple(facts))


def too_long(summary: Summary, most: int) -> Iterator[Problem]:
    """Say that the facts do not fit into a context of ``most`` tokens."""
    tokens = sum(len(fact.shown()) + 1 for fact in summary.facts) // CHARACTERS
    if tokens > most:
        yield Problem("context-length", f"the facts take about {tokens} tokens, more than {most}")


def answers(kg: KnowledgeGraph, summary: Summary, number: int, form: str) -> tuple[str, ...]:
    """Return the answers to a question about one fact as they would be said; none for yes-no questions and counts.

    What the entity's own name says is left out, since a question has to say it. Of a date the year is an answer too.
    """
    if form in ("boolean", "count"):
        return ()
    fact, hidden = summary.fact(number)
    labels = kg.labels([term for term in hidden.ends if isinstance(term, URIRef)])
    told = [said(term, labels.get(term, "")) for term in hidden.ends]
    if fact.shape == "date":
        told += [year_text(moment.year) for text in told if (moment := parse_moment(text)) is not None]
    return tuple(text for text in dict.fromkeys(told) if text and not contains(summary.entity.label, text))


def _told(terms: Iterable[Term], labels: Mapping[Term, str]) -> tuple[str, ...]:
    texts = (" ".join(said(term, labels.get(term, "")).split()) for term in terms)
    return tuple(text if len(text) <= TRIMMED else f"{text[: TRIMMED - 3].rstrip()}..." for text in texts)


def _pairs(summary: Summary) -> Iterator[tuple[Fact, Hidden]]:
    return zip(summary.facts, summary.hidden, strict=True)

"""What a prompt sees of an entity: a line per predicate with its objects hidden, or the triples in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import format_year, parse_moment
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.checks import contains_label
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary

MAX_LITERAL_CHARACTERS = 60
"""Characters of a literal that a prompt shows."""
CHARACTERS_PER_TOKEN = 4
"""Characters of a token, about."""


def visible_facts(kg: KnowledgeGraph, summary: Summary, context: Literal["summarized", "full"]) -> Summary:
    """Return the facts as a prompt shall show them: in a full context each says what stands at its end.

    Labels stand for IRIs, long literals are trimmed. What a fact hides stays beside it as it was.
    """
    if context == "summarized":
        return summary
    labels = kg.labels([term for hidden in summary.hidden for term in hidden.ends if isinstance(term, URIRef)])
    facts = (
        replace(fact, values=(*_told(hidden.ends, labels), *("..." for _ in range(hidden.is_truncated))))
        for fact, hidden in _pairs(summary)
    )
    return replace(summary, facts=tuple(facts))


def check_context_length(summary: Summary, max_tokens: int) -> Iterator[Problem]:
    """Say that the facts do not fit into a context of ``most`` tokens."""
    tokens = sum(len(fact.as_prompt_text()) + 1 for fact in summary.facts) // CHARACTERS_PER_TOKEN
    if tokens > max_tokens:
        yield Problem("context-length", f"the facts take about {tokens} tokens, more than {max_tokens}")


def fact_answer_texts(kg: KnowledgeGraph, summary: Summary, number: int, form: str) -> tuple[str, ...]:
    """Return the answers to a question about one fact as they would be said; none for yes-no questions and counts.

    What the entity's own name says is left out, since a question has to say it. Of a date the year is an answer too.
    """
    if form in ("boolean", "count"):
        return ()
    fact, hidden = summary.fact_by_number(number)
    labels = kg.labels([term for term in hidden.ends if isinstance(term, URIRef)])
    told = [term_text(term, labels.get(term, "")) for term in hidden.ends]
    if fact.shape == "date":
        told += [format_year(moment.year) for text in told if (moment := parse_moment(text)) is not None]
    return tuple(text for text in dict.fromkeys(told) if text and not contains_label(summary.entity.label, text))


def _told(terms: Iterable[Term], labels: Mapping[Term, str]) -> tuple[str, ...]:
    texts = (" ".join(term_text(term, labels.get(term, "")).split()) for term in terms)
    return tuple(
        text if len(text) <= MAX_LITERAL_CHARACTERS else f"{text[: MAX_LITERAL_CHARACTERS - 3].rstrip()}..."
        for text in texts
    )


def _pairs(summary: Summary) -> Iterator[tuple[Fact, HiddenEnds]]:
    return zip(summary.facts, summary.hidden, strict=True)

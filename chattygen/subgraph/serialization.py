"""Subgraph serialization: a line per predicate with its objects hidden, or with the objects in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.scripts import contains_name
from chattyshared.literals import format_year, parse_moment
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Summary

MAX_LITERAL_CHARACTERS = 60
"""Characters of a literal that a prompt shows."""
CHARACTERS_PER_TOKEN = 4
"""Characters per token, an estimate for English text."""


def visible_facts(kg: KnowledgeGraph, summary: Summary, context: Literal["summarized", "full"]) -> Summary:
    """Return the facts as prompts show them: in a full context each has the texts of its ends.

    Labels replace IRIs, long literals are truncated. What a fact hides does not change.
    """
    if context == "summarized":
        return summary
    labels = kg.labels([term for hidden in summary.hidden for term in hidden.ends if isinstance(term, URIRef)])
    facts = (
        replace(fact, values=(*_short_texts(hidden.ends, labels), *("..." for _ in range(hidden.is_truncated))))
        for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
    )
    return replace(summary, facts=tuple(facts))


def check_context_length(summary: Summary, max_tokens: int) -> Iterator[Problem]:
    """Yield a problem if the facts do not fit into ``max_tokens`` tokens."""
    tokens = sum(len(fact.as_prompt_text()) + 1 for fact in summary.facts) // CHARACTERS_PER_TOKEN
    if tokens > max_tokens:
        yield Problem("context-length", f"the facts take about {tokens} tokens, more than {max_tokens}")


def fact_answer_texts(kg: KnowledgeGraph, summary: Summary, number: int, form: str) -> tuple[str, ...]:
    """Return the texts of the answers to a question about one fact; none for yes-no questions and counts.

    Texts within the entity's own label are left out, since a question has to name it. The year of a date is an answer
    too.
    """
    if form in ("boolean", "count"):
        return ()
    fact, hidden = summary.fact_by_number(number)
    labels = kg.labels([term for term in hidden.ends if isinstance(term, URIRef)])
    texts = [term_text(term, labels.get(term, "")) for term in hidden.ends]
    if fact.shape == "date":
        texts += [format_year(moment.year) for text in texts if (moment := parse_moment(text)) is not None]
    return tuple(text for text in dict.fromkeys(texts) if text and not contains_name(summary.entity.label, text))


def _short_texts(terms: Iterable[Term], labels: Mapping[Term, str]) -> tuple[str, ...]:
    texts = (" ".join(term_text(term, labels.get(term, "")).split()) for term in terms)
    return tuple(
        text if len(text) <= MAX_LITERAL_CHARACTERS else f"{text[: MAX_LITERAL_CHARACTERS - 3].rstrip()}..."
        for text in texts
    )

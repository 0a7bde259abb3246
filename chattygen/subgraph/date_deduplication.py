"""A date and a year of one event: only the more precise one is asked, so that a question with "when" has one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chattyshared.language.lexicon import word_set
from chattyshared.literals import MONTH, read_moment
from rdflib import Literal

from chattygen.subgraph.facts import Fact, HiddenEnds, Summary

_TIME_WORDS = word_set("dates", "date_label_words")


def one_date_per_event(summary: Summary) -> Summary:
    """Leave out a year (typed or a text) if another predicate with the same words states a date in that year."""
    dated_facts = list(_dated_facts(summary))
    kept = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if not any(_is_year_of(fact, hidden, *dated) for dated in dated_facts)
    ]  # fmt: skip
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(kept, 1))
    return Summary(summary.entity, facts, tuple(hidden for _, hidden in kept))


def _dated_facts(summary: Summary) -> Iterator[tuple[Fact, str]]:
    """Yield the facts that state exactly one date, to the month or day, with its text."""
    for fact, hidden in zip(summary.facts, summary.hidden, strict=True):
        moment = read_moment(hidden.ends[0]) if len(hidden.ends) == 1 else None
        if moment is not None and moment.precision >= MONTH:
            yield fact, str(hidden.ends[0]).strip()


def _is_year_of(fact: Fact, hidden: HiddenEnds, dated_fact: Fact, date: str) -> bool:
    """Tell whether a fact states only the year of another fact's date: the same event by its words."""
    text = str(hidden.ends[0]) if len(hidden.ends) == 1 and isinstance(hidden.ends[0], Literal) else ""
    return bool(text) and is_vaguer(fact.last_step.label, [text], dated_fact.last_step.label, [date])


def is_vaguer(label: str, texts: Sequence[str], other_label: str, dates: Sequence[str]) -> bool:
    """Tell whether a predicate's values are only the years of another predicate's dates; the texts and the dates pair
    up."""
    pairs = zip(texts, dates, strict=True)
    return event_words(label) == event_words(other_label) and all(
        len(text) < len(date) and date.startswith(text) for text, date in pairs
    )


def event_words(label: str) -> frozenset[str]:
    """Return the words of a predicate's label that are not about time: they name the event."""
    return frozenset(label.casefold().split()) - _TIME_WORDS

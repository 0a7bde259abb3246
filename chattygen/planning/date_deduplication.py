"""A date and a year of one event: only the more precise is asked, so that "when" has one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chattyshared.literals import MONTH, read_moment
from rdflib import Literal

from chattygen.subgraph.facts import Fact, HiddenEnds, Summary

_OF_TIME = frozenset(["date", "year", "month", "day", "time", "of", "the", "in", "on", "at", "when", "was", "is"])


def one_date_per_event(summary: Summary) -> Summary:
    """Leave out a year (typed or as a text) where another predicate of the same words states a date in that year."""
    dated = list(_dated(summary))
    kept = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if not any(_told(fact, hidden, *other) for other in dated)
    ]  # fmt: skip
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(kept, 1))
    return Summary(summary.entity, facts, tuple(hidden for _, hidden in kept))


def _dated(summary: Summary) -> Iterator[tuple[Fact, str]]:
    """Yield the facts that state one date of a month at least, with how it is written."""
    for fact, hidden in zip(summary.facts, summary.hidden, strict=True):
        moment = read_moment(hidden.ends[0]) if len(hidden.ends) == 1 else None
        if moment is not None and moment.precision >= MONTH:
            yield fact, str(hidden.ends[0]).strip()


def _told(fact: Fact, hidden: HiddenEnds, other: Fact, date: str) -> bool:
    """Tell whether a fact says less precisely what a date says: the same event, by its words and its year."""
    text = str(hidden.ends[0]) if len(hidden.ends) == 1 and isinstance(hidden.ends[0], Literal) else ""
    return bool(text) and is_vaguer(fact.last_step.label, [text], other.last_step.label, [date])


def is_vaguer(label: str, texts: Sequence[str], other: str, dates: Sequence[str]) -> bool:
    """Tell whether the values of a predicate, one for each thing, are but the years of the dates of another one."""
    pairs = zip(texts, dates, strict=True)
    return event_words(label) == event_words(other) and all(
        len(one) < len(date) and date.startswith(one) for one, date in pairs
    )


def event_words(label: str) -> frozenset[str]:
    """Return the words of a predicate's label that are not words of time: what happened."""
    return frozenset(label.casefold().split()) - _OF_TIME

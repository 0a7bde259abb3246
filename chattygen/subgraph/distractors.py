"""Values to ask yes-no questions about: one that the KG states, or one like it that it does not state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import (
    Moment,
    format_year,
    is_date,
    is_number,
    is_readable,
    parse_moment,
    read_value,
)
from chattyshared.terms import DATE_DATATYPES, Term
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.subgraph.extraction import shared_class
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import repeats_label

MAX_OFFER_WORDS = 10
"""The most words of an offered value."""


def offer_value(kg: KnowledgeGraph, summary: Summary, number: int, rng: Random) -> Summary | None:
    """Give one fact a value to ask a yes-no question about: true or false with even chance.

    A false value is of the same class or datatype and is not stated for the entity. Returns None unless there are
    both a true and a false value that do not say the entity's own name: else true ones would prevail.
    """
    fact, hidden = summary.fact_by_number(number)
    true = _sayable(kg, sorted(hidden.ends), summary.entity.label)
    stated = set(hidden.ends) | {summary.entity.iri}
    names = {name.casefold() for name in _sayable(kg, hidden.ends, "").values()}
    false = {
        term: name
        for term, name in _sayable(kg, _like(kg, summary, fact, hidden, rng), summary.entity.label).items()
        if term not in stated and name.casefold() not in names
    }
    if not true or not false:
        return None
    truth = rng.random() < 0.5
    value, name = list(true.items())[rng.randrange(len(true))] if truth else next(iter(false.items()))
    place = summary.facts.index(fact)
    facts, kept = list(summary.facts), list(summary.hidden)
    facts[place] = replace(fact, offered_value=name)
    kept[place] = replace(hidden, offered_term=value, is_offer_true=truth)
    return Summary(summary.entity, tuple(facts), tuple(kept))


def _sayable(kg: KnowledgeGraph, terms: Iterable[Term], label: str) -> dict[Term, str]:
    """Return, by term, how it is said, where that is short and no echo of a name."""
    found = list(terms)
    labels = kg.labels([term for term in found if isinstance(term, URIRef)])
    told = {term: str(term) if isinstance(term, Literal) else labels.get(term, "") for term in found}
    return {
        t: name
        for t, name in told.items()
        if name and len(name.split()) <= MAX_OFFER_WORDS and not repeats_label(name, label)
    }


def _like(kg: KnowledgeGraph, summary: Summary, fact: Fact, hidden: HiddenEnds, chance: Random) -> Sequence[Term]:
    """Return values like the stated ones, in an order that chance makes."""
    sample = hidden.ends[0]
    if not isinstance(sample, Literal):
        type_iri = shared_class(kg, kg.types_of(hidden.ends[:50]).values())
        return kg.sample_entities(type_iri, rng=chance, limit=len(hidden.ends) + 5) if type_iri else ()
    if fact.shape != "text" or is_date_like(sample):
        moved = shift_value(sample, chance)
        return [moved] if moved is not None else ()
    others = kg.literal_predicates(summary.entity.type) if summary.entity.type else ()
    texts = sorted({text for one in others if one.iri == fact.last_step.predicate for text in one.samples})
    return [Literal(t, lang=sample.language, datatype=sample.datatype) for t in chance.sample(texts, len(texts))]


def shift_value(
    value: Literal, rng: Random, *, as_date: bool | None = None, latest: Moment | None = None
) -> Literal | None:
    """Return another number or date of the same datatype and manner, near enough to be believed; None if there is none.

    Years (typed or not; ``timed`` tells, None: their look does) and dates move by up to 15 years, not beyond
    ``latest``, the latest one known, and backwards where none is known; numbers by a twentieth to a fifth, in the
    digits that they are given in. What is not readable as its datatype has no other like it.
    """
    if is_date_like(value) if as_date is None else as_date:
        text = _moved_in_time(str(value), rng, latest)
    else:
        text = _moved_in_size(value, rng)
    made = _written(text, value)
    return made if text and is_readable(made) and read_value(made) != read_value(value) else None


_YEAR = re.compile(r"(?:1[0-9]|20)\d\d", re.ASCII)
_DIGITS = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)


def is_date_like(value: Literal) -> bool:
    """Tell whether a literal is a date or a year, by its datatype or by its look: an integer or a text like 1987."""
    return is_date(value) or (value.datatype not in DATE_DATATYPES and _YEAR.fullmatch(str(value)) is not None)


def _moved_in_time(text: str, chance: Random, latest: Moment | None) -> str:
    """Move a year or a date by some years; what would come after the latest one goes back instead."""
    moment = parse_moment(text)
    if moment is None:
        return ""
    rest = text.strip().removeprefix(format_year(moment.year))
    step = chance.randint(1, 15) * chance.choice((-1, 1))
    if rest.startswith("-02-29"):
        step = 4 * (1 + abs(step) % 3) * (1 if step > 0 else -1)
    for years in (step, -step, -2 * step, 2 * step):  # a century may have no such day
        moved = f"{format_year(moment.year + years)}{rest}"
        there = parse_moment(moved)
        if there is not None and there.year and (years < 0 or there <= (latest or moment)):
            return moved
    return ""


def _moved_in_size(value: Literal, chance: Random) -> str:
    """Move a number by a twentieth to a fifth, in its own digits where it has no exponent."""
    text = str(value).strip()
    if not is_number(value):
        return ""
    if not _DIGITS.fullmatch(text):
        moved = repr(float(text) * (1 + chance.choice((-1, 1)) * chance.uniform(0.05, 0.2)))
        return f"{Decimal(moved):f}" if value.datatype == XSD.decimal else moved
    whole, mark, decimals = text.partition(".")
    digits = int(whole + decimals)
    moved_digits = f"{_moved(abs(digits), chance):0{len(decimals) + 1}d}"
    sign = "-" if digits < 0 else ""
    return f"{sign}{moved_digits[: -len(decimals)]}.{moved_digits[-len(decimals) :]}" if mark else sign + moved_digits


def _moved(digits: int, chance: Random) -> int:
    """Move a whole number by a twentieth to a fifth, at least by one; its size and its trailing zeros stay."""
    plain = str(digits).rstrip("0")
    plain = plain.ljust(min(2, len(str(digits))), "0")
    zeros, number = len(str(digits)) - len(plain), int(plain)
    step = max(1, round(number * chance.uniform(0.05, 0.2)))
    up, down = number + step, number - step
    able = [one for one in (up, down) if len(str(one)) == len(plain) and one > 0]
    return int((chance.choice(able) if able else up) * 10**zeros)


def _written(text: str, like: Literal) -> Literal:
    return (
        Literal(text, lang=like.language) if like.language else Literal(text, datatype=like.datatype, normalize=False)
    )

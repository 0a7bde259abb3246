"""Values of yes-no questions: one that the KG states, or a distractor, a similar one that it does not state."""

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
    """Return the summary with a value of a yes-no question on one fact, true or false with equal probability.

    A false value has the same class or datatype and is not stated for the entity. Return None unless both a true and a
    false value exist that do not repeat the entity's label: otherwise true values would be more frequent.
    """
    fact, hidden = summary.fact_by_number(number)
    true_values = _short_texts(kg, sorted(hidden.ends), summary.entity.label)
    stated = set(hidden.ends) | {summary.entity.iri}
    names = {name.casefold() for name in _short_texts(kg, hidden.ends, "").values()}
    false_values = {
        term: name
        for term, name in _short_texts(kg, _similar_terms(kg, summary, fact, hidden, rng), summary.entity.label).items()
        if term not in stated and name.casefold() not in names
    }
    if not true_values or not false_values:
        return None
    is_true = rng.random() < 0.5
    candidates = list(true_values.items())
    term, name = candidates[rng.randrange(len(candidates))] if is_true else next(iter(false_values.items()))
    index = summary.facts.index(fact)
    facts, all_hidden = list(summary.facts), list(summary.hidden)
    facts[index] = replace(fact, offered_value=name)
    all_hidden[index] = replace(hidden, offered_term=term, is_offer_true=is_true)
    return Summary(summary.entity, tuple(facts), tuple(all_hidden))


def _short_texts(kg: KnowledgeGraph, terms: Iterable[Term], label: str) -> dict[Term, str]:
    """Return the text of each term, if it is short and does not repeat the label."""
    all_terms = list(terms)
    labels = kg.labels([term for term in all_terms if isinstance(term, URIRef)])
    texts = {term: str(term) if isinstance(term, Literal) else labels.get(term, "") for term in all_terms}
    return {
        term: text
        for term, text in texts.items()
        if text and len(text.split()) <= MAX_OFFER_WORDS and not repeats_label(text, label)
    }


def _similar_terms(kg: KnowledgeGraph, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random) -> Sequence[Term]:
    """Return values similar to the stated ones, in random order."""
    sample = hidden.ends[0]
    if not isinstance(sample, Literal):
        type_iri = shared_class(kg, kg.types_of(hidden.ends[:50]).values())
        return kg.sample_entities(type_iri, rng=rng, limit=len(hidden.ends) + 5) if type_iri else ()
    if fact.shape != "text" or is_date_like(sample):
        shifted = shift_value(sample, rng)
        return [shifted] if shifted is not None else ()
    predicates = kg.literal_predicates(summary.entity.type) if summary.entity.type else ()
    texts = sorted({text for p in predicates if p.iri == fact.last_step.predicate for text in p.samples})
    return [Literal(t, lang=sample.language, datatype=sample.datatype) for t in rng.sample(texts, len(texts))]


def shift_value(
    value: Literal, rng: Random, *, as_date: bool | None = None, latest: Moment | None = None
) -> Literal | None:
    """Return a plausible other number or date of the same datatype and format, or None.

    Years and dates (``as_date``; None: decided by the datatype or the look) shift by up to 15 years, not beyond
    ``latest``, or only backwards without it. Numbers shift by 5 to 20 percent and keep their number of digits. A value
    that is not readable as its datatype has no other.
    """
    if is_date_like(value) if as_date is None else as_date:
        text = _shift_date(str(value), rng, latest)
    else:
        text = _shift_number(value, rng)
    shifted = _literal_like(text, value)
    return shifted if text and is_readable(shifted) and read_value(shifted) != read_value(value) else None


_YEAR = re.compile(r"(?:1[0-9]|20)\d\d", re.ASCII)
_DIGITS = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)


def is_date_like(value: Literal) -> bool:
    """Tell whether a literal is a date or a year, by its datatype or its look: an integer or a text like 1987."""
    return is_date(value) or (value.datatype not in DATE_DATATYPES and _YEAR.fullmatch(str(value)) is not None)


def _shift_date(text: str, rng: Random, latest: Moment | None) -> str:
    """Shift a year or a date by some years, backwards if it would come after ``latest`` (empty: none)."""
    moment = parse_moment(text)
    if moment is None:
        return ""
    rest = text.strip().removeprefix(format_year(moment.year))
    step = rng.randint(1, 15) * rng.choice((-1, 1))
    if rest.startswith("-02-29"):
        step = 4 * (1 + abs(step) % 3) * (1 if step > 0 else -1)
    for years in (step, -step, -2 * step, 2 * step):  # a century may have no such day
        shifted = f"{format_year(moment.year + years)}{rest}"
        target = parse_moment(shifted)
        if target is not None and target.year and (years < 0 or target <= (latest or moment)):
            return shifted
    return ""


def _shift_number(value: Literal, rng: Random) -> str:
    """Shift a number by 5 to 20 percent; without an exponent it keeps its number of digits."""
    text = str(value).strip()
    if not is_number(value):
        return ""
    if not _DIGITS.fullmatch(text):
        shifted = repr(float(text) * (1 + rng.choice((-1, 1)) * rng.uniform(0.05, 0.2)))
        return f"{Decimal(shifted):f}" if value.datatype == XSD.decimal else shifted
    whole, mark, decimals = text.partition(".")
    digits = int(whole + decimals)
    shifted_digits = f"{_shift_digits(abs(digits), rng):0{len(decimals) + 1}d}"
    sign = "-" if digits < 0 else ""
    return (
        f"{sign}{shifted_digits[: -len(decimals)]}.{shifted_digits[-len(decimals) :]}"
        if mark
        else sign + shifted_digits
    )


def _shift_digits(digits: int, rng: Random) -> int:
    """Shift a whole number by 5 to 20 percent, at least by one; its number of digits and its trailing zeros stay."""
    plain = str(digits).rstrip("0")
    plain = plain.ljust(min(2, len(str(digits))), "0")
    zeros, number = len(str(digits)) - len(plain), int(plain)
    step = max(1, round(number * rng.uniform(0.05, 0.2)))
    up, down = number + step, number - step
    candidates = [shifted for shifted in (up, down) if len(str(shifted)) == len(plain) and shifted > 0]
    return int((rng.choice(candidates) if candidates else up) * 10**zeros)


def _literal_like(text: str, model: Literal) -> Literal:
    return (
        Literal(text, lang=model.language)
        if model.language
        else Literal(text, datatype=model.datatype, normalize=False)
    )

"""Values to ask yes-no questions about: one that the KG states, or one like it that it does not state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.terms import DATES, Term
from rdflib import Literal, URIRef

from chattygen.facts import Fact, Hidden, Summary
from chattygen.salience import echoes
from chattygen.subgraph import shared_class

LONGEST = 10
"""The most words of an offered value."""


def offer(kg: KnowledgeGraph, summary: Summary, number: int, chance: Random) -> Summary | None:
    """Give one fact a value to ask a yes-no question about: true or false with even chance.

    A false value is of the same class or datatype and is not stated for the entity. Returns None unless there are
    both a true and a false value that do not say the entity's own name: else true ones would prevail.
    """
    fact, hidden = summary.fact(number)
    true = _sayable(kg, sorted(hidden.ends), summary.entity.label)
    stated = set(hidden.ends) | {summary.entity.iri}
    names = {name.casefold() for name in _sayable(kg, hidden.ends, "").values()}
    false = {
        term: name
        for term, name in _sayable(kg, _like(kg, summary, fact, hidden, chance), summary.entity.label).items()
        if term not in stated and name.casefold() not in names
    }
    if not true or not false:
        return None
    truth = chance.random() < 0.5
    value, name = list(true.items())[chance.randrange(len(true))] if truth else next(iter(false.items()))
    place = summary.facts.index(fact)
    facts, kept = list(summary.facts), list(summary.hidden)
    facts[place] = replace(fact, offer=name)
    kept[place] = replace(hidden, offer=value, truth=truth)
    return Summary(summary.entity, tuple(facts), tuple(kept))


def _sayable(kg: KnowledgeGraph, terms: Iterable[Term], label: str) -> dict[Term, str]:
    """Return, by term, how it is said, where that is short and no echo of a name."""
    found = list(terms)
    labels = kg.labels([term for term in found if isinstance(term, URIRef)])
    told = {term: str(term) if isinstance(term, Literal) else labels.get(term, "") for term in found}
    return {t: name for t, name in told.items() if name and len(name.split()) <= LONGEST and not echoes(name, label)}


def _like(kg: KnowledgeGraph, summary: Summary, fact: Fact, hidden: Hidden, chance: Random) -> Sequence[Term]:
    """Return values like the stated ones, in an order that chance makes."""
    sample = hidden.ends[0]
    if not isinstance(sample, Literal):
        type_iri = shared_class(kg, kg.types_of(hidden.ends[:50]).values())
        return kg.draw(type_iri, chance=chance, limit=len(hidden.ends) + 5) if type_iri else ()
    if fact.shape != "text" or is_timed(sample):
        return [shifted(sample, chance)]
    others = kg.literal_predicates(summary.entity.type) if summary.entity.type else ()
    texts = sorted({text for one in others if one.iri == fact.last.predicate for text in one.samples})
    return [Literal(t, lang=sample.language, datatype=sample.datatype) for t in chance.sample(texts, len(texts))]


def shifted(value: Literal, chance: Random, *, timed: bool | None = None, latest: str = "") -> Literal:
    """Return another number or date of the same datatype and manner, near enough to be believed.

    Years (typed or not; ``timed`` tells, None: their look does) and dates move by up to 15 years, not beyond
    ``latest``, the latest one known, and backwards where none is known; numbers by a twentieth to a fifth, in the
    digits that they are given in.
    """
    text = str(value)
    if is_timed(value) if timed is None else timed:
        return _written(_moved_in_time(text, chance, latest), value)
    whole, mark, decimals = text.partition(".")
    if not (whole.lstrip("+-").isdigit() and (decimals.isdigit() or not mark)):
        return _written(repr(float(text) * (1 + chance.choice((-1, 1)) * chance.uniform(0.05, 0.2))), value)
    digits = int(whole + decimals)
    moved = _moved(abs(digits), chance)
    padded = f"{moved:0{len(decimals) + 1}d}"
    sign = "-" if digits < 0 else ""
    return _written(
        f"{sign}{padded[: -len(decimals)]}.{padded[-len(decimals) :]}" if mark else f"{sign}{padded}", value
    )


_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_DATED = re.compile(r"-?\d{4,}(?:-\d\d(?:-\d\d.*)?)?")


def is_timed(value: Literal) -> bool:
    """Tell whether a literal is a date or a year, by its datatype or by its look: an integer or a text like 1987."""
    if value.datatype in DATES:
        return _DATED.fullmatch(str(value)) is not None
    return _YEAR.fullmatch(str(value)) is not None


def _moved_in_time(text: str, chance: Random, latest: str) -> str:
    """Move a year or a date by some years; what would come after the latest one goes back instead."""
    year, mark, rest = text.partition("-") if not text.startswith("-") else (text, "", "")
    step = chance.randint(1, 15) * chance.choice((-1, 1))
    if rest.startswith("02-29"):
        step = 4 * (1 + abs(step) % 3) * (1 if step > 0 else -1)
    if step > 0 and f"{int(year) + step:04d}{mark}{rest}" > (latest or text):
        step = -step
    return f"{int(year) + step:04d}{mark}{rest}"


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

"""Values to ask yes-no questions about: one that the KG states, or one like it that it does not state."""

from __future__ import annotations

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
    if fact.shape != "text":
        return [shifted(sample, chance)]
    others = kg.literal_predicates(summary.entity.type) if summary.entity.type else ()
    texts = sorted({text for one in others if one.iri == fact.last.predicate for text in one.samples})
    return [Literal(t, lang=sample.language, datatype=sample.datatype) for t in chance.sample(texts, len(texts))]


def shifted(value: Literal, chance: Random) -> Literal:
    """Return another number or date of the same datatype and manner: some years off, or some tenths off."""
    text = str(value)
    step = chance.choice((-3, -2, -1, 1, 2, 3))
    if value.datatype in DATES:
        year, mark, rest = text.partition("-") if not text.startswith("-") else (text, "", "")
        if mark and rest.startswith("02-29"):
            step *= 4
        return Literal(f"{int(year) + step:04d}{mark}{rest}", datatype=value.datatype, normalize=False)
    whole, mark, decimals = text.partition(".")
    if not (whole.lstrip("+-").isdigit() and (decimals.isdigit() or not mark)):
        return Literal(str(float(text) + step), datatype=value.datatype, normalize=False)
    digits = int(whole + decimals)
    size = max(1, abs(digits) // 20)
    moved = digits + step * size
    if moved < 0 <= digits:
        moved = digits + abs(step) * size
    elif whole == "0" and moved >= 10 ** len(decimals) > digits:
        # A share stays a share: 1.04 beside values below 1 would give itself away.
        moved = digits - abs(step) * size
    if not mark:
        return Literal(str(moved), datatype=value.datatype, normalize=False)
    padded = f"{abs(moved):0{len(decimals) + 1}d}"
    sign = "-" if moved < 0 else ""
    return Literal(
        f"{sign}{padded[: -len(decimals)]}.{padded[-len(decimals) :]}", datatype=value.datatype, normalize=False
    )

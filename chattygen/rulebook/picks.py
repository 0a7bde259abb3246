"""Wordings for the turns of a plan that pick from a set, or order it."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.asks import Ask, Condition
from chattygen.rulebook import picking
from chattygen.rulebook.asking import between, read_step, wordings
from chattygen.rulebook.claims import Claim, linked
from chattygen.rulebook.degrees import bounded, extreme, in_order, measure
from chattygen.rulebook.references import Reference, named, phrase
from chattygen.rulebook.retelling import retold
from chattygen.rulebook.sets import Set, sets

_ORDERS = ("rising", "falling")


def picked(ask: Ask, owner: Reference) -> Iterator[str]:
    """Yield wordings of a question about the set that ``ask`` names; ``owner`` says how its entity is spoken of."""
    condition = _condition(ask)
    if condition.pick in _ORDERS:
        yield from _ordered(ask, condition, owner)
        return
    found, claims = phrases(ask, owner), tuple(_claims(condition, ask.fact.kinds))
    if condition.pick in ("most", "least"):
        yield from picking.the_one(found, claims)
    elif ask.form == "count":
        yield from picking.how_many(found, claims)
    else:
        yield from picking.those(found, claims)


def follow_ups(ask: Ask) -> Iterator[str]:
    """Yield wordings of a question about the answers just given (``which of them ...``)."""
    condition = _condition(ask)
    (some, *_) = phrases(ask, named(ask.entity))
    claims = tuple(_claims(condition, ask.fact.kinds))
    if condition.pick in _ORDERS:
        for order in in_order(measure(condition, ask.fact.kinds)):
            yield f"What are they, {order}?" if not some.is_person else f"Who are they, {order}?"
    elif condition.pick in ("most", "least"):
        yield from picking.one_of_them(claims, some.noun, is_person=some.is_person)
    elif ask.form == "count":
        yield from picking.how_many_of_them(claims, some.noun)
    else:
        yield from picking.some_of_them(claims, some.noun)


def phrases(ask: Ask, owner: Reference) -> tuple[Set, ...]:
    """Return the noun phrases for the set of an ask."""
    fact, kinds = ask.fact, ask.entity.kinds
    if len(fact.steps) == 2:
        owner, kinds = phrase(between(fact.steps[0], owner, kinds, fact.via)), fact.via
    return sets(fact, read_step(fact.last, fact.shape, kinds, fact.kinds), owner, kinds)


def _ordered(ask: Ask, condition: Condition, owner: Reference) -> Iterator[str]:
    """Ask for the members in an order: ``Which films did X direct, in order of release?``"""
    plain = [
        text
        for text in wordings(ask.entity, ask.fact, ask.form)
        if text.startswith(("Wh", "By")) and not text.startswith("Whose ")
    ]
    for text in plain:
        said = text if owner == named(ask.entity) else retold(text, ask.entity.label, owner)
        for order in in_order(measure(condition, ask.fact.kinds)):
            yield f"{said.rstrip('?')}, {order}?"


def _claims(condition: Condition, members: tuple[str, ...]) -> Iterator[Claim]:
    if condition.pick in ("most", "least"):
        yield from extreme(measure(condition, members))
    elif condition.pick in ("over", "under"):
        yield from bounded(measure(condition, members))
    elif condition.pick in ("with", "without", "lacks"):
        yield from linked(condition, members)


def _condition(ask: Ask) -> Condition:
    if ask.condition is None:
        raise ValueError("what picks from a set needs a condition")
    return ask.condition

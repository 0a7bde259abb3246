"""Questions that pick from a set: which of them is the longest, which are longer than, how many do not star X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattygen.rulebook import set_questions
from chattygen.rulebook.condition_phrases import Claim, bounded, extreme, in_order, linked, measure
from chattygen.rulebook.dialogue_rewriting import retold
from chattygen.rulebook.question_realizer import between, read_step, wordings
from chattygen.rulebook.referring_expressions import Reference, named, phrase
from chattygen.rulebook.set_phrases import Set, sets
from chattygen.rulebook.words import is_mass, plural
from chattygen.stages.turn_plan import Ask, Condition

Phrases = Sequence[Set]


def the_one(found: Phrases, claims: Iterable[Claim]) -> Iterator[str]:
    """Ask which member of a set it is: ``Which of the films that X directed is the longest?``"""
    for claim in claims:
        for some in found:
            among = ("Which of", "Who among") if some.is_person else ("Which of",)
            for word in among if not some.is_mass else ():
                yield f"{word} {some.all()} {claim.said(False)}?"
            if some.is_mass:
                yield f"Which {some.all().replace('pieces', 'piece', 1)} {claim.said(False)}?"
            if some.one() and not _jars(some) and some.noun != "person":
                yield f"Which {some.one()} {claim.said(False)}?"
            if claim.adjective and some.owner and not some.is_mass:
                yield f"{_what(some)} is {some.owner} {claim.adjective} {some.noun}?"
            elif claim.adjective and some.one() and not claim.adjective.startswith("least"):
                yield f"{_what(some)} is the {claim.adjective} {some.one()}?"


def those(found: Phrases, claims: Iterable[Claim]) -> Iterator[str]:
    """Ask which members of a set they are: ``Which of the films that X directed star Y?``"""
    for claim in claims:
        for some in found:
            yield f"Which {'' if some.is_mass else 'of '}{some.all()} {claim.said(True)}?"
            if some.many() and not some.is_mass and not _jars(some):
                yield f"Which {some.many()} {claim.said(True)}?"


def how_many(found: Phrases, claims: Iterable[Claim]) -> Iterator[str]:
    """Ask how many members of a set they are."""
    for claim in claims:
        for some in found:
            yield f"How many {'' if some.is_mass else 'of '}{some.all()} {claim.said(True)}?"
            if some.many() and not some.is_mass and not _jars(some):
                yield f"How many {some.many()} {claim.said(True)}?"


def _jars(some: Set) -> bool:
    """Tell whether a second verb right behind the phrase would read badly: ``which thing that X has is``."""
    return (some.many_after or some.after).endswith((" of", " in", " at", " on", " to", " for", " with", " from"))


def _what(some: Set) -> str:
    return "Who" if some.is_person else "What"


def one_of_them(claims: Iterable[Claim], noun: str, *, is_person: bool) -> Iterator[str]:
    """Ask which of the answers just given it is."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.said(False)
        yield f"Which of them {said}?"
        yield f"Which one of them {said}?"
        if is_person:
            yield f"Who among them {said}?"
        if nouns:
            yield f"Which of those {nouns} {said}?"
        yield f"And which of them {said}?"
        yield f"Of these, which one {said}?"
        if claim.adjective:
            yield f"{'Who' if is_person else 'What'} is the {claim.adjective} of them?"


def some_of_them(claims: Iterable[Claim], noun: str) -> Iterator[str]:
    """Ask which of the answers just given they are."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.said(True)
        yield f"Which of them {said}?"
        yield f"Which of these {said}?"
        if nouns:
            yield f"Which of those {nouns} {said}?"
        yield f"And which of them {said}?"
        yield f"Of these, which ones {said}?"


def how_many_of_them(claims: Iterable[Claim], noun: str) -> Iterator[str]:
    """Ask how many of the answers just given they are."""
    nouns = _those(noun)
    for claim in claims:
        said = claim.said(True)
        yield f"How many of them {said}?"
        yield f"How many of those {said}?"
        if nouns:
            yield f"How many of these {nouns} {said}?"
        yield f"And how many of them {said}?"


def _those(noun: str) -> str:
    """Return the plural noun behind ``those``, if the members have a noun that says something."""
    return "" if not noun or noun == "thing" or is_mass(noun) or len(noun.split()) > 3 else plural(noun)


_ORDERS = ("rising", "falling")


def picked(ask: Ask, owner: Reference) -> Iterator[str]:
    """Yield wordings of a question about the set that ``ask`` names; ``owner`` says how its entity is spoken of."""
    condition = _condition(ask)
    if condition.pick in _ORDERS:
        yield from _ordered(ask, condition, owner)
        return
    found, claims = phrases(ask, owner), tuple(_claims(condition, ask.fact.kinds))
    if condition.pick in ("most", "least"):
        yield from set_questions.the_one(found, claims)
    elif ask.form == "count":
        yield from set_questions.how_many(found, claims)
    else:
        yield from set_questions.those(found, claims)


def follow_ups(ask: Ask) -> Iterator[str]:
    """Yield wordings of a question about the answers just given (``which of them ...``)."""
    condition = _condition(ask)
    (some, *_) = phrases(ask, named(ask.entity))
    claims = tuple(_claims(condition, ask.fact.kinds))
    if condition.pick in _ORDERS:
        for order in in_order(measure(condition, ask.fact.kinds)):
            yield f"What are they, {order}?" if not some.is_person else f"Who are they, {order}?"
    elif condition.pick in ("most", "least"):
        yield from set_questions.one_of_them(claims, some.noun, is_person=some.is_person)
    elif ask.form == "count":
        yield from set_questions.how_many_of_them(claims, some.noun)
    else:
        yield from set_questions.some_of_them(claims, some.noun)


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

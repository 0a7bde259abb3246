"""Questions that pick from a set: which of them is the longest, which are longer than, how many do not star X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattygen.rulebook.claims import Claim
from chattygen.rulebook.sets import Set
from chattygen.rulebook.words import is_mass, plural

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

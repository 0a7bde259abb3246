"""Noun phrases for what a fact hides: the films that X directed, the employees of X, X's awards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.rulebook.clause_questions import be
from chattygen.rulebook.condition_phrases import joined, member_of
from chattygen.rulebook.lexicon import REALMS
from chattygen.rulebook.predicate_frames import Clause, Relation
from chattygen.rulebook.referring_expressions import PRONOUNS, Reference
from chattygen.rulebook.words import class_noun, head, is_mass, mean_person, mean_place, past, plural, singular, third
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class Set:
    """A set as English says it: its members' noun, what follows it, the labels of their class.

    ``owner`` stands before the noun instead of an article (``her films``). ``many_after`` follows the plural where
    that differs (``members who report to X``); empty where it does not.
    """

    noun: str
    after: str
    kinds: tuple[str, ...]
    many_after: str = ""
    owner: str = ""

    @property
    def nouns(self) -> str:
        """The noun in the plural."""
        return plural(self.noun)

    @property
    def is_person(self) -> bool:
        """Whether its members are persons."""
        return mean_person(self.kinds) or mean_person([self.noun])

    @property
    def is_mass(self) -> bool:
        """Whether its noun has no plural, so that one speaks of pieces of it."""
        return is_mass(self.noun)

    def all(self) -> str:
        """Return it as a whole: ``the films that X directed``, ``her films``, ``pieces of the hardware``."""
        after = self.after if self.is_mass else self.many_after or self.after
        return joined("pieces of" if self.is_mass else "", self.owner or "the", self.nouns, after)

    def many(self) -> str:
        """Return it behind ``which`` or ``how many``; empty if it cannot stand there."""
        return "" if self.owner else joined(self.nouns, self.many_after or self.after)

    def one(self) -> str:
        """Return one member of it behind ``which``; empty if it cannot stand there."""
        return "" if self.owner or self.is_mass else joined(self.noun, self.after)


def sets(fact: Fact, found: Relation, owner: Reference, kinds: tuple[str, ...]) -> tuple[Set, ...]:
    """Return the phrases for what ``fact`` (read as ``found``) hides of a thing of these kinds, best first."""
    made = _pointing(fact, found, owner, kinds) if fact.last.direction == "in" else _held(fact, found, owner)
    return tuple(dict.fromkeys(made))


def noun_of(fact: Fact, found: Relation) -> str:
    """Return the singular noun for the members: that of their class, else what the predicate calls them."""
    by_kind = class_noun(fact.kinds[0]) if fact.kinds else ""
    if fact.last.direction == "in":
        return by_kind or "thing"
    return by_kind if by_kind and by_kind != "thing" and not found.noun else found.noun or "thing"


def _held(fact: Fact, found: Relation, owner: Reference) -> Iterator[Set]:
    """Say what stands at the object end: ``the awards that X received``, ``X's categories``, ``the stars of X``."""
    noun = noun_of(fact, found)
    if found.noun and not found.done:
        yield from _owned(noun, fact.kinds, owner)
    for place, clause in enumerate(found.clauses):
        if found.done or not clause.flipped:
            by_whom = clause.prep == "by" and (found.noun or len(found.clauses) > 1)
            if (place == 0 or clause.verb == "be") and not by_whom:  # else the same said backwards: whom a film stars
                yield Set(noun, _as_object(clause, owner), fact.kinds)
        else:
            yield from _as_subject(noun, fact.kinds, clause, owner)
    if not found.noun and not found.clauses:
        yield from _owned(noun, fact.kinds, owner)


def _owned(noun: str, kinds: tuple[str, ...], owner: Reference) -> Iterator[Set]:
    if not owner.is_long:
        yield Set(noun, "", kinds, owner=owner.owner)
    if owner.object not in PRONOUNS:
        yield Set(noun, f"of {owner.object}", kinds)


def _pointing(fact: Fact, found: Relation, owner: Reference, kinds: tuple[str, ...]) -> Iterator[Set]:
    """Say what points here: ``the films that X directed``, ``the museums in X``, ``the films whose genre is X``."""
    noun = noun_of(fact, found)
    for clause in found.clauses:
        if clause.flipped:
            yield Set(noun, _as_object(clause, owner), fact.kinds)
        else:
            yield from _as_subject(noun, fact.kinds, clause, owner)
    if not found.noun or found.clauses:
        return
    if found.noun in REALMS and mean_place(kinds):
        yield Set(noun, f"{'in' if mean_place(fact.kinds) else 'from'} {owner.object}", fact.kinds)
    if found.of == "in":  # the player of the match
        yield Set(noun, f"in which {owner.subject} {be('past', owner.several)} the {found.noun}", fact.kinds)
        return
    if mean_person(kinds) or mean_person([head(found.noun)]):
        of = f"that {owner.subject} {be('present', owner.several)} the {found.noun} of"
        yield Set(noun, of, fact.kinds)
    whole = member_of(owner.object, found.noun) if owner.object not in PRONOUNS else ""
    if whole:
        rest = f"to {whole}"
        yield Set(noun, f"that belongs {rest}", fact.kinds, many_after=f"that belong {rest}")
        return
    own = "their" if mean_person([*fact.kinds, noun]) else "its"
    which = "who" if own == "their" else "that"
    yield Set(
        noun, f"{which} has {owner.object} as {own} {found.noun}", fact.kinds,
        many_after=f"{which} have {owner.object} as their {found.noun}",
    )  # fmt: skip
    if owner.object not in PRONOUNS:
        yield Set(noun, f"whose {found.noun} is {owner.object}", fact.kinds)


def _as_object(clause: Clause, owner: Reference) -> str:
    """Return the relative clause whose object the members are: ``that X directed``, ``that X is a member of``."""
    if clause.verb == "be":
        verb = joined(be(clause.tense, owner.several), clause.predicate(owner.several))
    else:
        form = clause.verb if owner.several else third(clause.verb)
        verb = joined(past(clause.verb) if clause.tense == "past" else form, clause.said)
    return joined("that", owner.subject, verb, clause.prep)


def _as_subject(noun: str, kinds: tuple[str, ...], clause: Clause, owner: Reference) -> Iterator[Set]:
    """Yield the relative clauses whose subject the members are: ``directed by X``, ``who report to X``."""
    who = "who" if mean_person([*kinds, noun]) else "that"
    rest = joined(clause.prep, owner.object)
    if clause.verb == "be":
        if clause.many and clause.prep == "of":
            yield from _owned(singular(clause.many), (singular(clause.many), *kinds), owner)
        told = clause.prep == "of" and noun == "person"
        if clause.many and not told and owner.object not in PRONOUNS:
            many = joined(who, be(clause.tense, True), clause.many, rest)
            yield Set(noun, joined(who, be(clause.tense, False), clause.said, rest), kinds, many_after=many)
        elif not clause.many:
            yield Set(noun, joined(clause.said, rest), kinds)
            if clause.said == "located" and clause.prep == "in":
                yield Set(noun, rest, kinds)
        return
    if clause.tense == "past":
        yield Set(noun, joined(who, past(clause.verb), clause.said, rest), kinds)
    else:
        one = joined(who, third(clause.verb), clause.said, rest)
        yield Set(noun, one, kinds, many_after=joined(who, clause.verb, clause.said, rest))

"""Noun phrases for what a fact hides: the films that X directed, the employees of X, X's awards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import (
    class_noun,
    denote_persons,
    denote_places,
    head_noun,
    is_mass_noun,
    past_tense,
    pluralize,
    singularize,
    third_person,
)

from chattygen.rulebook.clause_questions import form_of_be
from chattygen.rulebook.condition_phrases import join_words, phrase_membership
from chattygen.rulebook.lexicon import COUNTRY_NOUNS
from chattygen.rulebook.predicate_frames import ClauseFrame, PredicateFrame
from chattygen.rulebook.referring_expressions import PRONOUNS, ReferringExpression
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class SetPhrase:
    """A set as English says it: its members' noun, what follows it, the labels of their class.

    ``owner`` stands before the noun instead of an article (``her films``). ``many_after`` follows the plural where
    that differs (``members who report to X``); empty where it does not.
    """

    noun: str
    modifier: str
    kinds: tuple[str, ...]
    plural_modifier: str = ""
    possessive: str = ""

    @property
    def plural_noun(self) -> str:
        """The noun in the plural."""
        return pluralize(self.noun)

    @property
    def is_person(self) -> bool:
        """Whether its members are persons."""
        return denote_persons(self.kinds) or denote_persons([self.noun])

    @property
    def is_mass(self) -> bool:
        """Whether its noun has no plural, so that one speaks of pieces of it."""
        return is_mass_noun(self.noun)

    def whole_phrase(self) -> str:
        """Return it as a whole: ``the films that X directed``, ``her films``, ``pieces of the hardware``."""
        after = self.modifier if self.is_mass else self.plural_modifier or self.modifier
        return join_words("pieces of" if self.is_mass else "", self.possessive or "the", self.plural_noun, after)

    def plural_phrase(self) -> str:
        """Return it behind ``which`` or ``how many``; empty if it cannot stand there."""
        return "" if self.possessive else join_words(self.plural_noun, self.plural_modifier or self.modifier)

    def member_phrase(self) -> str:
        """Return one member of it behind ``which``; empty if it cannot stand there."""
        return "" if self.possessive or self.is_mass else join_words(self.noun, self.modifier)


def lexicalize_set(
    fact: Fact, found: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> tuple[SetPhrase, ...]:
    """Return the phrases for what ``fact`` (read as ``found``) hides of a thing of these kinds, best first."""
    made = _pointing(fact, found, owner, kinds) if fact.last_step.direction == "in" else _held(fact, found, owner)
    return tuple(dict.fromkeys(made))


def member_noun_of(fact: Fact, found: PredicateFrame) -> str:
    """Return the singular noun for the members: that of their class, else what the predicate calls them."""
    by_kind = class_noun(fact.class_labels[0]) if fact.class_labels else ""
    if fact.last_step.direction == "in":
        return by_kind or "thing"
    return by_kind if by_kind and by_kind != "thing" and not found.noun else found.noun or "thing"


def _held(fact: Fact, found: PredicateFrame, owner: ReferringExpression) -> Iterator[SetPhrase]:
    """Say what stands at the object end: ``the awards that X received``, ``X's categories``, ``the stars of X``."""
    noun = member_noun_of(fact, found)
    if found.noun and not found.event_verb:
        yield from _owned(noun, fact.class_labels, owner)
    for place, clause in enumerate(found.clauses):
        if found.event_verb or not clause.is_inverse:
            by_whom = clause.preposition == "by" and (found.noun or len(found.clauses) > 1)
            if (place == 0 or clause.verb == "be") and not by_whom:  # else the same said backwards: whom a film stars
                yield SetPhrase(noun, _as_object(clause, owner), fact.class_labels)
        else:
            yield from _as_subject(noun, fact.class_labels, clause, owner)
    if not found.noun and not found.clauses:
        yield from _owned(noun, fact.class_labels, owner)


def _owned(noun: str, kinds: tuple[str, ...], owner: ReferringExpression) -> Iterator[SetPhrase]:
    if not owner.is_long:
        yield SetPhrase(noun, "", kinds, possessive=owner.possessive)
    if owner.object not in PRONOUNS:
        yield SetPhrase(noun, f"of {owner.object}", kinds)


def _pointing(
    fact: Fact, found: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> Iterator[SetPhrase]:
    """Say what points here: ``the films that X directed``, ``the museums in X``, ``the films whose genre is X``."""
    noun = member_noun_of(fact, found)
    for clause in found.clauses:
        if clause.is_inverse:
            yield SetPhrase(noun, _as_object(clause, owner), fact.class_labels)
        else:
            yield from _as_subject(noun, fact.class_labels, clause, owner)
    if not found.noun or found.clauses:
        return
    if found.noun in COUNTRY_NOUNS and denote_places(kinds):
        yield SetPhrase(
            noun, f"{'in' if denote_places(fact.class_labels) else 'from'} {owner.object}", fact.class_labels
        )
    if found.preposition == "in":  # the player of the match
        yield SetPhrase(
            noun, f"in which {owner.subject} {form_of_be('past', owner.is_plural)} the {found.noun}", fact.class_labels
        )
        return
    if denote_persons(kinds) or denote_persons([head_noun(found.noun)]):
        of = f"that {owner.subject} {form_of_be('present', owner.is_plural)} the {found.noun} of"
        yield SetPhrase(noun, of, fact.class_labels)
    whole = phrase_membership(owner.object, found.noun) if owner.object not in PRONOUNS else ""
    if whole:
        rest = f"to {whole}"
        yield SetPhrase(noun, f"that belongs {rest}", fact.class_labels, plural_modifier=f"that belong {rest}")
        return
    own = "their" if denote_persons([*fact.class_labels, noun]) else "its"
    which = "who" if own == "their" else "that"
    yield SetPhrase(
        noun, f"{which} has {owner.object} as {own} {found.noun}", fact.class_labels,
        plural_modifier=f"{which} have {owner.object} as their {found.noun}",
    )  # fmt: skip
    if owner.object not in PRONOUNS:
        yield SetPhrase(noun, f"whose {found.noun} is {owner.object}", fact.class_labels)


def _as_object(clause: ClauseFrame, owner: ReferringExpression) -> str:
    """Return the relative clause whose object the members are: ``that X directed``, ``that X is a member of``."""
    if clause.verb == "be":
        verb = join_words(form_of_be(clause.tense, owner.is_plural), clause.predicate(owner.is_plural))
    else:
        form = clause.verb if owner.is_plural else third_person(clause.verb)
        verb = join_words(past_tense(clause.verb) if clause.tense == "past" else form, clause.complement)
    return join_words("that", owner.subject, verb, clause.preposition)


def _as_subject(
    noun: str, kinds: tuple[str, ...], clause: ClauseFrame, owner: ReferringExpression
) -> Iterator[SetPhrase]:
    """Yield the relative clauses whose subject the members are: ``directed by X``, ``who report to X``."""
    who = "who" if denote_persons([*kinds, noun]) else "that"
    rest = join_words(clause.preposition, owner.object)
    if clause.verb == "be":
        if clause.plural_complement and clause.preposition == "of":
            yield from _owned(
                singularize(clause.plural_complement), (singularize(clause.plural_complement), *kinds), owner
            )
        told = clause.preposition == "of" and noun == "person"
        if clause.plural_complement and not told and owner.object not in PRONOUNS:
            many = join_words(who, form_of_be(clause.tense, True), clause.plural_complement, rest)
            yield SetPhrase(
                noun,
                join_words(who, form_of_be(clause.tense, False), clause.complement, rest),
                kinds,
                plural_modifier=many,
            )
        elif not clause.plural_complement:
            yield SetPhrase(noun, join_words(clause.complement, rest), kinds)
            if clause.complement == "located" and clause.preposition == "in":
                yield SetPhrase(noun, rest, kinds)
        return
    if clause.tense == "past":
        yield SetPhrase(noun, join_words(who, past_tense(clause.verb), clause.complement, rest), kinds)
    else:
        one = join_words(who, third_person(clause.verb), clause.complement, rest)
        yield SetPhrase(noun, one, kinds, plural_modifier=join_words(who, clause.verb, clause.complement, rest))

"""Noun phrases for the answer set of a fact: the films that X directed, the employees of X, X's awards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    pluralize,
    singularize,
)

from chattygen.lexicalization.lexicon import COUNTRY_NOUNS, LANGUAGE_NOUNS, SHARED_ROLES, WORK_LANGUAGE_NOUNS
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame
from chattygen.lexicalization.step_lexicalization import are_inside, names_container, names_role
from chattygen.lexicalization.word_forms import counted_noun_of, past_tense, third_person
from chattygen.rulebook.clause_questions import form_of_be
from chattygen.rulebook.condition_phrases import join_words, phrase_membership
from chattygen.rulebook.referring_expressions import PRONOUNS, ReferringExpression
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class SetPhrase:
    """A set as a noun phrase.

    Attributes:
        noun: The noun for a member, in the singular.
        modifier: The words behind the noun.
        kinds: The labels of the members' class, nearest first.
        plural_modifier: The words behind the plural, where they differ (``members who report to X``).
        possessive: The words before the noun in place of an article (``her films``).
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

    def whole_phrase(self) -> str:
        """Return the whole set: ``the films that X directed``, ``her films``."""
        return join_words(self.possessive or "the", self.plural_noun, self.plural_modifier or self.modifier)

    def plural_phrase(self) -> str:
        """Return the phrase behind ``which`` or ``how many``; "" if it cannot stand there."""
        return "" if self.possessive else join_words(self.plural_noun, self.plural_modifier or self.modifier)

    def member_phrase(self) -> str:
        """Return the phrase for one member behind ``which``; "" if it cannot stand there."""
        return "" if self.possessive else join_words(self.noun, self.modifier)


def lexicalize_set(
    fact: Fact, frame: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> tuple[SetPhrase, ...]:
    """Return the phrases for the answers of a fact, best first; ``kinds`` are the class labels of the owner."""
    phrases = (
        _subject_sets(fact, frame, owner, kinds)
        if fact.last_step.direction == "in"
        else _object_sets(fact, frame, owner)
    )
    return tuple(dict.fromkeys(phrases))


def member_noun_of(fact: Fact, frame: PredicateFrame) -> str:
    """Return the singular noun for the members: that of their class, else that of the predicate."""
    by_kind = counted_noun_of(fact.class_labels)
    if fact.last_step.direction == "in":
        return by_kind or "thing"
    return by_kind if by_kind and by_kind != "thing" and not frame.noun else frame.noun or "thing"


def _object_sets(fact: Fact, frame: PredicateFrame, owner: ReferringExpression) -> Iterator[SetPhrase]:
    """Yield phrases for the objects: ``the awards that X received``, ``X's categories``, ``the stars of X``."""
    noun = member_noun_of(fact, frame)
    if frame.noun and not frame.event_verb:
        yield from _owned_sets(noun, fact.class_labels, owner)
    for index, clause in enumerate(frame.clauses):
        if clause.verb == "be" and clause.preposition == "for" and owner.object not in PRONOUNS and not owner.is_long:
            yield SetPhrase(noun, "", fact.class_labels, possessive=owner.possessive)  # what it is responsible for
        elif frame.event_verb or not clause.is_inverse:
            by_whom = clause.preposition == "by" and (frame.noun or len(frame.clauses) > 1)
            if (index == 0 or clause.verb == "be") and not by_whom:  # else it repeats the noun's phrase in reverse
                yield SetPhrase(noun, _object_clause(clause, owner), fact.class_labels)
        else:
            yield from _subject_clauses(noun, fact.class_labels, clause, owner)
    if not frame.noun and not frame.clauses:
        yield from _owned_sets(noun, fact.class_labels, owner)


def _owned_sets(noun: str, kinds: tuple[str, ...], owner: ReferringExpression) -> Iterator[SetPhrase]:
    if not owner.is_long:
        yield SetPhrase(noun, "", kinds, possessive=owner.possessive)
    if owner.object not in PRONOUNS:
        yield SetPhrase(noun, f"of {owner.object}", kinds)


def _subject_sets(
    fact: Fact, frame: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> Iterator[SetPhrase]:
    """Yield phrases for the subjects: ``the films that X directed``, ``the films whose genre is X``."""
    noun = member_noun_of(fact, frame)
    for clause in frame.clauses:
        if clause.is_inverse:
            yield SetPhrase(noun, _object_clause(clause, owner), fact.class_labels)
        else:
            yield from _subject_clauses(noun, fact.class_labels, clause, owner)
    if not frame.noun or frame.clauses:
        return
    if frame.noun in COUNTRY_NOUNS and denote_places(kinds):
        yield SetPhrase(
            noun, f"{'in' if denote_places(fact.class_labels) else 'from'} {owner.object}", fact.class_labels
        )
    if frame.preposition == "in":  # the player of the match
        yield SetPhrase(
            noun, f"in which {owner.subject} {form_of_be('past', owner.is_plural)} the {frame.noun}", fact.class_labels
        )
        return
    is_person = denote_persons([*fact.class_labels, noun])
    membership = phrase_membership(owner.object, frame.noun) if owner.object not in PRONOUNS else ""
    if membership:
        rest = f"to {membership}"
        yield SetPhrase(noun, f"that belongs {rest}", fact.class_labels, plural_modifier=f"that belong {rest}")
    elif frame.noun in WORK_LANGUAGE_NOUNS and not is_person:
        yield SetPhrase(noun, f"in {owner.object}", fact.class_labels)
    elif frame.noun in LANGUAGE_NOUNS | WORK_LANGUAGE_NOUNS:
        rest = join_words(owner.object, f"as their {frame.noun}" if frame.noun in LANGUAGE_NOUNS else "")
        yield SetPhrase(noun, f"who speaks {rest}", fact.class_labels, plural_modifier=f"who speak {rest}")
    elif names_container(frame.noun, kinds, fact.class_labels):
        has = f"that {owner.subject} {'have' if owner.is_plural else 'has'}"
        is_in = are_inside(frame.noun, fact.class_labels)
        yield SetPhrase(noun, f"in {owner.object}" if is_in else has, fact.class_labels)
    elif names_role(frame, kinds):
        is_shared = head_noun(frame.noun) in SHARED_ROLES
        role = add_indefinite_article(frame.noun) if is_shared else f"the {frame.noun}"
        of = f"that {owner.subject} {form_of_be('present', owner.is_plural)} {role} of"
        yield SetPhrase(noun, of, fact.class_labels)
    elif owner.object not in PRONOUNS:
        yield SetPhrase(noun, f"whose {frame.noun} is {owner.object}", fact.class_labels)
    else:
        who, its = ("who", "their") if is_person else ("that", "its")
        rest, plural_rest = f"{owner.object} as {its} {frame.noun}", f"{owner.object} as their {frame.noun}"
        yield SetPhrase(noun, f"{who} has {rest}", fact.class_labels, plural_modifier=f"{who} have {plural_rest}")


def _object_clause(clause: ClauseFrame, owner: ReferringExpression) -> str:
    """Return the relative clause whose object the members are: ``that X directed``, ``that X is a member of``."""
    if clause.verb == "be":
        verb = join_words(form_of_be(clause.tense, owner.is_plural), clause.predicate(owner.is_plural))
    else:
        form = clause.verb if owner.is_plural else third_person(clause.verb)
        verb = join_words(past_tense(clause.verb) if clause.tense == "past" else form, clause.complement)
    return join_words("that", owner.subject, verb, clause.preposition)


def _subject_clauses(
    noun: str, kinds: tuple[str, ...], clause: ClauseFrame, owner: ReferringExpression
) -> Iterator[SetPhrase]:
    """Yield the relative clauses whose subject the members are: ``directed by X``, ``who report to X``."""
    pronoun = "who" if denote_persons([*kinds, noun]) else "that"
    rest = join_words(clause.preposition, owner.object)
    if clause.verb == "be":
        if clause.plural_complement and clause.preposition == "of":
            yield from _owned_sets(
                singularize(clause.plural_complement), (singularize(clause.plural_complement), *kinds), owner
            )
        is_obvious = clause.preposition == "of" and noun == "person"
        if clause.plural_complement and not is_obvious and owner.object not in PRONOUNS:
            plural_clause = join_words(pronoun, form_of_be(clause.tense, True), clause.plural_complement, rest)
            yield SetPhrase(
                noun,
                join_words(pronoun, form_of_be(clause.tense, False), clause.complement, rest),
                kinds,
                plural_modifier=plural_clause,
            )
        elif not clause.plural_complement:
            yield SetPhrase(noun, join_words(clause.complement, rest), kinds)
            if clause.complement == "located" and clause.preposition == "in":
                yield SetPhrase(noun, rest, kinds)
        return
    if clause.tense == "past":
        yield SetPhrase(noun, join_words(pronoun, past_tense(clause.verb), clause.complement, rest), kinds)
    else:
        singular_clause = join_words(pronoun, third_person(clause.verb), clause.complement, rest)
        yield SetPhrase(
            noun, singular_clause, kinds, plural_modifier=join_words(pronoun, clause.verb, clause.complement, rest)
        )

"""Noun phrases for the answer set of a fact: the films that X directed, the employees of X, X's awards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import pluralize, singularize

from chattygen.context.facts import Fact
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame
from chattygen.lexicalization.word_forms import are_persons, counted_noun_of, finite_form, form_of_be, join_words
from chattygen.rulebook.noun_relations import NounRelation
from chattygen.rulebook.referring_expressions import PRONOUNS, ReferringExpression


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
        return are_persons(self.kinds) or are_persons([self.noun])

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
    for clause in frame.clauses or (NounRelation(frame, owner.object, fact.class_labels, kinds).as_clause(),):
        if clause.is_inverse and (clause.verb, clause.complement) == ("have", ""):  # what it has
            yield from _owned_sets(noun, fact.class_labels, owner)
        elif clause.is_inverse:
            yield SetPhrase(noun, _object_clause(clause, owner), fact.class_labels)
        elif clause.is_formula and owner.object in (*PRONOUNS, f"the {frame.noun}", f"that {frame.noun}"):
            yield SetPhrase(noun, f"with that {frame.noun}", fact.class_labels)
        elif clause.is_formula:
            yield SetPhrase(noun, f"whose {frame.noun} is {owner.object}", fact.class_labels)
        else:
            yield from _subject_clauses(noun, fact.class_labels, clause, owner)


def _object_clause(clause: ClauseFrame, owner: ReferringExpression) -> str:
    """Return the relative clause whose object the members are: ``that X directed``, ``that X is a member of``."""
    if clause.preposition == "in" and clause.complement.startswith("the "):  # the player of the match
        return join_words("in which", owner.subject, form_of_be(clause.tense, owner.is_plural), clause.complement)
    verb = finite_form(clause.verb, clause.tense, owner.is_plural)
    return join_words("that", owner.subject, verb, clause.predicate(owner.is_plural), clause.preposition)


def _subject_clauses(
    noun: str, kinds: tuple[str, ...], clause: ClauseFrame, owner: ReferringExpression
) -> Iterator[SetPhrase]:
    """Yield the relative clauses whose subject the members are: ``directed by X``, ``who report to X``."""
    pronoun = "who" if are_persons([*kinds, noun]) else "that"
    one, several = (
        join_words(pronoun, finite_form(clause.verb, clause.tense, are_several), clause.tail(owner.object, are_several))
        for are_several in (False, True)
    )
    role = singularize(clause.plural_complement) if clause.plural_complement else ""
    if role and clause.preposition == "of":
        yield from _owned_sets(role, (role, *kinds), owner)
    if role and ((clause.preposition == "of" and noun == "person") or owner.object in PRONOUNS):
        return
    if clause.verb == "be" and not role:
        yield SetPhrase(noun, clause.tail(owner.object, False), kinds)
        if (clause.complement, clause.preposition) == ("located", "in"):
            yield SetPhrase(noun, f"in {owner.object}", kinds)
        return
    yield SetPhrase(noun, one, kinds, plural_modifier=several if several != one else "")

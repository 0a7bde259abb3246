"""Noun phrases for the ends of a fact: the films that X directed, the employees of X, X's awards, its city."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import class_noun, pluralize, singularize

from chattygen.context.facts import Fact
from chattygen.lexicalization.lexicon import AGENT_NOUNS, GENERAL_PERSON_NOUNS
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame
from chattygen.lexicalization.rows import fitting_rows
from chattygen.lexicalization.word_forms import are_persons, counted_noun_of, form_of_be, join_words
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
    def is_person(self) -> bool:
        """Whether its members are persons."""
        return are_persons(self.kinds) or are_persons([self.noun])

    def whole_phrase(self) -> str:
        """Return the whole set: ``the films that X directed``, ``her films``."""
        return join_words(self.possessive or "the", pluralize(self.noun), self.plural_modifier or self.modifier)

    def plural_phrase(self) -> str:
        """Return the phrase behind ``which`` or ``how many``; "" if it cannot stand there."""
        return "" if self.possessive else join_words(pluralize(self.noun), self.plural_modifier or self.modifier)

    def member_phrase(self) -> str:
        """Return the phrase for one member behind ``which``; "" if it cannot stand there."""
        return "" if self.possessive else join_words(self.noun, self.modifier)


def lexicalize_set(
    fact: Fact, frame: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> tuple[SetPhrase, ...]:
    """Return the phrases for the ends of a fact, best first; ``kinds`` are the class labels of the owner."""
    phrases = _subject_sets if fact.last_step.direction == "in" else _object_sets
    return tuple(dict.fromkeys(phrases(fact, frame, owner, kinds)))


def _object_sets(
    fact: Fact, frame: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> Iterator[SetPhrase]:
    """Yield phrases for the objects: ``the awards that X received``, ``X's categories``, ``the stars of X``."""
    by_kind, ends = counted_noun_of(fact.class_labels), fact.class_labels
    noun = by_kind if by_kind not in ("", "thing") and not frame.noun else frame.noun or "thing"
    if not frame.event_verb and (frame.noun or not frame.clauses):
        yield from _owned_sets(noun, ends, owner)
    for index, clause in enumerate(frame.clauses):
        if not frame.event_verb and _owns(clause, noun, kinds, ends):
            yield from _owned_sets(noun, ends, owner)
        if clause.is_inverse and not frame.event_verb:
            if role := _role_of_agent(noun, clause):
                yield from _owned_sets(role, ends, owner)
            yield from _subject_clauses(noun, ends, clause, owner)
            continue
        by_whom = clause.preposition == "by" and (frame.noun or len(frame.clauses) > 1)
        if (index == 0 or clause.verb == "be") and not by_whom:  # else it repeats the noun's phrase in reverse
            yield SetPhrase(noun, _object_clause(clause, owner), ends)


def _owns(clause: ClauseFrame, noun: str, kinds: tuple[str, ...], ends: tuple[str, ...]) -> bool:
    """Tell whether a thing calls another *its* (its city, her department), for it is in it, at it or of it."""
    if clause.is_inverse or are_persons(ends) or noun in ("thing", *map(class_noun, kinds)):
        return False
    traits = {name: getattr(clause, name) for name in ("verb", "complement", "preposition", "tense")}
    return next(fitting_rows("questions", "owned", traits), None) is not None


def _role_of_agent(noun: str, clause: ClauseFrame) -> str:
    """Return the short noun for who does what a clause tells: ``conductor``, ``painter`` of a person; else ""."""
    if clause.complement or noun not in GENERAL_PERSON_NOUNS:
        return noun if AGENT_NOUNS.get(noun, ("",))[0] == clause.verb and not clause.complement else ""
    return next((role for role, agent in AGENT_NOUNS.items() if agent == (clause.verb, clause.tense)), "")


def _owned_sets(noun: str, kinds: tuple[str, ...], owner: ReferringExpression) -> Iterator[SetPhrase]:
    if not owner.is_long:
        yield SetPhrase(noun, "", kinds, possessive=owner.possessive)
    if owner.object not in PRONOUNS:
        yield SetPhrase(noun, f"of {owner.object}", kinds)


def _subject_sets(
    fact: Fact, frame: PredicateFrame, owner: ReferringExpression, kinds: tuple[str, ...]
) -> Iterator[SetPhrase]:
    """Yield phrases for the subjects: ``the films that X directed``, ``the films whose genre is X``."""
    noun, ends = counted_noun_of(fact.class_labels) or "thing", fact.class_labels
    for clause in frame.clauses or (NounRelation(frame, owner.object, ends, kinds).as_clause(),):
        if clause.is_inverse and (clause.verb, clause.complement) == ("have", ""):  # what it has
            yield from _owned_sets(noun, ends, owner)
        elif clause.is_inverse:
            yield SetPhrase(noun, _object_clause(clause, owner), ends)
        elif clause.is_formula and owner.object in (*PRONOUNS, f"the {frame.noun}", f"that {frame.noun}"):
            yield SetPhrase(noun, f"with that {frame.noun}", ends)
        elif clause.is_formula:
            yield SetPhrase(noun, f"whose {frame.noun} is {owner.object}", ends)
        else:
            yield from _subject_clauses(noun, ends, clause, owner)


def _object_clause(clause: ClauseFrame, owner: ReferringExpression) -> str:
    """Return the relative clause whose object the members are: ``that X directed``, ``that X is a member of``."""
    if clause.preposition == "in" and clause.complement.startswith("the "):  # the player of the match
        return join_words("in which", owner.subject, form_of_be(clause.tense, owner.is_plural), clause.complement)
    return join_words("that", owner.subject, clause.behind_subject("", owner.is_plural))


def _subject_clauses(
    noun: str, kinds: tuple[str, ...], clause: ClauseFrame, owner: ReferringExpression
) -> Iterator[SetPhrase]:
    """Yield the relative clauses whose subject the members are: ``directed by X``, ``who report to X``."""
    pronoun = "who" if are_persons([*kinds, noun]) else "that"
    one, several = (f"{pronoun} {clause.behind_subject(owner.object, are_several)}" for are_several in (False, True))
    role = singularize(clause.plural_complement) if clause.plural_complement else ""
    if role and clause.preposition == "of":
        yield from _owned_sets(role, (role, *kinds), owner)
    if role and ((clause.preposition == "of" and noun == "person") or owner.object in PRONOUNS):
        return
    if clause.verb == "be" and not role:
        yield SetPhrase(noun, clause.tail(owner.object, False).removeprefix("located "), kinds)
        return
    yield SetPhrase(noun, one, kinds, plural_modifier=several if several != one else "")

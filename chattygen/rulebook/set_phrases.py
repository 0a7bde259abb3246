"""Noun phrases for the ends of a fact (the films that X directed, the employees of X, its city), and nouns as
clauses: a film *belongs to* its genre, a band *is from* a country (``relation`` in ``questions.toml``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from chattyshared.language.inflection import (
    class_noun,
    denote_grounds,
    denote_places,
    head_noun,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import has_sense, noun_kinds

from chattygen.context.facts import Fact
from chattygen.lexicalization.lexicon import (
    AGENT_NOUNS,
    COUNTRY_NOUNS,
    GENERAL_PERSON_NOUNS,
    OCCUPATION_NOUNS,
    PLACE_NOUNS,
    SHARED_ROLES,
)
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, clause_of_row
from chattygen.lexicalization.rows import fitting_rows
from chattygen.lexicalization.step_lexicalization import are_inside, is_membership_noun, names_container, names_role
from chattygen.lexicalization.word_forms import (
    are_events,
    are_persons,
    counted_noun_of,
    form_of_be,
    is_mass_noun,
    join_words,
)
from chattygen.rulebook.referring_expressions import PRONOUNS, ReferringExpression

_PROPER_NAME_NOUNS = frozenset("collection range chain".split())
_ABSTRACT_KINDS = word_set("nouns", "abstract_kinds")
_ABSTRACT_NOUNS = word_set("nouns", "abstract_nouns")
"""Nouns for what things are (a setting, *romantic*), not for what has them."""
_UNIQUE_ROLES = frozenset("lead head chief principal main line".split())
"""Words before a role that one person has."""
Traits = Mapping[str, Callable[[Any], Any]]


RELATION_TRAITS: Traits = {
    "noun": lambda q: q.frame.noun,
    "of": lambda q: q.frame.preposition,
    "head": lambda q: head_noun(q["noun"]) if q["noun"] else "",
    "noun_kind": lambda q: next(iter(noun_kinds(q["noun"])), ""),
    "its": lambda q: "their" if are_persons(q.members) else "its",
    "is_pronoun": lambda q: q.value in PRONOUNS,
    "kind_is_sure": lambda q: bool(q.membership) or not q.is_negated,
    "value_has_noun": lambda q: q["head"] in q.value.lower().split(),
    "value_is_proper": lambda q: q.value.removeprefix("the ")[:1].isupper() or q["is_pronoun"],
    "membership_noun": lambda q: is_membership_noun(q["noun"]),
    "place_noun": lambda q: q["noun"] in PLACE_NOUNS | COUNTRY_NOUNS,
    "place_preposition": lambda q: preposition_before_place(q.members, q["noun"]),
    "value_place": lambda q: denote_places(q.values),
    "members_person": lambda q: are_persons(q.members),
    "members_event": lambda q: are_events(q.members),
    "asks_person": lambda q: are_persons((*q.values, q["head"])),
    "is_role": lambda q: names_role(q.frame, q.values),
    "shared_role": lambda q: q["head"] in SHARED_ROLES and _UNIQUE_ROLES.isdisjoint(q["noun"].lower().split()[:-1]),
    "is_container": lambda q: names_container(q["noun"], q.values, q.members),
    "is_abstract": lambda q: q["head"] in _ABSTRACT_NOUNS or not _ABSTRACT_KINDS.isdisjoint(noun_kinds(q["head"])[:1]),
    "is_holder": lambda q: not q["is_abstract"] and (q["is_reference"] or not q.value[:1].islower()),
    "is_reference": lambda q: q["is_pronoun"] or q.value.startswith(("the ", "that ", "this ")),
    "are_inside": lambda q: are_inside(q["noun"], q.members),
}


@dataclass(frozen=True)
class NounRelation:
    """The relation of some members to a value by the noun of a frame, as the rows see it.

    ``members`` and ``values`` are the class labels of both. ``is_topic``: a question about the value asks for the
    members. ``is_negated``: the members do not have the value.
    """

    frame: PredicateFrame
    value: str
    members: tuple[str, ...]
    values: tuple[str, ...]
    is_topic: bool = True
    is_negated: bool = False
    traits: ClassVar[Traits] = RELATION_TRAITS

    def __getitem__(self, name: str) -> Any:
        return self.traits[name](self) if name in self.traits else getattr(self, name)

    @property
    def value_is_occupation(self) -> bool:
        """Whether the value is an occupation: ``painter``."""
        is_role = are_persons([self.value.lower()]) or head_noun(self.value).endswith(("er", "or", "ian", "ant"))
        return self["noun"] in OCCUPATION_NOUNS and self.value[1:].islower() and is_role and not self["is_pronoun"]

    @property
    def value_is_kind(self) -> bool:
        """Whether the value says what a thing is: the category *Capacitor*, the vessel type *water bus*."""
        form = r"(?!the |that )[a-z ]+|[A-Z][a-z]+|[A-Z]{2,5}"
        is_common = re.fullmatch(form, self.value) is not None and not is_mass_noun(self.value)
        is_noun = has_sense(head_noun(self.value), "n") or self.value.endswith(("er", "or")) or self.value.isupper()
        return is_common and is_noun and self["head"] in ("category", "type", "kind") and not self["is_reference"]

    @property
    def kind(self) -> str:
        """The value as a common noun."""
        return self.value if self.value.isupper() else self.value.lower()

    @property
    def membership(self) -> str:
        """The noun phrase behind ``belongs to``: ``the genre satire``, ``the Lind Collection``; else "".

        The name of a collection, range or chain must contain that noun, or *belongs to* could mean something else.
        """
        if not self["membership_noun"] or self["is_pronoun"]:
            return ""
        if self["value_has_noun"]:
            has_article = self.value.lower().startswith("the ") or self.value[0].islower()
            return self.value if has_article else f"the {self.value}"
        return "" if self["head"] in _PROPER_NAME_NOUNS else f"the {self['noun']} {self.value}"

    def as_clause(self) -> ClauseFrame:
        """Return the clause of the first row that fits; the last one fits all."""
        found = clause_of_row("relation", self, "questions")
        assert found is not None
        return found[1]


def preposition_before_place(members: tuple[str, ...], noun: str) -> str:
    """Return ``in`` or ``from``: people are from a city, things in it; both are from a country, and a city in it."""
    is_from = are_persons(members) or (noun in COUNTRY_NOUNS and not denote_grounds(members))
    return "from" if is_from else "in"


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

"""Nouns of predicates as clauses: a film *belongs to* its genre, a person *speaks* their language, a band *is from* a
country. The rows are ``relation`` in ``questions.toml``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from chattyshared.language.inflection import denote_grounds, denote_places, head_noun
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import has_sense, noun_kinds

from chattygen.lexicalization.lexicon import COUNTRY_NOUNS, OCCUPATION_NOUNS, PLACE_NOUNS, SHARED_ROLES
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame, clause_of_row
from chattygen.lexicalization.step_lexicalization import are_inside, is_membership_noun, names_container, names_role
from chattygen.lexicalization.word_forms import are_events, are_persons, is_mass_noun
from chattygen.rulebook.referring_expressions import PRONOUNS

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

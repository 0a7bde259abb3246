"""How a turn of a plan refers to what it asks about, given the turns before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from chattygen.rulebook.lexicon import MANIFOLD, OCCUPATIONS
from chattygen.rulebook.predicate_lexicalization import relation
from chattygen.rulebook.words import (
    called,
    class_noun,
    head,
    mean_group,
    mean_person,
    names_many,
    plain,
    possessive,
    singular,
)
from chattygen.stages.dialogues import Draft
from chattygen.stages.turn_plan import Ask
from chattygen.subgraph.facts import Entity, Gender

_PREPOSITION = r"(?:at|in|on|from|to|through|with|into)"
_SETS = ("list", "count", "boolean", "comparison", "filter", "conjunction", "negation")


def mention(ask: Ask, before: tuple[Ask, ...], standalone: str, chance: Random) -> Reference:
    """Choose how a turn refers to its entity: by position, by the role in which it was the answer, as a pronoun."""
    if ask.link == "position":
        return _by_position(ask, before, chance)
    role = _role(ask, before, standalone)
    if role and chance.random() < 0.35:
        return phrase(f"that {role}", is_long=False)
    drafts = tuple(Draft(one.number, "", one.entity, one.link) for one in before)
    found = reference(Draft(ask.number, standalone, ask.entity, ask.link, brought_up(ask, before)), drafts, chance)
    nobody_else = ask.entity.gender or not mean_person(ask.entity.kinds)
    part = "" if nobody_else else _part(ask, before)
    if head(plain(ask.fact.last.label)) in OCCUPATIONS | {"title", "position", "role"}:
        part = ""  # it would tell the answer
    if ask.condition is None and part[:5] in standalone.replace(ask.entity.label, "").casefold():
        part = ""  # the captain the captain of
    if found == THEY and _means_several(ask, before[-1]) and ask.entity.noun:
        noun = part or kind(ask.entity)
        is_echo = ask.condition is None and noun[:5].casefold() in standalone.replace(ask.entity.label, "").casefold()
        return THEY if is_echo else phrase(f"the {noun}", is_long=False)
    if kind(ask.entity) in _ANYBODY and found.subject == f"the {kind(ask.entity)}":
        return phrase(f"the {part}", is_long=False) if part else THEY
    return found


def _part(ask: Ask, before: tuple[Ask, ...]) -> str:
    """Return what a person was in a list asked before (``author``: of the papers that they wrote), or nothing."""
    for one in (*before, ask):
        if one.entity.iri == ask.entity.iri and one.fact.last.direction == "in" and len(one.fact.steps) == 1:
            noun = relation(one.fact.last.label, one.fact.last.comment, one.fact.shape).noun
            if noun and mean_person([noun]) and len(noun.split()) <= 2 and head(noun) not in MANIFOLD:
                return noun
    return ""


_ANYBODY = frozenset("person human people agent individual".split())
"""Kinds of persons that one does not call by them."""


def _by_position(ask: Ask, before: tuple[Ask, ...], chance: Random) -> Reference:
    earlier = next(one for one in before if one.number == ask.of)
    if earlier.other is not None and not earlier.polar:
        return phrase("the former" if ask.entity.iri == earlier.entity.iri else "the latter")
    return by_position(ask.position, kind(ask.entity) if ask.entity.noun else "", chance.random())


def _role(ask: Ask, before: tuple[Ask, ...], standalone: str) -> str:
    """Return what the entity was when it was the answer just given (``architect``), where that is one person's role."""
    earlier = next((one for one in before if one.number == ask.of), None)
    if ask.link != "answer" or earlier is None or earlier is not before[-1] or earlier.condition is not None:
        return ""
    fact = earlier.fact
    if fact.last.direction == "in" or fact.count > 1 or fact.shape != "entity":
        return ""
    noun = relation(fact.last.label, fact.last.comment, fact.shape).noun
    known = bool(noun) and mean_person([noun]) and len(noun.split()) <= 2
    return noun if known and not says(standalone.replace(ask.entity.label, ""), noun) else ""


def brought_up(ask: Ask, before: tuple[Ask, ...]) -> tuple[str, ...]:
    """Return the kinds of other things that the turn before has brought up, and that a pronoun could mean as well."""
    last = before[-1]
    if ask.of == last.number:
        return ()
    said = [kinds for kinds in _said(last) if mean_person(kinds) == mean_person(ask.entity.kinds)]
    if last.fact.shape == "entity" and last.form not in _SETS and last.fact.count == 1:
        said.append(last.fact.kinds or ("thing",))
    return tuple(kinds[0] if kinds else "thing" for kinds in said)


def _said(last: Ask) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of the things that a turn has named or asked about beside its entity."""
    condition = last.condition
    if last.other is not None:
        yield last.other.kinds
    elif condition is not None:
        yield last.fact.kinds
        if condition.value and condition.shape == "entity":
            yield condition.kinds
    elif last.form == "boolean" and last.fact.shape == "entity":
        yield last.fact.kinds


def _means_several(ask: Ask, last: Ask) -> bool:
    """Tell whether ``they`` would rather mean the things that the turn before asked about."""
    return gives_several(last) and ask.of != last.number


def gives_several(ask: Ask) -> bool:
    """Tell whether a turn asks about several things, which ``they`` would mean right after it."""
    several = ask.fact.shape == "entity" and (ask.fact.count > 1 or ask.condition is not None)
    return several and ask.form != "boolean" and ask.other is None


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True, slots=True)
class Reference:
    """How to speak of a thing: as subject, as object, as owner; ``several``: it takes a verb in the plural.

    ``is_long`` marks a phrase that is better as ``the color of ...`` than in front of what it owns.
    """

    subject: str
    object: str
    owner: str
    several: bool = False
    is_long: bool = False

    def with_noun(self, noun: str) -> str:
        """Return what it owns: ``its color``, ``the color of the second one``."""
        return f"the {noun} of {self.object}" if self.is_long else f"{self.owner} {noun}"


IT = Reference("it", "it", "its")
THEY = Reference("they", "them", "their", several=True)
PRONOUNS = frozenset(("it", "them", "her", "him"))
GENDERED: dict[Gender, Reference] = {
    "female": Reference("she", "her", "her"),
    "male": Reference("he", "him", "his"),
}


def named(entity: Entity) -> Reference:
    """Speak of an entity by its name."""
    name = called(entity.label, entity.kinds)
    return Reference(name, name, possessive(name), names_many(name, entity.kinds), is_long=not is_short(name))


def is_short(name: str) -> bool:
    """Tell whether a name takes the possessive ending well: few words, nothing but words."""
    return name[-1:].isalnum() and len(name.split()) <= _SHORT and not re.search(r'[,:;"]', name)


_SHORT = 4


def phrase(text: str, *, is_long: bool = True) -> Reference:
    """Speak of a thing by a noun phrase: ``the second one``, ``the director of Up``."""
    return Reference(text, text, possessive(text), is_long=is_long)


def pronoun(entity: Entity) -> Reference:
    """Speak of an entity by the pronoun that the KG supports."""
    if entity.gender:
        return GENDERED[entity.gender]
    return THEY if mean_person(entity.kinds) or mean_group(entity.kinds) else IT


def kind(entity: Entity) -> str:
    """Return the noun by which an entity can be called: the head of its class's label where that is long."""
    noun = class_noun(entity.noun) if entity.noun else "thing"
    return noun if len(noun.split()) <= 2 else head(noun)


def by_position(position: int, noun: str, chance: float) -> Reference:
    """Speak of the answer number ``position`` (-1: the last) of a list of things that are called by ``noun``.

    ``chance`` in 0..1 chooses among ``the second one`` and ``the second film``.
    """
    which = "last" if position < 0 else ORDINALS[position - 1] if position <= len(ORDINALS) else f"{position}th"
    return phrase(f"the {which} {noun}" if chance < 0.5 and noun else f"the {which} one")


def says(text: str, word: str) -> bool:
    """Tell whether a text says a word, as a whole word, whatever the case."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


def reference(draft: Draft, before: tuple[Draft, ...], chance: Random) -> Reference:
    """Choose a reference: a pronoun by stated gender, else ``it``; the kind where a pronoun could mislead."""
    entity = draft.entity
    noun = kind(entity)
    fresh = draft.link == "answer" and before[-1].entity.iri != entity.iri
    others = {one.entity.iri: kind(one.entity) for one in before if one.entity.iri != entity.iri}
    taken = {*others.values(), *(singular(plain(label)) for label in draft.unlike)}
    by_noun = phrase(f"the {noun}", is_long=False)
    by_that = phrase(f"that {noun}", is_long=False)
    rivals = _same_pronoun(draft, before)
    if entity.gender and not (fresh and rivals):
        return GENDERED[entity.gender]
    before_name = rf"(?:{_PREPOSITION}|(?:are|were) \w+ of|an? [\w ]+ of)"  # where no possessive can stand
    after_preposition = re.search(rf"\b{before_name} (?:the )?{re.escape(entity.label)}(?!\w)", draft.question)
    stem = noun[: max(5, len(noun) - 2)].lower()  # the *supplied* of "supplied by the supplier"
    told_already = re.search(rf"\b{re.escape(stem)}", draft.question.replace(entity.label, "").lower())
    if fresh and rivals:
        return pronoun(entity) if told_already and not mean_person(entity.kinds) else by_that
    apart = noun not in taken and noun != "thing" and not told_already
    if apart and (draft.unlike or (after_preposition and not mean_person(entity.kinds))):
        return by_noun
    if apart and chance.random() < 0.4:
        return by_noun
    return pronoun(entity)


def _same_pronoun(draft: Draft, before: tuple[Draft, ...]) -> bool:
    """Tell whether the pronoun of this turn's entity was just used for another one."""
    other = before[-1].entity
    if other.iri == draft.entity.iri:
        return False
    return pronoun(other) == pronoun(draft.entity)

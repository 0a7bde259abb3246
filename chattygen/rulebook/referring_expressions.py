"""How a turn of a plan refers to what it asks about, given the turns before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from chattyshared.language.inflection import (
    class_noun,
    denote_groups,
    denote_persons,
    head_noun,
    is_plural_name,
    name_in_sentence,
    plain_label,
    possessive_form,
    singularize,
)
from chattyshared.language.lexicon import word_list
from chattyshared.question_forms import REFERENT_FORMS

from chattygen.rulebook.lexicon import OCCUPATION_NOUNS, SHARED_ROLES
from chattygen.rulebook.predicate_lexicalization import lexicalize_predicate
from chattygen.stages.dialogues import DraftTurn
from chattygen.stages.turn_plan import TurnPlan
from chattygen.subgraph.facts import Entity, Gender

_PREPOSITION = r"(?:at|in|on|from|to|through|with|into)"


def choose_turn_reference(
    ask: TurnPlan, before: tuple[TurnPlan, ...], standalone: str, rng: Random
) -> ReferringExpression:
    """Choose how a turn refers to its entity: by position, by the role in which it was the answer, as a pronoun."""
    if ask.link == "position":
        return _by_position(ask, before, rng)
    role = _role(ask, before, standalone)
    if role and rng.random() < 0.35:
        return refer_by_phrase(f"that {role}", is_long=False)
    drafts = tuple(DraftTurn(one.number, "", one.entity, one.link) for one in before)
    found = choose_reference(
        DraftTurn(ask.number, standalone, ask.entity, ask.link, collect_competing_kinds(ask, before)), drafts, rng
    )
    nobody_else = ask.entity.gender or not denote_persons(ask.entity.class_labels)
    part = "" if nobody_else else _part(ask, before)
    if head_noun(plain_label(ask.fact.last_step.label)) in OCCUPATION_NOUNS | {"title", "position", "role"}:
        part = ""  # it would tell the answer
    if ask.condition is None and part[:5] in standalone.replace(ask.entity.label, "").casefold():
        part = ""  # the captain the captain of
    if found == THEY and _means_several(ask, before[-1]) and ask.entity.noun:
        noun = part or noun_of_entity(ask.entity)
        is_echo = ask.condition is None and noun[:5].casefold() in standalone.replace(ask.entity.label, "").casefold()
        return THEY if is_echo else refer_by_phrase(f"the {noun}", is_long=False)
    if noun_of_entity(ask.entity) in _ANYBODY and found.subject == f"the {noun_of_entity(ask.entity)}":
        return refer_by_phrase(f"the {part}", is_long=False) if part else THEY
    return found


def _part(ask: TurnPlan, before: tuple[TurnPlan, ...]) -> str:
    """Return what a person was in a list asked before (``author``: of the papers that they wrote), or nothing."""
    for one in (*before, ask):
        if one.entity.iri == ask.entity.iri and one.fact.last_step.direction == "in" and len(one.fact.steps) == 1:
            noun = lexicalize_predicate(one.fact.last_step.label, one.fact.last_step.comment, one.fact.shape).noun
            if noun and denote_persons([noun]) and len(noun.split()) <= 2 and head_noun(noun) not in SHARED_ROLES:
                return noun
    return ""


_ANYBODY = frozenset("person human people agent individual".split())
"""Kinds of persons that one does not call by them."""


def _by_position(ask: TurnPlan, before: tuple[TurnPlan, ...], chance: Random) -> ReferringExpression:
    earlier = next(one for one in before if one.number == ask.antecedent_turn)
    if earlier.other_entity is not None and not earlier.is_yes_no:
        return refer_by_phrase("the former" if ask.entity.iri == earlier.entity.iri else "the latter")
    return refer_by_position(ask.position, noun_of_entity(ask.entity) if ask.entity.noun else "", chance.random())


def _role(ask: TurnPlan, before: tuple[TurnPlan, ...], standalone: str) -> str:
    """Return what the entity was when it was the answer just given (``architect``), where that is one person's role."""
    earlier = next((one for one in before if one.number == ask.antecedent_turn), None)
    if ask.link != "answer" or earlier is None or earlier is not before[-1] or earlier.condition is not None:
        return ""
    fact = earlier.fact
    if fact.last_step.direction == "in" or fact.count > 1 or fact.shape != "entity":
        return ""
    noun = lexicalize_predicate(fact.last_step.label, fact.last_step.comment, fact.shape).noun
    known = bool(noun) and denote_persons([noun]) and len(noun.split()) <= 2
    return noun if known and not contains_word(standalone.replace(ask.entity.label, ""), noun) else ""


def collect_competing_kinds(ask: TurnPlan, before: tuple[TurnPlan, ...]) -> tuple[str, ...]:
    """Return the kinds of other things that the turn before has brought up, and that a pronoun could mean as well."""
    last = before[-1]
    if ask.antecedent_turn == last.number:
        return ()
    said = [kinds for kinds in _said(last) if denote_persons(kinds) == denote_persons(ask.entity.class_labels)]
    if last.fact.shape == "entity" and last.form in REFERENT_FORMS and last.fact.count == 1:
        said.append(last.fact.class_labels or ("thing",))
    return tuple(kinds[0] if kinds else "thing" for kinds in said)


def _said(last: TurnPlan) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of the things that a turn has named or asked about beside its entity."""
    condition = last.condition
    if last.other_entity is not None:
        yield last.other_entity.class_labels
    elif condition is not None:
        yield last.fact.class_labels
        if condition.value and condition.shape == "entity":
            yield condition.class_labels
    elif last.form == "boolean" and last.fact.shape == "entity":
        yield last.fact.class_labels


def _means_several(ask: TurnPlan, last: TurnPlan) -> bool:
    """Tell whether ``they`` would rather mean the things that the turn before asked about."""
    return asks_for_several(last) and ask.antecedent_turn != last.number


def asks_for_several(ask: TurnPlan) -> bool:
    """Tell whether a turn asks about several things, which ``they`` would mean right after it."""
    several = ask.fact.shape == "entity" and (ask.fact.count > 1 or ask.condition is not None)
    return several and ask.form != "boolean" and ask.other_entity is None


ORDINALS = word_list("function_words", "ordinals")


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """How to speak of a thing: as subject, as object, as owner; ``several``: it takes a verb in the plural.

    ``is_long`` marks a phrase that is better as ``the color of ...`` than in front of what it owns.
    """

    subject: str
    object: str
    possessive: str
    is_plural: bool = False
    is_long: bool = False

    def with_noun(self, noun: str) -> str:
        """Return what it owns: ``its color``, ``the color of the second one``."""
        return f"the {noun} of {self.object}" if self.is_long else f"{self.possessive} {noun}"


IT = ReferringExpression("it", "it", "its")
THEY = ReferringExpression("they", "them", "their", is_plural=True)
PRONOUNS = frozenset(("it", "them", "her", "him"))
PRONOUNS_BY_GENDER: dict[Gender, ReferringExpression] = {
    "female": ReferringExpression("she", "her", "her"),
    "male": ReferringExpression("he", "him", "his"),
}


def refer_by_name(entity: Entity) -> ReferringExpression:
    """Speak of an entity by its name."""
    name = name_in_sentence(entity.label, entity.class_labels)
    return ReferringExpression(
        name, name, possessive_form(name), is_plural_name(name, entity.class_labels), is_long=not is_short(name)
    )


def is_short(name: str) -> bool:
    """Tell whether a name takes the possessive ending well: few words, nothing but words."""
    return name[-1:].isalnum() and len(name.split()) <= _SHORT and not re.search(r'[,:;"]', name)


_SHORT = 4


def refer_by_phrase(text: str, *, is_long: bool = True) -> ReferringExpression:
    """Speak of a thing by a noun phrase: ``the second one``, ``the director of Up``."""
    return ReferringExpression(text, text, possessive_form(text), is_long=is_long)


def refer_by_pronoun(entity: Entity) -> ReferringExpression:
    """Speak of an entity by the pronoun that the KG supports."""
    if entity.gender:
        return PRONOUNS_BY_GENDER[entity.gender]
    return THEY if denote_persons(entity.class_labels) or denote_groups(entity.class_labels) else IT


def noun_of_entity(entity: Entity) -> str:
    """Return the noun by which an entity can be called: the head of its class's label where that is long."""
    noun = class_noun(entity.noun) if entity.noun else "thing"
    return noun if len(noun.split()) <= 2 else head_noun(noun)


def refer_by_position(position: int, noun: str, draw: float) -> ReferringExpression:
    """Speak of the answer number ``position`` (-1: the last) of a list of things that are called by ``noun``.

    ``chance`` in 0..1 chooses among ``the second one`` and ``the second film``.
    """
    which = "last" if position < 0 else ORDINALS[position - 1] if position <= len(ORDINALS) else f"{position}th"
    return refer_by_phrase(f"the {which} {noun}" if draw < 0.5 and noun else f"the {which} one")


def contains_word(text: str, word: str) -> bool:
    """Tell whether a text says a word, as a whole word, whatever the case."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


def choose_reference(draft: DraftTurn, before: tuple[DraftTurn, ...], rng: Random) -> ReferringExpression:
    """Choose a reference: a pronoun by stated gender, else ``it``; the kind where a pronoun could mislead."""
    entity = draft.entity
    noun = noun_of_entity(entity)
    fresh = draft.link == "answer" and before[-1].entity.iri != entity.iri
    others = {one.entity.iri: noun_of_entity(one.entity) for one in before if one.entity.iri != entity.iri}
    taken = {*others.values(), *(singularize(plain_label(label)) for label in draft.confusable_classes)}
    by_noun = refer_by_phrase(f"the {noun}", is_long=False)
    by_that = refer_by_phrase(f"that {noun}", is_long=False)
    rivals = _same_pronoun(draft, before)
    if entity.gender and not (fresh and rivals):
        return PRONOUNS_BY_GENDER[entity.gender]
    before_name = rf"(?:{_PREPOSITION}|(?:are|were) \w+ of|an? [\w ]+ of)"  # where no possessive can stand
    after_preposition = re.search(rf"\b{before_name} (?:the )?{re.escape(entity.label)}(?!\w)", draft.question)
    stem = noun[: max(5, len(noun) - 2)].lower()  # the *supplied* of "supplied by the supplier"
    told_already = re.search(rf"\b{re.escape(stem)}", draft.question.replace(entity.label, "").lower())
    if fresh and rivals:
        return refer_by_pronoun(entity) if told_already and not denote_persons(entity.class_labels) else by_that
    apart = noun not in taken and noun != "thing" and not told_already
    if apart and (draft.confusable_classes or (after_preposition and not denote_persons(entity.class_labels))):
        return by_noun
    if apart and rng.random() < 0.4:
        return by_noun
    return refer_by_pronoun(entity)


def _same_pronoun(draft: DraftTurn, before: tuple[DraftTurn, ...]) -> bool:
    """Tell whether the pronoun of this turn's entity was just used for another one."""
    other = before[-1].entity
    if other.iri == draft.entity.iri:
        return False
    return refer_by_pronoun(other) == refer_by_pronoun(draft.entity)

"""Referring expressions: how a turn refers to its entity, given the turns before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from chattyshared.language.inflection import (
    class_noun,
    denote_groups,
    denote_places,
    head_noun,
    plain_label,
    singularize,
)
from chattyshared.language.lexicon import word_list, word_set
from chattyshared.language.morphology import is_english_word
from chattyshared.language.wordnet import has_sense, noun_kinds

from chattygen.context.facts import Entity, Fact, Gender
from chattygen.lexicalization.lexicon import GENERAL_PERSON_NOUNS, OCCUPATION_NOUNS, ORGANIZATION_AGENTS, SHARED_ROLES
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.word_forms import are_persons, is_plural_name, name_in_sentence, possessive_form
from chattygen.turns import TurnSpec
from chattygen.wording.drafts import DraftTurn

_PREPOSITION = r"(?:at|in|on|from|to|through|with|into)"


def choose_turn_reference(
    plan: TurnSpec, before: tuple[TurnSpec, ...], standalone: str, rng: Random
) -> ReferringExpression:
    """Choose how a turn refers to its entity: by position, by its role in the last answer, by kind or pronoun."""
    if plan.position:
        return _refer_by_position(plan, before, rng)
    entity, other_words = plan.entity, standalone.replace(plan.entity.label, "").casefold()
    role = _answer_role(plan, before, other_words)
    others = (each for turn in before for each in (turn.entity, turn.other_entity) if each not in (None, entity))
    role = "" if any(each is not None and entity.is_confusable_with(each) for each in others) else role
    if role and rng.random() < 0.35:
        return refer_by_phrase(f"that {role}", is_long=False)
    drafts = tuple(DraftTurn(turn.number, "", turn.entity, turn.link) for turn in before)
    rivals = collect_competing_kinds(plan, before)
    reference = choose_reference(DraftTurn(plan.number, standalone, entity, plan.link, rivals), drafts, rng)
    are_things = (not are_persons([kind]) or head_noun(plain_label(kind)) in ORGANIZATION_AGENTS for kind in rivals)
    if reference == IT and is_short(entity.label) and any(are_things):
        return refer_by_name(entity)
    list_role = _list_role(plan, before, other_words)
    has_several_readings = reference == THEY or (reference == IT and is_organization_agent(entity))
    is_other_set = has_several_readings and asks_for_several(before[-1]) and plan.antecedent_turn != before[-1].number
    noun = short_noun_of(entity)
    if is_other_set and entity.noun:
        noun = list_role or noun if noun in GENERAL_PERSON_NOUNS else noun
        is_echo = plan.condition is None and noun[:5].casefold() in other_words
        return reference if is_echo else refer_by_phrase(f"the {noun}", is_long=False)
    if noun_of_entity(entity) in GENERAL_PERSON_NOUNS and reference.subject == f"the {noun_of_entity(entity)}":
        return refer_by_phrase(f"the {list_role}", is_long=False) if list_role else THEY
    return reference


def _list_role(plan: TurnSpec, before: tuple[TurnSpec, ...], other_words: str) -> str:
    """Return the role of a person in an earlier list (``author`` of the papers that they wrote).

    It is "" if it tells the answer, or if the question has it already (the captain the captain of).
    """
    is_answer = head_noun(plain_label(plan.fact.last_step.label)) in OCCUPATION_NOUNS | {"title", "position", "role"}
    if is_answer or plan.entity.gender or not are_persons(plan.entity.class_labels):
        return ""
    lists = [turn.fact for turn in (*before, plan) if turn.entity.iri == plan.entity.iri]
    roles = (_role_of(fact) for fact in lists if fact.last_step.direction == "in" and len(fact.steps) == 1)
    role = next((role for role in roles if role and head_noun(role) not in SHARED_ROLES), "")
    is_echo = plan.condition is None and any(word[:5] in other_words for word in role.split())
    return "" if is_echo else role


def _role_of(fact: Fact) -> str:
    """Return the noun of a predicate that is a role of persons, or ""."""
    noun = lexicalize_predicate(fact.last_step.label, fact.last_step.comment, fact.shape).noun
    return noun if noun and are_persons([noun]) and len(noun.split()) <= 2 else ""


def _refer_by_position(plan: TurnSpec, before: tuple[TurnSpec, ...], rng: Random) -> ReferringExpression:
    """Refer to the other one of two things, or to the answer at a position (from 1; -1: the last) of a list."""
    earlier = next(turn for turn in before if turn.number == plan.antecedent_turn)
    noun, position = noun_of_entity(plan.entity), plan.position
    if earlier.other_entity is not None:
        short_noun = shorten_noun(noun)
        person = "person" if short_noun in GENERAL_PERSON_NOUNS else short_noun
        return refer_by_phrase(f"the other {person if are_persons(plan.entity.class_labels) else 'one'}")
    if earlier.fact.class_labels:  # the third vehicle of the list, not the third works car
        noun = shorten_noun(class_noun(earlier.fact.class_labels[0]))
    which = "last" if position < 0 else ORDINALS[position - 1] if position <= len(ORDINALS) else f"{position}th"
    return refer_by_phrase(f"the {which} {noun if rng.random() < 0.5 and plan.entity.noun else 'one'}")


def _answer_role(plan: TurnSpec, before: tuple[TurnSpec, ...], other_words: str) -> str:
    """Return the role of an entity that was the last answer (``architect``), if one person has it; else ""."""
    last = before[-1]
    if not plan.is_about_answer or plan.antecedent_turn != last.number or last.condition is not None:
        return ""
    if last.fact.last_step.direction == "in" or last.fact.count > 1 or last.fact.shape != "entity":
        return ""
    role = _role_of(last.fact)
    role = head_noun(role) if role.split(" ")[0].endswith(("ing", "ed")) else role  # the handling employee
    return "" if any(word[:5] in other_words for word in role.split()) else role


def collect_competing_kinds(plan: TurnSpec, before: tuple[TurnSpec, ...]) -> tuple[str, ...]:
    """Return the kinds of other entities of the last turn that a pronoun could refer to as well."""
    previous, own = before[-1], are_persons(plan.entity.class_labels)
    if plan.antecedent_turn == previous.number:
        return ()
    kind_lists = [kinds for kinds in _mentioned_kinds(previous) if are_persons(kinds) == own]
    answers = previous.fact.class_labels
    are_organizations = bool({head_noun(plain_label(label)) for label in answers} & ORGANIZATION_AGENTS)
    is_other_kind = refer_by_pronoun(plan.entity) != THEY and are_persons(answers) != own and not are_organizations
    is_one_thing = previous.fact.shape == "entity" and previous.fact.count == 1 and previous.kind.introduces_referent
    if is_one_thing and not (answers and is_other_kind):
        kind_lists.append(answers or ("thing",))
    return tuple(kinds[0] if kinds else "thing" for kinds in kind_lists)


def _mentioned_kinds(previous: TurnSpec) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of the other entities that a turn has named or asked for."""
    condition = previous.condition
    if len(previous.fact.steps) > 1:
        yield previous.fact.via_class_labels
    if previous.other_entity is not None:
        yield previous.other_entity.class_labels
    elif condition is not None:
        yield previous.fact.class_labels
        if condition.value and condition.shape == "entity":
            yield condition.class_labels
    elif previous.kind.is_yes_no and previous.fact.shape == "entity":
        yield previous.fact.class_labels


def asks_for_several(plan: TurnSpec) -> bool:
    """Tell whether a turn asks for several things, so that ``they`` refers to them in the next turn."""
    if plan.fact.shape != "entity" or plan.kind.is_yes_no or plan.other_entity is not None:
        return False
    return plan.fact.count > 1 if plan.condition is None else not plan.kind.introduces_referent


ORDINALS = word_list("function_words", "ordinals")


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A referring expression as subject, object and possessive.

    ``is_plural``: it takes a verb in the plural. ``is_long``: ``the color of ...`` reads better than the possessive.
    """

    subject: str
    object: str
    possessive: str
    is_plural: bool = False
    is_long: bool = False


IT = ReferringExpression("it", "it", "its")
THEY = ReferringExpression("they", "them", "their", is_plural=True)
PRONOUNS = frozenset(("it", "them", "her", "him"))
PRONOUNS_BY_GENDER: dict[Gender, ReferringExpression] = {
    "female": ReferringExpression("she", "her", "her"),
    "male": ReferringExpression("he", "him", "his"),
}


def refer_by_name(entity: Entity) -> ReferringExpression:
    """Refer to an entity by its name."""
    label, kinds = entity.label, {word for kind in entity.class_labels[:1] for word in plain_label(kind).split()}
    is_kind = " " in label and label.islower() and label.split()[-1] in kinds  # the single ticket
    name = f"the {label}" if is_kind else name_in_sentence(label, entity.class_labels)
    return ReferringExpression(
        name, name, possessive_form(name), is_plural_name(name, entity.class_labels), is_long=not is_short(name)
    )


def introduce(entity: Entity) -> Entity:
    """Return an entity whose name says its class, if the name alone would be odd: ``the car fiat 131``.

    Odd are names in small letters, codes and numbers, and of things names of common words only (``Inductor Sensor``).
    """
    noun, label, kinds = noun_of_entity(entity), entity.label, entity.class_labels
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", label)]
    are_common = all(is_english_word(word) or has_sense(word) for word in words)
    is_thing = not are_persons(kinds) and not denote_places(kinds)
    is_odd = not label[0].isupper() or bool(_CODE.fullmatch(label)) or not words
    is_odd = is_odd or (is_thing and are_common and 1 < len(words) <= _MAX_COMMON_WORDS)
    title = _TITLE.match(label) if is_thing else None
    is_title = title is not None and (
        noun_kinds(title["act"].lower())[:1] in (("act",), ("event",)) or title["act"].endswith(("tion", "ment", "ing"))
    )
    if not entity.noun or not (is_odd or is_title) or set(noun.split()) & set(words):
        return entity
    is_phrase = is_title or (label[0].islower() and are_common and len(words) > 1) or label[-1] in "?!"
    return replace(entity, label=f'the {noun} "{label}"' if is_phrase else f"the {noun} {label}")


_TITLE = re.compile(r"(?:\w+ )?(?P<act>\w+) of (?:the |an? )?\w")
"""A name that reads like a phrase if it begins with an act: *Repair of the roof*."""
_MAX_COMMON_WORDS = 3
"""Words of a name that may be no name but a phrase; set by hand."""
_CODE = re.compile(r"(?=.*\d)[\w./#-]+")


def is_short(name: str) -> bool:
    """Tell whether a name may take the possessive ending: few words, no punctuation within, no class before it."""
    is_name = name[-1:].isalnum() and not re.search(r'[,:;"]|^the [^\W\dA-Z]+ \S', name)
    return is_name and len(name.split()) <= _MAX_SHORT_WORDS


_MAX_SHORT_WORDS = 4


def refer_by_phrase(text: str, *, is_long: bool = True) -> ReferringExpression:
    """Refer to a thing by a noun phrase: ``the second one``, ``the director of Up``."""
    return ReferringExpression(text, text, possessive_form(text), is_long=is_long)


def refer_by_pronoun(entity: Entity) -> ReferringExpression:
    """Refer to an entity by the pronoun for its gender or kind in the KG."""
    if entity.gender:
        return PRONOUNS_BY_GENDER[entity.gender]
    if refer_by_name(entity).is_plural:
        return THEY
    are_people = are_persons(entity.class_labels) or denote_groups(entity.class_labels)
    return THEY if are_people and not is_organization_agent(entity) else IT


def is_organization_agent(entity: Entity) -> bool:
    """Tell whether an entity is one whose class names an agent that is more often an organization than a person."""
    return bool(entity.noun) and head_noun(plain_label(entity.noun)) in ORGANIZATION_AGENTS


def noun_of_entity(entity: Entity) -> str:
    """Return the noun for an entity's class; of a label of more than two words, its head."""
    noun = class_noun(entity.noun) if entity.noun else "thing"
    return noun if len(noun.split()) <= 2 else head_noun(noun)


def short_noun_of(entity: Entity) -> str:
    """Return the noun that refers back to an entity: the head of its class (*the player*, not *the football player*),
    unless it is a head of many classes (a ticket *type*)."""
    return shorten_noun(noun_of_entity(entity))


def shorten_noun(noun: str) -> str:
    """Return the head of a noun for a class, or the noun if its head alone says too little."""
    return noun if head_noun(noun) in _GENERIC_HEADS or " of " in noun else noun.split()[-1]


_GENERIC_HEADS = word_set("nouns", "generic_heads")


def choose_reference(draft: DraftTurn, before: tuple[DraftTurn, ...], rng: Random) -> ReferringExpression:
    """Choose a reference: a pronoun by stated gender, else ``it``; the kind where a pronoun could mislead."""
    entity, last = draft.entity, before[-1].entity
    noun, pronoun, is_person = short_noun_of(entity), refer_by_pronoun(entity), are_persons(entity.class_labels)
    is_other_answer = draft.is_about_answer and last.iri != entity.iri and refer_by_pronoun(last) == pronoun
    if entity.gender and not is_other_answer:
        return pronoun
    stem = noun[: max(5, len(noun) - 3)].lower()  # "supply that supplier", not "the shipyard of the ship"
    names_kind = re.search(rf"\b{re.escape(stem)}\w{{0,3}}\b", draft.question.replace(entity.label, "").lower())
    if is_other_answer and names_kind and (is_organization_agent(entity) or not is_person):
        return THEY if is_organization_agent(entity) else pronoun
    if is_other_answer:
        return refer_by_phrase(f"that {noun}", is_long=False)
    others = {short_noun_of(turn.entity) for turn in before if turn.entity.iri != entity.iri}
    rivals = {singularize(plain_label(label)).split()[-1] for label in draft.confusable_classes}
    if names_kind or noun in {"thing", *others, *rivals}:
        return pronoun
    before_name = rf"(?:{_PREPOSITION}|(?:are|were) \w+ of|an? [\w ]+ of)"  # where no possessive can stand
    after_preposition = re.search(rf"\b{before_name} (?:the )?{re.escape(entity.label)}(?!\w)", draft.question)
    is_misleading = bool(draft.confusable_classes) or (after_preposition is not None and not is_person)
    say_noun = is_misleading or rng.random() < (0.4 if pronoun == THEY else 0.25)
    return refer_by_phrase(f"the {noun}", is_long=False) if say_noun else pronoun

"""Referring expressions: how a turn refers to its entity, given the turns before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from chattyshared.language.inflection import (
    class_noun,
    denote_groups,
    denote_persons,
    denote_places,
    head_noun,
    plain_label,
    singularize,
)
from chattyshared.language.lexicon import word_list, word_set
from chattyshared.language.morphology import is_english_word
from chattyshared.language.wordnet import has_sense, noun_kinds
from chattyshared.question_forms import REFERENT_FORMS

from chattygen.lexicalization.lexicon import OCCUPATION_NOUNS, ORGANIZATION_AGENTS, SHARED_ROLES
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.lexicalization.word_forms import is_plural_name, name_in_sentence, possessive_form
from chattygen.stages.dialogues import DraftTurn
from chattygen.subgraph.facts import Entity, Gender
from chattygen.turns import TurnSpec

_PREPOSITION = r"(?:at|in|on|from|to|through|with|into)"


def choose_turn_reference(
    plan: TurnSpec, before: tuple[TurnSpec, ...], standalone: str, rng: Random
) -> ReferringExpression:
    """Choose how a turn refers to its entity: by position, by its role in the last answer, by kind or pronoun."""
    if plan.link == "position":
        return _refer_by_position(plan, before, rng)
    if plan.link == "answer" and before[-1].number == plan.antecedent_turn and before[-1].other_entity is not None:
        return _refer_to_winner(plan, before[-1])
    role = _answer_role(plan, before, standalone)
    if role and rng.random() < 0.35:
        return refer_by_phrase(f"that {role}", is_long=False)
    drafts = tuple(DraftTurn(turn.number, "", turn.entity, turn.link) for turn in before)
    rivals = collect_competing_kinds(plan, before)
    reference = choose_reference(DraftTurn(plan.number, standalone, plan.entity, plan.link, rivals), drafts, rng)
    has_rival_thing = any(
        not denote_persons([kind]) or head_noun(plain_label(kind)) in ORGANIZATION_AGENTS for kind in rivals
    )
    if has_rival_thing and reference == IT and is_short(plan.entity.label):
        return refer_by_name(plan.entity)
    has_own_pronoun = plan.entity.gender or not denote_persons(plan.entity.class_labels)
    list_role = "" if has_own_pronoun else _list_role(plan, before)
    if head_noun(plain_label(plan.fact.last_step.label)) in OCCUPATION_NOUNS | {"title", "position", "role"}:
        list_role = ""  # it would tell the answer
    other_words = standalone.replace(plan.entity.label, "").casefold()
    if plan.condition is None and any(word[:5] in other_words for word in list_role.split()):
        list_role = ""  # the captain the captain of
    has_several_readings = reference == THEY or (reference == IT and is_organization_agent(plan.entity))
    is_other_set = has_several_readings and asks_for_several(before[-1]) and plan.antecedent_turn != before[-1].number
    if is_other_set and plan.entity.noun:
        own_noun = short_noun_of(plan.entity)
        noun = own_noun if own_noun not in GENERAL_PERSON_NOUNS else list_role or own_noun
        is_echo = plan.condition is None and noun[:5].casefold() in standalone.replace(plan.entity.label, "").casefold()
        return reference if is_echo else refer_by_phrase(f"the {noun}", is_long=False)
    if (
        noun_of_entity(plan.entity) in GENERAL_PERSON_NOUNS
        and reference.subject == f"the {noun_of_entity(plan.entity)}"
    ):
        return refer_by_phrase(f"the {list_role}", is_long=False) if list_role else THEY
    return reference


def _list_role(plan: TurnSpec, before: tuple[TurnSpec, ...]) -> str:
    """Return the role of a person in an earlier list (``author`` of the papers that they wrote), or ""."""
    for turn in (*before, plan):
        if turn.entity.iri == plan.entity.iri and turn.fact.last_step.direction == "in" and len(turn.fact.steps) == 1:
            noun = lexicalize_predicate(turn.fact.last_step.label, turn.fact.last_step.comment, turn.fact.shape).noun
            if noun and denote_persons([noun]) and len(noun.split()) <= 2 and head_noun(noun) not in SHARED_ROLES:
                return noun
    return ""


GENERAL_PERSON_NOUNS = frozenset("person human people agent individual".split())
"""Nouns for persons that make no natural reference (*the human*)."""


def _refer_by_position(plan: TurnSpec, before: tuple[TurnSpec, ...], rng: Random) -> ReferringExpression:
    earlier = next(turn for turn in before if turn.number == plan.antecedent_turn)
    if earlier.other_entity is not None:
        noun = short_noun_of(plan.entity)
        is_person = denote_persons(plan.entity.class_labels)
        what = ("person" if noun in GENERAL_PERSON_NOUNS else noun) if is_person else "one"
        return refer_by_phrase(f"the other {what}")
    return refer_by_position(plan.position, noun_of_entity(plan.entity) if plan.entity.noun else "", rng.random())


def _refer_to_winner(plan: TurnSpec, compared: TurnSpec) -> ReferringExpression:
    """Refer to the one of two compared things that the answer named: that band; persons of one gender by name."""
    pronoun, noun, other = refer_by_pronoun(plan.entity), short_noun_of(plan.entity), compared.other_entity
    if denote_persons(plan.entity.class_labels) and pronoun != IT:
        is_clear = other is not None and pronoun != THEY and compared.entity.gender != other.gender
        by_noun = (
            refer_by_name(plan.entity)
            if noun in GENERAL_PERSON_NOUNS
            else refer_by_phrase(f"that {noun}", is_long=False)
        )
        return pronoun if is_clear else by_noun
    if pronoun in (THEY, IT) and noun not in GENERAL_PERSON_NOUNS:
        return refer_by_phrase(f"that {noun}", is_long=False)
    return pronoun


def _answer_role(plan: TurnSpec, before: tuple[TurnSpec, ...], standalone: str) -> str:
    """Return the role of an entity that was the last answer (``architect``), if one person has it; else ""."""
    earlier = next((turn for turn in before if turn.number == plan.antecedent_turn), None)
    if plan.link != "answer" or earlier is None or earlier is not before[-1] or earlier.condition is not None:
        return ""
    fact = earlier.fact
    if fact.last_step.direction == "in" or fact.count > 1 or fact.shape != "entity":
        return ""
    noun = lexicalize_predicate(fact.last_step.label, fact.last_step.comment, fact.shape).noun
    is_role = bool(noun) and denote_persons([noun]) and len(noun.split()) <= 2
    if noun and noun.split()[0].endswith(("ing", "ed")):  # the handling employee
        noun = head_noun(noun)
    other_words = standalone.replace(plan.entity.label, "").casefold()
    return noun if is_role and not any(word[:5] in other_words for word in noun.split()) else ""


def collect_competing_kinds(plan: TurnSpec, before: tuple[TurnSpec, ...]) -> tuple[str, ...]:
    """Return the kinds of other entities of the last turn that a pronoun could refer to as well."""
    previous = before[-1]
    if plan.antecedent_turn == previous.number:
        return ()
    kind_lists = [
        kinds
        for kinds in _mentioned_kinds(previous)
        if denote_persons(kinds) == denote_persons(plan.entity.class_labels)
    ]
    answers = previous.fact.class_labels
    is_other_kind = (
        refer_by_pronoun(plan.entity) != THEY
        and denote_persons(answers) != denote_persons(plan.entity.class_labels)
        and not ({head_noun(plain_label(label)) for label in answers} & ORGANIZATION_AGENTS)
    )
    if (
        previous.fact.shape == "entity"
        and previous.form in REFERENT_FORMS
        and previous.fact.count == 1
        and not (answers and is_other_kind)
    ):
        kind_lists.append(previous.fact.class_labels or ("thing",))
    return tuple(kinds[0] if kinds else "thing" for kinds in kind_lists)


def _mentioned_kinds(previous: TurnSpec) -> Iterator[tuple[str, ...]]:
    """Yield the kinds of the other entities that a turn has named or asked for."""
    condition = previous.condition
    if previous.form == "two-hop":
        yield previous.fact.via_class_labels
    if previous.other_entity is not None:
        yield previous.other_entity.class_labels
    elif condition is not None:
        yield previous.fact.class_labels
        if condition.value and condition.shape == "entity":
            yield condition.class_labels
    elif previous.form == "boolean" and previous.fact.shape == "entity":
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

    def with_noun(self, noun: str) -> str:
        """Return the possessive with a noun: ``its color``, ``the color of the second one``."""
        return f"the {noun} of {self.object}" if self.is_long else f"{self.possessive} {noun}"


IT = ReferringExpression("it", "it", "its")
THEY = ReferringExpression("they", "them", "their", is_plural=True)
PRONOUNS = frozenset(("it", "them", "her", "him"))
PRONOUNS_BY_GENDER: dict[Gender, ReferringExpression] = {
    "female": ReferringExpression("she", "her", "her"),
    "male": ReferringExpression("he", "him", "his"),
}


def refer_by_name(entity: Entity) -> ReferringExpression:
    """Refer to an entity by its name."""
    name = name_in_sentence(entity.label, entity.class_labels)
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
    is_thing = not denote_persons(kinds) and not denote_places(kinds)
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
    are_people = denote_persons(entity.class_labels) or denote_groups(entity.class_labels)
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


def refer_by_position(position: int, noun: str, draw: float) -> ReferringExpression:
    """Refer to the answer at ``position`` (from 1; -1: the last) of a list of things with a noun.

    ``draw`` in 0..1 chooses between ``the second one`` and ``the second film``.
    """
    which = "last" if position < 0 else ORDINALS[position - 1] if position <= len(ORDINALS) else f"{position}th"
    return refer_by_phrase(f"the {which} {noun}" if draw < 0.5 and noun else f"the {which} one")


def choose_reference(draft: DraftTurn, before: tuple[DraftTurn, ...], rng: Random) -> ReferringExpression:
    """Choose a reference: a pronoun by stated gender, else ``it``; the kind where a pronoun could mislead."""
    entity = draft.entity
    noun = short_noun_of(entity)
    is_answer = draft.link == "answer" and before[-1].entity.iri != entity.iri
    others = {turn.entity.iri: short_noun_of(turn.entity) for turn in before if turn.entity.iri != entity.iri}
    used_nouns = {
        *others.values(),
        *(singularize(plain_label(label)).split()[-1] for label in draft.confusable_classes),
    }
    by_noun = refer_by_phrase(f"the {noun}", is_long=False)
    by_that = refer_by_phrase(f"that {noun}", is_long=False)
    is_ambiguous = _shares_pronoun(draft, before)
    if entity.gender and not (is_answer and is_ambiguous):
        return PRONOUNS_BY_GENDER[entity.gender]
    before_name = rf"(?:{_PREPOSITION}|(?:are|were) \w+ of|an? [\w ]+ of)"  # where no possessive can stand
    after_preposition = re.search(rf"\b{before_name} (?:the )?{re.escape(entity.label)}(?!\w)", draft.question)
    stem = noun[: max(5, len(noun) - 3)].lower()  # the *supply* of "supply that supplier"
    names_kind = re.search(rf"\b{re.escape(stem)}", draft.question.replace(entity.label, "").lower())
    if is_answer and is_ambiguous:
        if names_kind and is_organization_agent(entity):
            return THEY
        return refer_by_pronoun(entity) if names_kind and not denote_persons(entity.class_labels) else by_that
    is_distinct = noun not in used_nouns and noun != "thing" and not names_kind
    if is_distinct and (draft.confusable_classes or (after_preposition and not denote_persons(entity.class_labels))):
        return by_noun
    if is_distinct and rng.random() < (0.4 if refer_by_pronoun(entity) == THEY else 0.25):
        return by_noun
    return refer_by_pronoun(entity)


def _shares_pronoun(draft: DraftTurn, before: tuple[DraftTurn, ...]) -> bool:
    """Tell whether the entity of the last turn is another one with the same pronoun."""
    other = before[-1].entity
    if other.iri == draft.entity.iri:
        return False
    return refer_by_pronoun(other) == refer_by_pronoun(draft.entity)

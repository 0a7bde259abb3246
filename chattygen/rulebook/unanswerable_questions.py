"""Wordings of questions that say something the KG does not know: a quality, a class, an event, a place, a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from chattyshared.language.inflection import add_indefinite_article, class_noun, denote_persons, pluralize

from chattygen.lexicalization.word_forms import counted_noun_of
from chattygen.rulebook.condition_phrases import ConditionPhrase
from chattygen.rulebook.question_realizer import realize_fact_question
from chattygen.rulebook.referring_expressions import ReferringExpression
from chattygen.rulebook.set_questions import (
    ask_how_many_of_them,
    ask_which_of_them,
    ask_which_ones,
    lexicalize_plan_set,
)
from chattygen.stages.turn_plan import TurnPlan, UnknownPart

_PAST_AUXILIARIES = {"is": "was", "'s": " was", "are": "were", "does": "did", "do": "did", "live": "lived"}
_PRESENT = re.compile(r"^(\w+(?: \w+){0,3}?)(?: (is|are|does|do|live)\b|('s)\b)")


def realize_unanswerable(plan: TurnPlan, owner: ReferringExpression) -> Iterator[str]:
    """Yield wordings of a question with an unknown part; ``owner`` refers to its entity."""
    part = _unknown(plan)
    if part.scope == "set":
        yield from _ask_of_set(plan, part, owner)
    elif part.kind == "presupposition":
        yield from _ask_about_event(part, owner)
    elif part.scope == "entity":
        yield from _ask_of_entity(plan, part, owner)
    else:
        yield from _ask_fact(plan, part)


def realize_unanswerable_follow_up(plan: TurnPlan) -> Iterator[str]:
    """Yield wordings of a question about the last answers with an unknown part."""
    phrases = (_phrase(_unknown(plan)),)
    noun = counted_noun_of(plan.fact.class_labels) or "thing"
    yield from ask_how_many_of_them(phrases, noun) if plan.form == "count" else ask_which_of_them(phrases, noun)


def _ask_of_set(plan: TurnPlan, part: UnknownPart, owner: ReferringExpression) -> Iterator[str]:
    """Ask which members of a set, or how many, have the part: ``Which of X's employees are left-handed?``"""
    sets, phrases = lexicalize_plan_set(plan, owner), (_phrase(part),)
    if part.kind == "class":
        fact = replace(plan.fact, class_labels=(part.text,))
        nouns = (part.text, pluralize(part.text))
        texts = realize_fact_question(plan.entity, fact, plan.form)
        # The wordings name the entity: they fit only where the owner is the name.
        direct = [text for text in texts if owner.object in text and any(noun in text for noun in nouns)]
        yield from direct
        if direct:
            return
    yield from ask_which_ones(sets, phrases, count=plan.form == "count")
    if " " not in part.text and part.kind == "qualifier" and plan.form == "count":
        for members in sets:
            if members.plural_phrase():
                yield f"How many {part.text} {members.plural_phrase()} are there?"


def _ask_of_entity(plan: TurnPlan, part: UnknownPart, owner: ReferringExpression) -> Iterator[str]:
    """Ask whether the entity has the part: ``Is X left-handed?``, ``Does X live in Quito?``"""
    phrase = _phrase(part)
    yield f"{phrase.as_question(owner)}?"
    noun = class_noun(plan.entity.noun) if plan.entity.noun else ""
    if part.kind == "qualifier":
        if " " not in part.text and noun not in ("", "person") and not owner.is_plural and noun not in owner.subject:
            yield f"Is {owner.subject} {add_indefinite_article(f'{part.text} {noun}')}?"
    elif denote_persons(plan.entity.class_labels):
        yield f"{replace(phrase, tense='past').as_question(owner)}?".replace(owner.subject, f"{owner.subject} ever", 1)


def _ask_about_event(part: UnknownPart, owner: ReferringExpression) -> Iterator[str]:
    """Ask when, where or why something happened: ``When did X resign?``"""
    verb, _, tail = part.text.partition(" ")
    clause = ConditionPhrase(verb, tail, tense="past").as_question(owner)
    clause = f"{clause[:1].lower()}{clause[1:]}"
    yield f"{part.phrase} {clause}?"
    if part.phrase == "When":
        yield f"In what year {clause}?"
        yield f"In which year {clause}?"


def _ask_fact(plan: TurnPlan, part: UnknownPart) -> Iterator[str]:
    """Ask for a fact of an entity that does not exist, or as it was at a time."""
    texts = realize_fact_question(plan.entity, plan.fact, plan.form)
    if part.kind != "time":
        yield from texts
        return
    past = [text for text in map(_in_past, texts) if text]
    for text in past:
        yield f"{text.rstrip('?')} in {part.text}?"
        yield f"In {part.text}, {text[:1].lower()}{text[1:]}"
    if not past:
        yield f"What was known about {plan.entity.label} in {part.text}?"


def _in_past(text: str) -> str:
    """Return a question in the present in the past; empty if it has no auxiliary that can be put in the past."""
    match = _PRESENT.match(text)
    if match is None:
        return ""
    verb = match[2] or match[3]
    return f"{match[1]} {_PAST_AUXILIARIES[verb].strip()}{text[match.end() :]}"


def _phrase(part: UnknownPart) -> ConditionPhrase:
    """Return the verb phrase that says the part of a member: ``is left-handed``, ``lives in Quito``."""
    if part.kind == "class":
        return ConditionPhrase("be", add_indefinite_article(part.text), pluralize(part.text))
    if part.kind == "qualifier":
        return ConditionPhrase("be", part.text)
    verb, _, tail = part.phrase.partition(" ")
    if verb == "was":
        return ConditionPhrase("be", f"{tail} {part.text}", tense="past")
    return ConditionPhrase(verb, f"{tail} {part.text}")


def _unknown(plan: TurnPlan) -> UnknownPart:
    if plan.unknown is None:
        raise ValueError("an unanswerable question needs an unknown part")
    return plan.unknown

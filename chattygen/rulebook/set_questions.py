"""Questions that choose from a set: which of them is the longest, which are longer than, how many do not star X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattyshared.language.inflection import pluralize

from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.rulebook.condition_phrases import (
    ConditionPhrase,
    lexicalize_measure,
    phrase_measure,
    phrase_order,
    phrase_value,
)
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.question_realizer import realize_fact_question, realize_intermediate
from chattygen.rulebook.referring_expressions import ReferringExpression, refer_by_name, refer_by_phrase, shorten_noun
from chattygen.rulebook.set_phrases import SetPhrase, lexicalize_set
from chattygen.turns import Condition, TurnSpec

SetPhrases = Sequence[SetPhrase]


def ask_which_one(sets: SetPhrases, phrases: Iterable[ConditionPhrase]) -> Iterator[str]:
    """Ask for one member of a set: ``Which of the films that X directed is the longest?``"""
    for phrase in phrases:
        for members in sets:
            question_words = ("Which of", "Who among") if members.is_person else ("Which of",)
            for word in question_words:
                yield f"{word} {members.whole_phrase()} {phrase.as_predicate(False)}?"
            if members.member_phrase() and not _ends_in_preposition(members) and members.noun != "person":
                yield f"Which {members.member_phrase()} {phrase.as_predicate(False)}?"
            if phrase.adjective and members.possessive:
                yield f"{_question_word(members)} is {members.possessive} {phrase.adjective} {members.noun}?"
            elif phrase.adjective and members.member_phrase() and not phrase.adjective.startswith("least"):
                yield f"{_question_word(members)} is the {phrase.adjective} {members.member_phrase()}?"


def ask_which_ones(sets: SetPhrases, phrases: Iterable[ConditionPhrase], *, count: bool = False) -> Iterator[str]:
    """Ask for members of a set, or for their number: ``Which of the films that X directed star Y?``"""
    start = "How many" if count else "Which"
    for phrase in phrases:
        for members in sets:
            yield f"{start} of {members.whole_phrase()} {phrase.as_predicate(True)}?"
            if members.plural_phrase() and not _ends_in_preposition(members):
                yield f"{start} {members.plural_phrase()} {phrase.as_predicate(True)}?"


def _ends_in_preposition(members: SetPhrase) -> bool:
    """Tell whether a verb right behind the phrase would read badly, for the phrase ends with a preposition."""
    return (members.plural_modifier or members.modifier).endswith(
        (" of", " in", " at", " on", " to", " for", " with", " from")
    )


def _question_word(members: SetPhrase) -> str:
    return "Who" if members.is_person else "What"


def ask_which_one_of_them(phrases: Iterable[ConditionPhrase], noun: str, *, is_person: bool) -> Iterator[str]:
    """Ask for one of the last answers."""
    nouns = _noun_behind_those(noun)
    for phrase in phrases:
        predicate = phrase.as_predicate(False)
        yield f"Which of them {predicate}?"
        if is_person:
            yield f"Who among them {predicate}?"
        if nouns:
            yield f"Which of those {nouns} {predicate}?"
        if phrase.adjective:
            yield f"{'Who' if is_person else 'What'} is the {phrase.adjective} of them?"


def ask_which_of_them(phrases: Iterable[ConditionPhrase], noun: str) -> Iterator[str]:
    """Ask for some of the last answers."""
    nouns = _noun_behind_those(noun)
    for phrase in phrases:
        predicate = phrase.as_predicate(True)
        yield f"Which of them {predicate}?"
        yield f"Which of these {predicate}?"
        if nouns:
            yield f"Which of those {nouns} {predicate}?"


def ask_how_many_of_them(phrases: Iterable[ConditionPhrase], noun: str) -> Iterator[str]:
    """Ask for the number of the last answers that a phrase is true of."""
    nouns = _noun_behind_those(noun)
    for phrase in phrases:
        predicate = phrase.as_predicate(True)
        yield f"How many of them {predicate}?"
        yield f"How many of those {predicate}?"
        if nouns:
            yield f"How many of these {nouns} {predicate}?"


def _noun_behind_those(noun: str) -> str:
    """Return the plural noun behind ``those``; "" if the members have no short noun of their own."""
    return "" if not noun or noun == "thing" or len(noun.split()) > 3 else pluralize(shorten_noun(noun))


_ORDERS = ("rising", "falling")


def realize_set_question(plan: TurnSpec, owner: ReferringExpression) -> Iterator[str]:
    """Yield wordings of a question about the set of a turn; ``owner`` refers to its entity."""
    condition = _condition(plan)
    if condition.kind in _ORDERS:
        yield from _ordered_questions(plan, condition, owner)
        return
    sets, phrases = lexicalize_plan_set(plan, owner), tuple(_condition_phrases(condition, plan.fact.class_labels))
    if condition.kind in ("most", "least"):
        yield from ask_which_one(sets, phrases)
    else:
        yield from ask_which_ones(sets, phrases, count=plan.form == "count")


def realize_set_follow_up(plan: TurnSpec) -> Iterator[str]:
    """Yield wordings of a question about the last answers (``which of them ...``)."""
    condition = _condition(plan)
    (members, *_) = lexicalize_plan_set(plan, refer_by_name(plan.entity))
    phrases = tuple(_condition_phrases(condition, plan.fact.class_labels))
    if condition.kind in _ORDERS:
        for order in phrase_order(lexicalize_measure(condition, plan.fact.class_labels)):
            yield f"What are they, {order}?" if not members.is_person else f"Who are they, {order}?"
    elif condition.kind in ("most", "least"):
        yield from ask_which_one_of_them(phrases, members.noun, is_person=members.is_person)
    elif plan.form == "count":
        yield from ask_how_many_of_them(phrases, members.noun)
    else:
        yield from ask_which_of_them(phrases, members.noun)


def lexicalize_plan_set(plan: TurnSpec, owner: ReferringExpression) -> tuple[SetPhrase, ...]:
    """Return the noun phrases for the set of a turn."""
    fact, kinds = plan.fact, plan.entity.class_labels
    if len(fact.steps) == 2:
        owner, kinds = (
            refer_by_phrase(realize_intermediate(fact.steps[0], owner, kinds, fact.via_class_labels)),
            fact.via_class_labels,
        )
    return lexicalize_set(fact, lexicalize_step(fact.last_step, fact.shape, kinds, fact.class_labels), owner, kinds)


def _ordered_questions(plan: TurnSpec, condition: Condition, owner: ReferringExpression) -> Iterator[str]:
    """Ask for the members in an order: ``Which films did X direct, in order of release?``"""
    questions = [
        text
        for text in realize_fact_question(plan.entity, plan.fact, plan.form)
        if text.startswith(("Wh", "By")) and not text.startswith("Whose ")
    ]
    for text in questions:
        question = text if owner == refer_by_name(plan.entity) else replace_name(text, plan.entity.label, owner)
        for order in phrase_order(lexicalize_measure(condition, plan.fact.class_labels)):
            yield f"{question.rstrip('?')}, {order}?"


def _condition_phrases(condition: Condition, members: tuple[str, ...]) -> Iterator[ConditionPhrase]:
    if condition.kind in ("most", "least"):
        yield from phrase_measure(lexicalize_measure(condition, members), "superlative")
    elif condition.kind in ("over", "under"):
        yield from phrase_measure(lexicalize_measure(condition, members), "bound")
    elif condition.kind in ("with", "without"):
        yield from phrase_value(condition, members)


def _condition(plan: TurnSpec) -> Condition:
    if plan.condition is None:
        raise ValueError("what picks from a set needs a condition")
    return plan.condition

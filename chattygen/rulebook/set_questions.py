"""Questions that choose from a set: which of them is the longest, which are longer than, how many do not star X."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chattyshared.language.inflection import class_noun, pluralize

from chattygen.lexicalization.predicate_frames import ClauseFrame
from chattygen.lexicalization.rows import texts_of_rows
from chattygen.lexicalization.step_lexicalization import lexicalize_step
from chattygen.rulebook.condition_phrases import (
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

_STRANDED = (" of", " in", " at", " on", " to", " for", " with", " from")
"""Prepositions behind which a verb reads badly."""


def _choices(plan: TurnSpec, phrases: Iterable[ClauseFrame], sets: Sequence[SetPhrase] = ()) -> Iterator[str]:
    """Ask for one member of the ``sets``, for some, or for their number; without sets, of the last answers."""
    use = "one" if _condition(plan).kind in ("most", "least") else "number" if plan.form == "count" else "some"
    for phrase in phrases:
        for members in sets or lexicalize_plan_set(plan, refer_by_name(plan.entity))[:1]:
            is_stranded = plan.is_of_class or (members.plural_modifier or members.modifier).endswith(_STRANDED)
            short_noun = "" if members.noun in ("", "thing") or len(members.noun.split()) > 3 else members.noun
            traits = {
                "use": use, "one": phrase.as_predicate(False), "many": phrase.as_predicate(True),
                "whole": members.whole_phrase(), "noun": members.noun, "possessive": members.possessive,
                "member": "" if is_stranded or members.noun == "person" else members.member_phrase(),
                "member_phrase": members.member_phrase(), "plural": "" if is_stranded else members.plural_phrase(),
                "nouns": pluralize(shorten_noun(short_noun)) if short_noun else "", "adjective": phrase.adjective,
                "plain_adjective": "" if phrase.adjective.startswith("least") else phrase.adjective,
                "who": "Who" if members.is_person else "What", "who_among": "Who" if members.is_person else "",
            }  # fmt: skip
            yield from texts_of_rows("questions", "choice" if sets else "choice_of_them", traits)


_ORDERS = ("rising", "falling")


def realize_set_question(plan: TurnSpec, owner: ReferringExpression) -> Iterator[str]:
    """Yield wordings of a question about the set of a turn; ``owner`` refers to its entity."""
    condition = _condition(plan)
    if condition.kind in _ORDERS:
        yield from _ordered_questions(plan, condition, owner)
        return
    sets, phrases = lexicalize_plan_set(plan, owner), tuple(_condition_phrases(condition, plan.fact.class_labels))
    yield from _choices(plan, phrases, sets)


def realize_set_follow_up(plan: TurnSpec) -> Iterator[str]:
    """Yield wordings of a question about the last answers (``which of them ...``)."""
    condition = _condition(plan)
    (members, *_) = lexicalize_plan_set(plan, refer_by_name(plan.entity))
    phrases = tuple(_condition_phrases(condition, plan.fact.class_labels))
    if condition.kind in _ORDERS:
        for order in phrase_order(lexicalize_measure(condition, plan.fact.class_labels)):
            yield f"What are they, {order}?" if not members.is_person else f"Who are they, {order}?"
    else:
        yield from _choices(plan, phrases)


def lexicalize_plan_set(plan: TurnSpec, owner: ReferringExpression) -> tuple[SetPhrase, ...]:
    """Return the noun phrases for the set of a turn."""
    fact, kinds = plan.fact, plan.entity.class_labels
    if plan.is_of_class:
        return (SetPhrase(class_noun(fact.class_labels[0]), "on record", fact.class_labels),)
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


def _condition_phrases(condition: Condition, members: tuple[str, ...]) -> Iterator[ClauseFrame]:
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

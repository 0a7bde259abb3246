"""Questions that compare two entities: which is longer, A or B; was A born before B."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.lexicalization.lexicon import GENERAL_PERSON_NOUNS
from chattygen.lexicalization.word_forms import are_persons, possessive_form
from chattygen.rulebook.condition_phrases import (
    MeasuredCondition,
    lexicalize_measure,
    phrase_measure,
)
from chattygen.rulebook.referring_expressions import (
    IT,
    ReferringExpression,
    is_short,
    refer_by_name,
    refer_by_phrase,
    refer_by_pronoun,
    short_noun_of,
)
from chattygen.turns import TurnSpec


def realize_comparison(plan: TurnSpec, one: ReferringExpression) -> Iterator[str]:
    """Ask which of two entities has the greater or smaller value, or whether the first has it.

    ``one`` refers to the first entity. A plan without a condition or another entity is a ``ValueError``.
    """
    if plan.condition is None or plan.other_entity is None:
        raise ValueError("a comparison needs a condition and two things")
    measure = lexicalize_measure(plan.condition, plan.entity.class_labels)
    other = refer_by_name(plan.other_entity)
    if measure.noun.split()[0].lower().endswith("est") and not (measure.is_date or measure.counted_noun):
        yield from _compare_extremes(plan, measure, one, other)
        return
    if plan.is_yes_no:
        for phrase in phrase_measure(measure, "than", other.object):
            yield phrase.as_question(one.subject, one.is_plural)
        return
    first = _contrastive_subject(one, plan)
    say_who = are_persons(plan.entity.class_labels) and refer_by_pronoun(plan.entity) != IT
    has_same_noun = plan.entity.noun and plan.entity.noun == plan.other_entity.noun
    for phrase in phrase_measure(measure, "comparative"):
        predicate = phrase.as_predicate(False)
        yield f"{'Who' if say_who else 'Which'} {predicate}, {first} or {other.subject}?"
        if has_same_noun and not say_who and short_noun_of(plan.entity) not in first:
            yield f"Which {short_noun_of(plan.entity)} {predicate}, {first} or {other.subject}?"
        if one == refer_by_name(plan.entity):
            yield f"Of {first} and {other.subject}, {'who' if say_who else 'which'} {predicate}?"


def _compare_extremes(
    plan: TurnSpec, measure: MeasuredCondition, one: ReferringExpression, other: ReferringExpression
) -> Iterator[str]:
    """Compare two values whose noun is a superlative, without wordings like *higher lowest price*."""
    degree, noun = measure.noun_scale.comparative(measure.condition.kind), measure.noun
    first = _contrastive_subject(one, plan)
    if plan.is_yes_no:
        is_pronoun = one.subject in ("it", "they", "he", "she")
        owner = one if is_pronoun else refer_by_phrase(first, is_long=one.is_long)
        yield f"Is {owner.with_noun(noun)} {degree} than that of {other.object}?"
        return
    if is_short(first) and not other.is_long:
        yield f"Whose {noun} is {degree}, {possessive_form(first)} or {other.possessive}?"
        yield f"Whose {noun} is {degree}: {possessive_form(first)} or {other.possessive}?"
        return
    yield f"Which has a {noun} that is {degree}, {first} or {other.subject}?"


def _contrastive_subject(one: ReferringExpression, plan: TurnSpec) -> str:
    """Return the first entity as a subject beside the other's name: no bare ``it`` or ``they``."""
    if short_noun_of(plan.entity) in GENERAL_PERSON_NOUNS and one.subject not in ("he", "she"):
        return refer_by_name(plan.entity).subject
    is_odd = one.subject in ("he", "she") and not are_persons(plan.entity.class_labels)
    rival = f"the {short_noun_of(plan.other_entity)}" if plan.other_entity is not None else ""
    return f"this {short_noun_of(plan.entity)}" if is_odd or one.subject in ("it", "they", rival) else one.subject

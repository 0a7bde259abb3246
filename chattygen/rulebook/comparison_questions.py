"""Questions that compare two things: which is longer, A or B; was A born before B."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import denote_persons, possessive_form

from chattygen.rulebook.condition_phrases import (
    MeasuredCondition,
    lexicalize_measure,
    phrase_comparative,
    phrase_comparison,
)
from chattygen.rulebook.referring_expressions import (
    ReferringExpression,
    is_short,
    noun_of_entity,
    refer_by_name,
    refer_by_phrase,
)
from chattygen.stages.turn_plan import TurnPlan


def realize_comparison(ask: TurnPlan, one: ReferringExpression) -> Iterator[str]:
    """Ask which of the two it is, or whether it is the first; ``one`` says how the first is spoken of.

    Takes an ask with a condition and an ``other``.
    """
    if ask.condition is None or ask.other_entity is None:
        raise ValueError("a comparison needs a condition and two things")
    what = lexicalize_measure(ask.condition, ask.entity.class_labels)
    other = refer_by_name(ask.other_entity)
    if what.noun.split()[0].lower().endswith("est") and not (what.is_date or what.counted_noun):
        yield from _of_extremes(ask, what, one, other)
        return
    if ask.is_yes_no:
        for claim in phrase_comparison(what, other):
            yield f"{claim.as_question(one)}?"
        return
    first = _set_beside(one, ask)
    are_persons = denote_persons(ask.entity.class_labels)
    alike = ask.entity.noun and ask.entity.noun == ask.other_entity.noun
    for claim in phrase_comparative(what):
        said = claim.as_predicate(False)
        yield f"{'Who' if are_persons else 'Which'} {said}, {first} or {other.subject}?"
        yield f"{'Who' if are_persons else 'Which one'} {said}: {first} or {other.subject}?"
        if alike and not are_persons and noun_of_entity(ask.entity) not in first.split():
            yield f"Which {noun_of_entity(ask.entity)} {said}, {first} or {other.subject}?"
        if one == refer_by_name(ask.entity):
            yield f"Of {first} and {other.subject}, {'who' if are_persons else 'which'} {said}?"


def _of_extremes(
    ask: TurnPlan, what: MeasuredCondition, one: ReferringExpression, other: ReferringExpression
) -> Iterator[str]:
    """Compare two highest, lowest, largest values: no *higher lowest price*."""
    degree, noun = what.noun_scale.comparative(what.condition.kind), what.noun
    one_is = (
        one
        if one.subject in ("it", "they", "he", "she")
        else refer_by_phrase(_set_beside(one, ask), is_long=one.is_long)
    )
    if ask.is_yes_no:
        yield f"Is {one_is.with_noun(noun)} {degree} than that of {other.object}?"
        return
    first = _set_beside(one, ask)
    if is_short(first) and not other.is_long:
        yield f"Whose {noun} is {degree}, {possessive_form(first)} or {other.possessive}?"
        yield f"Whose {noun} is {degree}: {possessive_form(first)} or {other.possessive}?"
        return
    yield f"Which has a {noun} that is {degree}, {first} or {other.subject}?"


def _set_beside(one: ReferringExpression, ask: TurnPlan) -> str:
    """Return the first thing as one says it next to the other's name: no bare ``it`` or ``they``."""
    if one.subject in ("it", "they"):
        return f"this {noun_of_entity(ask.entity)}"
    if ask.other_entity is not None and one.subject == f"the {noun_of_entity(ask.other_entity)}":
        return f"this {noun_of_entity(ask.entity)}"
    return one.subject

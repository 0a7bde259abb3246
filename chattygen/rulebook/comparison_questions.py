"""Questions that compare two things: which is longer, A or B; was A born before B."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.rulebook.condition_phrases import Measure, beyond, greater, measure
from chattygen.rulebook.referring_expressions import Reference, is_short, kind, named, phrase
from chattygen.rulebook.words import mean_person, possessive
from chattygen.stages.turn_plan import Ask


def compared(ask: Ask, one: Reference) -> Iterator[str]:
    """Ask which of the two it is, or whether it is the first; ``one`` says how the first is spoken of.

    Takes an ask with a condition and an ``other``.
    """
    if ask.condition is None or ask.other is None:
        raise ValueError("a comparison needs a condition and two things")
    what = measure(ask.condition, ask.entity.kinds)
    other = named(ask.other)
    if what.noun.split()[0].lower().endswith("est") and not (what.is_date or what.counted):
        yield from _of_extremes(ask, what, one, other)
        return
    if ask.polar:
        for claim in beyond(what, other):
            yield f"{claim.asked(one)}?"
        return
    first = _set_beside(one, ask)
    are_persons = mean_person(ask.entity.kinds)
    alike = ask.entity.noun and ask.entity.noun == ask.other.noun
    for claim in greater(what):
        said = claim.said(False)
        yield f"{'Who' if are_persons else 'Which'} {said}, {first} or {other.subject}?"
        yield f"{'Who' if are_persons else 'Which one'} {said}: {first} or {other.subject}?"
        if alike and not are_persons and kind(ask.entity) not in first.split():
            yield f"Which {kind(ask.entity)} {said}, {first} or {other.subject}?"
        if one == named(ask.entity):
            yield f"Of {first} and {other.subject}, {'who' if are_persons else 'which'} {said}?"


def _of_extremes(ask: Ask, what: Measure, one: Reference, other: Reference) -> Iterator[str]:
    """Compare two highest, lowest, largest values: no *higher lowest price*."""
    degree, noun = what.degrees.comparative(what.condition.pick), what.noun
    one_is = one if one.subject in ("it", "they", "he", "she") else phrase(_set_beside(one, ask), is_long=one.is_long)
    if ask.polar:
        yield f"Is {one_is.with_noun(noun)} {degree} than that of {other.object}?"
        return
    first = _set_beside(one, ask)
    if is_short(first) and not other.is_long:
        yield f"Whose {noun} is {degree}, {possessive(first)} or {other.owner}?"
        yield f"Whose {noun} is {degree}: {possessive(first)} or {other.owner}?"
        return
    yield f"Which has a {noun} that is {degree}, {first} or {other.subject}?"


def _set_beside(one: Reference, ask: Ask) -> str:
    """Return the first thing as one says it next to the other's name: no bare ``it`` or ``they``."""
    if one.subject in ("it", "they"):
        return f"this {kind(ask.entity)}"
    if ask.other is not None and one.subject == f"the {kind(ask.other)}":
        return f"this {kind(ask.entity)}"
    return one.subject

"""Which numbers and dates people care about: those that an adjective, a verb or counted things say."""

from __future__ import annotations

from functools import lru_cache

from chattyshared.language.inflection import plain_label
from chattyshared.language.lexicon import word_set

from chattygen.rulebook.condition_phrases import MeasuredCondition, lexicalize_measure
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.facts import Shape, Step

GRADABLE_INTEREST = 0.8
"""Interest, 0..1, in a measure that an adjective or a verb says (how tall, when born); set by hand, as the next two."""
PLAIN_INTEREST = 0.5
"""Interest, 0..1, in another measure."""
OBSCURE_INTEREST = 0.05
"""Interest, 0..1, in a number that only its owner understands: a level, a share, a position."""
MAX_REMEMBERED = 10_000
"""Measures of classes whose wording is kept."""
_OBSCURE_WORDS = word_set("relation_labels", "obscure_measures")
_NUMBERINGS = frozenset({"number", "no", "nr", "code"})


def is_obscure(label: str) -> bool:
    """Tell whether a predicate states a number that nobody outside asks for, by its label: a level, a share, a floor
    number."""
    words = plain_label(label).casefold().split()
    return not _OBSCURE_WORDS.isdisjoint(words) or words[-1:] != [] and words[-1] in _NUMBERINGS


@lru_cache(maxsize=MAX_REMEMBERED)
def has_adjective(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> bool:
    """Tell whether an adjective compares things of a class by a measure: taller, older, more expensive."""
    return _measure(step, shape, datatype, class_labels).adjective_scale is not None and not is_obscure(step.label)


@lru_cache(maxsize=MAX_REMEMBERED)
def is_gradable(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> bool:
    """Tell whether an adjective, a verb with a date or counted things compare things of a class by a measure: taller,
    released earlier, more inhabitants."""
    if is_obscure(step.label):
        return False
    measure = _measure(step, shape, datatype, class_labels)
    return measure.adjective_scale is not None or measure.event_clause is not None or bool(measure.counted_noun)


def measure_interest(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> float:
    """Return the interest, 0..1, in a number or a date of things of a class."""
    if shape == "number" and is_obscure(step.label):
        return OBSCURE_INTEREST
    return GRADABLE_INTEREST if is_gradable(step, shape, datatype, class_labels) else PLAIN_INTEREST


def _measure(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> MeasuredCondition:
    return lexicalize_measure(Condition("most", step, shape, datatype), class_labels)

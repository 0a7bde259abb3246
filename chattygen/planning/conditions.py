"""Conditions that select members of an answer set, each with its bound or value and the members that it selects; and
which numbers and dates people care to compare: those that an adjective, a verb or counted things say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import takewhile
from random import Random
from typing import Literal as Choice

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import head_noun, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITION
from chattyshared.literals import Moment
from chattyshared.terms import DATE_DATATYPES, Term
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.context.answer_sets import AnswerSet, SetAttribute
from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Shape, Step
from chattygen.context.predicate_salience import is_placeholder, repeats_label
from chattygen.context.predicate_use import NUMBERINGS, is_nested
from chattygen.context.subgraph import class_labels_of, most_specific_classes
from chattygen.lexicalization.lexicon import MEASURE_ADJECTIVES
from chattygen.lexicalization.word_forms import are_persons
from chattygen.rulebook.condition_phrases import MeasuredCondition, lexicalize_measure, phrase_value
from chattygen.run import RunContext
from chattygen.turns import MAX_DIGITS, ComparableValue, Condition, ConditionKind, TurnSpec, comparable_value

MIN_COMPARED = 3
"""Members: the fewest that a superlative, a bound or an order compares; set by hand."""
MAX_ORDERED = 12
"""Members: the most that are asked for in order; set by hand."""
MAX_SELECTED_SHARE = 0.75
"""Share of a set, 0..1, that a condition may select: with more, the list hardly changes; set by hand."""
_CODE = re.compile(r"[A-Z]{2,5}|[A-Z0-9]*\d[A-Z0-9]*")
"""A value that is a code, which nobody says."""
MAX_WITHOUT = 6
"""Members without a value, at most: people do not ask for the rest of a long list; set by hand."""
MAX_VALUES_TRIED = 3
"""Values: the most frequent of an attribute that are tried as a condition; set by hand."""
OUTER_GAPS = 4
"""Divisor: one in so many gaps at either end holds no bound, so that no condition selects almost all; set by hand."""
GRADABLE_INTEREST = 0.8
"""Interest, 0..1, in a measure that an adjective or a verb says (how tall, when born); set by hand, as the next two."""
PLAIN_INTEREST = 0.5
"""Interest, 0..1, in another measure."""
OBSCURE_INTEREST = 0.05
"""Interest, 0..1, in a number that only its owner understands: a level, a share, a position."""
MAX_REMEMBERED = 10_000
"""Measures of classes whose wording is kept."""
_OBSCURE_WORDS = word_set("relation_labels", "obscure_measures")
_PHYSICAL = ("volume", "distance", "power")
"""Physical quantities that no adjective asks for."""
BOUND_SCALES = tuple(Decimal(10) ** power * factor for power in range(12, -4, -1) for factor in (5, 1))
"""Steps, coarsest first, whose multiples are round bounds: 5 and 1 times the powers of ten from 10^12 to 10^-3."""


@dataclass(frozen=True, slots=True)
class SelectedMembers:
    """A condition with the members that it selects (ranked, where the condition orders them)."""

    condition: Condition
    attribute: SetAttribute
    members: tuple[URIRef, ...]

    def turn(self, answer_set: AnswerSet, form: str, *, link: LinkName = "topic", antecedent_turn: int = 0) -> TurnSpec:
        """Return a turn that selects from a set, counts what the condition selects, or lists the set in order."""
        predicate, kind = URIRef(self.attribute.step.predicate), self.condition.kind
        stated = (
            (member, predicate, end)
            for member in self.members
            for end in self.attribute.values.get(member, ())
            if kind != "without" and (kind != "with" or end == self.condition.term)
        )
        return TurnSpec(
            0, form, link, answer_set.owner, answer_set.fact, self.condition, antecedent_turn=antecedent_turn,
            hidden=answer_set.hidden, members=self.members, stated=tuple(stated),
        )  # fmt: skip


def select_turns(
    context: Context, answer_set: AnswerSet, form: str, link: LinkName, found: Iterable[SelectedMembers]
) -> Iterator[TurnSpec]:
    """Yield the turns of a form for the conditions on a set, but for those that the names of the members tell."""
    for selection in found:
        if not _is_told_by_names(context, selection):
            yield selection.turn(answer_set, form, link=link)


def _is_told_by_names(context: Context, selection: SelectedMembers) -> bool:
    """Tell whether the names of most members tell what a condition is about: their year, the entrant of an entry."""
    labels, condition = context.neighbourhoods.labels, selection.condition
    if condition.shape == "number":
        return False
    values = selection.attribute.values
    if condition.shape == "date":
        told = [any(str(end)[:4] in labels.get(member, "") for end in ends) for member, ends in values.items()]
    else:
        told = [repeats_label(condition.value, labels.get(member, ""))
                for member, ends in values.items() if selection.condition.term in ends]  # fmt: skip
    return 2 * sum(told) > len(told)


def comparable_values(attribute: SetAttribute) -> dict[URIRef, ComparableValue]:
    """Return the comparable value of each member; nothing if a member has several values or one that is not
    comparable."""
    if attribute.shape not in ("number", "date"):
        return {}
    values = {member: comparable_value(end) for member, end in attribute.single_values().items()}
    return {m: v for m, v in values.items() if v is not None} if None not in values.values() else {}


def measured_attributes(answer_set: AnswerSet) -> Iterator[SetAttribute]:
    """Yield the attributes that members are compared by: none whose numbers only their owner understands."""
    return (attribute for attribute in answer_set.attributes if not is_obscure(attribute.step.label))


def _compared(answer_set: AnswerSet) -> Iterator[tuple[SetAttribute, dict[URIRef, ComparableValue]]]:
    """Yield the attributes that members are compared by, with the value of each member."""
    for attribute in measured_attributes(answer_set):
        values = comparable_values(attribute)
        if len(values) >= MIN_COMPARED:
            yield attribute, values


def superlative_conditions(answer_set: AnswerSet, kind: Choice["most", "least"]) -> Iterator[SelectedMembers]:
    """Yield superlatives with exactly one winner."""
    for attribute, values in _compared(answer_set):
        best = max(values.values()) if kind == "most" else min(values.values())
        winners = tuple(member for member, value in values.items() if value == best)
        if len(winners) == 1:
            yield select(kind, attribute, winners)


def order_conditions(answer_set: AnswerSet, kind: Choice["rising", "falling"]) -> Iterator[SelectedMembers]:
    """Yield orders in which every member has a value and no two values are equal."""
    for attribute, values in _compared(answer_set):
        if len(set(values.values())) == len(values) == len(answer_set.members) <= MAX_ORDERED:
            order = sorted(values, key=lambda member: values[member], reverse=kind == "falling")
            yield select(kind, attribute, tuple(order))


def bound_conditions(answer_set: AnswerSet, kind: Choice["over", "under"], rng: Random) -> Iterator[SelectedMembers]:
    """Yield conditions with a round bound that equals no member's value and that some members pass, but not all."""
    for attribute, values in _compared(answer_set):
        magnitudes = {each: Decimal(v.year) if isinstance(v, Moment) else v for each, v in values.items()}
        whole = all(magnitude == magnitude.to_integral_value() for magnitude in magnitudes.values())
        bound = _round_bound(sorted(set(magnitudes.values())), rng, whole=whole)
        if bound is None:
            continue
        is_over = kind == "over"
        selected = [each for each, magnitude in magnitudes.items() if (magnitude > bound) is is_over]
        bound_term = Literal(f"{bound:f}", datatype=XSD.integer if bound == bound.to_integral_value() else XSD.decimal)
        selection = select(kind, attribute, tuple(selected), bound_term, f"{bound:f}")
        if _is_selective(selected, answer_set.members) and not lacks_unit(selection, answer_set.fact.class_labels):
            yield selection


def lacks_unit(selection: SelectedMembers, members: tuple[str, ...]) -> bool:
    """Tell whether a bound is on a physical quantity of which no unit is known: longer than 50 what?"""
    measure = lexicalize_measure(selection.condition, members)
    noun = head_noun(measure.frame.noun.lower())
    is_physical = noun in _PHYSICAL or (noun in MEASURE_ADJECTIVES and noun != "age")
    return is_physical and not (measure.frame.unit or measure.is_date)


def _is_selective(selected: Sequence[URIRef], members: Sequence[URIRef]) -> bool:
    """Tell whether a selection leaves something, and takes away a quarter of the set at least."""
    return 0 < len(selected) <= MAX_SELECTED_SHARE * len(members)


def _round_bound(values: Sequence[Decimal], rng: Random, *, whole: bool) -> Decimal | None:
    """Return the roundest number in one of the middle gaps between values; the gap is drawn."""
    gaps = list(zip(values, values[1:], strict=False))
    outer = len(gaps) // OUTER_GAPS
    middle = gaps[outer : len(gaps) - outer] or gaps
    for below, above in rng.sample(middle, len(middle)):
        for scale in BOUND_SCALES:
            if (whole and scale < 1) or max(abs(below), abs(above)) >= scale * 10**MAX_DIGITS:
                break
            candidate = ((below // scale) + 1) * scale if below >= 0 else -((-below) // scale) * scale
            if below < candidate < above:
                return candidate.normalize() if candidate else Decimal(0)
    return None


def value_conditions(
    run: RunContext, context: Context, answer_set: AnswerSet, kind: Choice["with", "without"]
) -> Iterator[SelectedMembers]:
    """Yield conditions on a value that some members have, but not all; what they lack is one value each.

    People say it by a verb, a kind or a place, not only by a noun for it.
    """
    types, members = context.neighbourhoods.types, answer_set.members
    for attribute in answer_set.attributes:
        is_closed = len(attribute.single_values()) == len(members)
        if attribute.shape not in ("entity", "text") or (kind == "without" and not is_closed):
            continue
        own = attribute.values.get(context.seed.entity.iri, ())
        for value in sorted(attribute.values_by_frequency(), key=lambda end: end not in own)[:MAX_VALUES_TRIED]:
            name, classes = context.names.name_of(value), types.get(value, ())
            if is_placeholder(name) or _CODE.fullmatch(name) or repeats_label(name, answer_set.owner.label):
                continue
            selected = [each for each in members if (value in attribute.values.get(each, ())) is (kind == "with")]
            if value in (*members, answer_set.owner.iri) or any(is_nested(run.kg, iri) for iri in classes):
                continue
            if not _is_selective(selected, members) or (kind == "without" and len(selected) > MAX_WITHOUT):
                continue
            class_labels = class_labels_of(run.kg, next(iter(most_specific_classes(run.kg, classes)), ""))
            if kind == "without" and are_persons(class_labels):  # nobody asks what one person has not done
                continue
            selection = select(kind, attribute, tuple(selected), value, name, class_labels)
            phrase = next(phrase_value(selection.condition, answer_set.fact.class_labels), None)
            if not run.is_worded_by_rules or (phrase is not None and not phrase.is_formula):
                yield selection
                break


def select(
    kind: ConditionKind,
    attribute: SetAttribute,
    members: tuple[URIRef, ...],
    value: Term | None = None,
    value_label: str = "",
    class_labels: tuple[str, ...] = (),
) -> SelectedMembers:
    """Return a condition on an attribute of a set with the members that it selects."""
    datatype = next(iter(sorted(attribute.datatypes)), None)
    datatype_name = str(datatype).rpartition("#")[2] if datatype else ""
    condition = Condition(kind, attribute.step, attribute.shape, datatype_name, value_label, class_labels, value)
    return SelectedMembers(condition, attribute, members)


def comparable_predicates(one: Mapping[str, Term], other: Mapping[str, Term]) -> Iterator[str]:
    """Yield the predicates by which two entities can be compared: numbers, or dates of one datatype, that differ."""
    for predicate in sorted(one.keys() & other.keys()):
        left, right = one[predicate], other[predicate]
        if not isinstance(left, Literal) or not isinstance(right, Literal):
            continue
        same_datatype = left.datatype == right.datatype or left.datatype not in DATE_DATATYPES
        values = (comparable_value(left), comparable_value(right))
        if same_datatype and None not in values and type(values[0]) is type(values[1]) and values[0] != values[1]:
            yield predicate


def is_obscure(label: str) -> bool:
    """Tell whether a predicate states a number that nobody outside asks for, by its label: a level, a share, a floor
    number."""
    words = plain_label(label).casefold().split()
    said = takewhile(lambda word: word not in PREPOSITION, words)  # an elevation above sea level is no level
    return not _OBSCURE_WORDS.isdisjoint(said) or not NUMBERINGS.isdisjoint(words[-1:])


def has_adjective(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> bool:
    """Tell whether an adjective compares things of a class by a measure: taller, older, more expensive."""
    return _measure(step, shape, datatype, class_labels).adjective_scale is not None and not is_obscure(step.label)


def is_gradable(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> bool:
    """Tell whether an adjective, a verb with a date or counted things compare things of a class by a measure: taller,
    released earlier, more inhabitants."""
    measure = _measure(step, shape, datatype, class_labels)
    is_said = measure.adjective_scale is not None or measure.event_clause is not None or bool(measure.counted_noun)
    return is_said and not is_obscure(step.label)


def measure_interest(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> float:
    """Return the interest, 0..1, in a number or a date of things of a class."""
    if shape == "number" and is_obscure(step.label):
        return OBSCURE_INTEREST
    return GRADABLE_INTEREST if is_gradable(step, shape, datatype, class_labels) else PLAIN_INTEREST


@lru_cache(maxsize=MAX_REMEMBERED)
def _measure(step: Step, shape: Shape, datatype: str, class_labels: tuple[str, ...]) -> MeasuredCondition:
    return lexicalize_measure(Condition("most", step, shape, datatype), class_labels)

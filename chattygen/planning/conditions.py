"""Conditions that pick from a set: each with its bound or given value and the members that it picks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Literal as Choice

from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import Moment, read_moment, read_number
from chattyshared.terms import DATE_DATATYPES, Term
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.planning.set_attributes import AnswerSet, SetAttribute
from chattygen.planning.sparql_compiler import Criterion
from chattygen.planning.unambiguous_names import NameIndex
from chattygen.stages.turn_plan import Condition, ConditionKind
from chattygen.subgraph.extraction import class_labels_of, most_specific_classes
from chattygen.subgraph.predicate_salience import repeats_label

ComparableValue = Decimal | Moment
_SCALES = tuple(Decimal(10) ** power * factor for power in range(12, -4, -1) for factor in (5, 1))
MAX_DIGITS = 18
"""The most digits of a number, and after its point, that every engine keeps."""
MAX_ORDERED = 12
"""The most members that are asked for in order."""


@dataclass(frozen=True, slots=True)
class SelectedMembers:
    """A condition as it is said and as it is asked, with the members that it picks (in order, where it orders)."""

    condition: Condition
    criterion: Criterion
    attribute: SetAttribute
    members: tuple[URIRef, ...]


def comparable_value(term: Term) -> ComparableValue | None:
    """Return what orders a number or a date of four-digit year without time zone; None for anything else.

    Nor is there a measure of what engines read differently: blanks around a value, and more digits than they keep.
    """
    text = str(term)
    if text != text.strip():
        return None
    moment = read_moment(term)
    if moment is not None:
        return moment if 0 < moment.year <= 9999 and not moment.has_zone else None
    number = read_number(term)
    if number is None or _is_floating(term):
        return number
    _, digits, exponent = number.as_tuple()
    return number if len(digits) <= MAX_DIGITS and -int(exponent) <= MAX_DIGITS else None


def _is_floating(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype in (XSD.double, XSD.float)


def comparable_values(column: SetAttribute) -> dict[URIRef, ComparableValue]:
    """Return the measure of each member, or nothing where members have several values or some cannot be measured."""
    if column.shape not in ("number", "date"):
        return {}
    found = {member: comparable_value(end) for member, end in column.single_values().items()}
    return {m: v for m, v in found.items() if v is not None} if None not in found.values() else {}


def superlative_conditions(answer_set: AnswerSet, kind: Choice["most", "least"]) -> Iterator[SelectedMembers]:
    """Yield superlatives with exactly one winner; nearly all members must state the value."""
    for column in answer_set.attributes:
        found = comparable_values(column)
        if len(found) < 3 or len(found) < 0.8 * len(answer_set.members):
            continue
        best = max(found.values()) if kind == "most" else min(found.values())
        winners = [member for member, value in found.items() if value == best]
        if len(winners) == 1:
            yield _made(kind, column, tuple(winners))


def bound_conditions(answer_set: AnswerSet, kind: Choice["over", "under"], rng: Random) -> Iterator[SelectedMembers]:
    """Yield conditions with a round bound that no member's value equals and that some members pass, but not all."""
    for column in answer_set.attributes:
        found = comparable_values(column)
        if len(found) < 3 or len(found) < 0.8 * len(answer_set.members):
            continue
        marks = {member: _mark(value) for member, value in found.items()}
        whole = all(mark == mark.to_integral_value() for mark in marks.values())
        bound = _bound(sorted(set(marks.values())), rng, whole=whole)
        if bound is None:
            continue
        passed = [
            m for m in answer_set.members if m in marks and (marks[m] > bound if kind == "over" else marks[m] < bound)
        ]
        given = Literal(f"{bound:f}", datatype=XSD.integer if bound == bound.to_integral_value() else XSD.decimal)
        if 0 < len(passed) < len(answer_set.members):
            yield _made(kind, column, tuple(passed), given, f"{bound:f}")


def _mark(value: ComparableValue) -> Decimal:
    """Return what is held against a bound: a date's year, and a number as it is."""
    return Decimal(value.year) if isinstance(value, Moment) else value


def _bound(values: Sequence[Decimal], chance: Random, *, whole: bool) -> Decimal | None:
    """Return the roundest number in one of the gaps between values, a gap that chance takes from the middle."""
    gaps = list(zip(values, values[1:], strict=False))
    middle = gaps[len(gaps) // 4 : len(gaps) - len(gaps) // 4] or gaps
    for below, above in chance.sample(middle, len(middle)):
        for scale in _SCALES:
            if (whole and scale < 1) or max(abs(below), abs(above)) >= scale * 10**MAX_DIGITS:
                break
            candidate = ((below // scale) + 1) * scale if below >= 0 else -((-below) // scale) * scale
            if below < candidate < above:
                return candidate.normalize() if candidate else Decimal(0)
    return None


def value_conditions(
    kg: KnowledgeGraph,
    neighbourhoods: Neighbourhoods,
    names: NameIndex,
    answer_set: AnswerSet,
    kind: Choice["with", "without"],
) -> Iterator[SelectedMembers]:
    """Yield conditions by a value that some members state, but not all; a denied value needs all to state some."""
    owner = answer_set.owner.label
    for column in answer_set.attributes:
        if column.shape not in ("entity", "text") or (
            kind == "without" and len(column.values) < len(answer_set.members)
        ):
            continue
        for given in column.values_by_frequency()[:3]:
            name = names.name_of(given)
            if not name or given in answer_set.members or given == answer_set.owner.iri or repeats_label(name, owner):
                continue
            having = [member for member in answer_set.members if given in column.values.get(member, ())]
            passed = having if kind == "with" else [member for member in answer_set.members if member not in having]
            if 0 < len(having) < len(answer_set.members):
                yield _made(kind, column, tuple(passed), given, name, _kinds(kg, neighbourhoods, given))
                break


def absence_conditions(kg: KnowledgeGraph, answer_set: AnswerSet) -> Iterator[SelectedMembers]:
    """Yield conditions of no value at all, where half of the members or more state one, but not all.

    Only by what some things have several of, as spouses and awards: of what each thing has one the KG tells too little.
    """
    for column in answer_set.attributes:
        passed = tuple(member for member in answer_set.members if member not in column.values)
        entry = kg.vocabulary.predicates.get(column.step.predicate)
        if entry is None or entry.is_functional:
            continue
        if passed and column.shape == "entity" and len(column.values) >= 0.5 * len(answer_set.members):
            yield _made("lacks", column, passed)


def order_conditions(answer_set: AnswerSet, kind: Choice["rising", "falling"]) -> Iterator[SelectedMembers]:
    """Yield orders in which no two members stand at the same place, and each has one."""
    for column in answer_set.attributes:
        found = comparable_values(column)
        if len(found) == len(answer_set.members) <= MAX_ORDERED and len(set(found.values())) == len(found) > 2:
            order = sorted(found, key=lambda member: found[member], reverse=kind == "falling")
            yield _made(kind, column, tuple(order))


def _made(
    pick: ConditionKind,
    column: SetAttribute,
    members: tuple[URIRef, ...],
    given: Term | None = None,
    value: str = "",
    kinds: tuple[str, ...] = (),
) -> SelectedMembers:
    datatype = next(iter(sorted(column.datatypes)), None)
    from_iri = str(datatype).rpartition("#")[2] if datatype else ""
    condition = Condition(pick, column.step, column.shape, from_iri, value, kinds)
    return SelectedMembers(condition, Criterion(pick, column.step, column.shape, datatype, given), column, members)


def _kinds(kg: KnowledgeGraph, stars: Neighbourhoods, given: Term) -> tuple[str, ...]:
    if isinstance(given, Literal):
        return ()
    return class_labels_of(kg, next(iter(most_specific_classes(kg, stars.types.get(given, ()))), ""))


def comparable_predicates(one: Mapping[str, Term], other: Mapping[str, Term]) -> Iterator[str]:
    """Yield the predicates by which two things can be compared: numbers, or dates of one datatype, that differ."""
    for predicate in sorted(one.keys() & other.keys()):
        left, right = one[predicate], other[predicate]
        if not isinstance(left, Literal) or not isinstance(right, Literal):
            continue
        alike = left.datatype == right.datatype or left.datatype not in DATE_DATATYPES
        measured = (comparable_value(left), comparable_value(right))
        if alike and None not in measured and type(measured[0]) is type(measured[1]) and measured[0] != measured[1]:
            yield predicate

"""Conditions that pick from a set: each with its bound or given value and the members that it picks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Literal as Choice

from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import Moment, read_moment, read_number
from chattyshared.terms import DATES, Term
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.planning.neighbourhoods import Stars
from chattygen.planning.set_attributes import Column, Members
from chattygen.planning.sparql_compiler import Criterion
from chattygen.planning.unambiguous_names import Names
from chattygen.stages.turn_plan import Condition, Pick
from chattygen.subgraph.extraction import lineage, most_specific
from chattygen.subgraph.predicate_salience import echoes

Measure = Decimal | Moment
_SCALES = tuple(Decimal(10) ** power * factor for power in range(12, -4, -1) for factor in (5, 1))
DIGITS = 18
"""The most digits of a number, and after its point, that every engine keeps."""
ORDERED = 12
"""The most members that are asked for in order."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A condition as it is said and as it is asked, with the members that it picks (in order, where it orders)."""

    condition: Condition
    criterion: Criterion
    column: Column
    members: tuple[URIRef, ...]


def measure(term: Term) -> Measure | None:
    """Return what orders a number or a date of four-digit year without time zone; None for anything else.

    Nor is there a measure of what engines read differently: blanks around a value, and more digits than they keep.
    """
    text = str(term)
    if text != text.strip():
        return None
    moment = read_moment(term)
    if moment is not None:
        return moment if 0 < moment.year <= 9999 and not moment.zoned else None
    number = read_number(term)
    if number is None or _is_floating(term):
        return number
    _, digits, exponent = number.as_tuple()
    return number if len(digits) <= DIGITS and -int(exponent) <= DIGITS else None


def _is_floating(term: Term) -> bool:
    return isinstance(term, Literal) and term.datatype in (XSD.double, XSD.float)


def measures(column: Column) -> dict[URIRef, Measure]:
    """Return the measure of each member, or nothing where members have several values or some cannot be measured."""
    if column.shape not in ("number", "date"):
        return {}
    found = {member: measure(end) for member, end in column.single().items()}
    return {m: v for m, v in found.items() if v is not None} if None not in found.values() else {}


def superlatives(members: Members, pick: Choice["most", "least"]) -> Iterator[Picked]:
    """Yield superlatives with exactly one winner; nearly all members must state the value."""
    for column in members.columns:
        found = measures(column)
        if len(found) < 3 or len(found) < 0.8 * len(members.ends):
            continue
        best = max(found.values()) if pick == "most" else min(found.values())
        winners = [member for member, value in found.items() if value == best]
        if len(winners) == 1:
            yield _made(pick, column, tuple(winners))


def bounded(members: Members, pick: Choice["over", "under"], chance: Random) -> Iterator[Picked]:
    """Yield conditions with a round bound that no member's value equals and that some members pass, but not all."""
    for column in members.columns:
        found = measures(column)
        if len(found) < 3 or len(found) < 0.8 * len(members.ends):
            continue
        marks = {member: _mark(value) for member, value in found.items()}
        whole = all(mark == mark.to_integral_value() for mark in marks.values())
        bound = _bound(sorted(set(marks.values())), chance, whole=whole)
        if bound is None:
            continue
        passed = [m for m in members.ends if m in marks and (marks[m] > bound if pick == "over" else marks[m] < bound)]
        given = Literal(f"{bound:f}", datatype=XSD.integer if bound == bound.to_integral_value() else XSD.decimal)
        if 0 < len(passed) < len(members.ends):
            yield _made(pick, column, tuple(passed), given, f"{bound:f}")


def _mark(value: Measure) -> Decimal:
    """Return what is held against a bound: a date's year, and a number as it is."""
    return Decimal(value.year) if isinstance(value, Moment) else value


def _bound(values: Sequence[Decimal], chance: Random, *, whole: bool) -> Decimal | None:
    """Return the roundest number in one of the gaps between values, a gap that chance takes from the middle."""
    gaps = list(zip(values, values[1:], strict=False))
    middle = gaps[len(gaps) // 4 : len(gaps) - len(gaps) // 4] or gaps
    for below, above in chance.sample(middle, len(middle)):
        for scale in _SCALES:
            if (whole and scale < 1) or max(abs(below), abs(above)) >= scale * 10**DIGITS:
                break
            candidate = ((below // scale) + 1) * scale if below >= 0 else -((-below) // scale) * scale
            if below < candidate < above:
                return candidate.normalize() if candidate else Decimal(0)
    return None


def with_value(
    kg: KnowledgeGraph, stars: Stars, names: Names, members: Members, pick: Choice["with", "without"]
) -> Iterator[Picked]:
    """Yield conditions by a value that some members state, but not all; a denied value needs all to state some."""
    owner = members.owner.label
    for column in members.columns:
        if column.shape not in ("entity", "text") or (pick == "without" and len(column.values) < len(members.ends)):
            continue
        for given in column.shared()[:3]:
            name = names.of(given)
            if not name or given in members.ends or given == members.owner.iri or echoes(name, owner):
                continue
            having = [member for member in members.ends if given in column.values.get(member, ())]
            passed = having if pick == "with" else [member for member in members.ends if member not in having]
            if 0 < len(having) < len(members.ends):
                yield _made(pick, column, tuple(passed), given, name, _kinds(kg, stars, given))
                break


def lacking(kg: KnowledgeGraph, members: Members) -> Iterator[Picked]:
    """Yield conditions of no value at all, where half of the members or more state one, but not all.

    Only by what some things have several of, as spouses and awards: of what each thing has one the KG tells too little.
    """
    for column in members.columns:
        passed = tuple(member for member in members.ends if member not in column.values)
        entry = kg.vocabulary.predicates.get(column.step.predicate)
        if entry is None or entry.functional:
            continue
        if passed and column.shape == "entity" and len(column.values) >= 0.5 * len(members.ends):
            yield _made("lacks", column, passed)


def orders(members: Members, pick: Choice["rising", "falling"]) -> Iterator[Picked]:
    """Yield orders in which no two members stand at the same place, and each has one."""
    for column in members.columns:
        found = measures(column)
        if len(found) == len(members.ends) <= ORDERED and len(set(found.values())) == len(found) > 2:
            order = sorted(found, key=lambda member: found[member], reverse=pick == "falling")
            yield _made(pick, column, tuple(order))


def _made(
    pick: Pick,
    column: Column,
    members: tuple[URIRef, ...],
    given: Term | None = None,
    value: str = "",
    kinds: tuple[str, ...] = (),
) -> Picked:
    datatype = next(iter(sorted(column.datatypes)), None)
    from_iri = str(datatype).rpartition("#")[2] if datatype else ""
    condition = Condition(pick, column.step, column.shape, from_iri, value, kinds)
    return Picked(condition, Criterion(pick, column.step, column.shape, datatype, given), column, members)


def _kinds(kg: KnowledgeGraph, stars: Stars, given: Term) -> tuple[str, ...]:
    if isinstance(given, Literal):
        return ()
    return lineage(kg, next(iter(most_specific(kg, stars.types.get(given, ()))), ""))


def differing(one: Mapping[str, Term], other: Mapping[str, Term]) -> Iterator[str]:
    """Yield the predicates by which two things can be compared: numbers, or dates of one datatype, that differ."""
    for predicate in sorted(one.keys() & other.keys()):
        left, right = one[predicate], other[predicate]
        if not isinstance(left, Literal) or not isinstance(right, Literal):
            continue
        alike = left.datatype == right.datatype or left.datatype not in DATES
        measured = (measure(left), measure(right))
        if alike and None not in measured and type(measured[0]) is type(measured[1]) and measured[0] != measured[1]:
            yield predicate

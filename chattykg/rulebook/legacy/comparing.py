"""Comparisons and dates, said of a value or of a thing that has one."""

from __future__ import annotations

from dataclasses import replace

from chattykg.rulebook.legacy.averages import mean
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse, Quantity
from chattykg.rulebook.legacy.quantities import (
    between,
    comparison,
    date,
    degree_word,
    graded,
    moment,
    number,
    over,
    unit,
)
from chattykg.rulebook.legacy.units import converted, measuring


def graded_at(p: Parse) -> bool:
    """Tell whether a comparative stands at the cursor."""
    began = p.reader.place
    p.reader.skip("no", "any")
    found = graded(p.reader)
    p.reader.place = began
    return found is not None


def comparison_at(p: Parse) -> bool:
    """Tell whether a comparison with a number stands at the cursor."""
    began = p.reader.place
    found = comparison(p.reader)
    p.reader.place = began
    return found is not None


def measure(p: Parse, subject: Noun, *, negative: bool = False) -> bool:
    """Read "longer than 3", "over 5", "between 3 and 5", "before 2010", said of a value or of what has one."""
    reader = p.reader
    bounds = between(reader)
    if bounds:
        _within_bounds(p, subject, bounds)
        return True
    if graded_at(p):
        negative = reader.skip("no", "any") or negative
        return _compared(p, subject, *(graded(reader) or ("", True)), negative=negative)
    when = moment(reader)
    if when:
        timed(p, subject.end, "", when)
        return True
    quantity = comparison(reader)
    if quantity is None and number(reader)[1]:
        said, size = number(reader)
        reader.place += size
        quantity = Quantity("!=" if negative else "=", said)
    if quantity is None:
        return False
    adjective = reader.peek(1).lower if degree_word(reader.peek(1).lower) else measuring(reader.peek().lower)
    said = reader.peek().lower
    if unit(reader):
        label = subject.head if subject.literal else p.quantity_noun(adjective, subject.end)[0]
        quantity = replace(quantity, value=converted(quantity.value, said, p.told_unit(label)))
    bound_value(p, _holder(p, subject, adjective), quantity)
    return True


def _within_bounds(p: Parse, subject: Noun, bounds: tuple[str, str]) -> None:
    """Say "between 3 and 5" of a value, or with a unit ("between 3 and 5 metres high") of a thing that has one."""
    reader = p.reader
    adjective = reader.peek(1).lower if degree_word(reader.peek(1).lower) else measuring(reader.peek().lower)
    said, value, label = reader.peek().lower, subject.end, subject.head
    measured = unit(reader)
    if measured:
        value = _holder(p, subject, adjective)
        label = subject.head if subject.literal else p.quantity_noun(adjective, subject.end)[0]
    for operator, bound in zip((">=", "<="), bounds, strict=True):
        p.draft.compare(value, operator, converted(bound, said, p.told_unit(label)) if measured else bound)


def measured_by(p: Parse, subject: Noun, said: str) -> str:
    """Return what this graph calls the quantity that a unit measures ("minutes": the duration; "" for no unit)."""
    adjective = measuring(said, "")
    return p.quantity_noun(adjective, subject.end)[0] if adjective else ""


def beyond(p: Parse, subject: Noun) -> bool:
    """Read "above age 40", "under the weight of 3": a value that is named between the comparison and its number."""
    reader = p.reader
    began = reader.place
    operator = over(reader.take().lower)
    reader.skip("the", "a", "an")
    role = reader.take()
    reader.skip("of")
    said, size = number(reader)
    if not (operator and size and role.predicate and p.is_numeric(role)):
        reader.place = began
        return False
    reader.place += size
    unit(reader)
    value = p.draft.fresh(role.text)
    p.draft.relate(subject.end, role.text, value)
    p.draft.compare(value, operator, said)
    if reader.at("and", "but") and over(reader.peek(1).lower):
        reader.take()
        beyond(p, subject)
    return True


def _compared(p: Parse, subject: Noun, adjective: str, more: bool, *, negative: bool = False) -> bool:
    """Read the standard of a comparative: a number, or another thing."""
    reader = p.reader
    said, size = mean(reader)
    if not size:
        said, size = number(reader)
    phrase, sign = p.quantity_noun(adjective, subject.end)
    if subject.literal and subject.head:
        phrase = subject.head
    operator = ">" if (sign > 0) == more else "<"
    operator = {">": "<=", "<": ">="}[operator] if negative else operator
    value = subject.end if subject.literal else p.draft.fresh(phrase)
    if not subject.literal:
        p.draft.relate(subject.end, phrase, value)
    if size:
        reader.place += size
        measured = reader.peek().lower
        said = converted(said, measured, p.told_unit(phrase)) if unit(reader) else said
        p.draft.compare(value, operator, said)
        return True
    other = noun(p)
    if other is None:
        return False
    bound = p.draft.fresh(phrase)
    if other.literal:
        bound = other.end
    else:
        p.draft.relate(other.end, phrase, bound)
    p.draft.compare(value, operator, bound)
    return True


def bound_value(p: Parse, value: str, quantity: Quantity) -> None:
    """Compare a value, also by a second bound behind "and" / "but"."""
    reader = p.reader
    p.draft.compare(value, quantity.operator, quantity.value)
    began = reader.place
    if reader.skip("and", "but"):
        second = comparison(reader)
        if second and (unit(reader) or not reader.peek().is_content):
            p.draft.compare(value, second.operator, second.value)
            return
    reader.place = began


def _holder(p: Parse, subject: Noun, adjective: str = "old") -> str:
    """Return the value that a bare number is compared with: of a thing, "over 30" is its age."""
    if subject.literal or not (subject.is_class or subject.named):
        return subject.end
    phrase, _ = p.quantity_noun(adjective, subject.end)
    value = p.draft.fresh(phrase)
    p.draft.relate(subject.end, phrase, value)
    return value


def timed(p: Parse, subject: str, verb: str, when: Quantity) -> None:
    """Bind a date of the subject (by its verb, if there is one) and compare it."""
    value = p.draft.fresh("date")
    p.draft.relate(subject, verb or p.time_noun(subject, when.value), value)
    following = _next_year(p, when)
    if following:
        p.draft.compare(value, ">=", min(when.value, following))
        p.draft.compare(value, "<=", max(when.value, following))
    else:
        p.draft.compare(value, when.operator, when.value)


def _next_year(p: Parse, when: Quantity) -> str:
    """Read "or 2015" behind "in 2014": only years side by side are one span ("" where it is none)."""
    reader = p.reader
    said, size = date(reader, ahead=1) if reader.at("or", "and") and when.operator == "=" else ("", 0)
    if not size or not (said.isdecimal() and when.value.isdecimal()) or abs(int(said) - int(when.value)) != 1:
        return ""
    reader.place += size + 1
    return said

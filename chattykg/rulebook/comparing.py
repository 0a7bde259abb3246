"""Comparisons and dates, said of a value or of a thing that has one."""

from __future__ import annotations

from chattykg.rulebook.nouns import noun
from chattykg.rulebook.parse import Noun, Parse, Quantity
from chattykg.rulebook.quantities import between, comparison, degree_word, graded, moment, number, unit


def graded_at(p: Parse) -> bool:
    """Tell whether a comparative stands at the cursor."""
    began = p.reader.place
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
        for operator, said in zip((">=", "<="), bounds, strict=True):
            p.draft.compare(subject.end, operator, said)
        return True
    grade = graded(reader)
    if grade:
        return _compared(p, subject, *grade)
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
    adjective = reader.peek(1).lower if degree_word(reader.peek(1).lower) else "old"
    unit(reader)
    bound_value(p, _holder(p, subject, adjective), quantity)
    return True


def _compared(p: Parse, subject: Noun, adjective: str, more: bool) -> bool:
    """Read the standard of a comparative: a number, or another thing."""
    reader = p.reader
    said, size = number(reader)
    phrase, sign = p.quantity_noun(adjective, subject.end)
    if subject.literal and subject.head:
        phrase = subject.head
    operator = ">" if (sign > 0) == more else "<"
    value = subject.end if subject.literal else p.draft.fresh(phrase)
    if not subject.literal:
        p.draft.relate(subject.end, phrase, value)
    if size:
        reader.place += size
        p.draft.compare(value, operator, said)
        unit(reader)
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
    p.draft.compare(value, when.operator, when.value)

"""Values of literals: the number, moment, truth or text that a lexical form stands for, or that it is not readable.

The rules are XML Schema's: blanks around a number, a date or a boolean do not count, digits are ASCII, and a form that
its datatype does not know (``"twelve"^^xsd:integer``, ``"1999-13-45"^^xsd:date``, ``"300"^^xsd:byte``) has no value.
Infinities and NaN are values of ``xsd:double`` and ``xsd:float``, but no numbers that can be ordered, compared or
counted: ``read_number`` reads finite numbers only.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import copysign, inf

from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattyshared.errors import ResultUnreadable

_BLANKS = " \t\n\r"
"""What XML Schema counts as white space; Python's own strip takes off more."""
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE = re.compile(rf"{_DECIMAL.pattern}(?:[eE][+-]?\d+)?", re.ASCII)
_SPECIAL = {form: Decimal(form.replace("INF", "Infinity")) for form in ("INF", "+INF", "-INF", "NaN")}
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_MOMENT = re.compile(
    r"(?P<year>-?(?:\d{4}|[1-9]\d{4,17}))(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?P<fraction>\.\d+)?)?)?)?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?",
    re.ASCII,
)
YEAR, MONTH, DAY, TIME = 1, 2, 3, 4
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A date or a time as precise as it is stated, ordered by when it begins; without a zone it is taken for UTC.

    ``begins`` are seconds since the beginning of the year 1, and their fraction; ``precision`` is ``YEAR`` to ``TIME``.
    Moments are equal where they begin at once, are equally precise, and both have a zone or none. Years before the
    year 1 are 0, -1 and so on, as the lexical form counts them; ``month`` and ``day`` are 0 where they are not stated,
    ``offset`` is the zone in minutes.
    """

    start: tuple[int, Decimal]
    precision: int
    has_zone: bool = False
    year: int = field(compare=False, default=1)
    month: int = field(compare=False, default=0)
    day: int = field(compare=False, default=0)
    offset: int = field(compare=False, default=0)

    @property
    def date(self) -> str:
        """The year, the month or the day in XML Schema's form, without time and zone."""
        return "-".join([format_year(self.year), *(f"{part:02d}" for part in (self.month, self.day) if part)])

    @property
    def local_start(self) -> tuple[int, Decimal]:
        """When it begins by the clock of its own zone."""
        return self.start[0] + 60 * self.offset, self.start[1]

    @property
    def is_midnight(self) -> bool:
        """Whether a day begins with it, by the clock of its own zone."""
        seconds, fraction = self.local_start
        return self.precision >= DAY and not seconds % 86_400 and not fraction


LiteralValue = Decimal | Moment | bool | str


def read_value(literal: Literal) -> LiteralValue | None:
    """Return what a literal stands for by its datatype, or None if its text is not readable as that.

    Numbers are exact, whatever their size; an ``xsd:double`` or ``xsd:float`` is the number that it is rounded to.
    Texts are their own value, and so is what has a datatype that is neither a number, a date nor a boolean.
    """
    read = _READERS.get(literal.datatype)
    return str(literal) if read is None else read(str(literal).strip(_BLANKS))


def read_number(term: object) -> Decimal | None:
    """Return the finite number that a numeric literal stands for; None for any other term."""
    value = read_value(term) if isinstance(term, Literal) else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def read_moment(term: object) -> Moment | None:
    """Return the moment that a literal of a date or a year stands for; None for any other term."""
    value = read_value(term) if isinstance(term, Literal) else None
    return value if isinstance(value, Moment) else None


def is_number(term: object) -> bool:
    """Tell whether a term is a numeric literal that is readable as a finite number."""
    return read_number(term) is not None


def is_date(term: object) -> bool:
    """Tell whether a term is a readable literal of a date, a date with time, a year, or a year with month."""
    return read_moment(term) is not None


def is_readable(literal: Literal) -> bool:
    """Tell whether a literal's text is readable as its datatype, as a finite number where that is numeric."""
    value = read_value(literal)
    return value.is_finite() if isinstance(value, Decimal) else value is not None


_BOOLEANS = {"true": "true", "yes": "true", "false": "false", "no": "false"}


def parse_number(text: str) -> Decimal | None:
    """Return the number that a text without datatype is, as ``12``, ``-0.5`` or ``1e3``, else None.

    Digits of any script count, as in texts that people write.
    """
    text = text.strip()
    return Decimal(text) if _PLAIN.fullmatch(text) else None


def parse_yes_no(text: str) -> str:
    """Return ``true`` or ``false`` for a text that is one of them, or yes or no; else an empty text."""
    return _BOOLEANS.get(text.strip().casefold(), "")


def parse_moment(text: str) -> Moment | None:
    """Return the moment that a text is in XML Schema's form of a year, a month, a day or a time of a day, else None."""
    found = _MOMENT.fullmatch(text.strip(_BLANKS))
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(found[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")
    )
    fraction = Decimal(f"0{found['fraction'] or ''}")
    if (found["month"] and not 1 <= month <= 12) or (found["day"] and not 1 <= day <= _days(year, month)):
        return None
    at_end = (hour, minute, second) == (24, 0, 0) and not fraction
    if (hour > 23 and not at_end) or minute > 59 or second > 59:
        return None
    precision = TIME if found["hour"] else DAY if found["day"] else MONTH if found["month"] else YEAR
    offset = _offset(found["zone"])
    seconds = ((_ordinal(year, month or 1, day or 1) * 24 + hour) * 60 + minute - offset) * 60 + second
    return Moment((seconds, fraction), precision, bool(found["zone"]), year, month, day, offset)


def parse_boolean(text: str) -> bool | None:
    """Return the truth that a text is in XML Schema's form of a boolean, else None."""
    return _TRUTHS.get(text.strip(_BLANKS))


def read_count(term: object) -> int:
    """Return the whole number that a query has counted, whatever its datatype.

    Raises:
        ResultUnreadable: it is no whole number.
    """
    number = parse_number(str(term))
    if number is None or number != number.to_integral_value():
        raise ResultUnreadable(f'where a count is due, the endpoint gives "{str(term)[:40]}"')
    return int(number)


def format_year(year: int) -> str:
    """Write a year in XML Schema's form: four digits at least, and a sign before the year 0."""
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def format_number(number: Decimal) -> str:
    """Write a finite number so that equal ones look alike: integers exactly, others to 12 significant digits."""
    whole = number == number.to_integral_value()
    digits = max(1, len(number.as_tuple().digits)) if whole else 12
    return str(number.normalize(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN))) if number else "0"


def _integer(least: int | None, most: int | None) -> Callable[[str], Decimal | None]:
    def read(text: str) -> Decimal | None:
        number = Decimal(text) if _INTEGER.fullmatch(text) else None
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            return None
        return number

    return read


def _decimal(text: str) -> Decimal | None:
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def _double(text: str) -> Decimal | None:
    """Read a double as the shortest decimal that is rounded to it."""
    return Decimal(repr(float(text))) if _DOUBLE.fullmatch(text) else _SPECIAL.get(text)


def _float(text: str) -> Decimal | None:
    """Read a float as ``_double`` does, with single precision."""
    if not _DOUBLE.fullmatch(text):
        return _SPECIAL.get(text)
    number = _single(text)
    written = (f"{number:.{digits}g}" for digits in range(1, 10))
    return Decimal(next(short for short in written if _single(short) == number))


def _single(text: str) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", float(text)))[0])
    except OverflowError:
        return copysign(inf, float(text))


def _moment(precision: int) -> Callable[[str], Moment | None]:
    def read(text: str) -> Moment | None:
        found = parse_moment(text)
        return found if found is not None and found.precision == precision else None

    return read


def _offset(zone: str | None) -> int:
    """Return a time zone in minutes."""
    if zone is None or zone == "Z":
        return 0
    return (1 if zone[0] == "+" else -1) * (60 * int(zone[1:3]) + int(zone[4:6]))


def _days(year: int, month: int) -> int:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and is_leap else _DAYS[month - 1]


def _ordinal(year: int, month: int, day: int) -> int:
    """Return the days since the first of January of the year 1, by today's calendar; a year begins in March here."""
    years, months = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * years + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + day - 307


_READERS: dict[URIRef | None, Callable[[str], LiteralValue | None]] = {
    **{XSD[name]: _integer(least, most) for name, least, most in (
        ("integer", None, None), ("nonNegativeInteger", 0, None), ("positiveInteger", 1, None),
        ("nonPositiveInteger", None, 0), ("negativeInteger", None, -1),
    )},
    **{XSD[name]: _integer(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
       for name, bits in (("byte", 8), ("short", 16), ("int", 32), ("long", 64))},
    **{XSD[f"unsigned{name}"]: _integer(0, 2**bits - 1)
       for name, bits in (("Byte", 8), ("Short", 16), ("Int", 32), ("Long", 64))},
    XSD.decimal: _decimal, XSD.double: _double, XSD.float: _float,
    XSD.gYear: _moment(YEAR), XSD.gYearMonth: _moment(MONTH), XSD.date: _moment(DAY), XSD.dateTime: _moment(TIME),
    XSD.boolean: parse_boolean,
}  # fmt: skip

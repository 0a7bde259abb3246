"""Values of literals: the number, moment, boolean or text of a lexical form, or None if the form is invalid.

The rules are XML Schema's: whitespace around a number, a date or a boolean is ignored, digits are ASCII, and an invalid
form (``"twelve"^^xsd:integer``, ``"1999-13-45"^^xsd:date``, ``"300"^^xsd:byte``) has no value. Infinities and NaN are
values of ``xsd:double`` and ``xsd:float``, but cannot be ordered, compared or counted: ``read_number`` returns finite
numbers only.
"""

from __future__ import annotations

import re
import struct
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from math import copysign, inf

from rdflib import Literal, URIRef
from rdflib.namespace import RDF, XSD

from chattyshared.dialogue import Value, ValueKind
from chattyshared.errors import ResultUnreadable
from chattyshared.terms import Term

_WHITESPACE = " \t\n\r"
"""The whitespace of XML Schema; ``str.strip`` removes more characters."""
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE = re.compile(rf"{_DECIMAL.pattern}(?:[eE][+-]?\d+)?", re.ASCII)
_SPECIAL_NUMBERS = {form: Decimal(form.replace("INF", "Infinity")) for form in ("INF", "+INF", "-INF", "NaN")}
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_XSD_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_MOMENT = re.compile(
    r"(?P<year>-?(?:\d{4}|[1-9]\d{4,17}))(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?P<fraction>\.\d+)?)?)?)?"
    r"(?P<zone>Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?",
    re.ASCII,
)
YEAR, MONTH, DAY, TIME = 1, 2, 3, 4


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A date or a time with its stated precision, ordered by its start; without a time zone it counts as UTC.

    ``start`` are seconds since the start of the year 1, and their fraction; ``precision`` is ``YEAR`` to ``TIME``.
    Moments are equal if start and precision are equal and both have a time zone or none. Years before the year 1 are 0,
    -1 and so on, as in the lexical form; ``month`` and ``day`` are 0 if not stated, ``offset`` is the zone in minutes.
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
        """The start in local time of its own zone."""
        return self.start[0] + 60 * self.offset, self.start[1]

    @property
    def is_midnight(self) -> bool:
        """Whether it is the start of a day in local time of its own zone."""
        seconds, fraction = self.local_start
        return self.precision >= DAY and not seconds % 86_400 and not fraction


LiteralValue = Decimal | Moment | bool | str


def read_value(literal: Literal) -> LiteralValue | None:
    """Return the value of a literal by its datatype, or None if its lexical form is invalid.

    Numbers of any size are exact; an ``xsd:double`` or ``xsd:float`` is the number that it is rounded to. The value of
    a literal that is neither a number, a date nor a boolean is its text.
    """
    read = _READERS.get(literal.datatype)
    return str(literal) if read is None else read(str(literal).strip(_WHITESPACE))


def read_number(term: object) -> Decimal | None:
    """Return the value of a numeric literal if it is finite; None for any other term."""
    value = read_value(term) if isinstance(term, Literal) else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def read_moment(term: object) -> Moment | None:
    """Return the value of a date, time or year literal; None for any other term."""
    value = read_value(term) if isinstance(term, Literal) else None
    return value if isinstance(value, Moment) else None


def is_number(term: object) -> bool:
    """Tell whether a term is a valid numeric literal of a finite number."""
    return read_number(term) is not None


def is_date(term: object) -> bool:
    """Tell whether a term is a valid literal of a date, a date with time, a year, or a year with month."""
    return read_moment(term) is not None


def datatype_iri(literal: Literal) -> str:
    """Return the IRI of a literal's datatype, as SPARQL's DATATYPE does: each literal has one."""
    return str(RDF.langString if literal.language else literal.datatype or XSD.string)


def is_readable(literal: Literal) -> bool:
    """Tell whether a literal has a value; a numeric one must be finite."""
    value = read_value(literal)
    return value.is_finite() if isinstance(value, Decimal) else value is not None


_BOOLEANS = {"true": "true", "yes": "true", "false": "false", "no": "false"}


def parse_number(text: str) -> Decimal | None:
    """Return the number in a text without datatype, for example ``12``, ``-0.5`` or ``1e3``; None for other texts.

    Digits of any script are accepted.
    """
    text = text.strip()
    return Decimal(text) if _PLAIN_NUMBER.fullmatch(text) else None


def parse_yes_no(text: str) -> str:
    """Return ``true`` or ``false`` for a text that is one of them, or yes or no; else an empty text."""
    return _BOOLEANS.get(text.strip().casefold(), "")


def parse_moment(text: str) -> Moment | None:
    """Return the moment of a year, month, date or date with time in XML Schema's form; None for other texts."""
    match = _MOMENT.fullmatch(text.strip(_WHITESPACE))
    if match is None:
        return None
    year, month, day, hour, minute, second = (
        int(match[part] or 0) for part in ("year", "month", "day", "hour", "minute", "second")
    )
    fraction = Decimal(f"0{match['fraction'] or ''}")
    if (match["month"] and not 1 <= month <= 12) or (match["day"] and not 1 <= day <= monthrange(year, month)[1]):
        return None
    is_end_of_day = (hour, minute, second) == (24, 0, 0) and not fraction
    if (hour > 23 and not is_end_of_day) or minute > 59 or second > 59:
        return None
    precision = TIME if match["hour"] else DAY if match["day"] else MONTH if match["month"] else YEAR
    offset = _zone_offset(match["zone"])
    seconds = ((_day_number(year, month or 1, day or 1) * 24 + hour) * 60 + minute - offset) * 60 + second
    return Moment((seconds, fraction), precision, bool(match["zone"]), year, month, day, offset)


def parse_boolean(text: str) -> bool | None:
    """Return the boolean in a text in XML Schema's form; None for other texts."""
    return _XSD_BOOLEANS.get(text.strip(_WHITESPACE))


def read_count(term: object) -> int:
    """Return a whole number that a query has counted, of any datatype.

    Raises:
        ResultUnreadable: the term is no whole number.
    """
    number = parse_number(str(term))
    if number is None or number != number.to_integral_value():
        raise ResultUnreadable(f'where a count is due, the endpoint gives "{str(term)[:40]}"')
    return int(number)


def format_year(year: int) -> str:
    """Return a year in XML Schema's form: at least four digits, with a sign before the year 0."""
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def format_number(number: Decimal) -> str:
    """Return a canonical form of a finite number: integers exactly, others with 12 significant digits."""
    is_whole = number == number.to_integral_value()
    digits = max(1, len(number.as_tuple().digits)) if is_whole else 12
    return str(number.normalize(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN))) if number else "0"


def _integer_reader(minimum: int | None, maximum: int | None) -> Callable[[str], Decimal | None]:
    def read(text: str) -> Decimal | None:
        number = Decimal(text) if _INTEGER.fullmatch(text) else None
        if number is None or (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
            return None
        return number

    return read


def _read_decimal(text: str) -> Decimal | None:
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def _read_double(text: str) -> Decimal | None:
    """Return the shortest decimal that rounds to a double."""
    return Decimal(repr(float(text))) if _DOUBLE.fullmatch(text) else _SPECIAL_NUMBERS.get(text)


def _read_float(text: str) -> Decimal | None:
    """Return the shortest decimal that rounds to a float of single precision."""
    if not _DOUBLE.fullmatch(text):
        return _SPECIAL_NUMBERS.get(text)
    number = _round_to_single(text)
    candidates = (f"{number:.{digits}g}" for digits in range(1, 10))
    return Decimal(next(text_of_number for text_of_number in candidates if _round_to_single(text_of_number) == number))


def _round_to_single(text: str) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", float(text)))[0])
    except OverflowError:
        return copysign(inf, float(text))


def _moment_reader(precision: int) -> Callable[[str], Moment | None]:
    def read(text: str) -> Moment | None:
        moment = parse_moment(text)
        return moment if moment is not None and moment.precision == precision else None

    return read


def _zone_offset(zone: str | None) -> int:
    """Return a time zone in minutes."""
    if zone is None or zone == "Z":
        return 0
    return (1 if zone[0] == "+" else -1) * (60 * int(zone[1:3]) + int(zone[4:6]))


def _day_number(year: int, month: int, day: int) -> int:
    """Return the days since 1 January of the year 1 in the Gregorian calendar; years start in March in this formula."""
    years, months = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * years + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + day - 307


_READERS: dict[URIRef | None, Callable[[str], LiteralValue | None]] = {
    **{XSD[name]: _integer_reader(least, most) for name, least, most in (
        ("integer", None, None), ("nonNegativeInteger", 0, None), ("positiveInteger", 1, None),
        ("nonPositiveInteger", None, 0), ("negativeInteger", None, -1),
    )},
    **{XSD[name]: _integer_reader(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
       for name, bits in (("byte", 8), ("short", 16), ("int", 32), ("long", 64))},
    **{XSD[f"unsigned{name}"]: _integer_reader(0, 2**bits - 1)
       for name, bits in (("Byte", 8), ("Short", 16), ("Int", 32), ("Long", 64))},
    XSD.decimal: _read_decimal, XSD.double: _read_double, XSD.float: _read_float,
    XSD.gYear: _moment_reader(YEAR), XSD.gYearMonth: _moment_reader(MONTH), XSD.date: _moment_reader(DAY),
    XSD.dateTime: _moment_reader(TIME),
    XSD.boolean: parse_boolean,
}  # fmt: skip


def to_value(term: Term, label: str = "") -> Value:
    """Return the value of a term; ``label`` is that of an IRI."""
    if not isinstance(term, Literal):
        return Value(str(term), "iri", label=label)
    kind: ValueKind = "number" if is_number(term) else "literal"
    return Value(str(term), kind, datatype=str(term.datatype or ""), lang=str(term.language or ""))

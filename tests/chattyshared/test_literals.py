"""Literal values: XML Schema's lexical forms, held against two other readers; what is not readable has no value."""

from __future__ import annotations

from decimal import Decimal

import pyoxigraph as ox
import pytest
from chattyshared.errors import ResultUnreadable
from chattyshared.literals import (
    DAY,
    MONTH,
    TIME,
    YEAR,
    format_number,
    is_date,
    is_number,
    is_readable,
    parse_boolean,
    parse_moment,
    parse_number,
    read_count,
    read_moment,
    read_number,
    read_value,
)
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, n3
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

TYPES = tuple(sorted(NUMERIC_DATATYPES | DATE_DATATYPES | {XSD.boolean, XSD.string, XSD.duration}))
SIGNS = st.sampled_from(["", "+", "-", "+-", "--"])
DIGITS = st.text("0123456789", min_size=1, max_size=25) | st.text("0123456789²٣Ⅷ", min_size=1, max_size=4)
NUMBERS = st.one_of(
    st.builds("{}{}".format, SIGNS, DIGITS),
    st.builds("{}{}{}{}".format, SIGNS, DIGITS, st.sampled_from([".", ",", "_", " ", "e", "E", "x"]), DIGITS),
    st.builds("{}{}.{}{}{}{}".format, SIGNS, DIGITS, DIGITS, st.sampled_from("eE"), SIGNS, st.integers(0, 400)),
    st.sampled_from(["INF", "-INF", "+INF", "NaN", "nan", "inf", "Infinity", "", ".", "-", "1.", ".5", "1e", "0x10"]),
    st.integers().map(str),
    st.floats().map(repr),
)
ZONES = st.sampled_from(["", "", "Z", "+00:00", "-05:00", "+14:00", "+14:30", "-24:00"])
YEARS = st.integers(-20_000, 20_000).map(lambda year: f"{'-' if year < 0 else ''}{abs(year):04d}")
PARTS = st.integers(0, 61).map("{:02d}".format)
DAYS = st.dates().map(str) | st.builds("{}-{}-{}".format, YEARS, PARTS, PARTS)
TIMES = st.times().map(str) | st.sampled_from(["00:00:00", "24:00:00", "24:00:00.0", "23:59:60", "12:00", "1:00:00"])
MOMENTS = st.one_of(
    st.builds("{}{}".format, YEARS, ZONES),
    st.builds("{}-{}{}".format, YEARS, PARTS, ZONES),
    st.builds("{}{}".format, DAYS, ZONES),
    st.builds("{}T{}{}".format, DAYS, TIMES, ZONES),
    st.sampled_from(["99", "+1999", "012000-01-01", "1999-1-1", "0000", "-0000", "1999-##-##", "16.7.2010"]),
)
FORMS = st.one_of(st.text(max_size=12), NUMBERS, MOMENTS, st.sampled_from(["true", "TRUE", "1", "yes", "P1Y"]))
BLANKS = st.sampled_from(["", "", "", " ", "\n", "\u00a0"])
LITERALS = st.builds(
    lambda text, before, after, datatype: typed(f"{before}{text}{after}", datatype),
    FORMS, BLANKS, BLANKS, st.sampled_from(TYPES),
)  # fmt: skip
STORE = ox.Store()
quickly = settings(max_examples=300, derandomize=True, deadline=None)


def typed(text: str, datatype: URIRef) -> Literal:
    return Literal(text, datatype=datatype, normalize=False)


def by_oxigraph(expression: str) -> str | None:
    """Return what an expression gives; None where it is an error."""
    (row,) = STORE.query(f"SELECT ({expression} AS ?value) {{}}")
    return None if row[0] is None else row[0].value


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (" 5 ", "integer", "5"), ("\n+007\t", "integer", "7"), ("-0", "integer", "0"),
        ("9" * 400, "integer", "9" * 400),
        ("127", "byte", "127"), ("0", "nonNegativeInteger", "0"), ("1.", "decimal", "1"), ("-.5", "decimal", "-0.5"),
        ("1E3", "double", "1000"), ("1e-400", "double", "0"), ("0.1", "float", "0.1"),
        ("16777217", "float", "16777216"),
    ],
)  # fmt: skip
def test_numbers_are_read_as_xml_schema_writes_them(text: str, name: str, value: str) -> None:
    literal = typed(text, XSD[name])
    assert read_number(literal) == Decimal(value) and is_number(literal) and is_readable(literal)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("twelve", "integer"), ("1,5", "decimal"), ("0x10", "integer"), ("+-5", "integer"), ("--5", "integer"),
        ("²", "integer"), ("٣", "integer"), ("1_000", "integer"), ("5\u00a0", "integer"), ("1.0", "integer"),
        ("1e5", "integer"), ("1e5", "decimal"), ("INF", "decimal"), ("NaN", "decimal"), ("", "integer"),
        ("  ", "double"),
        ("inf", "double"), ("nan", "float"), ("1 5", "double"), ("128", "byte"), ("-1", "unsignedInt"),
        ("0", "positiveInteger"), ("0", "negativeInteger"), ("18446744073709551616", "unsignedLong"),
        ("1999-13-45", "date"), ("1999-02-29", "date"), ("1900-02-29", "date"),
        ("1999", "date"), ("1999-##-##", "date"), ("99", "gYear"),
        ("١٩٩٩", "gYear"), ("1999-13", "gYearMonth"), ("1999-01-01", "dateTime"),
        ("1999-01-01T24:00:01", "dateTime"),
        ("1999-01-01T10:00:00+15:00", "dateTime"), ("1999-01-01T10:00:60", "dateTime"),
        ("1999-01-01T10:00", "dateTime"),
        ("yes", "boolean"), ("TRUE", "boolean"),
    ],
)  # fmt: skip
def test_what_its_datatype_does_not_know_has_no_value(text: str, name: str) -> None:
    literal = typed(text, XSD[name])
    assert read_value(literal) is None
    assert not is_readable(literal) and not is_number(literal) and not is_date(literal)


@pytest.mark.parametrize("text", ["INF", "-INF", "+INF", "NaN", "1e999"])
@pytest.mark.parametrize("datatype", [XSD.double, XSD.float])
def test_what_cannot_be_ordered_is_a_value_but_no_number(text: str, datatype: URIRef) -> None:
    literal = typed(text, datatype)
    value = read_value(literal)
    assert isinstance(value, Decimal) and not value.is_finite()
    assert read_number(literal) is None and not is_readable(literal)


@pytest.mark.parametrize(
    ("text", "name", "date", "precision"),
    [
        ("1999Z", "gYear", "1999", YEAR), ("-0044", "gYear", "-0044", YEAR), ("12000", "gYear", "12000", YEAR),
        ("1999-05:00", "gYear", "1999", YEAR), ("1999-05Z", "gYearMonth", "1999-05", MONTH),
        ("-0044-03-15", "date", "-0044-03-15", DAY), (" 2000-02-29 ", "date", "2000-02-29", DAY),
        ("1600-02-29", "date", "1600-02-29", DAY),
        ("1999-01-01-05:00", "date", "1999-01-01", DAY), ("1999-01-01T24:00:00", "dateTime", "1999-01-01", TIME),
        ("1922-04-09T00:00:00Z", "dateTime", "1922-04-09", TIME),
    ],
)  # fmt: skip
def test_dates_are_as_precise_as_they_are_stated(text: str, name: str, date: str, precision: int) -> None:
    moment = read_moment(typed(text, XSD[name]))
    assert moment is not None and is_date(typed(text, XSD[name]))
    assert (moment.date, moment.precision) == (date, precision)
    assert parse_moment(text) == moment


def test_moments_are_ordered_by_when_they_begin() -> None:
    texts = (
        "-12000", "-0044-03-15", "-0044-03-16", "0000", "0001-01-01", "1999-01-01T00:00:00+02:00", "1999",
        "1999-01-01T00:00:00.5", "1999-01-01T10:00:00", "1999-01-01T10:00:00-01:00", "1999-01-02", "1999-02",
        "12000-01",
    )  # fmt: skip
    moments = [parse_moment(text) for text in texts]
    assert None not in moments and sorted(moments, reverse=True) == moments[::-1]
    assert parse_moment("1999-01-01T24:00:00") == parse_moment("1999-01-02T00:00:00.000")
    assert parse_moment("1999-01-01T10:00:00Z") == parse_moment("1999-01-01T12:00:00+02:00")
    assert parse_moment("1999-01-01T10:00:00Z") != parse_moment("1999-01-01T10:00:00")
    assert parse_moment("1999") != parse_moment("1999-01")


def test_texts_and_other_datatypes_are_their_own_values() -> None:
    for literal in (
        Literal("12"),
        Literal("zwölf", lang="de"),
        typed("P1Y", XSD.duration),
        typed("--12-25", XSD.gMonthDay),
    ):
        assert read_value(literal) == str(literal)
        assert is_readable(literal) and not is_number(literal) and not is_date(literal)
    assert not is_number(URIRef("http://x/5")) and not is_date(URIRef("http://x/1999")) and read_number(None) is None
    assert [parse_boolean(text) for text in ("true", "1", " false ", "0", "no")] == [True, True, False, False, None]


def test_numbers_in_texts_are_read_without_a_datatype() -> None:
    assert [parse_number(text) for text in ("12", " 1.50 ", "-.5", "1e3", "١٢")] == [
        12,
        Decimal("1.5"),
        Decimal("-0.5"),
        1000,
        12,
    ]
    assert [parse_number(text) for text in ("", "1,5", "²", "+-5", "1_0", "0x1", "nan", "inf", "1e9999")] == [None] * 9


def test_a_count_is_a_whole_number_or_the_result_is_not_readable() -> None:
    assert [read_count(Literal(text)) for text in ("12", "3.0E0", "-0")] == [12, 3, 0]
    for text in ("twelve", "NaN", "INF", "", "1.5", "²"):
        with pytest.raises(ResultUnreadable, match="where a count is due"):
            read_count(typed(text, XSD.integer))


@quickly
@given(LITERALS)
def test_the_reader_never_raises_and_its_answers_agree(literal: Literal) -> None:
    value, number, moment = read_value(literal), read_number(literal), read_moment(literal)
    assert is_number(literal) == (number is not None) and is_date(literal) == (moment is not None)
    assert not (is_number(literal) and is_date(literal))
    if number is not None:
        assert (
            literal.datatype in NUMERIC_DATATYPES
            and number == value
            and parse_number(format_number(number)) is not None
        )
    if moment is not None:
        assert literal.datatype in DATE_DATATYPES and moment == value and parse_moment(moment.date) is not None
    if value is None:
        assert not is_readable(literal) and literal.datatype in NUMERIC_DATATYPES | DATE_DATATYPES | {XSD.boolean}


@quickly
@given(NUMBERS, NUMBERS, st.sampled_from(sorted(NUMERIC_DATATYPES)), st.sampled_from(sorted(NUMERIC_DATATYPES)))
def test_numbers_are_ordered_as_oxigraph_orders_them(left: str, right: str, one: URIRef, other: URIRef) -> None:
    literals = [typed(left, one), typed(right, other)]
    numbers = [read_number(literal) for literal in literals]
    for literal, number in zip(literals, numbers, strict=True):
        floating = literal.datatype in (XSD.double, XSD.float)
        kept = number is not None and len(number.as_tuple().digits) <= 18 and int(number.as_tuple().exponent) >= -18
        if kept or (floating and number is not None):
            assert by_oxigraph(f"isNumeric({n3(literal)})") == "true"
        elif number is None and literal.datatype in (XSD.integer, XSD.decimal):
            assert by_oxigraph(f"isNumeric({n3(literal)})") == "false"
    exact = all(literal.datatype not in (XSD.double, XSD.float) for literal in literals) or one == other
    if exact and all(n is not None and len(n.as_tuple().digits) <= 18 for n in numbers):
        for sign, holds in (("<", numbers[0] < numbers[1]), ("=", numbers[0] == numbers[1])):
            told = by_oxigraph(f"{n3(literals[0])} {sign} {n3(literals[1])}")
            assert told in (None, str(holds).lower())


@quickly
@given(MOMENTS, MOMENTS, st.sampled_from(sorted(DATE_DATATYPES)))
def test_dates_are_ordered_as_oxigraph_orders_them(left: str, right: str, datatype: URIRef) -> None:
    literals = [typed(left, datatype), typed(right, datatype)]
    moments = [read_moment(literal) for literal in literals]
    for literal, moment in zip(literals, moments, strict=True):
        year = by_oxigraph(f"YEAR({n3(literal)})")
        if "T24" not in literal and not str(literal).startswith(("0000", "-0000")):
            assert year == (None if moment is None else str(moment.year))
    one, other = moments
    if (
        one is not None
        and other is not None
        and one.has_zone == other.has_zone
        and datatype in (XSD.date, XSD.dateTime)
    ):
        assert by_oxigraph(f"{n3(literals[0])} < {n3(literals[1])}") == str(one < other).lower()

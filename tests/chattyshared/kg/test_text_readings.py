"""Texts of a predicate are read as numbers, dates or durations by one reading, or not at all."""

from __future__ import annotations

import re

import pytest
from chattyshared.kg.text_readings import TextReading, find_text_reading
from rdflib import Graph, Literal


@pytest.mark.parametrize(
    ("texts", "kind", "unread"),
    [
        (["1,234", "12,000", "50"], "text number", 0),
        (["1,234", "12,000", "50", "many"], "text number", 1),
        (["5 EUR", "12 EUR", "7.50 EUR"], "text number", 0),
        (["$5", "$1,000.50"], "text number", 0),
        (["3,9", "4,1", "5"], "text number", 0),
        (["12 km", "800 m", "5 km"], "text number", 0),
        (["12 km", "800 kg", "5 km"], "text number", 1),
        (["$1 billion", "$12.5 million", "$900,000"], "text number", 0),
        (["1,200+", "300"], "text number", 0),
        (["1 234 567", "5"], "text number", 0),
        (["03/04/2019", "25/12/1999"], "mixed date", 0),
        (["04/25/2019", "03/04/1999"], "mixed date", 0),
        (["2019-01-02", "soon"], "mixed date", 1),
        (["PT1H50M", "PT95M"], "duration", 0),
        (["PT1H", "P1Y"], "duration", 1),
    ],
)
def test_one_reading_fits_most_texts(texts: list[str], kind: str, unread: int):
    reading = find_text_reading(texts)
    assert isinstance(reading, TextReading)
    assert (reading, reading.unread_count, reading.text_count) == (kind, unread, len(texts))
    assert sum(re.search(reading.pattern, text) is None for text in texts) == unread


def test_numbers_in_several_units_are_read_in_one():
    for texts, values in (
        (["0.2 km", "112 m", "80 m"], [200, 112, 80]),
        (["$1 billion", "$12.5 million", "$900,000"], [1e9, 12.5e6, 9e5]),
    ):
        reading = find_text_reading(texts)
        assert isinstance(reading, TextReading)
        listed = " ".join(f"({number} {Literal(text).n3()})" for number, text in enumerate(texts))
        rows = Graph().query(f"SELECT ({reading.expression} AS ?v) {{ VALUES (?n ?text) {{ {listed} }} }} ORDER BY ?n")
        assert [float(row[0]) for row in rows] == values


def test_values_that_are_written_otherwise_are_counted():
    reading = find_text_reading(["5 EUR", "8 EUR", "7 USD", "free"])
    assert isinstance(reading, TextReading)
    assert (reading.unread_count, reading.other_count) == (2, 1)


@pytest.mark.parametrize(
    "texts", [["Boeing 747", "Airbus 320"], ["A12", "B13"], ["03/04/2019", "05/12/1999"], ["red", "7", "blue"], []]
)
def test_other_texts_have_no_reading(texts: list[str]):
    assert find_text_reading(texts) == "text"


def test_plain_numbers_need_no_reading():
    reading = find_text_reading(["5", "1e3"])
    assert reading == "text number" and not isinstance(reading, TextReading)

"""Units of predicates: in brackets, in a comment, at the end of a label."""

from __future__ import annotations

import pytest

from chattygen.lexicalization.amounts import split_unit, unit_of


@pytest.mark.parametrize(
    ("label", "comment", "unit"),
    [
        ("length (km)", "", "kilometers"), ("budget [million EUR]", "", "millions of euros"),
        ("runtime", "How long it is, in minutes.", "minutes"), ("area (square metre)", "", "square metres"),
        ("price", "What it costs.", ""), ("weight", "Grams, after cleaning.", "grams"),
        ("elevation", "Metres above Ordnance Datum.", "metres"), ("opened", "Hours of opening.", ""),
        ("speed", "Top speed in kilometres per hour.", "kilometres per hour"),
        ("price", "Paid in euros per night.", "euros per night"),
        ("area", "Square metres.", "square metres"), ("fans", "Supporters, as counted.", ""),
    ],
)  # fmt: skip
def test_the_unit_of_a_predicate(label: str, comment: str, unit: str) -> None:
    assert unit_of(label, comment) == unit


def test_a_unit_at_the_end_of_a_label() -> None:
    measures = frozenset({"length"})
    assert split_unit(["length", "km"], "number", measures) == (["length"], "kilometers")
    assert split_unit(["length", "m"], "number", measures) == (["length"], "meters")
    assert split_unit(["max", "draught", "m"], "number", measures) == (["max", "draught"], "meters")
    assert split_unit(["vitamin", "a"], "number", measures) == (["vitamin", "a"], "")
    assert split_unit(["visitors", "per", "year"], "number", measures) == (["visitors", "per", "year"], "")
    assert split_unit(["length", "km"], "text", measures) == (["length", "km"], "")

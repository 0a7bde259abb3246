"""One table of units: what each use of a written form reads or writes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from chattyshared.language.quantities import (
    normalize_quantity,
    number_readings,
    unit_forms,
    unit_names,
    written_number_at,
)

USES = ("amount", "question", "ending", "label", "card", "noun")


def test_every_unit_has_a_name_or_a_use_and_known_uses_only() -> None:
    assert all(unit_forms(use) for use in USES)
    assert unit_forms("label") <= set(unit_names())
    assert unit_forms("no such use") == frozenset()


def test_the_unit_of_an_amount_is_left_out() -> None:
    assert normalize_quantity("8 kg") == "8"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,234.5 t", {"1234.5"}),
        ("1.234,5 Tonnen", {"1234.5"}),
        ("1 500 000 habitants", {"1500000"}),
        ("1\u202f500,25", {"1500.25"}),
        ("1.500", {"1500", "1.5"}),
        ("1,5 oder 20", {"1.5", "20"}),
        ("1'500", {"1500"}),
        ("im Jahr 1998", {"1998"}),
        ("١٩٩٨", {"1998"}),
        ("1,2,3", set()),
        ("二十", set()),
    ],
)
def test_numbers_are_read_in_the_forms_of_any_language(text: str, numbers: set[str]):
    assert number_readings(text) == set(map(Decimal, numbers))


def test_a_written_number_is_found_by_any_of_its_digits():
    assert written_number_at("Über 1,5 Millionen?", 7) == "1,5"
    assert written_number_at("Über 1,5 Millionen?", 0) == ""

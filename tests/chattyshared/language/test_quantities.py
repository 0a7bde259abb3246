"""One table of units: what each use of a written form reads or writes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from chattyshared.language.quantities import (
    convert_unit,
    drop_unit,
    number_readings,
    stated_unit,
    unit_forms,
    unit_names,
    written_number_at,
)

USES = ("amount", "question", "ending", "label", "card", "noun")


def test_every_unit_has_a_name_or_a_use_and_known_uses_only() -> None:
    assert all(unit_forms(use) for use in USES)
    assert unit_forms("label") <= set(unit_names())
    assert unit_forms("no such use") == frozenset()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,234.5 t", {"1234.5"}),
        ("1 500 000 habitants", {"1500000"}),
        ("1.500", {"1500", "1.5"}),
        ("1'500", {"1500"}),
        ("١٩٩٨", {"1998"}),
        ("二十", set()),
    ],
)
def test_numbers_are_read_in_the_forms_of_any_language(text: str, numbers: set[str]):
    assert number_readings(text) == set(map(Decimal, numbers))


def test_a_written_number_is_found_by_any_of_its_digits():
    assert written_number_at("Über 1,5 Millionen?", 7) == "1,5"
    assert written_number_at("Über 1,5 Millionen?", 0) == ""


@pytest.mark.parametrize(
    ("value", "unit", "label", "expected"),
    [
        ("20", "metres", "depth in centimetres", "2000"),
        ("90", "minutes", "duration (hours)", "1.5"),
        ("20", "metres", "depth", "20"),
        ("2", "hectares", "area sqm", "20000"),
        ("0.5", "square kilometers", "area (m2)", "500000"),
        ("20", "crowns", "price in crowns", "20"),
    ],
)
def test_amount_is_said_in_the_unit_of_the_label(value: str, unit: str, label: str, expected: str) -> None:
    assert convert_unit(value, unit, stated_unit(label)) == expected


def test_label_is_kept_without_its_unit_but_with_its_preposition() -> None:
    labels = ("elevation (m)", "depth in centimetres", "born in", "opening hours", "mass")
    assert [drop_unit(label) for label in labels] == ["elevation", "depth", "born in", "opening hours", "mass"]

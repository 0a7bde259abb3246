"""Amounts said in another unit than the graph keeps."""

from __future__ import annotations

import pytest
from chattyshared.language.units import convert_unit, drop_unit


@pytest.mark.parametrize(
    ("value", "unit", "label", "expected"),
    [
        ("20", "metres", "depth in centimetres", "2000"),
        ("1.5", "kg", "weight in grams", "1500"),
        ("90", "minutes", "duration (hours)", "1.5"),
        ("90", "minutes", "duration in hours", "1.5"),
        ("20", "metres", "depth", "20"),
        ("2", "hectares", "area sqm", "20000"),
        ("60", "square metres", "area sqm", "60"),
        ("0.5", "square kilometers", "area (m2)", "500000"),
        ("20", "metres", "weight in grams", "20"),
        ("20", "crowns", "price in crowns", "20"),
    ],
)
def test_amount_is_said_in_the_unit_of_the_label(value: str, unit: str, label: str, expected: str) -> None:
    assert convert_unit(value, unit, label) == expected


def test_label_is_kept_without_its_unit_but_with_its_preposition() -> None:
    labels = ("elevation (m)", "depth in centimetres", "born in", "opening hours", "mass")
    assert [drop_unit(label) for label in labels] == ["elevation", "depth", "born in", "opening hours", "mass"]

"""Quantities, degrees, times and superlatives."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("category", "phrase", "conditions"),
    [
        ("Quant", "at least 3", {"filter • >= 3 -"}),
        ("Quant", "no more than 3", {"filter • <= 3 -"}),
        ("Quant", "3 or more", {"filter • >= 3 -"}),
        ("Quant", "between 3 and 5", {"filter • >= 3 -", "filter • <= 5 -"}),
        ("When", "in 1998", {"filter • = 1998 -"}),
        ("When", "before the 90s", {"filter • < 1990 -"}),
        ("When", "in 2014 or 2018", {"either [filter • = 2014 -] [filter • = 2018 -]"}),
        ("Cmp", "longer than 100 minutes", {"degree • long [filter • > 100 minutes] 0"}),
        ("Cmp", "longer than the average", {"degree • long [filter • > average -] 0"}),
        ("Cmp", "longer than Silver Tide", {"degree_of • long Silver Tide 0 True"}),
        ("Cmp", "less long than Silver Tide", {"degree_of • long Silver Tide 1 False"}),
        ("Cmp", "above the average runtime", {"relation • runtime ?runtime", "filter ?runtime > average -"}),
        ("Sup", "the two longest", {"superlative • long True 2 0"}),
        ("Sup", "second longest", {"superlative • long True 1 1"}),
        ("Sup", "least expensive", {"superlative • expensive False 1 0"}),
    ],
)
def test_a_comparison_is_a_property(
    read_phrase: Callable[[str, str], set[str]], category: str, phrase: str, conditions: set[str]
) -> None:
    assert read_phrase(category, phrase) == conditions

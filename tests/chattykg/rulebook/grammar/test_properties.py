"""Properties from modifiers, nouns and names."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("phrase", "conditions"),
    [
        ("films without a budget", {"not [relation ?films budget ?budget]"}),
        ("films with no genre", {"not [relation ?films genre ?genre]"}),
        ("films with a runtime of 95", {"relation ?films runtime ?runtime", "filter ?runtime = 95 -"}),
        ("films with a budget above 800000", {"relation ?films budget ?budget", "filter ?budget > 800000 -"}),
        ("films with the highest budget", {"relation ?films budget ?budget", "order ?budget True 1 0 False"}),
        ("films with more than two countries",
         {"relation ?films countries ?countries", "class ?countries countries", "having ?films > 2 ?countries"}),
        ("films whose genre is drama", {"relation ?films genre drama"}),
        ("films with Lin Kern as director", {"relation ?films director Lin Kern"}),
        ("films other than Silver Tide", {"filter ?films != Silver Tide -"}),
        ("films per country", {"relation ?films - ?country", "class ?country country", "group ?country"}),
    ],
)  # fmt: skip
def test_a_property_restricts_a_noun(
    read_phrase: Callable[[str, str], set[str]], phrase: str, conditions: set[str]
) -> None:
    assert read_phrase("NP", phrase) == conditions | {"class ?films films"}

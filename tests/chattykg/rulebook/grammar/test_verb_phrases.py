"""Properties from verbs, their arguments and clauses."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("category", "phrase", "conditions"),
    [
        ("VP", "directed Silver Tide", {"relation • directed Silver Tide"}),
        ("VP", "was directed by Mara Vane", {"relation • directed by Mara Vane"}),
        ("VP", "star both Lin Kern and Tobias Ode", {"relation • star Lin Kern", "relation • star Tobias Ode"}),
        ("VP", "does not star Lin Kern", {"not [relation • star Lin Kern]"}),
        ("VP", "is directed by nobody", {"not [relation • directed by ?directed]"}),
        ("VP", "starred in Silver Tide but not in Glass Orchard",
         {"relation • starred in Silver Tide", "not [relation • starred in Glass Orchard]"}),
        ("VP", "was released in 1998", {"relation • released ?date", "filter ?date = 1998 -"}),
        ("VP", "was released first", {"relation • released ?date", "order ?date False 1 0 False"}),
        ("VP", "earned the most", {"relation • earned ?earned", "order ?earned True 1 0 False"}),
        ("VP", "was born before Mara Vane",
         {"relation • born ?date", "relation Mara Vane born ?date2", "filter ?date < ?date2 -"}),
        ("VP", "stars more than 2 actors", {"relation • stars actors ?actors", "having • > 2 ?actors"}),
        ("VP", "are alive", {"not [relation • died ?death]"}),
        ("PostMod", "that Mara Vane directed", {"relation Mara Vane directed •"}),
        ("PostMod", "in which Lin Kern starred", {"relation Lin Kern starred in •"}),
    ],
)  # fmt: skip
def test_a_verb_says_a_property(
    read_phrase: Callable[[str, str], set[str]], category: str, phrase: str, conditions: set[str]
) -> None:
    assert read_phrase(category, phrase) == conditions

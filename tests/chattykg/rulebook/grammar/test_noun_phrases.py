"""Entities from nouns and names."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("phrase", "conditions"),
    [
        ("the films by Mara Vane", {"class ?films films", "relation ?films by Mara Vane"}),
        ("Silver Tide's director", {"relation Silver Tide director ?director"}),
        ("Silver Tide's director's birth place",
         {"relation Silver Tide director ?director", "relation ?director birth place ?birth place"}),
        ("the spouse of the director of Silver Tide",
         {"relation Silver Tide director ?director", "relation ?director spouse ?spouse"}),
        ("French films", {"class ?films films", "relation ?films - France"}),
        ("drama films", {"class ?films films", "relation ?films - drama"}),
        ("women", {"relation ?women gender female"}),
        ("people from Argentina", {"relation ?people from Argentina"}),
        ("everyone who directed films", {"relation ?who directed ?films", "class ?films films"}),
        ("their director", {"anaphor ?their their", "relation ?their director ?director"}),
        ("the film Silver Tide", set()),
        ("Mara Vane or Lin Kern", {"values ?one [Mara Vane, Lin Kern]"}),
    ],
)  # fmt: skip
def test_an_entity_has_the_conditions_of_its_phrase(
    read_phrase: Callable[[str, str], set[str]], phrase: str, conditions: set[str]
) -> None:
    assert read_phrase("NPs", phrase) == conditions

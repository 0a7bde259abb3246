"""One table of units: what each use of a written form reads or writes."""

from __future__ import annotations

import pytest
from chattyshared.language.quantities import normalize_quantity, split_unit, unit_forms, unit_names, unit_of

USES = ("amount", "question", "ending", "label", "card", "noun")


def test_every_unit_has_a_name_or_a_use_and_known_uses_only() -> None:
    assert all(unit_forms(use) for use in USES)
    assert unit_forms("label") <= set(unit_names())
    assert unit_forms("no such use") == frozenset()


@pytest.mark.parametrize(
    ("label", "comment", "unit"),
    [
        ("length (km)", "", "kilometers"), ("budget [million EUR]", "", "millions of euros"),
        ("runtime", "How long it is, in minutes.", "minutes"), ("area (square metre)", "", "square meters"),
        ("price", "What it costs.", ""),
    ],
)  # fmt: skip
def test_the_unit_of_a_predicate(label: str, comment: str, unit: str) -> None:
    assert unit_of(label, comment) == unit


def test_a_unit_at_the_end_of_a_label() -> None:
    measures = frozenset({"length"})
    assert split_unit(["length", "km"], "number", measures) == (["length"], "kilometers")
    assert split_unit(["length", "m"], "number", measures) == (["length"], "meters")
    assert split_unit(["vitamin", "a"], "number", measures) == (["vitamin", "a"], "")
    assert split_unit(["length", "km"], "text", measures) == (["length", "km"], "")
    assert normalize_quantity("8 kg") == "8"

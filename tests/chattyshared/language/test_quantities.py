"""One table of units: what each use of a written form reads or writes."""

from __future__ import annotations

from chattyshared.language.quantities import normalize_quantity, unit_forms, unit_names

USES = ("amount", "question", "ending", "label", "card", "noun")


def test_every_unit_has_a_name_or_a_use_and_known_uses_only() -> None:
    assert all(unit_forms(use) for use in USES)
    assert unit_forms("label") <= set(unit_names())
    assert unit_forms("no such use") == frozenset()


def test_the_unit_of_an_amount_is_left_out() -> None:
    assert normalize_quantity("8 kg") == "8"

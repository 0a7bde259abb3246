"""How a question is split: numbers of other languages, and quotation marks with spaces."""

from __future__ import annotations

import pytest
from chattyshared.language.tokenizer import tokenize


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("über 3,5 Millionen", ["3.5"]),
        ("unter 1.500.000 Einwohner", ["1500000"]),
        ("1.234,5 t und 1.500.000,25 t", ["1234.5", "1500000.25"]),
        ("1,500 or 1,500,000.5 or 12.345", ["1500", "1500000.5", "12.345"]),
        ("lines 1,2,3", ["1", "2", "3"]),
        ("in 1998, 2001 and 3,5.", ["1998", "2001", "3.5"]),
        ("on 1.5.1998 at 192.168.0.1", []),
    ],
)
def test_numbers_are_read_by_their_separators(text: str, numbers: list[str]) -> None:
    assert [token.lower for token in tokenize(text) if token.kind == "number"] == numbers


@pytest.mark.parametrize("text", ['"The Red Door"', "« The Red Door »", "«\u00a0The Red Door\u202f»", "„The Red Door“"])
def test_a_quoted_name_has_no_spaces_at_its_ends(text: str) -> None:
    (token,) = (token for token in tokenize(f"Qui a peint {text} ?") if token.kind == "quoted")
    assert (token.text, token.lower) == ("The Red Door", "the red door")

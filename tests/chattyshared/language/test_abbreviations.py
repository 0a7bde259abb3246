"""Abbreviations in names of columns: usual ones, and others by their letters."""

from __future__ import annotations

import pytest
from chattyshared.language.abbreviations import (
    CLEAR_WEIGHT,
    SHORT_WEIGHT,
    abbreviation_weight,
    expand_abbreviations,
    expand_towards,
    is_abbreviation,
    is_sayable,
)


def test_usual_abbreviations_are_expanded():
    assert expand_abbreviations("dept nm") == "department name"
    assert expand_abbreviations("roof colour") == "roof colour"


@pytest.mark.parametrize(
    ("short", "word", "weight"),
    [
        ("bldg", "building", CLEAR_WEIGHT),
        ("elev", "elevators", CLEAR_WEIGHT),
        ("rm", "rooms", CLEAR_WEIGHT),
        ("dep", "deposit", SHORT_WEIGHT),
        ("rptd", "reported", CLEAR_WEIGHT),
        ("contr", "country", 0.0),
        ("bedr", "broader", 0.0),
        ("room", "rooms", 0.0),
    ],
)
def test_letters_of_a_word_in_order_abbreviate_it(short: str, word: str, weight: float):
    assert abbreviation_weight(short, word) == weight


@pytest.mark.parametrize(("word", "expected"), [("bldg", True), ("rm", True), ("bed", False), ("of", False)])
def test_words_of_english_are_no_abbreviations(word: str, expected: bool):
    assert is_abbreviation(word) is expected


def test_a_label_is_expanded_to_the_words_of_a_question():
    assert expand_towards("memb since", ("members", "joined")) == ("members since", CLEAR_WEIGHT)
    assert expand_towards("memb since", ("building",)) == ("memb since", 1.0)


@pytest.mark.parametrize(
    "label",
    [
        "edispl",
        "REPREQ",
        "sup employee",
        "P131",
        "18 49 share",
    ],
)
def test_words_that_nobody_says(label: str) -> None:
    assert not is_sayable(label)

"""Abbreviations in names of columns: usual ones, and others by their letters."""

from __future__ import annotations

import pytest
from chattyshared.language.abbreviations import (
    CLEAR_WEIGHT,
    SHORT_WEIGHT,
    abbreviates_phrase,
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
    ("name", "expanded"),
    [
        ("custno", "customer number"), ("empno", "employee number"), ("boatno", "boat number"),
        ("invdt", "invoice date"), ("volcano", "volcano"), ("casino", "casino"), ("zzno", "zzno"),
    ],
)  # fmt: skip
def test_two_words_in_one_are_taken_apart_if_both_are_known(name: str, expanded: str):
    assert expand_abbreviations(name) == expanded


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


def test_a_name_abbreviates_a_phrase():
    assert abbreviates_phrase("repreq", ("repair", "request"))
    assert not abbreviates_phrase("repreq", ("request",))
    assert not abbreviates_phrase("boats", ("boat",))


@pytest.mark.parametrize(
    "label",
    [
        "alma mater",
        "date of birth",
        "ISBN",
        "FIFA ranking",
        "GeoNames name",
        "ISO 639-1 code",
        "area sqm",
        "isPartOf",
        "bicycle_stands",
    ],
)
def test_words_that_people_say(label: str) -> None:
    assert is_sayable(label)


@pytest.mark.parametrize(
    "label",
    [
        "edispl",
        "PUB YR",
        "REPREQ",
        "dlvr dt",
        "sup employee",
        "balc",
        "dct:title",
        "P131",
        "TENCY.dep amount",
        "18 49 share",
    ],
)
def test_words_that_nobody_says(label: str) -> None:
    assert not is_sayable(label)

"""German forms of words: lemmas, plurals, verbs, degrees, numbers, dates."""

from __future__ import annotations

import pytest
from chattyshared.language import de


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("Filme", "film"), ("länder", "land"), ("schloesser", "schloss"), ("Architektinnen", "architekt"),
        ("Bürgermeisterin", "burgermeister"), ("gegründet", "grunden"), ("gründen", "grunden"), ("haengt", "hangen"),
        ("denkmalgeschützten", "denkmalgeschutzt"), ("erschienen", "erscheinen"), ("höchsten", "hoch"),
        ("komponiert", "komponieren"), ("produziert", "produzieren"),
    ],
)  # fmt: skip
def test_the_lemma_is_folded(word: str, lemma: str) -> None:
    assert de.lemma_of(word) == lemma


def test_a_prefix_that_stands_apart_belongs_to_its_verb() -> None:
    assert de.stems_of("bei tritt") == de.stems_of("beitreten") == ("beitreten",)
    assert de.stems_of("heraus kam") == de.stems_of("herauskommen") == ("herauskommen",)
    assert de.stems_of("liegt am Fluss") == ("liegen", "fluss")


@pytest.mark.parametrize(
    ("word", "categories"),
    [
        ("gebaut", ("Ven",)), ("fertiggestellt", ("Ven",)), ("entworfen", ("Ven", "Vfin")), ("führt", ("Vfin",)),
        ("in", ()), ("wann", ()), ("großen", ()),
    ],
)  # fmt: skip
def test_verb_forms(word: str, categories: tuple[str, ...]) -> None:
    assert de.verb_categories(word) == categories


def test_quantities_fall_where_the_adjective_rises() -> None:
    assert ("Länge", 1) in de.quantities_of("long") and ("Geburtsdatum", -1) in de.quantities_of("old")


def test_dates_periods_and_numbers() -> None:
    assert de.read_date("12 . mai 1990") == "1990-05-12"
    assert (de.read_period("1960er jahren"), de.read_period("19 . jahrhundert")) == ((1960, 1969), (1801, 1900))
    assert (de.read_digits("1.200.000"), de.read_digits("2.5")) == ("1200000", "2.5")

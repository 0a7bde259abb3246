"""Amounts by value; one dictionary of word forms for questions and for labels."""

from __future__ import annotations

import pytest
from chattyshared.language import morphology
from chattyshared.language.quantities import normalize_quantity

from chattykg.linking.similarity import lexical_similarity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("45 mm", "45"), ("1,06 EUR", "1.06"), ("$1,200", "1200"), ("-3.5 °C", "-3.5"), ("12%", "12"),
        ("1998-05", "1998-05"), ("May 1, 1998", "1998-05-01"), ("31st January 1206", "1206-01-31"),
        ("June 1205", "1205-06"), ("3 Doors Down", ""), ("Apollo 11", ""), ("red", ""),
    ],
)  # fmt: skip
def test_values_of_texts(text: str, value: str) -> None:
    assert normalize_quantity(text) == value


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("born", "bear"), ("children", "child"), ("films", "film"), ("Cities", "city"), ("1998", "1998")],
)
def test_lemmas_of_irregular_and_regular_words(word: str, lemma: str) -> None:
    assert morphology.lemma_of(word) == lemma


def test_a_noun_of_latin_form_meets_its_verb() -> None:
    assert lexical_similarity("admitted", "admission date") > 0.7
    assert morphology.lemma_stem_of("decision") == morphology.lemma_stem_of("decide")


@pytest.mark.parametrize(
    ("word", "related"), [("marry", "marriage"), ("films", "movie"), ("weigh", "mass"), ("sang", "song")]
)
def test_related_stems_come_from_families_derivations_and_synonyms(word: str, related: str) -> None:
    assert morphology.lemma_stem_of(related) in morphology.related_stems(word)


def test_a_rare_sense_relates_no_words() -> None:
    assert morphology.lemma_stem_of("address") not in morphology.related_stems("direct")


def test_the_head_of_a_noun_phrase_stands_before_of_or_last() -> None:
    phrases = ("heads of state", "Film Directors", "city", "")
    assert [morphology.head_lemma_of(phrase) for phrase in phrases] == ["head", "director", "city", ""]

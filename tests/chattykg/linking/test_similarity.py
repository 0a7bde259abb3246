"""Words, similarity and the thesaurus: how relation phrases meet the names of predicates."""

from __future__ import annotations

import pytest

from chattykg.linking.relation_phrases import is_label_phrase, look_up_senses
from chattykg.linking.similarity import (
    COMPOUND_PART_SCORE,
    LanguageSimilarity,
    argument_polarity,
    lexical_similarity,
)


def test_scores_run_from_nothing_to_the_same() -> None:
    assert lexical_similarity("birthPlace", "birth place") == 1.0
    assert lexical_similarity("place of birth", "birth place") == 0.97
    assert lexical_similarity("directed", "director") == 0.93
    assert lexical_similarity("zodiac sign", "author") == 0.0
    assert lexical_similarity("", "author") == 0.0


@pytest.mark.parametrize(
    ("phrase", "name", "way"),
    [
        ("wrote", "author", -1),
        ("written by", "author", 1),
        ("author of", "author", -1),
        ("child of", "parent", 1),
        ("parent", "child", -1),
        ("owns", "owner", -1),
        ("color", "weight", 0),
    ],
)
def test_phrases_read_a_relation_from_one_end(phrase: str, name: str, way: int) -> None:
    assert argument_polarity(phrase, name) == way


def test_senses_prefer_the_whole_phrase() -> None:
    whole, part = (look_up_senses(phrase)["spouse"][0] for phrase in ("married to", "first married to"))
    assert whole > part > 0.4


@pytest.mark.parametrize(
    ("phrase", "says_a_name"),
    [("name", True), ("known as", True), ("called", True), ("know", False), ("known by", False)],
)
def test_what_a_thing_is_called_is_told_from_whom_it_knows(phrase, says_a_name):
    assert is_label_phrase(phrase) is says_a_name


def test_directions_differ_and_generic_objects_do_not() -> None:
    assert lexical_similarity("from pier", "to pier") < lexical_similarity("pier", "to pier")
    assert (
        lexical_similarity("contained in", "contained in place") == lexical_similarity("kept", "kept in place") > 0.85
    )
    assert lexical_similarity("kept", "kept in cellar") < 0.85


def test_german_phrases_and_labels_agree_by_lemmas_compounds_and_the_thesaurus() -> None:
    german = LanguageSimilarity("de")
    assert german("der Preis", ["Preis"]) == [1.0]
    assert german("Feuer", ["Leuchtfeuer"]) == [COMPOUND_PART_SCORE]
    assert german("gegründet", ["Gründungsjahr"])[0] > 0.7 > german("gegründet", ["Baumaterial"])[0]
    assert german("geführt Regie", ["Regisseur"])[0] > 0.8


def test_german_phrases_tell_from_which_end_they_state_a_relation() -> None:
    assert (argument_polarity("Eltern", "Kind", "de"), argument_polarity("Sohn", "Kind", "de")) == (-1, 1)

import pytest
from chattyshared.kg.label_ranking import (
    EXACT,
    SAME_SINGULAR,
    SAME_WORDS,
    WITHOUT_ARTICLE,
    WITHOUT_BRACKETS,
    label_similarity,
)


@pytest.mark.parametrize(
    ("text", "label", "score"),
    [
        ("koln", "Köln", EXACT),
        ("KÖLN", "Köln", EXACT),
        ("Łódź", "lodz", EXACT),
        ("Strasse", "Straße", EXACT),
        ("Jean Luc Picard", "Jean-Luc Picard", SAME_WORDS),
        ("Heroes", '"Heroes"', SAME_WORDS),
        ("Beatles", "The Beatles", WITHOUT_ARTICLE),
        ("Paris", "Paris (Texas)", WITHOUT_BRACKETS),
        ("Miller-Stone", "Miller-Stone (France)", WITHOUT_BRACKETS),
        ("coils", "Coil", SAME_SINGULAR),
        ("US", "US", EXACT),
        ("us", "US", SAME_SINGULAR),
        ("", "Paris", 0.0),
        ("!?", "Paris", 0.0),
        ("Berlin", "Paris", 0.0),
    ],
)
def test_fit_of_whole_labels(text, label, score):
    assert label_similarity(text, label) == score


def test_partial_fits_are_ordered():
    scores = [
        label_similarity("Nolan", "Christopher Nolan"),
        label_similarity("Nolan Smith", "Christopher Nolan"),
        label_similarity("Smith", "Nolan"),
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 0.72 and scores[2] == 0.0


def test_a_misspelling_scores_below_what_is_exact_and_above_what_is_partial():
    assert (
        SAME_SINGULAR
        > label_similarity("Incepton", "Inception")
        > 0.8
        > label_similarity("Inception", "Inception of Doubt and Fear")
    )


def test_the_order_of_words_matters_little():
    assert label_similarity("Nolan, Christopher", "Christopher Nolan") == 0.9


def test_other_numbers_name_other_things():
    assert label_similarity("KP-18", "KP-01") < 0.5 < label_similarity("flat KP-01", "KP-01")
    assert label_similarity("Apollo 11", "Apollo 13") < label_similarity("Apollo", "Apollo 13")


def test_a_country_is_no_slip_of_another():
    assert label_similarity("Iceland", "Ireland") < 0.5 < label_similarity("Irelnd", "Ireland")

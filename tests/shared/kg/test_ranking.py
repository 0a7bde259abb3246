import pytest
from chattyshared.kg.label_ranking import BARE, EXACT, LED, LOOSE, SPELLED, fit


@pytest.mark.parametrize(
    ("text", "label", "score"),
    [
        ("koln", "Köln", EXACT),
        ("KÖLN", "Köln", EXACT),
        ("Łódź", "lodz", EXACT),
        ("Strasse", "Straße", EXACT),
        ("Jean Luc Picard", "Jean-Luc Picard", SPELLED),
        ("Heroes", '"Heroes"', SPELLED),
        ("Beatles", "The Beatles", LED),
        ("Paris", "Paris (Texas)", BARE),
        ("Miller-Stone", "Miller-Stone (France)", BARE),
        ("coils", "Coil", LOOSE),
        ("US", "US", EXACT),
        ("us", "US", LOOSE),
        ("", "Paris", 0.0),
        ("!?", "Paris", 0.0),
        ("Berlin", "Paris", 0.0),
    ],
)
def test_fit_of_whole_labels(text, label, score):
    assert fit(text, label) == score


def test_partial_fits_are_ordered():
    scores = [fit("Nolan", "Christopher Nolan"), fit("Nolan Smith", "Christopher Nolan"), fit("Smith", "Nolan")]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 0.72 and scores[2] == 0.0


def test_a_misspelling_scores_below_what_is_exact_and_above_what_is_partial():
    assert LOOSE > fit("Incepton", "Inception") > 0.8 > fit("Inception", "Inception of Doubt and Fear")


def test_the_order_of_words_matters_little():
    assert fit("Nolan, Christopher", "Christopher Nolan") == 0.9

"""Forms of words: names within a sentence."""

import pytest

from chattygen.lexicalization.word_forms import name_in_sentence


@pytest.mark.parametrize(
    ("name", "kinds", "said"),
    [
        ("East Room", ("Gallery",), "the East Room"),
        ("Auditorium", ("Room",), "the Auditorium"),
        ("Old Bottle Kiln", ("Kiln",), "the Old Bottle Kiln"),
        ("Pryor Hall", ("Gallery",), "Pryor Hall"),
        ("Salt Lake City", ("City",), "Salt Lake City"),
        ("Route 15", ("Route",), "Route 15"),
        ("Red Queen", ("Queen",), "Red Queen"),
        ("Thames", ("River",), "the Thames"),
    ],
)
def test_a_name_of_common_words_for_a_thing_of_its_kind_takes_the_article(name: str, kinds: tuple[str, ...], said: str):
    assert name_in_sentence(name, kinds) == said

"""Sentences among the values of a predicate."""

import pytest
from chattyshared.language.prose import are_sentences, is_sentence


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        ("Tide missed by twenty minutes.", True),
        ("Waste bags were not sorted, fine waived as first offence", True),
        ("Brook Marsh Shipping Co.", False),
        ("The Lord of the Rings: The Return of the King", False),
        ("ball bearing, stainless", False),
        ("Berlin.", False),
        ("", False),
    ],
)
def test_a_sentence_is_told_from_a_name(text, is_prose):
    assert is_sentence(text) is is_prose


def test_half_of_the_texts_decide():
    assert are_sentences(["Tide missed by an hour.", "Oslo"])
    assert not are_sentences(["Tide missed by an hour.", "Oslo", "Rome"]) and not are_sentences([])

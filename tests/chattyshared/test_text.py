"""Texts in sentences: lists, quotes and lines of bounded length."""

from __future__ import annotations

import pytest
from chattyshared.text import are_sentences, cut_text, is_sentence, join_texts, quote_text


@pytest.mark.parametrize(
    ("texts", "joined"),
    [((), ""), (("A",), "A"), (("A", "B"), "A or B"), (("A", "B", "C"), "A, B or C"), ("ABCDE", "A, B, C or 2 more")],
)
def test_texts_are_joined_as_in_a_sentence(texts: tuple[str, ...], joined: str) -> None:
    assert join_texts(texts, "or", most=4) == joined


def test_quotes_within_a_quote_become_single_ones() -> None:
    assert quote_text('the  "Blue\nBell" inn') == "\"the 'Blue Bell' inn\""
    assert quote_text("abcdef", limit=3) == '"abc"'


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert cut_text("one\ntwo  three", 20) == "one two three"
    assert cut_text("one two three", 8) == "one two…"


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

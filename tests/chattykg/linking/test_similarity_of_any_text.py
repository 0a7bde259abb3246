"""The similarity of any two texts."""

from __future__ import annotations

import pytest
from chattyshared.language.scripts import spans_within_words, strip_accents
from chattyshared.language.tokenizer import tokenize
from hypothesis import given
from hypothesis import strategies as st

from chattykg.linking.similarity import argument_polarity, lexical_similarity

_WORDS = st.lists(st.sampled_from(("id", "documents", "of", "doc", "cd", "code", "ids", "d", "nm", "name")), max_size=6)


@pytest.mark.parametrize(("phrase", "text"), [("id documents", "template id"), ("id document", "paragraph id")])
def test_what_an_abbreviation_stands_for_may_hold_it_again(phrase: str, text: str) -> None:
    assert 0 <= lexical_similarity(phrase, text) <= 1


@given(_WORDS.map(" ".join) | st.text(), _WORDS.map(" ".join) | st.text())
def test_any_two_texts_have_a_similarity(phrase: str, text: str) -> None:
    assert 0 <= lexical_similarity(phrase, text) <= 1
    assert argument_polarity(phrase, text) in (-1, 0, 1)


@given(st.text() | st.text(min_size=1, max_size=3).map(lambda text: text * 500))
def test_any_text_of_any_script_is_read(text: str) -> None:
    assert len(strip_accents(text)) <= 18 * len(text)
    assert all(0 <= start < end <= len(text) for start, end in spans_within_words(text))
    assert all(text[token.start : token.end] for token in tokenize(text))

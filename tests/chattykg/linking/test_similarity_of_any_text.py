"""The similarity of any two texts."""

from __future__ import annotations

import pytest
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.scripts import spans_within_words, strip_accents
from chattyshared.language.tokenizer import tokenize
from hypothesis import given
from hypothesis import strategies as st

from chattykg.linking.similarity import argument_polarity, lexical_similarity
from chattykg.linking.vocabulary_index import VocabularyIndex

_WORDS = st.lists(st.sampled_from(("id", "documents", "of", "doc", "cd", "code", "ids", "d", "nm", "name")), max_size=6)


@pytest.mark.parametrize(("phrase", "text"), [("id documents", "template id"), ("id document", "paragraph id")])
def test_what_an_abbreviation_stands_for_may_hold_it_again(phrase: str, text: str) -> None:
    assert 0 <= lexical_similarity(phrase, text) <= 1


@given(_WORDS.map(" ".join) | st.text(), _WORDS.map(" ".join) | st.text())
def test_any_two_texts_have_a_similarity(phrase: str, text: str) -> None:
    assert 0 <= lexical_similarity(phrase, text) <= 1
    assert argument_polarity(phrase, text) in (-1, 0, 1)


_NAMES = (
    *("birth place", "place of birth", "director", "directed by", "date of death", "template id", "documents", "nm"),
    *("admittancedate", "number of employees", "music composer", "height (m)", "carries load", "spouse"),
)


@given(st.sampled_from(_NAMES) | _WORDS.map(" ".join) | st.text(), _WORDS.map(" ".join) | st.sampled_from(_NAMES))
def test_what_is_not_near_by_the_index_is_not_similar(phrase: str, name: str) -> None:
    index = VocabularyIndex([PredicateEntry("http://e/p", name)], "en")
    if not index.near([phrase]):
        assert lexical_similarity(phrase, name) == 0


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("born in", "birth place"),  # everyday relation
        ("employes", "employees"),  # typo
        ("admitted", "admittance date"),
        ("car", "automobile"),  # synonym
        ("document id", "doc_id"),  # abbreviation
    ],
)
def test_a_name_is_near_by_meaning_and_by_letters(phrase: str, name: str) -> None:
    far = [PredicateEntry(f"http://e/{each}", each) for each in ("ocean", "weight limit")]
    index = VocabularyIndex([*far, PredicateEntry("http://e/p", name)], "en")
    assert index.near([phrase]) == {"http://e/p"}


@given(st.text() | st.text(min_size=1, max_size=3).map(lambda text: text * 500))
def test_any_text_of_any_script_is_read(text: str) -> None:
    assert len(strip_accents(text)) <= 18 * len(text)
    assert all(0 <= start < end <= len(text) for start, end in spans_within_words(text))
    assert all(text[token.start : token.end] for token in tokenize(text))

"""Misspelt words of questions."""

from __future__ import annotations

import pytest
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook.grammar.normalize import normalize_tokens

CLOSED = frozenset(("which", "what", "between"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("whihc", "which"), ("whch", "which"), ("directd", "directed"), ("published", "published"), ("thx", "thanks")],
)
def test_one_letter_is_corrected_towards_a_word_of_the_rules_or_a_verb(text: str, expected: str) -> None:
    (token,) = normalize_tokens(tokenize(text), VocabularyCard(), CLOSED)
    assert token.lower == expected


def test_a_name_is_not_corrected() -> None:
    tokens = normalize_tokens(tokenize("is Directd old"), VocabularyCard(), CLOSED)
    assert [token.lower for token in tokens] == ["is", "directd", "old"]

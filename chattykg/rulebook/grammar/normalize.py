"""Normalization of how people type: misspelt closed-class words, chat abbreviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.language.lexicon import word_map
from chattyshared.language.morphology import is_english_word
from chattyshared.language.tokenizer import Token
from rapidfuzz.distance import OSA

from chattykg.linking.vocabulary_card import VocabularyCard

MIN_LETTERS = 4
"""Letters of the shortest word whose spelling is corrected."""
_ABBREVIATIONS = word_map("politeness", "abbreviations")


def normalize_tokens(tokens: Sequence[Token], card: VocabularyCard, closed_words: frozenset[str]) -> tuple[Token, ...]:
    """Return the tokens with abbreviations written out and misspelt words of the grammar corrected in ``lower``."""
    return tuple(_normalize(token, card, closed_words) for token in tokens)


def _normalize(token: Token, card: VocabularyCard, closed_words: frozenset[str]) -> Token:
    if token.kind != "word":
        return token
    if token.lower in _ABBREVIATIONS:
        return replace(token, lower=_ABBREVIATIONS[token.lower])
    if len(token.lower) < MIN_LETTERS or is_english_word(token.lower) or token.is_capitalized and token.start:
        return token
    if any(mention.start <= token.start and token.end <= mention.end for mention in card.mentions):
        return token
    near = [word for word in closed_words if len(word) >= MIN_LETTERS and OSA.distance(word, token.lower) == 1]
    return replace(token, lower=near[0]) if len(near) == 1 else token

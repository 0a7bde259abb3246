"""Normalization of how people type: misspelt closed-class words, chat abbreviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.tokenizer import Token
from rapidfuzz.distance import OSA

from chattykg.linking.vocabulary_card import VocabularyCard

_HAPPENING = word_map("verbs", "place_taking")
MIN_LETTERS = 4
"""Letters of the shortest word whose spelling is corrected."""


def normalize_tokens(tokens: Sequence[Token], card: VocabularyCard, closed_words: frozenset[str]) -> tuple[Token, ...]:
    """Return the tokens with abbreviations written out, misspelt words of rules and verbs corrected in ``lower``."""
    found: list[Token] = []
    for token in tokens:
        before = found[-1].lower if found else ""
        if before in _HAPPENING and token.lower == "place" and not _is_label(found[-1], token, card):
            happening = _HAPPENING[before]
            found[-1] = replace(found[-1], text=happening, lower=happening, end=token.end)
        else:
            found.append(token)
    return tuple(_normalize(token, card, closed_words) for token in found)


def _is_label(first: Token, last: Token, card: VocabularyCard) -> bool:
    """Tell whether a predicate is called as some words say."""
    return any(m.kind == "predicate" and m.start <= first.start and last.end <= m.end for m in card.mentions)


def _normalize(token: Token, card: VocabularyCard, closed_words: frozenset[str]) -> Token:
    if token.kind != "word":
        return token
    language = card.language
    if token.lower in language.abbreviations:
        return replace(token, lower=language.abbreviations[token.lower])
    if len(token.lower) < MIN_LETTERS or token.is_capitalized and token.start:
        return token
    usual = language.morphology.correct_spelling(token.lower)
    if language.morphology.is_word(usual):
        return replace(token, lower=usual) if usual != token.lower else token
    kinds = {m.kind for m in card.mentions if m.start <= token.start and token.end <= m.end}
    if kinds - {"predicate"}:
        return token
    verbs = _verb_forms() if language.words("verbs", "common", "questions_only") else frozenset()
    words = verbs if kinds else closed_words | verbs
    return replace(token, lower=_nearest(token.lower, words) or token.lower)


def _nearest(word: str, words: frozenset[str]) -> str:
    """Return the one word at a distance of one letter; of several the one with the same ends, if it is one."""
    near = [each for each in words if abs(len(each) - len(word)) < 2 and OSA.distance(each, word, score_cutoff=1) == 1]
    alike = [each for each in near if len(each) >= MIN_LETTERS and (each[0], each[-1]) == (word[0], word[-1])]
    return near[0] if len(near) == 1 else alike[0] if len(alike) == 1 else ""


@cache
def _verb_forms() -> frozenset[str]:
    """Return the regular forms of verbs that questions are asked with, without those that nouns have too ("films")."""
    verbs = [verb for verb in word_set("verbs", "common", "questions_only") if len(verb) >= MIN_LETTERS]
    return frozenset(verb.removesuffix("e") + ending for verb in verbs for ending in ("ed", "ing"))

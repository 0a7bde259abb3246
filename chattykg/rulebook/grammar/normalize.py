"""Normalization of how people type: misspelt closed-class words, chat abbreviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.tokenizer import Token, TokenKind
from rapidfuzz.distance import OSA

from chattykg.linking.vocabulary_card import VocabularyCard

_HAPPENING = word_map("verbs", "place_taking")
MIN_LETTERS = 4
"""Letters of the shortest word whose spelling is corrected."""


def normalize_tokens(tokens: Sequence[Token], card: VocabularyCard, closed_words: frozenset[str]) -> tuple[Token, ...]:
    """Return the tokens with abbreviations written out, misspelt words of rules and verbs corrected in ``lower``."""
    short = card.language.abbreviations
    tokens = tuple(part for token in tokens for part in _split_number(token, card))
    slashes = {id(mark) for word, mark in pairwise(tokens) if mark.text == "/" and word.lower in short}
    left_out = slashes | {id(noun) for verb, noun in pairwise(tokens) if _takes_place(verb, noun, card)}
    happening = {id(verb) for verb, noun in pairwise(tokens) if id(noun) in left_out - slashes}
    tokens = tuple(_happen(token) if id(token) in happening else token for token in tokens if id(token) not in left_out)
    return tuple(_normalize(token, card, closed_words) for token in tokens)


def _takes_place(verb: Token, noun: Token, card: VocabularyCard) -> bool:
    """Tell whether two words say that something happens, and no predicate is called so."""
    is_label = any(m.kind == "predicate" and m.start <= verb.start and noun.end <= m.end for m in card.mentions)
    return verb.lower in _HAPPENING and noun.lower == "place" and not is_label


def _happen(token: Token) -> Token:
    """Return the verb of "take place" in the same form as "happen"."""
    return replace(token, text=_HAPPENING[token.lower], lower=_HAPPENING[token.lower], end=token.end)


def _split_number(token: Token, card: VocabularyCard) -> Sequence[Token]:
    """Return a compound with a number word in its parts ("three-room"), another token as it is."""
    number, mark, noun = token.text.partition("-")
    if not noun.isalpha() or number.lower() not in card.language.numbers and not number.isdigit():
        return (token,)
    if any(m.start <= token.start < m.end and m.kind in ("vertex", "value") for m in card.mentions):
        return (token,)
    at = token.start + len(number)
    kind: TokenKind = "number" if number.isdigit() else "word"
    return (
        replace(token, text=number, lower=number.lower(), end=at, kind=kind),
        replace(token, text=mark, lower=mark, start=at, end=at + 1, kind="mark"),
        replace(token, text=noun, lower=noun.lower(), start=at + 1),
    )


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
    verbs = verb_forms() if language.words("verbs", "common", "questions_only") else frozenset()
    words = verbs if kinds else closed_words | verbs
    return replace(token, lower=_nearest(token.lower, words) or token.lower)


def _nearest(word: str, words: frozenset[str]) -> str:
    """Return the one word at a distance of one letter; of several the one with the same ends, if it is one."""
    near = [each for each in words if abs(len(each) - len(word)) < 2 and OSA.distance(each, word, score_cutoff=1) == 1]
    alike = [each for each in near if len(each) >= MIN_LETTERS and (each[0], each[-1]) == (word[0], word[-1])]
    return near[0] if len(near) == 1 else alike[0] if len(alike) == 1 else ""


@cache
def verb_forms() -> frozenset[str]:
    """Return the forms of verbs that questions are asked with, without those that nouns have too ("films")."""
    verbs = [verb for verb in word_set("verbs", "common", "questions_only") if len(verb) >= MIN_LETTERS]
    return frozenset(form for verb in verbs for form in _regular_forms(verb))


def _regular_forms(verb: str) -> tuple[str, ...]:
    stem = verb.removesuffix("e")
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied", f"{verb}ing"
    return f"{stem}ed", f"{stem}ing"

"""Question form: what the form of a question demands of its QIR, a truth or things, all or the extreme one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import normalize_text, parse_degree
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.qir import QIR

_AUXILIARIES = word_set("function_words", "auxiliaries")
_TRUTH_WORDS = _AUXILIARIES | {"whether", "if", "true"}
_QUESTION_WORDS = word_set("function_words", "question_words")
_JOINTS = frozenset("and but so or then".split())
"""Words before a question that belong to the conversation."""
_ADDRESSED = frozenset("you i we there anybody anyone somebody".split())
"""Subjects of requests and of questions whether something exists, which a list answers as well."""
_UNIVERSALS = frozenset("all every each".split())
_EXTREMES = frozenset("most least".split())


def agrees_with_form(question: str, qir: QIR) -> bool:
    """Tell whether a QIR asks for what the question's form asks for: a truth value, or something else.

    A choice ("is X or Y longer?") and a request ("do you know ...?") have the form of a yes-or-no question; words
    without an auxiliary ("piers opened before 2000") have not. In a language without a list of auxiliaries all agree.
    """
    tokens = _words(question)
    if not tokens or not language_of(question).words("function_words", "auxiliaries"):
        return True
    if len(tokens) > 1 and tokens[0].lower in _AUXILIARIES and tokens[1].lower not in _ADDRESSED:
        return qir.shape == "boolean" or any(token.lower == "or" for token in tokens)
    is_truth = any(token.lower in _TRUTH_WORDS or token.lower.endswith("n't") for token in tokens)
    return qir.shape != "boolean" or is_truth and tokens[0].lower not in _QUESTION_WORDS


def unchecked_words(question: str, qir: QIR) -> tuple[str, ...]:
    """Return the words for all or for the extreme in a yes-or-no question whose QIR only asks whether there is one.

    "Does every film have a composer?" is not true because one film has; "is X the longest river?" needs the others.
    """
    if qir.shape != "boolean" or not language_of(question).words("function_words", "auxiliaries"):
        return ()
    texts = f" {' '.join(normalize_text(text) for text in (*qir.relations(), *qir.entities()))} "
    tokens = _words(question)
    is_all = len(tokens) > 1 and tokens[0].lower in _AUXILIARIES and tokens[1].lower in _UNIVERSALS
    behind = (t for before, t in pairwise(tokens) if before.lower != "at")
    extremes = (
        t.text for t in behind if t.lower in _EXTREMES or t.kind == "word" and parse_degree(t.lower)[1] == "est"
    )
    words = (*(t.text for t in tokens[1:2] if is_all), *extremes)
    return tuple(word for word in words if f" {word.lower()} " not in texts)


def _words(question: str) -> Sequence[Token]:
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    while tokens and tokens[0].lower in _JOINTS:
        del tokens[0]
    return tokens

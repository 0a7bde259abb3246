"""Question spans: the n-grams of a question that may name something in the KG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from chattyshared.language.identification import identify_foreign_language
from chattyshared.language.languages import ENGLISH, QuestionLanguage
from chattyshared.language.morphology import FUNCTION_WORDS
from chattyshared.language.scripts import spans_within_words
from chattyshared.language.tokenizer import LONGEST, Token

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_MENTION_TOKENS = 8
"""Tokens of the longest n-gram of plain words that is looked up."""
MAX_NAME_TOKENS = 12
"""Tokens of the longest capitalised n-gram."""
MAX_SPANS = 120
"""n-grams of one question that are looked up at most; longer questions lose their plain ones first."""

_STATE_PREPOSITIONS = frozenset("in on under out at off".split())
_STOP_WORDS = ENGLISH.mention_stop_words
_APOSTROPHE = re.compile("(?<=.)['’](?=.)")


@dataclass(frozen=True, slots=True)
class Span:
    """An n-gram of a question; ``is_noun``: a capitalised word of the dictionary, which is seldom a name."""

    text: str
    start: int
    end: int
    words: tuple[str, ...]
    is_proper_name: bool
    is_within_word: bool = False
    is_noun: bool = False


def extract_spans(question: str, tokens: Sequence[Token], language: QuestionLanguage = ENGLISH) -> tuple[Span, ...]:
    """Return the n-grams that may be mentions; none begins or ends with a stop word, unless it is capitalised.

    The function words of a language that the rules do not read are stop words too.
    """
    foreign = identify_foreign_language(question)
    stop_words = language.mention_stop_words
    if foreign is not None and foreign.tag != language.tag:
        stop_words |= foreign.words | foreign.elided_words
        tokens = tuple(part for token in tokens for part in _split_elision(token, foreign.elided_words))
    spans = [
        Span(
            question[run[0].start : run[-1].end],
            run[0].start,
            run[-1].end,
            tuple(t.lower for t in run),
            _is_proper_name(run, language),
            is_noun=language.has_capital_nouns and len(run) == 1 and not language.is_name_like(run[0].text),
        )  # fmt: skip
        for run in _token_runs(tokens, language, stop_words)
    ]
    spans.sort(key=lambda span: (not span.is_proper_name, len(span.words), span.start))
    known = {(span.start, span.end) for span in spans}
    within_words = (
        Span(question[start:end], start, end, (question[start:end].lower(),), False, is_within_word=True)
        for start, end in spans_within_words(question[:LONGEST])
        if (start, end) not in known
    )
    return (*spans[:MAX_SPANS], *within_words)


def _split_elision(token: Token, elided_words: Set[str]) -> tuple[Token, ...]:
    """Return a token as two if a word that loses its vowel stands before another one ("d'Oslo")."""
    cut = _APOSTROPHE.search(token.text)
    if token.kind != "word" or cut is None or token.lower[: cut.start()] not in elided_words:
        return (token,)
    first, rest = token.text[: cut.start()], token.text[cut.end() :]
    return (
        Token(first, first.lower(), token.start, token.start + cut.start(), "word"),
        Token(rest, rest.lower(), token.start + cut.end(), token.end, "word"),
    )


def _token_runs(
    tokens: Sequence[Token], language: QuestionLanguage, stop_words: Set[str]
) -> Iterator[tuple[Token, ...]]:
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + MAX_NAME_TOKENS) + 1):
            run = tuple(tokens[start:end])
            if run[-1].kind in ("mark", "possessive") and not (end - start > 1 and run[-1].lower in "!?.)"):
                continue
            if _has_open_bracket(run):
                continue
            if any(t.kind == "quoted" for t in run) and end - start > 1:
                break
            if run[0].kind in ("mark", "possessive") and run[0].lower != "(":
                break
            if end - start > MAX_MENTION_TOKENS and not _is_proper_name(run, language):
                continue
            if all(t.lower in stop_words or t.kind == "mark" for t in run) and not _is_title(run, start):
                continue
            if run[-1].lower in stop_words and not run[-1].is_capitalized:
                continue
            if run[0].lower in stop_words and not run[0].is_capitalized and not _is_state_phrase(run):
                continue
            yield run


def _is_state_phrase(run: tuple[Token, ...]) -> bool:
    """Tell whether a run is a preposition with a plain noun, which may be a value: "in service"."""
    is_plain = all(t.kind == "word" and not t.is_capitalized and t.lower not in _STOP_WORDS for t in run[1:])
    return run[0].lower in _STATE_PREPOSITIONS and len(run) == 2 and is_plain


def _has_open_bracket(run: tuple[Token, ...]) -> bool:
    """Tell whether the brackets of the run are unbalanced."""
    return sum(t.lower == "(" for t in run) != sum(t.lower == ")" for t in run)


def _is_title(run: tuple[Token, ...], start: int) -> bool:
    """Tell whether stop words alone may be a name ("The Who"): several, capitalised, not at the beginning."""
    return start > 0 and len(run) > 1 and all(t.is_capitalized for t in run)


def _is_proper_name(run: tuple[Token, ...], language: QuestionLanguage = ENGLISH) -> bool:
    if run[0].kind == "quoted":
        return True
    if language.has_capital_nouns and len(run) > 1 and not any(language.is_name_like(token.text) for token in run):
        return False
    first, last = run[1 if run[0].lower == "(" and len(run) > 1 else 0], run[-1]
    inner, depth = True, 0
    for token in run:
        depth += (token.lower == "(") - (token.lower == ")")
        is_small = token.lower in FUNCTION_WORDS or token.kind in ("possessive", "number", "mark")
        inner = inner and (token.is_capitalized or is_small or depth > 0) and token.lower != "or"
    ends_like_name = last.is_capitalized or last.kind == "number" or last.lower == ")"
    begins_with_article = first.lower in _STOP_WORDS and not (
        first.lower in ("the", "a", "an") and len(run) > 2 and first.start > 0
    )
    return inner and first.is_capitalized and ends_like_name and not begins_with_article

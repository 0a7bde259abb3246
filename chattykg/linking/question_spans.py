"""Question spans: the n-grams of a question that may name something in the KG."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from chattyshared.language.identification import identify_foreign_language
from chattyshared.language.languages import ENGLISH, QuestionLanguage
from chattyshared.language.morphology import FUNCTION_WORDS, PREPOSITIONS
from chattyshared.language.scripts import spans_within_words
from chattyshared.language.tokenizer import LONGEST, Token

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_MENTION_TOKENS = 8
"""Tokens of the longest n-gram of plain words that is looked up."""
MAX_NAME_TOKENS = 12
"""Tokens of the longest capitalised n-gram."""
MAX_SPANS = 120
"""n-grams of one question that are looked up at most; longer questions lose their plain ones first."""

END_MARKS = "?!."
"""Marks at the end of a sentence, which a name may have too ("Jeopardy!")."""

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
    for start, first in enumerate(tokens):
        for end in range(start + 1, min(len(tokens), start + MAX_NAME_TOKENS) + 1):
            run = tuple(tokens[start:end])
            last, is_long = run[-1], end - start > 1
            if is_long and any(token.kind == "quoted" for token in run):
                break
            if all(token.kind == "mark" for token in run):
                if any(map(is_symbol, run)):
                    yield run
                continue
            if first.kind in ("mark", "possessive") and first.lower != "(" and not is_symbol(first):
                break
            is_closed = sum(token.lower == "(" for token in run) == sum(token.lower == ")" for token in run)
            is_end = last.kind not in ("mark", "possessive") or last.lower in f"{END_MARKS})" or is_symbol(last)
            is_short = end - start <= MAX_MENTION_TOKENS or _is_proper_name(run, language)
            is_empty = all(token.lower in stop_words or token.kind == "mark" for token in run)
            if not (is_closed and is_end and is_short) or is_empty:
                continue
            is_framed = any(token.lower in stop_words and not token.is_capitalized for token in (first, last))
            if not is_framed or _is_prepositional(run):
                yield run


def is_symbol(token: Token) -> bool:
    """Tell whether a token is a sign that may be a name, as emoji are: no punctuation."""
    return token.kind == "mark" and unicodedata.category(token.text)[0] == "S"


def _is_prepositional(run: tuple[Token, ...]) -> bool:
    """Tell whether a run is a preposition with a plain noun, which may be a value or a label: "in service"."""
    is_plain = all(t.kind == "word" and not t.is_capitalized and t.lower not in _STOP_WORDS for t in run[1:])
    return run[0].lower in PREPOSITIONS and len(run) == 2 and is_plain


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

"""Exact names: names that a question writes as the graph does, in quotes where they could be read as other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import FUNCTION, STOP_WORDS
from chattyshared.language.tokenizer import tokenize

from chattykg.linking.coverage import unknown_words
from chattykg.linking.mentions import Mention, is_amount
from chattykg.linking.vocabulary_card import VocabularyCard

_MAX_SEARCHED, _MAX_CHUNKS = 90, 12
"""Texts of one question that are looked up as names, and words of the longest."""
_CHUNK = re.compile(r"\S+")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_QUOTES = frozenset('"“”„«»')


def quote_exact_names(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[str, str]:
    """Return a question with its names in quotes that it could not be read with, and with all that look like no name.

    A film may be called "It", "Her", "#Alive", "2012" or as a sentence is. A name that the card has is read as it
    stands first, and a number as a value where it counts or stands behind a preposition ("in 1984"), but for one behind
    "of" a relation ("the length of 1984").

    Raises:
        EndpointError: the KG could not be asked.
    """
    names = {hit.label for mention in card.mentions_of_kind("vertex") for hit in mention.hits}
    texts = tuple(dict.fromkeys(_unknown_texts(question, card)))[:_MAX_SEARCHED]
    found = kg.find_exact(texts, limit=1) if texts else {}
    names |= {hits[0].label for hits in found.values() if hits}
    spans = sorted(_find_spans(question, filter(_is_odd, names)), key=lambda span: span[0] - span[1])
    free = [s for at, s in enumerate(spans) if not any(o[0] < s[1] and s[0] < o[1] for o in spans[:at])]
    linked = {(mention.start, mention.end) for mention in card.mentions_of_kind("vertex")}
    sure = [s for s in free if (_is_number_name(question, s, card) if _NUMBER.fullmatch(s[2]) else s[:2] not in linked)]
    return _quote(question, sure), _quote(question, free)


def quote_names_at(question: str, places: Sequence[int], kg: KnowledgeGraph) -> str:
    """Return a question with the longest name in quotes that one of some places would split.

    Raises:
        EndpointError: the KG could not be asked.
    """
    texts = tuple(dict.fromkeys(_texts_at(question, places)))[:_MAX_SEARCHED]
    found = kg.find_exact(texts, limit=1) if texts else {}
    spans = _find_spans(question, (hits[0].label for hits in found.values() if hits))
    split = [span for span in spans if any(span[0] <= place < span[1] - 1 for place in places)]
    return _quote(question, sorted(split, key=lambda span: span[0] - span[1])[:1])


def _unknown_texts(question: str, card: VocabularyCard) -> Iterator[str]:
    """Yield the texts that may be a name because they hold a word that is in no mention of the card."""
    unlinked = (t for t in tokenize(question)[1:] if not any(m.start <= t.start < m.end for m in card.mentions))
    words = unknown_words(question, card)
    unknown = [token.start for token in unlinked if token.is_capitalized or token.text in words]
    yield from _texts_at(question, unknown)


def _texts_at(question: str, places: Sequence[int]) -> Iterator[str]:
    """Yield the texts that hold one of some places, but no text from the first word on."""
    chunks = [match.span() for match in _CHUNK.finditer(question)] if places else []
    for at, (start, _) in enumerate(chunks[1:], 1):
        for _, end in reversed(chunks[at : at + _MAX_CHUNKS]):
            if any(start <= place < end for place in places):
                text = question[start:end]
                yield from (text, text.rstrip("?"), text.rstrip("?!.,;:"))


def _find_spans(question: str, names: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where names stand in a question; a plain word is written as the graph does."""
    for name in names:
        flags = 0 if name.isalnum() else re.IGNORECASE
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, flags):
            if not any(question[at : at + 1] in _QUOTES for at in (match.start() - 1, match.end()) if at >= 0):
                yield *match.span(), name


def _is_odd(name: str) -> bool:
    """Tell whether a name has more than plain words, or a word that has a use of its own."""
    if not any(map(str.isalnum, name)) or any(quote in name for quote in _QUOTES):
        return False
    tokens = tokenize(name)
    return any(token.kind != "word" or token.lower in FUNCTION | STOP_WORDS for token in tokens)


def _is_number_name(question: str, span: tuple[int, int, str], card: VocabularyCard) -> bool:
    """Tell whether a number that is a name means the name: it is no amount and no date, or a relation has it."""
    before, end = question[: span[0]], span[0] - len(" of ")
    is_owner = before.endswith(" of ") and any(end == m.end for m in card.mentions_of_kind("predicate"))
    number = Mention(span[2], *span[:2], "vertex", 1.0)
    return is_owner or not is_amount(number, card.mentions, tokenize(question), with_dates=True)


def _quote(question: str, spans: Iterable[tuple[int, int, str]]) -> str:
    for start, end, name in sorted(spans, reverse=True):
        question = f'{question[:start]}"{name}"{question[end:]}'
    return question

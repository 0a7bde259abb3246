"""The language of a question in its conversation, its content words, and the language of a KG's labels."""

from __future__ import annotations

from collections.abc import Iterable

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.identification import UNTAGGED, detect_language
from chattyshared.language.scripts import WORD, known_languages


def detect_conversation_language(question: str, history: History = ()) -> str:
    """Return the language of a question; if it shows none, that of the latest question that does."""
    for text in (question, *(exchange.question for exchange in reversed(history))):
        tag = detect_language(text)
        if tag:
            return tag
    return ""


def language_name(tag: str) -> str:
    """Return the English name of a language; its tag if the table lacks it."""
    main = tag.partition("-")[0].casefold()
    return next((language.name for language in known_languages() if language.tag == main), tag)


def label_language(kg: KnowledgeGraph) -> str:
    """Return the first language of a KG's labels; that of texts without a tag if they carry none."""
    return next((tag.partition("-")[0].casefold() for tag in kg.profile.languages if tag), UNTAGGED)


def content_words(
    question: str, tag: str, names: Iterable[tuple[int, int]], *, light_only: bool = False
) -> tuple[tuple[int, int], ...]:
    """Return the spans of the words of a question that are no function words of its language.

    With ``light_only`` only light words are left out. In a language that writes words together, ``names`` (spans in the
    question) are words, and what stands between them may be several function words.
    """
    language = next((language for language in known_languages() if language.tag == tag), None)
    function_words = language.light_words if language and light_only else language.words if language else frozenset()
    if language is None or not any(language.attached_letters):
        return tuple(m.span() for m in WORD.finditer(question) if m[0].casefold() not in function_words)
    names = tuple(names)
    rest = list(question)
    for start, end in names:
        rest[start:end] = " " * (end - start)
    words = (m for m in WORD.finditer("".join(rest)) if not _consists_of(m[0].casefold(), function_words))
    return (*names, *(m.span() for m in words))


def _consists_of(text: str, words: frozenset[str]) -> bool:
    """Tell whether a text is made of some words, written together."""
    ends, lengths = {0}, {len(word) for word in words}
    for start in range(len(text)):
        if start in ends:
            ends |= {start + length for length in lengths if text[start : start + length] in words}
    return len(text) in ends

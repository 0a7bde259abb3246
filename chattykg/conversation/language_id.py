"""Language identification of questions by words and scripts, and the language of a KG's labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.lexicon import alternation
from chattyshared.language.scripts import WORD, Language, known_languages, script_of

ENGLISH = "en"
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
_MIN_EVIDENCE = 2
"""Least words, none of them English, that identify a language; one suffices if it opens the question."""
_MIN_WORDS = 3
"""Least words that are no names of a question in which a single word identifies the language; set by hand."""


def detect_language(question: str) -> str:
    """Return the language tag of a question, "" if its words do not identify one."""
    text = _QUOTED.sub(" ", question)
    words = [word for index, word in enumerate(_WORD.findall(text)) if not index or not word[:1].isupper()]
    lowered = [word.casefold().replace("’", "'") for word in words]
    scripts = _scripts(text)
    marked = next((language.tag for language in known_languages() if not language.marks.isdisjoint(text)), "")
    if marked:
        return marked
    for script in scripts:
        candidates = [language for language in known_languages() if language.script == script]
        if script and (script == scripts[0] or any(candidates[0].attached_letters)):  # not so "α-carotene"
            return max(
                candidates, key=lambda language: sum(language in _languages_of(w, candidates) for w in lowered)
            ).tag
        tag = _detect_by_words(lowered, candidates) if lowered and not script else ""
        if tag:
            return tag
    return ""


def _detect_by_words(words: Sequence[str], candidates: Sequence[Language]) -> str:
    """Return the best language of words in Latin script; a word of several languages counts less for each."""
    english = next(language for language in candidates if language.tag == ENGLISH)
    languages_of = {word: [language.tag for language in _languages_of(word, candidates)] for word in words}
    if words[0] in english.opening_words and languages_of[words[0]] == [ENGLISH]:
        return ENGLISH
    weight: dict[str, float] = {}
    for word in words:
        for tag in languages_of[word]:
            if tag == ENGLISH or ENGLISH not in languages_of[word]:
                weight[tag] = weight.get(tag, 0.0) + 1 / len(languages_of[word])
    best = max(weight, key=lambda tag: weight[tag], default="")
    evidence = [w for w in words if best in languages_of[w] and (best == ENGLISH or ENGLISH not in languages_of[w])]
    opens = any(language.tag == best and words[0] in language.opening_words for language in candidates)
    is_only_one = len(weight) == 1 and len(words) >= _MIN_WORDS and any(len(word) > 1 for word in evidence)
    return best if len(evidence) >= (1 if opens or is_only_one else _MIN_EVIDENCE) else ""


def _languages_of(word: str, candidates: Sequence[Language]) -> list[Language]:
    """Return the languages that have a word; if none is known to, those whose letters or endings it has."""
    known = [language for language in candidates if word in language.words]
    return known or [language for language in candidates if language.has_form(word)]


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
    """Return the first language of a KG's labels; English if they carry no language tag."""
    return next((tag.partition("-")[0].casefold() for tag in kg.profile.languages if tag), ENGLISH)


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
    are_function_words = re.compile(f"(?:{alternation(function_words)})+")
    words = (m for m in WORD.finditer("".join(rest)) if not are_function_words.fullmatch(m[0].casefold()))
    return (*names, *(m.span() for m in words))


def _scripts(text: str) -> tuple[str, ...]:
    """Return the scripts of the letters of a text, most frequent first; "" is Latin and what is not in the table."""
    counts = Counter("" if c.isascii() else script_of(c) for c in text if c.isalpha())
    if counts["HIRAGANA"]:
        counts["HIRAGANA"] += counts.pop("CJK", 0)
    return tuple(script for script, _ in counts.most_common())

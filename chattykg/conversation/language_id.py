"""Language identification of questions by words and scripts, and the language of a KG's labels."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from chattyshared.dialogue import History
from chattyshared.kg import KnowledgeGraph

ENGLISH = "en"
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_PART = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
_MIN_EVIDENCE = 2
"""Least words, none of them English, that identify a language; one suffices if it opens the question."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language: tag, English name, typical words, and its script if that is not Latin.

    ``light_words`` are words without which a question still asks the same.
    """

    tag: str
    name: str
    opening_words: frozenset[str]
    words: frozenset[str]
    script: str = ""
    light_words: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def known_languages() -> tuple[Language, ...]:
    """Return the shipped table of languages."""
    text = files("chattydata").joinpath("languages.toml").read_text(encoding="utf-8")
    return tuple(
        Language(
            entry["tag"],
            entry["name"],
            frozenset(entry.get("opens", "").split()),
            frozenset(f"{entry.get('words', '')} {entry.get('opens', '')}".split()),
            entry.get("script", ""),
            frozenset(entry.get("light", "").split()),
        )
        for entry in tomllib.loads(text)["language"]
    )


def detect_language(question: str) -> str:
    """Return the language tag of a question, "" if its words do not identify one."""
    text = _QUOTED.sub(" ", question)
    words = [word for index, word in enumerate(_WORD.findall(text)) if not index or not word[:1].isupper()]
    lowered = [word.casefold().replace("’", "'") for word in words]
    script = _script(text)
    candidates = [language for language in known_languages() if language.script == script]
    if script or not lowered:
        return max(candidates, key=lambda language: sum(w in language.words for w in lowered)).tag if script else ""
    return _detect_by_words(lowered, candidates)


def _detect_by_words(words: Sequence[str], candidates: Sequence[Language]) -> str:
    """Return the best language of words in Latin script; a word of several languages counts less for each."""
    english = next(language for language in candidates if language.tag == ENGLISH)
    languages_of = {word: [language.tag for language in candidates if word in language.words] for word in words}
    if words[0] in english.opening_words and languages_of[words[0]] == [ENGLISH]:
        return ENGLISH
    weight: dict[str, float] = {}
    for word in words:
        for tag in languages_of[word]:
            if tag == ENGLISH or ENGLISH not in languages_of[word]:
                weight[tag] = weight.get(tag, 0.0) + 1 / len(languages_of[word])
    best = max(weight, key=lambda tag: weight[tag], default="")
    evidence = sum(
        best in languages_of[word] and (best == ENGLISH or ENGLISH not in languages_of[word]) for word in words
    )
    opens = any(language.tag == best and words[0] in language.opening_words for language in candidates)
    return best if evidence >= (1 if opens else _MIN_EVIDENCE) else ""


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


def content_words(question: str, tag: str, *, light_only: bool = False) -> tuple[tuple[int, int], ...]:
    """Return the spans of the words of a question that are no function words of its language.

    With ``light_only`` only light words are left out.
    """
    language = next((language for language in known_languages() if language.tag == tag), None)
    function_words = language.light_words if language and light_only else language.words if language else frozenset()
    return tuple(m.span() for m in _PART.finditer(question) if m[0].casefold() not in function_words)


def _script(text: str) -> str:
    """Return the script of most letters of a text, "" for Latin ones and for scripts that are not in the table."""
    if text.isascii():
        return ""
    scripts = [language.script for language in known_languages() if language.script]
    counts = Counter(_script_of(character, scripts) for character in text if character.isalpha())
    if counts["HIRAGANA"]:
        return "HIRAGANA"
    best = counts.most_common(1)
    return best[0][0] if best else ""


@lru_cache(maxsize=5_000)
def _character_name(character: str) -> str:
    return unicodedata.name(character, "").replace("KATAKANA", "HIRAGANA")


def _script_of(character: str, scripts: Sequence[str]) -> str:
    return next((script for script in scripts if _character_name(character).startswith(script)), "")

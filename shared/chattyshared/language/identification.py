"""Language identification of questions by words, letters and scripts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from chattyshared.language.scripts import Language, known_languages, script_of

ENGLISH = UNTAGGED = "en"
"""English is the language of what carries no tag: labels, names in IRIs, questions in doubt."""
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
_MIN_EVIDENCE = 2
"""Least words, none of them English, that identify a language; one suffices if it opens the question."""
_MIN_WORDS = 3
"""Least words that are no names of a question in which a single word identifies the language; set by hand."""


@lru_cache(maxsize=4_096)
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
    is_only_one = len(weight) == 1 and len(words) >= _MIN_WORDS
    suffices = (opens or is_only_one) and any(len(word) > 1 for word in evidence)
    return best if len(evidence) >= (1 if suffices else _MIN_EVIDENCE) else ""


def _languages_of(word: str, candidates: Sequence[Language]) -> list[Language]:
    """Return the languages that have a word; if none is known to, those whose letters or endings it has."""
    known = [language for language in candidates if word in language.words]
    return known or [language for language in candidates if language.has_form(word)]


def _scripts(text: str) -> tuple[str, ...]:
    """Return the scripts of the letters of a text, most frequent first; "" is Latin and what is not in the table."""
    counts = Counter("" if c.isascii() else script_of(c) for c in text if c.isalpha())
    if counts["HIRAGANA"]:
        counts["HIRAGANA"] += counts.pop("CJK", 0)
    return tuple(script for script, _ in counts.most_common())


def identify_foreign_language(question: str) -> Language | None:
    """Return the language of a question if it is identified and is not English."""
    tag = detect_language(question)
    return next((language for language in known_languages() if language.tag == tag != ENGLISH), None)

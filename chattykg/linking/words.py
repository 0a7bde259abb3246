"""Words of relations and labels, brought to a form in which different spellings of one thing meet."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from simplemma import lemmatize

STOP_WORDS = frozenset(
    "a an the is are was were be been being am do does did done has have had having will would can could may might "
    "shall should must his her its their my your our he she it they them this that these those there s t who whom "
    "whose which what many much some any all every each also please exactly actually currently".split()
)
"""Words that say nothing about which relation is meant."""

PREPOSITIONS = frozenset(
    "of in at by for from to with on into onto through under over about as per during within near after before "
    "off out up down".split()
)
GENERIC_WORDS = frozenset("number name date place time type year total count id value title list of".split())
"""Words that stand in many labels: agreeing in them alone is no agreement."""

_IRREGULAR = {
    "wives": "wife", "born": "bear", "birth": "birth", "died": "die", "dead": "dead", "death": "death", "led": "lead",
    "children": "child", "won": "win", "founded": "found", "found": "found", "sung": "sing",
    "sang": "sing", "left": "left", "lay": "lie", "lies": "lie", "sold": "sell", "built": "build", "lives": "live",
    "shot": "shot", "fought": "fight", "held": "hold", "taught": "teach", "colour": "color", "colours": "color",
    "organisation": "organization", "organised": "organize", "theatre": "theater", "centre": "center", "paid": "pay",
    "neighbour": "neighbor", "neighbours": "neighbor", "honour": "honor", "licence": "license", "metre": "meter",
    "better": "better", "worn": "wear", "data": "data", "media": "media", "cities": "city",
    "countries": "country", "headquarters": "headquarter",
}  # fmt: skip

_IN_PHRASES = {"num": "number", "no": "number", "nr": "number", "people": "person"}
"""Words that mean another in a label or relation; in the grammar of a question they stand for themselves."""

_SUFFIXES = (
    "ations", "ation", "itions", "ition", "ments", "ment", "ings", "ing", "ences", "ence", "ances", "ance", "ships",
    "ship", "ions", "ion", "ers", "ors", "ees", "ents", "ants", "er", "or", "ee", "ent", "ant", "ed", "es", "al", "s",
    "e", "y",
)  # fmt: skip
_LATIN = (("miss", "mit"), ("cis", "cid"), ("vis", "vid"), ("script", "scrib"), ("cept", "ceiv"), ("solut", "solv"))
"""Ends of stems that change from noun to verb: admission and admit, decision and decide, reception and receive."""
_SHORTEST_STEM = 3
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=50_000)
def normalize_text(text: str) -> str:
    """Return a text case-folded, without accents, with single blanks and without quotes or final punctuation."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return " ".join(kept.split()).strip("\"'“”‘’.,;:!? ")


@lru_cache(maxsize=50_000)
def lemma_of(word: str) -> str:
    """Return the dictionary form of one English word, lower case; what is no word of letters stays as it is."""
    lower = word.casefold()
    if not lower.isalpha():
        return lower
    known = _IRREGULAR.get(lower)
    return known if known is not None else str(lemmatize(lower, lang="en")).casefold()


@lru_cache(maxsize=50_000)
def stem_of(word: str) -> str:
    """Return what ``directed``, ``director`` and ``direction`` have in common."""
    short = word
    for suffix in _SUFFIXES:
        if short.endswith(suffix) and len(short) - len(suffix) >= _SHORTEST_STEM:
            short = short[: -len(suffix)]
            break
    if short.endswith("e") and len(short) > _SHORTEST_STEM:
        short = short[:-1]
    for noun, verb in _LATIN:
        if short.endswith(noun) and len(short) > len(noun) + 1:
            return short.removesuffix(noun) + verb
    doubled = len(short) > _SHORTEST_STEM and short[-1] == short[-2] and short[-1] not in "aeiouls"
    return short[:-1] if doubled else short


@dataclass(frozen=True, slots=True)
class AnalyzedPhrase:
    """A phrase as words: lower case, without stop words; ``lemmas`` with prepositions, ``content`` without."""

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    content_lemmas: tuple[str, ...]
    stems: frozenset[str]


@lru_cache(maxsize=50_000)
def analyze_phrase(text: str) -> AnalyzedPhrase:
    """Read a phrase or a label (``birthPlace``, ``was born in``, ``Place of birth``)."""
    words = tuple(_WORD.findall(normalize_text(_CAMEL.sub(" ", text))))
    told = tuple(word for word in words if word not in STOP_WORDS) or words
    lemmas = tuple(_IN_PHRASES.get(word) or lemma_of(word) for word in told)
    content = tuple(word for word in lemmas if word not in PREPOSITIONS) or lemmas
    return AnalyzedPhrase(normalize_text(text), words, lemmas, content, frozenset(stem_of(word) for word in content))

"""Morphology of English words and labels: lemmas, stems, word families, gradable adjectives, closed classes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import simplemma

from chattyshared.language.lexicon import load_lexicon, word_lists, word_map, word_set
from chattyshared.language.scripts import COMBINING_MARKS, WORD, strip_accents
from chattyshared.language.wordnet import near_words, places_by_demonym, related_forms

STOP_WORDS = word_set("function_words", "stop_words")
"""Words that say nothing about which relation is meant."""
FUNCTION_WORDS = word_set("function_words", "label_stop_words")
"""Words that say nothing by themselves in a label."""
PREPOSITIONS = word_set("prepositions", "core", "relations_only")
"""Prepositions of relation phrases."""
GENERIC_WORDS = word_set("function_words", "generic_label_words")
"""Words that stand in many labels: a match in them alone is no match."""
COUNTRIES_BY_DEMONYM = {**places_by_demonym(), **word_map("demonyms", "countries")}
"""The country (or other place) of each adjective for a people, in lower case: ``danish`` is ``Denmark``."""

_IRREGULAR_LEMMAS = word_map("lemmas", "irregular")
_LABEL_LEMMAS = word_map("lemmas", "in_labels")

_LEMMA_SUFFIXES = (
    "ational", "ations", "ation", "ators", "ator", "itions", "ition", "ments", "ment", "ships", "ship", "ities", "ity",
    "ings", "ing", "ions", "ion", "ors", "or", "ers", "er", "eds", "ed", "als", "al", "ous", "ist", "ives", "ive",
    "ies", "es", "s", "y", "e",
)  # fmt: skip
_SHORTEST_STEM = 4
_NOUN_STEMS = (
    ("miss", "mit"), ("cis", "cid"), ("vis", "vid"), ("script", "scrib"), ("cept", "ceiv"), ("solut", "solv"),
)  # fmt: skip
"""Ends of stems that change from noun to verb: admission and admit, decision and decide, reception and receive."""
_BRACKETED = re.compile(r"(?<!\s)\s*\([^()]*\)$")
_LABEL_PART = re.compile(rf"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|(?:[^\W\d_a-zA-Z]|[{COMBINING_MARKS}])+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CLOSED = "closed_classes"

BE = word_set(_CLOSED, "be")
HAVE = word_set(_CLOSED, "have")
DO = word_set(_CLOSED, "do")
AUXILIARY = BE | HAVE | DO | word_set(_CLOSED, "modals")
WH = word_set(_CLOSED, "question_words")
DETERMINER = word_set(_CLOSED, "determiners")
PREPOSITION = word_set(_CLOSED, "prepositions")
FUNCTION = AUXILIARY | WH | DETERMINER | PREPOSITION
FUNCTION |= word_set(_CLOSED, "conjunctions", "pronouns", "negations", "adverbs", "others")
"""All words of the closed classes."""
COMMAND = word_set(_CLOSED, "commands")
GENERIC = word_set(_CLOSED, "generic_nouns")
NAMING = word_set(_CLOSED, "naming_nouns")
VERBS = word_set("verbs", "common", "questions_only")
"""Verbs by their lemma; a word that is none of them may still be one by its ending."""
IRREGULAR = word_set(_CLOSED, "irregular_forms")
NOUN_ING = word_set(_CLOSED, "ing_nouns")
NUMBERS: dict[str, int] = load_lexicon(_CLOSED)["numbers"]
ORDINALS: dict[str, int] = load_lexicon(_CLOSED)["ordinals"]


@lru_cache(maxsize=50_000)
def normalize_text(text: str) -> str:
    """Return a text case-folded, without accents, with single blanks and without quotes or final punctuation."""
    return " ".join(strip_accents(text).split()).strip("\"'“”‘’.,;:!? ")


def dictionary_lemma(word: str) -> str:
    """Return the lemma of a word in the dictionary of simplemma; an unknown word stays."""
    return str(simplemma.lemmatize(word, lang="en"))


@lru_cache(maxsize=50_000)
def lemma_of(word: str) -> str:
    """Return the dictionary form of one English word in lower case; a text with other marks than letters stays."""
    lower = word.casefold()
    if not lower.isalpha():
        return lower
    irregular = _IRREGULAR_LEMMAS.get(lower)
    return irregular if irregular is not None else dictionary_lemma(lower).casefold()


@lru_cache(maxsize=20_000)
def is_english_word(word: str) -> bool:
    """Tell whether the dictionary of lemmas knows the word."""
    return bool(simplemma.is_known(word.lower(), lang="en"))


@lru_cache(maxsize=50_000)
def lemma_stem_of(word: str) -> str:
    """Return the stem of the lemma of a word, at least four letters long: ``directed`` and ``direction`` share one.

    Two equal consonants at its end become one (``shipp``), but for l and s, which stay double in many lemmas.
    """
    lemma = strip_accents(lemma_of(word))
    stems = (lemma.removesuffix(suffix) for suffix in _LEMMA_SUFFIXES if lemma.endswith(suffix))
    stem = next((stem for stem in stems if len(stem) >= _SHORTEST_STEM), lemma)
    for noun_end, verb_end in _NOUN_STEMS:
        if stem.endswith(noun_end) and len(stem) > len(noun_end) + 1:
            return stem.removesuffix(noun_end) + verb_end
    is_double = len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    return stem[:-1] if is_double else stem


def number_stem_of(noun: str) -> str:
    """Return what the singular and the plural of a noun share (``city``, ``cities``; ``box``, ``boxes``)."""
    return re.sub(r"(?:ies|es|s|y|e)$", "", noun.casefold())


@lru_cache(maxsize=20_000)
def drop_bracketed(label: str) -> str:
    """Return a label without what stands in brackets at its end ("height (cm)")."""
    return _BRACKETED.sub("", label) or label


@lru_cache(maxsize=50_000)
def split_label(label: str) -> tuple[str, ...]:
    """Return the words of a label in lower case; camelCase and snake_case are split."""
    return tuple(part.lower() for part in _LABEL_PART.findall(label.replace("'", "")))


@lru_cache(maxsize=20_000)
def head_lemma_of(phrase: str) -> str:
    """Return the lemma of the head of a noun phrase: of the word before ``of``, else of the last one."""
    words = phrase.partition(" of ")[0].split()
    return lemma_of(words[-1]) if words else ""


def label_stems_of(label: str) -> tuple[str, ...]:
    """Return the stems of a label's words, without function words unless there are no others."""
    words = split_label(label)
    content_words = tuple(word for word in words if word not in FUNCTION_WORDS) or words
    return tuple(lemma_stem_of(word) for word in content_words)


@dataclass(frozen=True, slots=True)
class AnalyzedPhrase:
    """A phrase or label as normalized text, as words in lower case, and as lemmas without stop words.

    ``content_lemmas`` have no prepositions either; ``stems`` are theirs.
    """

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    content_lemmas: tuple[str, ...]
    stems: frozenset[str]


@lru_cache(maxsize=50_000)
def analyze_phrase(text: str) -> AnalyzedPhrase:
    """Analyze a phrase or a label (``birthPlace``, ``was born in``, ``Place of birth``)."""
    words = tuple(WORD.findall(normalize_text(_CAMEL.sub(" ", text))))
    content_words = tuple(word for word in words if word not in STOP_WORDS) or words
    lemmas = tuple(_LABEL_LEMMAS.get(word) or lemma_of(word) for word in content_words)
    content = tuple(word for word in lemmas if word not in PREPOSITIONS) or lemmas
    return AnalyzedPhrase(normalize_text(text), words, lemmas, content, frozenset(lemma_stem_of(w) for w in content))


@cache
def _word_families() -> dict[str, frozenset[str]]:
    families: dict[str, set[str]] = {}
    for words in load_lexicon("word_families")["families"]:
        family = {part for word in words for part in word.split("-")}
        for stem in {lemma_stem_of(word) for word in family}:
            families.setdefault(stem, set()).update(family)
    return {stem: frozenset(family) for stem, family in families.items()}


@lru_cache(maxsize=20_000)
def synonymous_words(word: str) -> frozenset[str]:
    """Return the single words by which a label may express a word: those of its family, and near ones by WordNet."""
    near = (other for other in near_words(lemma_of(word)) if " " not in other)
    return _word_families().get(lemma_stem_of(word), frozenset()).union(near)


@lru_cache(maxsize=20_000)
def related_words(word: str) -> frozenset[str]:
    """Return the synonymous words of a word, and the words that derive from it or it from them."""
    return synonymous_words(word).union(form.lower() for form in related_forms(lemma_of(word)))


@lru_cache(maxsize=20_000)
def related_stems(word: str) -> frozenset[str]:
    """Return the stems of a word and of its related words."""
    return frozenset(lemma_stem_of(other) for other in (word, *related_words(word)))


ADJECTIVE_QUANTITIES: dict[str, tuple[str, ...]] = word_lists("gradable_adjectives", "quantities")
"""The quantities that an adjective measures, likeliest first; ``-`` marks one that falls as the adjective rises."""
ADJECTIVE_ANTONYMS: dict[str, str] = word_map("gradable_adjectives", "antonyms")
"""The adjective that measures the same quantity in the other direction."""
ADJECTIVE_SYNONYMS: dict[str, str] = word_map("gradable_adjectives", "synonyms")
"""The adjective whose quantities an adjective shares."""
_IRREGULAR_DEGREES = word_map("gradable_adjectives", "degrees")


def quantities_of(adjective: str) -> tuple[tuple[str, int], ...]:
    """Return the quantities that an adjective measures, each with 1 (more of it) or -1 (less), likeliest first."""
    base, sign = ADJECTIVE_SYNONYMS.get(adjective, adjective), 1
    if adjective in ADJECTIVE_QUANTITIES:
        base = adjective
    elif base in ADJECTIVE_ANTONYMS:
        base, sign = ADJECTIVE_ANTONYMS[base], -1
    nouns = ADJECTIVE_QUANTITIES.get(base, ())
    return tuple((noun.lstrip("-"), -sign if noun.startswith("-") else sign) for noun in nouns)


@lru_cache(maxsize=4_000)
def parse_degree(word: str) -> tuple[str, str]:
    """Return (adjective, ``er`` | ``est``) for a comparative or superlative, else ("", "")."""
    lower = word.lower()
    if lower in _IRREGULAR_DEGREES:
        return _IRREGULAR_DEGREES[lower], "er" if lower.endswith(("er", "se")) else "est"
    for ending in ("est", "er"):
        if not lower.endswith(ending) or len(lower) - len(ending) < 3:
            continue
        rest = lower[: -len(ending)]
        for base in (rest, rest + "e", rest[:-1] + "y" if rest.endswith("i") else rest, rest[:-1]):
            if base in ADJECTIVE_QUANTITIES or base in ADJECTIVE_ANTONYMS or base in ADJECTIVE_SYNONYMS:
                return base, ending
    return "", ""

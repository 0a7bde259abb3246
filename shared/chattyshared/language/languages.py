"""The languages whose questions the rules read: the word classes and the morphology of each, and how to tell them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from chattyshared.language import de, en
from chattyshared.language.identification import UNTAGGED, detect_language
from chattyshared.language.lexicon import has_lexicon, known_words, load_lexicon, word_map, word_set
from chattyshared.language.scripts import known_languages


class Morphology(Protocol):
    """What a module of a language (``en``, ``de``) tells of the forms of its words; words are in lower case."""

    FOLDER: str
    UNITS: dict[str, str]
    DEMONYMS: dict[str, str]
    HAS_CAPITAL_NOUNS: bool

    def lemma_of(self, word: str, /) -> str:
        """Return the dictionary form of a word."""

    def stem_of(self, word: str, /) -> str:
        """Return what the forms of a word share."""

    def synonymous_words(self, word: str, /) -> frozenset[str]:
        """Return the single words by which a label may express a word, as far as there is a thesaurus."""

    def related_words(self, word: str, /) -> frozenset[str]:
        """Return the synonymous words, and those that derive from a word or it from them."""

    def split_label(self, label: str, /) -> tuple[str, ...]:
        """Return the words of a label in lower case."""

    def stems_of(self, label: str, /) -> tuple[str, ...]:
        """Return the stems of the content words of a label."""

    def is_word(self, word: str, /) -> bool:
        """Tell whether the dictionary knows a word."""

    def is_plural(self, text: str, is_capital: bool, /) -> bool:
        """Tell whether the last word of a text is a plural noun."""

    def is_adjective(self, word: str, /) -> bool:
        """Tell whether a word is an adjective."""

    def is_participle(self, word: str, /) -> bool:
        """Tell whether a word is a participle."""

    def is_only_verb(self, word: str, /) -> bool:
        """Tell whether a word is a verb and no noun."""

    def is_only_adjective(self, word: str, /) -> bool:
        """Tell whether a word is an adjective and no noun."""

    def verb_categories(self, word: str, /) -> tuple[str, ...]:
        """Return the lexical categories of a word as a verb."""

    def gradable(self, word: str, /) -> str:
        """Return the English adjective that measures the same."""

    def parse_degree(self, word: str, /) -> tuple[str, str]:
        """Return (English adjective, `er` or `est`), or empty texts."""

    def quantities_of(self, adjective: str, /) -> tuple[tuple[str, int], ...]:
        """Return what an English adjective measures, each with 1 or -1."""

    def read_date(self, text: str, /) -> str:
        """Return the ISO form of a date."""

    def read_period(self, text: str, /) -> tuple[int, int] | None:
        """Return the first and last year of a decade or century."""

    def read_digits(self, text: str, /) -> str:
        """Return a number without separators."""

    def correct_spelling(self, word: str, /) -> str:
        """Return the usual spelling of a word."""


@dataclass(frozen=True, slots=True, eq=False)
class QuestionLanguage:
    """A language that the rules read: its tag, its morphology, and its word classes.

    ``units`` have the English name of each unit, ``demonyms`` the country of each adjective for a people.
    ``has_capital_nouns``: a capital makes no name. ``uncovered_words`` may be missing in what a question is read as.
    """

    tag: str
    morphology: Morphology
    function_words: frozenset[str]
    closed_words: frozenset[str]
    uncovered_words: frozenset[str]
    commands: frozenset[str]
    generic_nouns: frozenset[str]
    naming_nouns: frozenset[str]
    noun_verbs: frozenset[str]
    wrappers: frozenset[str]
    joints: frozenset[str]
    asking_words: frozenset[str]
    label_words: frozenset[str]
    mention_stop_words: frozenset[str]
    abbreviations: Mapping[str, str]
    genders: Mapping[str, str]
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    scales: Mapping[str, int]
    units: Mapping[str, str]
    demonyms: Mapping[str, str]
    has_capital_nouns: bool

    @property
    def name(self) -> str:
        """The name of its folder of words and of its rule file."""
        return self.morphology.FOLDER

    def has_words(self, file: str) -> bool:
        """Tell whether the language has a file of some kind of words."""
        return has_lexicon(file, self.name)

    def words(self, file: str, *keys: str) -> frozenset[str]:
        """Return the words of those lists of a file that the language has; none where its folder lacks them."""
        return known_words(file, *keys, language=self.name)

    def is_name_like(self, text: str) -> bool:
        """Tell whether a text is written as names are: with a capital, and where nouns have one too, no word of the
        dictionary."""
        is_capitalized = text[:1].isupper() or any(character.isdigit() for character in text)
        return is_capitalized and not (self.has_capital_nouns and self.morphology.is_word(text))


def _load(tag: str, morphology: Morphology) -> QuestionLanguage:
    name = morphology.FOLDER
    classes = load_lexicon("closed_classes", name)

    def words(file: str, *keys: str) -> frozenset[str]:
        return word_set(file, *keys, language=name)

    def known(file: str, *keys: str) -> frozenset[str]:
        return known_words(file, *keys, language=name)

    function_words = words("closed_classes", "be", "have", "modals", "question_words", "determiners", "prepositions")
    function_words |= words("closed_classes", "conjunctions", "pronouns", "negations", "adverbs", "others")
    function_words |= known("closed_classes", "do")
    listed = known("function_words", "closed_class")
    closed_words = listed or function_words - known("function_words", "restricting")
    return QuestionLanguage(
        tag=tag,
        morphology=morphology,
        function_words=function_words,
        closed_words=closed_words,
        uncovered_words=known("function_words", "uncovered_words") or closed_words,
        commands=words("closed_classes", "commands"),
        generic_nouns=words("nouns", "generic") | words("closed_classes", "generic_nouns"),
        naming_nouns=words("closed_classes", "naming_nouns"),
        noun_verbs=words("closed_classes", "noun_verbs"),
        wrappers=words("politeness", "wrappers"),
        joints=words("politeness", "joints"),
        asking_words=words("function_words", "asking_words"),
        label_words=words("function_words", "label_stop_words"),
        mention_stop_words=words("function_words", "label_stop_words", "mention_stop_words")
        | (frozenset() if listed else function_words),
        abbreviations=word_map("politeness", "abbreviations", language=name),
        genders=word_map("nouns", "genders", language=name),
        numbers=classes["numbers"],
        ordinals=classes["ordinals"],
        scales=classes["scales"],
        units=morphology.UNITS,
        demonyms=morphology.DEMONYMS,
        has_capital_nouns=morphology.HAS_CAPITAL_NOUNS,
    )


_MODULES: Mapping[str, Morphology] = {UNTAGGED: en, "de": de}
"""The morphology of each language by its tag."""
ENGLISH = _load(UNTAGGED, en)
FURTHER_TAGS = tuple(tag for tag in _MODULES if tag != UNTAGGED)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTED = re.compile(r'"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»')


@cache
def load_language(tag: str) -> QuestionLanguage:
    """Return the language of a tag; English for one that the rules do not read."""
    return _load(tag, _MODULES[tag]) if tag in FURTHER_TAGS else ENGLISH


def language_of_tag(tag: str) -> QuestionLanguage | None:
    """Return the language of a tag, with or without a region, if the rules read it; English without a tag."""
    main = tag.partition("-")[0].casefold() or UNTAGGED
    return load_language(main) if main in _MODULES else None


@cache
def _words_of(tag: str) -> frozenset[str]:
    table = next((each.words for each in known_languages() if each.tag == tag), frozenset())
    return table | load_language(tag).function_words | load_language(tag).commands


@lru_cache(maxsize=4_096)
def language_of(question: str) -> QuestionLanguage:
    """Return the language in which the rules read a question: the one with most function words, English in doubt."""
    words = _WORD.findall(_QUOTED.sub(" ", question))
    places: dict[str, list[int]] = {}
    tables = {tag: _words_of(tag) for tag in _MODULES}
    for position, word in enumerate(words):
        if position and word[0].isupper():
            continue
        tags = [tag for tag, known in tables.items() if word.casefold() in known]
        if len(tags) == 1:
            places.setdefault(tags[0], []).append(position)
    english_count = len(places.pop(ENGLISH.tag, ()))
    if all(len(found) <= english_count for found in places.values()):
        return ENGLISH  # no dictionary has to tell which of the others are within names
    counts = {tag: sum(not _is_within_name(words, at, _MODULES[tag]) for at in found) for tag, found in places.items()}
    best = max(counts, key=lambda tag: counts[tag])
    is_another = detect_language(question) not in ("", ENGLISH.tag, best)
    return load_language(best) if counts[best] > english_count and not is_another else ENGLISH


def _is_within_name(words: list[str], position: int, morphology: Morphology) -> bool:
    """Tell whether a word stands between two words that are no nouns and begin with capitals ("Lars von Trier")."""
    around = words[position - 1 : position] + words[position + 1 : position + 2]
    is_inner = 0 < position < len(words) - 1 and all(word[0].isupper() for word in around)
    return is_inner and not any(morphology.is_word(word) for word in around[:1])

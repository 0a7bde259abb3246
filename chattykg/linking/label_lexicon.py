"""Lexicon of a vocabulary: the classes and predicates that a few words of a question name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product
from typing import Literal

from chattyshared.kg.label_ranking import singular_key
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.abbreviations import abbreviation_weight, initials, is_abbreviation
from chattyshared.language.languages import ENGLISH, Morphology, QuestionLanguage
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import lemma_of, lemma_stem_of, quantities_of, split_label
from chattyshared.language.quantities import unit_forms
from chattyshared.language.wordnet import noun_kinds
from chattyshared.terms import local_name
from rapidfuzz import fuzz, process

VocabularyKind = Literal["class", "predicate"]
VOCABULARY_KINDS: tuple[VocabularyKind, ...] = ("class", "predicate")

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
STEM_MATCH_SCORE = 0.95
"""Score (0..1) of words with the stems of a whole label, but in another form."""
RELATED_WORD_SCORE = 0.8
"""Score (0..1) of one related word; for a class it must be a synonym: a song is no singer."""
GENERIC_HEAD_SCORE, UNIQUE_PART_SCORE = 0.9, 0.8
"""Scores (0..1) of a class label without its generic last word, and of a part of a label that only one class has."""
PART_SCORE, PART_SHARE_WEIGHT = 0.4, 0.35
"""Score (0..1) of a part of a label, and what is added for the share of its words."""
RELATED_STEM_WEIGHT, QUANTITY_NOUN_WEIGHT = 0.7, 0.6
"""Weights (0..1) of a related stem, and of the noun of a quantity ("tall": height), in the score by words."""
MIN_SPELLING_RATIO = 0.8
"""Ratio (0..1) of matching letters from which a word is a correction."""
MIN_WORD_LETTERS = 5
"""Letters of the shortest word that is corrected; shorter ones are similar to too many others."""
MAX_VARIANTS, MAX_LABEL_WORDS, MAX_CACHED_WORDS = 12, 12, 4_096
"""Readings of some words as abbreviations that are looked up, words of a label that are read, and corrections that are
kept, at most."""
CACHE_SIZE = 4
"""Lexicons that are kept."""

_GENERIC_HEADS = frozenset(lemma_stem_of(word) for word in word_set("nouns", "generic_heads"))
"""Nouns at the end of a label that questions leave out ("bird species", the table "car names")."""
_AUXILIARIES = word_set("function_words", "auxiliaries")


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """A class or predicate that words name, with a score (0..1; 1: its whole label, up to 0.75: a part of it)."""

    iri: str
    score: float


class LabelLexicon:
    """Labels of classes and predicates by their stems, for questions in a language."""

    def __init__(self, vocabulary: Vocabulary, language: QuestionLanguage) -> None:
        self.language = language
        self.frequencies: dict[str, int] = {}
        self._labels: dict[str, tuple[str, ...]] = {}
        self._label_stems: dict[str, tuple[frozenset[str], ...]] = {}
        self._by_label: dict[tuple[str, str | frozenset[str]], list[str]] = defaultdict(list)
        self._by_stem: dict[tuple[str, str], list[str]] = defaultdict(list)
        entries = [("class", e.iri, e.names_in(language.tag), e.instance_count) for e in vocabulary.classes.values()]
        entries += [
            ("predicate", e.iri, e.names_in(language.tag), e.triple_count) for e in vocabulary.predicates.values()
        ]
        for kind, iri, names, count in entries:
            texts = (" ".join(_label_words(text, language)) for text in (*names, local_name(iri)))
            self._labels[iri] = labels = tuple(dict.fromkeys(text for text in texts if text))
            self._label_stems[iri] = tuple(frozenset(language.morphology.stems_of(text)) for text in labels)
            self.frequencies[iri] = count
            keys: list[str | frozenset[str]] = [*labels, *dict.fromkeys(self._label_stems[iri])]
            for key in keys:
                self._by_label[kind, key].append(iri)
            for stem in sorted(frozenset().union(*self._label_stems[iri])):
                self._by_stem[kind, stem].append(iri)
        words = {word for labels in self._labels.values() for label in labels for word in label.split()}
        self._abbreviations = (
            tuple(sorted(filter(is_abbreviation, words))) if language.has_words("abbreviations") else ()
        )
        self._words = tuple(sorted(word for word in words if len(word) >= MIN_WORD_LETTERS))
        self.corrected = lru_cache(MAX_CACHED_WORDS)(self._correct)

    def match_text(self, kind: VocabularyKind, words: Sequence[str]) -> tuple[LabelMatch, ...]:
        """Return the classes or predicates that have these words as their label."""
        return tuple(LabelMatch(iri, 1.0) for iri in self._by_label.get((kind, " ".join(words)), ()))

    def match_labels(self, kind: VocabularyKind, words: Sequence[str], *, limit: int = 6) -> tuple[LabelMatch, ...]:
        """Return the classes or predicates that these words name, best first."""
        scores = self._match_words(kind, words)
        for variant, weight in self._abbreviated(words):
            for iri, score in self._match_words(kind, variant).items():
                scores[iri] = max(scores.get(iri, 0.0), weight * score)
        best = sorted(scores.items(), key=lambda item: (-item[1], -self.frequencies[item[0]], item[0]))
        return tuple(LabelMatch(iri, score) for iri, score in best[:limit])

    def _abbreviated(self, words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield the words with abbreviations of the labels instead of some of them, each with a weight (0..1)."""
        choices = [[(word, 1.0)] for word in words]
        for choice, word in zip(choices, words, strict=True):
            choice += [(a, weight) for a in self._abbreviations if (weight := abbreviation_weight(a, word))]
        for variant in islice(product(*choices), 1, MAX_VARIANTS + 1):
            yield tuple(word for word, _ in variant), min(weight for _, weight in variant)
        if len(words) > 1 and initials(words) in self._abbreviations and _AUXILIARIES.isdisjoint(words):
            yield (initials(words),), RELATED_WORD_SCORE

    def _match_words(self, kind: VocabularyKind, words: Sequence[str]) -> dict[str, float]:
        morphology, text = self.language.morphology, " ".join(words)
        stems = frozenset(map(morphology.stem_of, words))
        if len(stems) < len(words):
            return {}
        lemmas, key = frozenset(map(morphology.lemma_of, words)), singular_key(text)
        scores: dict[str, float] = {}
        for iri in self._by_label.get((kind, stems), ()):
            is_plural = any(key == singular_key(label) for label in self._labels[iri])
            if is_plural or kind == "predicate" or lemmas in self._lemmas_of(iri):
                scores[iri] = 1.0 if text in self._labels[iri] else STEM_MATCH_SCORE
        if len(stems) == 1:
            near_words = morphology.synonymous_words if kind == "class" else morphology.related_words
            for related in sorted(near_words(words[0])):
                for iri in self._by_label.get((kind, frozenset((morphology.stem_of(related),))), ()):
                    is_alike = frozenset((related,)) in self._lemmas_of(iri) and _share_kind(words[0], related)
                    if kind == "predicate" or is_alike:
                        scores.setdefault(iri, RELATED_WORD_SCORE)
        return scores or self._match_parts(kind, stems)

    def _lemmas_of(self, iri: str) -> tuple[frozenset[str], ...]:
        """Return the dictionary forms of each label of a class or predicate, without function words."""
        left_out, lemma_in = self.language.label_words, self.language.morphology.lemma_of
        return tuple(frozenset(lemma_in(w) for w in label.split() if w not in left_out) for label in self._labels[iri])

    def _match_parts(self, kind: VocabularyKind, stems: frozenset[str]) -> dict[str, float]:
        """Return the labels that hold all the words and more; for a class, its head must be among the words, or only
        the head is missing ("night bus": night bus line)."""
        scores: dict[str, float] = {}
        begun: dict[str, float] = {}
        for iri in self._by_stem.get((kind, min(stems)), ()):
            for label, text in zip(self._label_stems[iri], self._labels[iri], strict=True):
                if not stems < label:
                    continue
                score = PART_SCORE + PART_SHARE_WEIGHT * len(stems) / len(label)
                if kind == "class" and not self._holds_head(text, stems):
                    if len(stems) > 1 and stems == set(map(self.language.morphology.stem_of, text.split()[:-1])):
                        begun[iri] = UNIQUE_PART_SCORE
                    continue
                is_generic = kind == "class" and label - stems <= _GENERIC_HEADS
                scores[iri] = max(scores.get(iri, 0.0), GENERIC_HEAD_SCORE if is_generic else score)
        is_sure = kind == "class" and len(scores) == 1
        return {iri: max(score, UNIQUE_PART_SCORE * is_sure) for iri, score in (scores or begun).items()}

    def _holds_head(self, label: str, stems: frozenset[str]) -> bool:
        """Tell whether stems hold the head of a label: its last word, or that before "of" or before a generic head."""
        *others, head = map(self.language.morphology.stem_of, label.split(" of ")[0].split())
        while others and head in _GENERIC_HEADS:
            head = others.pop()
        return head in stems

    def score_by_words(self, kind: VocabularyKind, words: Iterable[str]) -> dict[str, float]:
        """Return the similarity (0..1) of each class or predicate to the words of a question, without zeros."""
        morphology = self.language.morphology
        stem_weights: dict[str, float] = {}
        for word in words:
            nouns = (part for noun, _ in quantities_of(word) for part in split_label(noun))
            weights = dict.fromkeys(map(morphology.stem_of, nouns), QUANTITY_NOUN_WEIGHT)
            weights |= dict.fromkeys(map(morphology.stem_of, morphology.related_words(word)), RELATED_STEM_WEIGHT)
            weights[morphology.stem_of(word)] = 1.0
            for stem, weight in weights.items():
                stem_weights[stem] = max(weight, stem_weights.get(stem, 0.0))
        return {
            iri: max(sum(stem_weights.get(s, 0.0) for s in label) / len(label) for label in self._label_stems[iri])
            for stem in stem_weights
            for iri in self._by_stem.get((kind, stem), ())
        }

    def _correct(self, word: str) -> str:
        def nearest(text: str) -> str:
            found = process.extractOne(text, self._words, scorer=fuzz.ratio, score_cutoff=100 * MIN_SPELLING_RATIO)
            return found[0] if found else ""

        singular = nearest(word[:-1]) if word.endswith("s") else ""
        return nearest(word) or singular and f"{singular}s" or word


def _share_kind(noun: str, other: str) -> bool:
    """Tell whether two words are nouns of a common kind; groups are people here. Unknown words are of any kind."""
    kinds, others = ({"person" if k == "group" else k for k in noun_kinds(lemma_of(e))} for e in (noun, other))
    return not kinds or not kinds.isdisjoint(others)


_CACHE: list[tuple[Vocabulary, LabelLexicon]] = []


def lexicon_of(vocabulary: Vocabulary, language: QuestionLanguage = ENGLISH) -> LabelLexicon:
    """Return the lexicon of a vocabulary for questions in a language; the last few are cached."""
    for known, lexicon in _CACHE:
        if known is vocabulary and lexicon.language is language:
            return lexicon
    _CACHE.append((vocabulary, LabelLexicon(vocabulary, language)))
    del _CACHE[:-CACHE_SIZE]
    return _CACHE[-1][1]


def _label_words(text: str, language: QuestionLanguage) -> tuple[str, ...]:
    """Return the words of a label without a unit at its end."""
    words = language.morphology.split_label(text)[:MAX_LABEL_WORDS]
    return words[:-1] if len(words) > 1 and words[-1] in unit_forms("ending") else words


def is_unknown_word(word: str, morphology: Morphology) -> bool:
    """Tell whether the dictionary of a language lacks a word: misspelt, or a rare name."""
    return word.isalpha() and len(word) >= MIN_WORD_LETTERS and not morphology.is_word(word)


def correct_spelling(word: str, lexicon: LabelLexicon) -> str:
    """Return the word of the labels that a misspelt word stands for, or the word itself."""
    morphology = lexicon.language.morphology
    usual = morphology.correct_spelling(word)
    return lexicon.corrected(usual) if is_unknown_word(usual, morphology) else usual

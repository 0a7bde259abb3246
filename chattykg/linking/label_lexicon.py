"""Lexicon of a vocabulary: the classes and predicates that a few words of a question name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice, product

from chattyshared.kg.label_ranking import singular_key
from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.abbreviations import abbreviation_weight, initials, is_abbreviation
from chattyshared.language.languages import ENGLISH, Morphology, QuestionLanguage
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITIONS, lemma_of, lemma_stem_of, quantities_of, split_label
from chattyshared.language.quantities import unit_forms
from chattyshared.language.wordnet import noun_kinds
from chattyshared.terms import local_name
from rapidfuzz import fuzz, process

from chattykg.linking.similarity import MOMENT_NOUNS

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
STEM_MATCH_SCORE = 0.95
"""Score (0..1) of words with the stems of a whole label, but in another form."""
RELATED_WORD_SCORE = 0.8
"""Score (0..1) of one related word; for a class it must be a synonym: a song is no singer."""
_GENERIC_HEAD_SCORE = 0.9
"""Score (0..1) of a class label without its generic last word."""
_UNIQUE_PART_SCORE = 0.8
"""Score (0..1) of the head of a label that only one class has ("departments": MedicalDepartment)."""
PART_SCORE, PART_SHARE_WEIGHT = 0.4, 0.35
"""Score (0..1) of a part of a label, and what is added for the share of its words."""
RELATED_STEM_WEIGHT, QUANTITY_NOUN_WEIGHT = 0.7, 0.6
"""Weights (0..1) of a related stem, and of the noun of a quantity ("tall": height), in the score by words."""
MAX_VARIANTS = 12
"""Readings of some words as abbreviations that are looked up at most."""
_MAX_LABEL_WORDS = 12
"""Words of a label that are read."""
CACHE_SIZE = 4
"""Lexicons that are kept."""

_GENERIC_HEADS = frozenset(lemma_stem_of(word) for word in word_set("nouns", "generic_heads"))
"""Nouns at the end of a label that questions leave out ("bird species", the table "car names")."""
_RECORD_HEADS = frozenset(lemma_stem_of(word) for word in word_set("nouns", "record_heads"))
"""Nouns for a record of what the noun before them names ("repair request"): questions say either."""

_MOMENTS = frozenset(map(lemma_stem_of, MOMENT_NOUNS))
"""Words of a label that its kind of values tells (``due_dt``)."""
_AUXILIARIES = word_set("function_words", "auxiliaries")
# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MIN_WORD_LETTERS = 5
"""Letters of the shortest word that is corrected; shorter ones are similar to too many others."""
MIN_SPELLING_RATIO = 0.8
"""Ratio (0..1) of matching letters from which a word is a correction."""
_MAX_CACHED_WORDS = 4_096
"""Corrections of one lexicon that are kept."""


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """A class or predicate that words name, with a score (0..1; 1: its whole label, up to 0.75: a part of it)."""

    iri: str
    score: float


@dataclass(slots=True, eq=False)
class LabelLexicon:
    """Labels of classes and predicates by their stems."""

    by_label_stems: dict[str, dict[frozenset[str], list[str]]]
    by_stem: dict[str, dict[str, list[str]]]
    label_stems: dict[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    frequencies: dict[str, int] = field(default_factory=dict)
    prepositional: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    abbreviations: tuple[str, ...] = ()
    called: frozenset[str] = frozenset()
    language: QuestionLanguage = ENGLISH

    def stem_of(self, word: str) -> str:
        """Return what the forms of a word share."""
        return self.language.morphology.stem_of(word)

    def match_labels(self, kind: str, words: Sequence[str], *, limit: int = 6) -> tuple[LabelMatch, ...]:
        """Return the classes (``kind`` "class") or predicates ("predicate") that these words name, best first."""
        scores = self._match_words(kind, words)
        for variant, weight in self._abbreviated(words):
            for iri, score in self._match_words(kind, variant).items():
                scores[iri] = max(scores.get(iri, 0.0), weight * score)
        best = sorted(scores.items(), key=lambda item: (-item[1], -self.frequencies[item[0]], item[0]))
        return tuple(LabelMatch(iri, score) for iri, score in best[:limit])

    def _abbreviated(self, words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield the words with abbreviations of the labels instead of some of them, each with a weight (0..1)."""
        choices = [[(word, 1.0), *self._abbreviations_of(word)] for word in words]
        if len(words) == 1:
            synonyms = self.language.morphology.synonymous_words(words[0])
            others = (other for other in synonyms if _share_kind(words[0], other))
            related = (each for other in others for each in self._abbreviations_of(other))
            choices[0] += [(short, RELATED_WORD_SCORE * weight) for short, weight in related]
        for variant in islice(product(*choices), 1, MAX_VARIANTS + 1):
            yield tuple(word for word, _ in variant), min(weight for _, weight in variant)
        if len(words) > 1 and initials(words) in self.abbreviations and _AUXILIARIES.isdisjoint(words):
            yield (initials(words),), RELATED_WORD_SCORE

    def _abbreviations_of(self, word: str) -> Iterator[tuple[str, float]]:
        weighted = ((short, abbreviation_weight(short, word)) for short in self.abbreviations)
        return ((short, weight) for short, weight in weighted if weight)

    def _match_words(self, kind: str, words: Sequence[str]) -> dict[str, float]:
        stems = frozenset(self.stem_of(word) for word in words)
        if len(stems) < len(words):
            return {}
        morphology = self.language.morphology
        lemmas = frozenset(morphology.lemma_of(word) for word in words)
        text = " ".join(words)
        scores: dict[str, float] = {}
        for iri in self.by_label_stems[kind].get(stems, ()):
            exact = any(text == label for label in self.labels[iri])
            is_plural = any(singular_key(text) == singular_key(label) for label in self.labels[iri])
            if exact or is_plural or kind == "predicate" or lemmas in self.lemmas_of(iri):
                scores[iri] = 1.0 if exact else STEM_MATCH_SCORE
        if len(stems) == 1:
            near_words = morphology.synonymous_words if kind == "class" else morphology.related_words
            for related in sorted(near_words(words[0])):
                for iri in self.by_label_stems[kind].get(frozenset((self.stem_of(related),)), ()):
                    is_alike = frozenset((related,)) in self.lemmas_of(iri) and _share_kind(words[0], related)
                    if kind == "predicate" or is_alike:
                        scores.setdefault(iri, RELATED_WORD_SCORE)
        return scores or self._partly(kind, stems)

    def lemmas_of(self, iri: str) -> tuple[frozenset[str], ...]:
        """Return the dictionary forms of each label of a class or predicate, without function words."""
        left_out, lemma_in = (
            self.language.label_words,
            self.language.morphology.lemma_of,
        )
        return tuple(frozenset(lemma_in(w) for w in label.split() if w not in left_out) for label in self.labels[iri])

    def _partly(self, kind: str, stems: frozenset[str]) -> dict[str, float]:
        """Return the labels that hold all the words and more; for a class, its head must be among the words."""
        scores: dict[str, float] = {}
        for iri in self.by_stem[kind].get(min(stems), ()):
            for label, text in zip(self.label_stems[iri], self.labels[iri], strict=True):
                is_called = iri in self.called and self.stem_of(text.split()[-1]) in stems
                if not stems < label or kind == "class" and not (is_called or self._holds_head(text, stems)):
                    continue
                has_generic_head = label - stems <= _GENERIC_HEADS | _RECORD_HEADS and kind == "class"
                part_score = PART_SCORE + PART_SHARE_WEIGHT * len(stems) / len(label)
                part_score = _GENERIC_HEAD_SCORE if has_generic_head else part_score
                part_score = STEM_MATCH_SCORE if is_called and len(stems) == 1 else part_score
                words = text.split()
                is_moment = label - stems == {self.stem_of(words[-1])} & _MOMENTS and PREPOSITIONS.isdisjoint(words)
                if kind == "predicate" and is_moment:
                    part_score = _UNIQUE_PART_SCORE
                scores[iri] = max(scores.get(iri, 0.0), part_score)
        if kind == "class" and not scores and len(stems) > 1:
            scores = dict.fromkeys(self._begun_by(stems), _UNIQUE_PART_SCORE)
        if kind == "class" and len(scores) == 1:
            return {iri: max(score, _UNIQUE_PART_SCORE) for iri, score in scores.items()}
        return scores

    def _begun_by(self, stems: frozenset[str]) -> Iterator[str]:
        """Yield the classes whose labels are some words and one more ("night bus": night bus line)."""
        for iri in self.by_stem["class"].get(min(stems), ()):
            for label in self.labels[iri]:
                *first, _ = label.split()
                if len(first) == len(stems) and stems == {self.stem_of(word) for word in first}:
                    yield iri

    def score_by_words(self, kind: str, words: Iterable[str]) -> dict[str, float]:
        """Return the similarity (0..1) of each class or predicate to the words of a question, without zeros."""
        stem_weights: dict[str, float] = {}
        for word in words:
            quantities = (self.stem_of(part) for noun, _ in quantities_of(word) for part in split_label(noun))
            weights = dict.fromkeys(quantities, QUANTITY_NOUN_WEIGHT)
            related = map(self.stem_of, self.language.morphology.related_words(word))
            weights |= dict.fromkeys(related, RELATED_STEM_WEIGHT) | {self.stem_of(word): 1.0}
            for stem, weight in weights.items():
                stem_weights[stem] = max(weight, stem_weights.get(stem, 0.0))
        scores: dict[str, float] = {}
        for token in stem_weights:
            for iri in self.by_stem[kind].get(token, ()):
                fit = max(sum(stem_weights.get(s, 0.0) for s in label) / len(label) for label in self.label_stems[iri])
                scores[iri] = max(scores.get(iri, 0.0), fit)
        return scores

    def _holds_head(self, label: str, stems: frozenset[str]) -> bool:
        """Tell whether stems hold the head of a label: its last word, or that before "of" or before a generic head."""
        head = label.split(" of ")[0].split()
        while len(head) > 1 and self.stem_of(head[-1]) in _GENERIC_HEADS:
            head = head[:-1]
        is_record = len(head) > 1 and self.stem_of(head[-1]) in _RECORD_HEADS
        return self.stem_of(head[-1]) in stems or is_record and self.stem_of(head[-2]) in stems


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
    lexicon = _build_lexicon(vocabulary, language)
    _CACHE.append((vocabulary, lexicon))
    del _CACHE[:-CACHE_SIZE]
    return lexicon


def _build_lexicon(vocabulary: Vocabulary, language: QuestionLanguage) -> LabelLexicon:
    kinds = ("class", "predicate")
    lexicon = LabelLexicon(
        {kind: defaultdict(list) for kind in kinds},
        {kind: defaultdict(list) for kind in kinds},
        called=_find_called(vocabulary),
        language=language,
    )
    tag = language.tag
    entries = [("class", e.iri, e.names_in(tag), e.instance_count) for e in vocabulary.classes.values()]
    entries += [("predicate", e.iri, e.names_in(tag), e.triple_count) for e in vocabulary.predicates.values()]
    for kind, iri, names, count in entries:
        texts = (" ".join(_label_words(text, language)) for text in (*names, local_name(iri)))
        lexicon.labels[iri] = labels = tuple(dict.fromkeys(text for text in texts if text))
        lexicon.label_stems[iri] = tuple(frozenset(language.morphology.stems_of(text)) for text in labels)
        lexicon.frequencies[iri] = count
        for text in labels if kind == "predicate" else ():
            if text.split()[0] in PREPOSITIONS and " " in text:
                lexicon.prepositional[text].append(iri)
        for label_stems in dict.fromkeys(lexicon.label_stems[iri]):
            lexicon.by_label_stems[kind][label_stems].append(iri)
        for stem in sorted(frozenset().union(*lexicon.label_stems[iri])):
            lexicon.by_stem[kind][stem].append(iri)
    if language.has_words("abbreviations"):
        words = {word for labels in lexicon.labels.values() for label in labels for word in label.split()}
        lexicon.abbreviations = tuple(sorted(filter(is_abbreviation, words)))
    return lexicon


def _find_called(vocabulary: Vocabulary) -> frozenset[str]:
    """Return the classes that a column which leads to them calls by their head (``copy_no``: BOOK_COPY)."""
    columns = [e for e in vocabulary.predicates.values() if len(e.ranges) == 1 and e.ranges[0] in vocabulary.classes]
    heads = {column.iri: vocabulary.classes[column.ranges[0]].label.split()[-1] for column in columns}
    return frozenset(c.ranges[0] for c in columns if heads[c.iri].lower() in map(str.lower, c.names_in("")))


def _label_words(text: str, language: QuestionLanguage) -> tuple[str, ...]:
    """Return the words of a label without a unit at its end."""
    words = language.morphology.split_label(text)[:_MAX_LABEL_WORDS]
    return words[:-1] if len(words) > 1 and words[-1] in unit_forms("ending") else words


def is_unknown_word(word: str, morphology: Morphology) -> bool:
    """Tell whether the dictionary of a language lacks a word: misspelt, or a rare name."""
    return word.isalpha() and len(word) >= MIN_WORD_LETTERS and not morphology.is_word(word)


def correct_spelling(word: str, lexicon: LabelLexicon) -> str:
    """Return the word of the labels that a misspelt word stands for, or the word itself."""
    morphology = lexicon.language.morphology
    usual = morphology.correct_spelling(word)
    return _corrector(lexicon)(usual) if is_unknown_word(usual, morphology) else usual


@lru_cache(maxsize=CACHE_SIZE)
def _corrector(lexicon: LabelLexicon) -> Callable[[str], str]:
    """Return the corrector of a lexicon."""
    label_words = {word for labels in lexicon.labels.values() for label in labels for word in label.split()}
    words = frozenset(word for word in label_words if len(word) >= MIN_WORD_LETTERS)

    @lru_cache(maxsize=_MAX_CACHED_WORDS)
    def corrected(word: str) -> str:
        if word in words:
            return word
        correction = _nearest(word, words)
        if not correction and word.endswith("s"):
            singular = _nearest(word[:-1], words)
            correction = f"{singular}s" if singular else ""
        return correction or word

    return corrected


def _nearest(word: str, words: Collection[str]) -> str:
    """Return the nearest of many words, "" if none is similar.

    The ratio of rapidfuzz is fast and never below that of difflib, so that it selects the words to compare.
    """
    similar = process.extract(word, words, scorer=fuzz.ratio, score_cutoff=100 * MIN_SPELLING_RATIO - 0.01, limit=None)
    closest = get_close_matches(word, [known for known, _, _ in similar], 1, MIN_SPELLING_RATIO)
    return closest[0] if closest else ""

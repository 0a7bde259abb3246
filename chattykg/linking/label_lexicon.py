"""The words of a vocabulary: which classes and predicates a few words of a question name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.morphology import (
    RELATED_STEMS,
    label_stems_of,
    lemma_of,
    lemma_stem_of,
    quantities_of,
    related_stems,
    split_label,
)
from chattyshared.language.quantities import unit_forms

from chattykg.linking.predicate_comments import extract_comment_nouns

_KEPT = 4
_SORTS = frozenset(lemma_stem_of(word) for word in "species type kind entity item record object instance".split())
"""Nouns that a label may end with and that nobody says ("bird species")."""
_SORTED = 0.9
_ONLY = 0.8
"""What the head of a class's label is worth that no other class has ("departments": MedicalDepartment)."""
COMMENT_SCORE = 0.78
"""What a name is worth that only a predicate's comment gives."""


@dataclass(frozen=True, slots=True)
class LabelMatch:
    """A class or predicate that words name: how well (1: its whole label; under 0.75: a part of it)."""

    iri: str
    score: float


@dataclass(slots=True)
class LabelLexicon:
    """Labels of classes and predicates by their stems."""

    by_label_stems: dict[str, dict[frozenset[str], list[str]]] = field(default_factory=dict)
    by_stem: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    label_stems: dict[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)
    frequencies: dict[str, int] = field(default_factory=dict)
    by_comment_noun: dict[str, dict[frozenset[str], list[str]]] = field(default_factory=dict)

    def match_labels(self, kind: str, words: Sequence[str], *, limit: int = 6) -> tuple[LabelMatch, ...]:
        """Return the classes (``kind`` "class") or predicates ("predicate") that these words name, best first."""
        wanted = frozenset(lemma_stem_of(word) for word in words)
        if len(wanted) < len(words):
            return ()
        lemmas = frozenset(lemma_of(word) for word in words)
        spoken = " ".join(words)
        found: dict[str, float] = {}
        for iri in self.by_label_stems[kind].get(wanted, ()):
            exact = any(spoken == label for label in self.labels[iri])
            if exact or kind == "predicate" or lemmas in self.lemmas_of(iri):
                found[iri] = 1.0 if exact else 0.95
        if len(wanted) == 1:
            for relative in sorted(RELATED_STEMS.get(next(iter(wanted)), ())):
                for iri in self.by_label_stems[kind].get(frozenset((relative,)), ()):
                    found.setdefault(iri, 0.8)
        if not found:
            found = self._partly(kind, wanted)
        if not found and not any(wanted in self.by_label_stems[other] for other in self.by_label_stems):
            found = dict.fromkeys(self.by_comment_noun[kind].get(lemmas, ()), COMMENT_SCORE)
        best = sorted(found.items(), key=lambda item: (-item[1], -self.frequencies[item[0]], item[0]))
        return tuple(LabelMatch(iri, score) for iri, score in best[:limit])

    def lemmas_of(self, iri: str) -> tuple[frozenset[str], ...]:
        """Return the dictionary forms of each label of a class or predicate."""
        return tuple(frozenset(lemma_of(word) for word in label.split()) for label in self.labels[iri])

    def _partly(self, kind: str, wanted: frozenset[str]) -> dict[str, float]:
        """Find labels that hold all the words and more: for a class its last word must be among them."""
        found: dict[str, float] = {}
        for iri in self.by_stem[kind].get(min(wanted), ()):
            for label, said in zip(self.label_stems[iri], self.labels[iri], strict=True):
                if not wanted < label or (kind == "class" and not _is_head(said, wanted)):
                    continue
                sorted_ = label - wanted <= _SORTS and kind == "class"
                found[iri] = max(found.get(iri, 0.0), _SORTED if sorted_ else 0.4 + 0.35 * len(wanted) / len(label))
        if kind == "class" and len(found) == 1:
            return {iri: max(score, _ONLY) for iri, score in found.items()}
        return found

    def score_by_words(self, kind: str, words: Iterable[str]) -> dict[str, float]:
        """Return how near each class or predicate is to a question's words (0..1), those above 0 only."""
        said: dict[str, float] = {}
        for word in words:
            for relative in related_stems(word):
                said[relative] = max(said.get(relative, 0.0), 1.0 if relative == lemma_stem_of(word) else 0.7)
            for noun, _ in quantities_of(word):
                for part in split_label(noun):
                    said[lemma_stem_of(part)] = max(said.get(lemma_stem_of(part), 0.0), 0.6)
        found: dict[str, float] = {}
        for token in said:
            for iri in self.by_stem[kind].get(token, ()):
                fit = max(sum(said.get(s, 0.0) for s in label) / len(label) for label in self.label_stems[iri])
                found[iri] = max(found.get(iri, 0.0), fit)
        return found


_CACHE: list[tuple[Vocabulary, LabelLexicon]] = []


def lexicon_of(vocabulary: Vocabulary) -> LabelLexicon:
    """Return the lexicon of a vocabulary; the last few are kept."""
    for known, made in _CACHE:
        if known is vocabulary:
            return made
    made = _make(vocabulary)
    _CACHE.append((vocabulary, made))
    del _CACHE[:-_KEPT]
    return made


def _make(vocabulary: Vocabulary) -> LabelLexicon:
    made = LabelLexicon()
    entries = [("class", e.iri, e.label, e.alt_labels, e.instance_count) for e in vocabulary.classes.values()]
    entries += [("predicate", e.iri, e.label, e.alt_labels, e.triple_count) for e in vocabulary.predicates.values()]
    whole: dict[str, dict[frozenset[str], list[str]]] = {kind: defaultdict(list) for kind in ("class", "predicate")}
    by_stem: dict[str, dict[str, list[str]]] = {kind: defaultdict(list) for kind in ("class", "predicate")}
    for kind, iri, label, alt, count in entries:
        said = tuple(dict.fromkeys(" ".join(_plain(text)) for text in (label, *alt, _local(iri)) if _plain(text)))
        if not said:
            continue
        made.labels[iri] = said
        made.label_stems[iri] = tuple(frozenset(label_stems_of(text)) for text in said)
        made.frequencies[iri] = count
        for label_stems in dict.fromkeys(made.label_stems[iri]):
            whole[kind][label_stems].append(iri)
        for token in sorted({s for label_stems in made.label_stems[iri] for s in label_stems}):
            by_stem[kind][token].append(iri)
    made.by_label_stems, made.by_stem, made.by_comment_noun = whole, by_stem, _glossed(vocabulary)
    return made


def _glossed(vocabulary: Vocabulary) -> dict[str, dict[frozenset[str], list[str]]]:
    """Read what comments call the objects of predicates: the classes there, or the predicate of literals itself."""
    found: dict[str, dict[frozenset[str], list[str]]] = {"class": {}, "predicate": {}}
    for entry in vocabulary.predicates.values():
        said = extract_comment_nouns(entry.comment) if entry.comment and not entry.is_metadata else None
        for noun in (*said.object_nouns, *said.counted_nouns) if said else ():
            kind = "predicate" if entry.object_kind == "literal" else "class"
            listed = found[kind].setdefault(frozenset(lemma_of(word) for word in noun.split()), [])
            meant = (entry.iri,) if kind == "predicate" else entry.ranges
            listed += [iri for iri in meant if iri not in listed]
    return found


def _plain(text: str) -> tuple[str, ...]:
    """Return a label's words without units at its end."""
    words = split_label(text)[:12]
    return words[:-1] if len(words) > 1 and words[-1] in unit_forms("ending") else words


def _is_head(label: str, wanted: frozenset[str]) -> bool:
    """Tell whether words hold the head of a label: its last word, or the one before "of", or before "species"."""
    head = label.split(" of ")[0].split()
    while len(head) > 1 and lemma_stem_of(head[-1]) in _SORTS:
        head = head[:-1]
    return lemma_stem_of(head[-1]) in wanted


def _local(iri: str) -> str:
    return iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]

"""Expected answer types of the unknowns of a question, from question words, shape, filters and classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.languages import FURTHER_TAGS, language_of, load_language
from chattyshared.language.lexicon import alternation, known_words, load_lexicon, word_set
from chattyshared.language.morphology import analyze_phrase, head_lemma_of, lemma_of, lemma_stem_of
from chattyshared.language.quantities import unit_names
from chattyshared.language.wordnet import noun_kinds
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, iri_to_words

from chattykg.qir import MEAN, QIR, is_unknown

ExpectedType = Literal["", "person", "place", "date", "number", "measure"]
"""A measure can be compared: a number or a date."""

CACHE_SIZE = 20_000
"""Predicates of which is kept what their values are."""

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
GOOD_FIT, UNKNOWN_CLASS_FIT, LITERAL_FIT = 0.95, 0.93, 0.85
"""Fits (0..1) of what its name alone tells, of a thing of unknown class, and of a text where a thing is expected."""
OTHER_CLASS_FIT, POOR_FIT, WRONG_FIT = 0.75, 0.45, 0.15
"""Fits (0..1) of a thing of another class, of another kind of value, and of a number or date where a thing is
expected."""
_MAX_CLASSES_READ = 4
"""Classes of one end that are compared with the expected type."""

TRUTH_WORDS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"))
BIT_WORDS = ("1", "0")
"""How graphs write true and false; bits also are numbers."""
_FLAG_WORDS = frozenset("is has was can flag indicator does".split())
"""Words in the name of a predicate whose bits are truth values."""
_MEASURES = ("date", "number", "measure")
_NOUN_KINDS = {
    "agent": (2, frozenset(("person", "group", "animal", "artifact", "location"))),
    "bearer": (2, frozenset(("person", "group", "animal"))),
    "place": (1, frozenset(("location", "artifact", "object", "group", "body", "quantity"))),
}
"""Senses of a noun that are read, commonest first, and the kinds of WordNet's nouns that may stand for a person or an
institution that acts, for who has a measure, and for a place."""

_TYPE_LISTS = {"person": ("person", "agents"), "place": ("place", "further_places")}
_TYPE_LEMMAS: Mapping[str, frozenset[str]] = {
    kind: frozenset(lemma_of(word) for word in word_set("answer_types", *_TYPE_LISTS.get(kind, (kind,))))
    for kind in ("person", "place", "date", "number")
}


def expected_answer_type(question: str, qir: QIR) -> ExpectedType:
    """Return the type that the first question word asks for, unless the shape gives it."""
    if qir.shape == "date":
        return "date"
    if qir.shape in ("number", "count"):
        return "number"
    if qir.shape in ("boolean", "table"):
        return ""  # the question word may refer to any of several columns
    kind = _first_asked_type(question)
    has_class = any(unknown == qir.target for unknown, _ in qir.classes)
    return "" if has_class and kind in ("person", "place") else kind


@lru_cache(maxsize=1_000)
def _first_asked_type(question: str) -> ExpectedType:
    """Return the type that the first question word asks for; many readings of a question ask for it."""
    matches: list[tuple[int, ExpectedType]] = []
    for pattern, kind in _question_patterns(language_of(question).name):
        match = re.search(pattern, question, flags=re.IGNORECASE)
        if match:
            matches.append((match.start(), kind))
    return min(matches, default=(0, ""))[1]


@cache
def _question_patterns(language: str) -> Sequence[tuple[str, ExpectedType]]:
    """Return the expressions for the question words of a language, each with the type that it asks for."""
    units, table = alternation(sorted(set(unit_names().values()))), load_lexicon("answer_types", language)["patterns"]
    return tuple((pattern.replace("UNITS", units), kind) for kind, patterns in table.items() for pattern in patterns)


@cache
def _type_lemmas(kind: ExpectedType) -> frozenset[str]:
    """Return the nouns for a type in the labels of classes, in any language."""
    others = (load_language(tag).name for tag in FURTHER_TAGS)
    return _TYPE_LEMMAS[kind].union(*(known_words("answer_types", kind, language=name) for name in others))


def expected_types(question: str, qir: QIR) -> Mapping[str, ExpectedType]:
    """Return the expected type of each unknown that has one."""
    types: dict[str, ExpectedType] = {}
    for condition in qir.filters:
        if re.fullmatch(r"-?\d+([.,]\d+)?", condition.value) and condition.operator not in ("contains", "starts"):
            types[condition.unknown] = "measure" if is_year(condition.value) else "number"
        elif re.fullmatch(r"\d{4}-\d\d(-\d\d)?", condition.value):
            types[condition.unknown] = "date"
        elif condition.value == MEAN:
            types[condition.unknown] = "number"
        elif is_unknown(condition.value):
            types |= {condition.unknown: "measure", condition.value: "measure"}
    if qir.aggregate in ("sum", "avg"):
        types[qir.target] = "number"
    elif qir.target:
        types[qir.target] = types.get(qir.target) or expected_answer_type(question, qir)
    if qir.order and not qir.order.count and qir.order.by != qir.target:
        types[qir.order.by] = "measure"
    return {unknown: kind for unknown, kind in types.items() if kind}


def is_year(text: str) -> bool:
    """Tell whether a text may be a year."""
    return bool(re.fullmatch(r"[12]\d{3}", text))


def object_type_fit(kind: ExpectedType, entry: PredicateEntry, vocabulary: Vocabulary) -> float:
    """Return how well the objects of a predicate fit the expected type (0..1)."""
    is_literal = entry.object_kind == "literal"
    if kind == "measure":
        return max(object_type_fit("date", entry, vocabulary), object_type_fit("number", entry, vocabulary))
    if kind in ("date", "number"):
        is_stated = is_date_predicate(entry) if kind == "date" else is_numeric_predicate(entry)
        is_other = not is_literal or kind == "number" and is_date_predicate(entry)
        is_named = not _TYPE_LEMMAS[kind].isdisjoint(analyze_phrase(entry.label).content_lemmas)
        if kind == "date" and not is_literal and are_time_classes(entry.ranges, vocabulary):
            return GOOD_FIT
        return POOR_FIT if is_other else 1.0 if is_stated else LITERAL_FIT if is_named else POOR_FIT
    if is_literal:
        is_measured = is_numeric_predicate(entry) or is_date_predicate(entry)
        return WRONG_FIT if entry.datatypes and is_measured else LITERAL_FIT
    return class_type_fit(kind, entry.ranges, vocabulary)


def are_time_classes(classes: Iterable[str], vocabulary: Vocabulary) -> bool:
    """Tell whether one of the classes is a period of time such as month or season: "when" may ask for it."""
    entries = [vocabulary.classes.get(iri) for iri in classes]
    return any(entry is not None and analyze_phrase(entry.label).stems & _TIME_STEMS for entry in entries)


def class_type_fit(kind: ExpectedType, classes: Iterable[str], vocabulary: Vocabulary) -> float:
    """Return how well entities of the classes fit the expected type (0..1); `UNKNOWN_CLASS_FIT` without classes."""
    iris = tuple(classes)[:_MAX_CLASSES_READ]
    if not iris or kind in _MEASURES:
        return POOR_FIT if iris else UNKNOWN_CLASS_FIT
    best = OTHER_CLASS_FIT
    for iri in (above for each in iris for above in sorted(vocabulary.superclasses(each))):
        entry = vocabulary.classes.get(iri)
        name = analyze_phrase(entry.label if entry else iri_to_words(iri))
        if not _type_lemmas(kind).isdisjoint(name.content_lemmas):
            return 1.0
        if kind == "person" and noun_kinds(name.content_lemmas[-1] if name.words else "")[:1] == ("person",):
            best = GOOD_FIT
    return best


def may_be_of_kind(kind: str, classes: Iterable[str], vocabulary: Vocabulary) -> bool:
    """Tell whether things of some classes may be agents or places, as WordNet tells."""
    entries = [vocabulary.classes.get(iri) for iri in classes] if kind in _NOUN_KINDS else []
    found = [noun_kinds(head_lemma_of(entry.label)) if entry else () for entry in entries]
    if not found or not all(found):
        return True
    senses, kinds = _NOUN_KINDS[kind]
    return any(not kinds.isdisjoint(each[:senses]) for each in found)


@lru_cache(maxsize=CACHE_SIZE)
def is_numeric_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the objects of a predicate are numbers, also if they are stated as text."""
    if any(datatype in _NUMERIC for datatype in entry.datatypes):
        return True
    if entry.text_reading is not None:
        return entry.text_reading in ("text number", "duration")
    return entry.object_kind != "iri" and bool(re.fullmatch(r"-?\d+([.,]\d+)*", entry.example[1].strip()))


@lru_cache(maxsize=CACHE_SIZE)
def truth_values(entry: PredicateEntry | None) -> tuple[str, str] | None:
    """Return how the graph writes true and false as values of a predicate; None if it has other values."""
    if entry is None or entry.object_kind == "iri":
        return None
    if any(name.endswith("#boolean") for name in entry.datatypes):
        return TRUTH_WORDS[0]
    names = {word for label in (entry.label, *entry.alt_labels) for word in label.casefold().split()}
    if entry.has_all_values and frozenset(entry.values) == frozenset(BIT_WORDS) and names & _FLAG_WORDS:
        return BIT_WORDS
    value = entry.example[1].strip().lower()
    return next((pair for pair in TRUTH_WORDS if value in pair), None)


def translate_truth(value: str, truths: tuple[str, str]) -> str:
    """Return a truth value as a predicate writes it, another value as it is."""
    word = value.casefold()
    return next((truths[pair.index(word)] for pair in (*TRUTH_WORDS, BIT_WORDS) if word in pair), value)


def is_date_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the objects of a predicate are dates or years, also if they are stated as text."""
    return entry.text_reading == "mixed date" or any(datatype in _DATES for datatype in entry.datatypes)


def is_mostly_numeric_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the most frequent datatype of a predicate is numeric."""
    return bool(entry.datatypes) and entry.datatypes[0] in _NUMERIC


def is_year_predicate(entry: PredicateEntry | None) -> bool:
    """Tell whether the objects of a predicate are years, which do not compare with days."""
    return entry is not None and bool(entry.datatypes) and all(name.endswith("#gYear") for name in entry.datatypes)


_TIME_STEMS = frozenset(lemma_stem_of(word) for word in word_set("answer_types", "periods"))
_NUMERIC = frozenset(str(datatype) for datatype in NUMERIC_DATATYPES)
_DATES = frozenset(str(datatype) for datatype in DATE_DATATYPES)

"""What kind of thing each unknown of a question must be: told by question words, shape, filters and classes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.language.lexicon import word_list
from chattyshared.language.morphology import analyze_phrase, stem_of
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, iri_to_words

from chattykg.qir import MEAN, QIR, is_unknown

ExpectedType = Literal["", "person", "place", "date", "number", "measure"]
"""A measure is what can be compared: a number or a date."""

_MEASURES = ("date", "number", "measure")

_STEMS: Mapping[str, frozenset[str]] = {
    kind: frozenset(stem_of(word) for word in word_list("answer_types", kind))
    for kind in ("person", "place", "date", "number")
}
_AGENTIVE = ("er", "or", "ist", "ian", "man", "ee", "ers", "ors", "ists", "ians")
"""How English names for people who do something often end."""

_PATTERNS: tuple[tuple[str, ExpectedType], ...] = (
    (r"\b(who|whom|whose)\b", "person"),
    (r"\bwhere\b|\b(in|from|at) (which|what) (place|location|city|country|town|state|region)\b", "place"),
    (r"\b(when|what date|which date|(in |since )?(what|which) (year|month|day))\b", "date"),
    (r"^(\W*(?!no\b)\w+){0,6}\W*\bdate of\b", "date"),
    (r"\bhow (many|much|old|tall|high|long|big|large|deep|wide|heavy|far|fast|expensive|often)\b", "number"),
)


def expected_answer_type(question: str, qir: QIR) -> ExpectedType:
    """Return what the question's first question word asks for, unless the shape says it already."""
    if qir.shape == "date":
        return "date"
    if qir.shape in ("number", "count"):
        return "number"
    if qir.shape in ("boolean", "table"):
        return ""  # of several columns the question word speaks of any
    found: list[tuple[int, ExpectedType]] = []
    for pattern, kind in _PATTERNS:
        match = re.search(pattern, question, flags=re.IGNORECASE)
        if match:
            found.append((match.start(), kind))
    first = min(found, default=(0, ""))
    named = any(unknown == qir.target for unknown, _ in qir.classes)
    return "" if named and first[1] in ("person", "place") else first[1]


def expected_types(question: str, qir: QIR) -> Mapping[str, ExpectedType]:
    """Return what is expected of each unknown of which anything is expected."""
    found: dict[str, ExpectedType] = {}
    for condition in qir.filters:
        if re.fullmatch(r"-?\d+([.,]\d+)?", condition.value) and condition.operator not in ("contains", "starts"):
            found[condition.unknown] = "measure" if is_year(condition.value) else "number"
        elif re.fullmatch(r"\d{4}-\d\d(-\d\d)?", condition.value):
            found[condition.unknown] = "date"
        elif condition.value == MEAN:
            found[condition.unknown] = "number"
        elif is_unknown(condition.value):
            found |= {condition.unknown: "measure", condition.value: "measure"}
    if qir.aggregate in ("sum", "avg"):
        found[qir.target] = "number"
    elif qir.target:
        found[qir.target] = found.get(qir.target) or expected_answer_type(question, qir)
    if qir.order and not qir.order.count and qir.order.by != qir.target:
        found[qir.order.by] = "measure"
    return {unknown: kind for unknown, kind in found.items() if kind}


def is_year(text: str) -> bool:
    """Tell whether a text may be a year."""
    return bool(re.fullmatch(r"[12]\d{3}", text))


def object_type_fit(kind: ExpectedType, entry: PredicateEntry, vocabulary: Vocabulary) -> float:
    """Return how well the objects of a predicate fit what is expected (0..1)."""
    if kind == "date" and entry.object_kind == "iri" and _is_of_time(entry.ranges, vocabulary):
        return _TIMED
    if kind in _MEASURES:
        return _literal_fit(kind, entry)
    if entry.object_kind == "literal":
        return 0.85 if not entry.datatypes or not _is_measured(entry) else 0.5
    return class_type_fit(kind, entry.ranges, vocabulary)


def _is_of_time(classes: Iterable[str], vocabulary: Vocabulary) -> bool:
    """Tell whether classes are such as months and seasons: "when" may ask for them."""
    entries = [vocabulary.classes.get(iri) for iri in classes]
    return any(entry is not None and analyze_phrase(entry.label).stems & _TIMES for entry in entries)


def class_type_fit(kind: ExpectedType, classes: Iterable[str], vocabulary: Vocabulary) -> float:
    """Return how well entities of some classes fit what is expected (0..1); nothing known is nearly a fit."""
    listed = tuple(classes)
    if not listed:
        return 0.93
    if kind in _MEASURES:
        return 0.5
    best = 0.75
    for iri in listed[:4]:
        for above in sorted(vocabulary.superclasses(iri)):
            entry = vocabulary.classes.get(above)
            name = analyze_phrase(entry.label if entry else iri_to_words(above))
            if name.stems & _STEMS[kind]:
                return 1.0
            if kind == "person" and name.words and name.words[-1].endswith(_AGENTIVE):
                best = 0.92
    return best


def is_numeric_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the objects of a predicate are numbers, be it as text."""
    if any(datatype in _NUMERIC for datatype in entry.datatypes):
        return True
    return entry.object_kind != "iri" and bool(re.fullmatch(r"-?\d+([.,]\d+)*", entry.example[1].strip()))


def is_date_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the objects of a predicate are dates or years."""
    return any(datatype in _DATES for datatype in entry.datatypes)


def is_mostly_numeric_predicate(entry: PredicateEntry) -> bool:
    """Tell whether the most frequent datatype of a predicate is numeric."""
    return bool(entry.datatypes) and entry.datatypes[0] in _NUMERIC


def is_year_predicate(entry: PredicateEntry | None) -> bool:
    """Tell whether the objects of a predicate are years: no day can be compared with them."""
    return entry is not None and bool(entry.datatypes) and all(name.endswith("#gYear") for name in entry.datatypes)


_TIMED = 0.9
_TIMES = frozenset(stem_of(word) for word in word_list("answer_types", "periods"))
_NUMERIC = frozenset(str(datatype) for datatype in NUMERIC_DATATYPES)
_DATES = frozenset(str(datatype) for datatype in DATE_DATATYPES)


def _is_measured(entry: PredicateEntry) -> bool:
    return is_numeric_predicate(entry) or is_date_predicate(entry)


def _literal_fit(kind: ExpectedType, entry: PredicateEntry) -> float:
    if kind == "measure":
        return max(_literal_fit("date", entry), _literal_fit("number", entry))
    named = bool(analyze_phrase(entry.label).stems & _STEMS[kind])
    if entry.object_kind == "iri":
        return 0.35 if kind == "date" else 0.55
    if kind == "date":
        return 1.0 if is_date_predicate(entry) else 0.95 if named else 0.5
    if is_date_predicate(entry):
        return 0.45
    return 1.0 if is_numeric_predicate(entry) else 0.8 if named else 0.5

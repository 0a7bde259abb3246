"""The words that people say for the classes and predicates of a KG; names of columns that nobody says have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rdflib import URIRef

from chattyshared.kg.column_names import KEY_MARKS, phrase_in_comment, spell_out_column
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.abbreviations import is_abbreviation, is_sayable, names_mark
from chattyshared.language.morphology import split_label
from chattyshared.language.wordnet import has_sense, is_verb, related_forms
from chattyshared.terms import NUMERIC_DATATYPES

_MIN_LETTERS = 5
"""Letters of the words that tell the language of a vocabulary; shorter ones may be abbreviations; set by hand."""
_MIN_WORDS = 5
"""Such words that a vocabulary must have before it counts as one in another language; set by hand."""
_MIN_ENGLISH_SHARE = 0.5
"""Share, 0..1, of such words that the dictionaries know in a vocabulary in English; set by hand."""
_KEY_ENDINGS = [[mark] for mark in KEY_MARKS]
EntryT = TypeVar("EntryT", ClassEntry, PredicateEntry)
_ACTION_ENDINGS = ("ion", "ment", "ance", "ence")


def spell_out_names(vocabulary: Vocabulary, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the words that people say for each class and predicate; "" where the KG does not tell them.

    That is the label, else an alternative label, else the label with its abbreviations expanded by the words of its
    comment or of the whole vocabulary. ``languages`` are the tags of the KG, best first: in other languages than
    English, each label stays.
    """
    entries: list[ClassEntry | PredicateEntry] = [*vocabulary.classes.values(), *vocabulary.predicates.values()]
    if not _is_english(entries, languages):
        return {entry.iri: entry.label for entry in entries}
    texts = tuple(text for entry in entries for text in (entry.label, *entry.alt_labels, entry.comment))
    names = {entry.iri: next(filter(is_sayable, _candidate_names(entry, texts)), "") for entry in entries}
    for entry in vocabulary.predicates.values():
        if names_mark(entry.label):
            names[entry.iri] = ""
        elif names[entry.iri] != entry.label and _is_taken(entry, names, vocabulary):
            names[entry.iri] = ""
    return names


def add_spoken_names(vocabulary: Vocabulary, languages: Sequence[str]) -> Vocabulary:
    """Return the vocabulary with the words that people say among the alternative labels, so that they are linked."""
    names = spell_out_names(vocabulary, languages)
    classes = {iri: _with_name(entry, names[iri]) for iri, entry in vocabulary.classes.items()}
    predicates = {iri: _with_name(entry, names[iri]) for iri, entry in vocabulary.predicates.items()}
    return Vocabulary(classes, predicates, vocabulary.languages)


def _with_name(entry: EntryT, name: str) -> EntryT:
    is_new = name and name not in (entry.label, *entry.alt_labels)
    return replace(entry, alt_labels=(*entry.alt_labels, name)) if is_new else entry


def _is_english(entries: Sequence[ClassEntry | PredicateEntry], languages: Sequence[str]) -> bool:
    """Tell whether the labels are in English: by the first tag, else by the words of the labels."""
    tag = next(filter(None, languages), "")
    if tag:
        return tag.partition("-")[0].casefold() == "en"
    words = {word for entry in entries for word in split_label(entry.label) if len(word) >= _MIN_LETTERS}
    known = sum(not is_abbreviation(word) for word in words)
    return len(words) < _MIN_WORDS or known >= _MIN_ENGLISH_SHARE * len(words)


def _candidate_names(entry: ClassEntry | PredicateEntry, texts: Sequence[str]) -> Iterator[str]:
    """Yield names of an entry, best first: its labels, those without the mark of a key before others."""
    if isinstance(entry, PredicateEntry) and NUMERIC_DATATYPES & {*map(URIRef, entry.datatypes)}:
        yield from _name_measure(entry.label)
    yield entry.label
    names = (entry.label, *sorted(entry.alt_labels, key=lambda name: name.lower().split()[-1:] in _KEY_ENDINGS))
    words = tuple(dict.fromkeys(name.lower() if entry.label.isupper() else name for name in names))
    yield phrase_in_comment(entry.label.lower(), entry.comment)
    yield from words
    yield from (spell_out_column(name.lower(), (entry.comment,)) for name in words)
    yield from (spell_out_column(name.lower(), texts) for name in words)


def _name_measure(label: str) -> Iterator[str]:
    """Yield the noun for a measure that a verb names: ``acceleration`` for *accelerate*."""
    verb = label.lower()
    if is_verb(verb) and not has_sense(verb, "n"):
        yield from (form for form in related_forms(verb) if form.endswith(_ACTION_ENDINGS))


def _is_taken(entry: PredicateEntry, names: Mapping[str, str], vocabulary: Vocabulary) -> bool:
    """Tell whether another predicate of the same class has the same name."""
    name, domains = names[entry.iri], set(entry.domains)
    others = (other for other in vocabulary.predicates.values() if other.iri != entry.iri and names[other.iri] == name)
    return any(domains & set(other.domains) for other in others)

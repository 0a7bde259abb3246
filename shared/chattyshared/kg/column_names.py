"""Names in exported databases: columns without their table's name or key mark, people's names in two columns, and the
words that people say for classes and predicates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rdflib import Literal, URIRef

from chattyshared.kg.batches import batches
from chattyshared.kg.label_ranking import singularize
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.abbreviations import (
    CLEAR_WEIGHT,
    COLUMN_ABBREVIATIONS,
    abbreviates_phrase,
    abbreviation_weight,
    expand_abbreviations,
    expand_towards,
    initials,
    is_abbreviation,
    is_sayable,
    names_mark,
)
from chattyshared.language.inflection import class_noun, is_table_of
from chattyshared.language.morphology import split_label
from chattyshared.language.wordnet import has_sense, is_verb, noun_kinds, related_forms
from chattyshared.terms import NUMERIC_DATATYPES, iri_to_words, n3

KEY_MARKS = frozenset("id ids fk key ref".split())
"""Words that only mark a column as a reference to a row."""
_UNINFORMATIVE = KEY_MARKS | frozenset("name title label".split())
"""Words that name a column of nearly every table: alone, they do not identify one."""
_BEGINNING = 2
"""Letters of a column that may be the beginning of the only such word of its tables (``br``: branch)."""
_MIN_ABBREVIATION = 3
"""The least number of letters in an abbreviation of a table's name."""
_GIVEN_NAME = re.compile(
    r"\b(first ?name|given ?names?|fore ?names?|f ?name|christian ?name|name first|name given|vorname)$"
)
_FAMILY_NAME = re.compile(
    r"\b(last ?name|family ?names?|sur ?name|l ?name|name last|name family|nachname|familienname)$"
)
_VALUE_MARKS = frozenset("amount code count flag indicator number text".split())
"""Words at the end of an abbreviated column name that tell the kind of its values only."""
_PHRASE = re.compile(r"(?:(?:an?|the)\s+)?((?:[^\W\d_]+\s+){0,3}[^\W\d_]+)\s*(?:$|[.,;:(])", re.IGNORECASE)
"""A comment that begins with a phrase of a few words only."""
MAX_SPLIT_WORDS = 4
"""The number of words up to which a name is split at every blank."""
_MIN_LETTERS = 5
"""Letters of the words that tell the language of a vocabulary; shorter ones may be abbreviations; set by hand."""
_MIN_WORDS = 5
"""Such words that a vocabulary must have before it counts as one in another language; set by hand."""
_MIN_LONG = 4
"""Letters of an abbreviation that the words of another class or predicate expand; set by hand."""
_MIN_ENGLISH_SHARE = 0.5
"""Share, 0..1, of such words that the dictionaries know in a vocabulary in English; set by hand."""
_KEY_ENDINGS = [[mark] for mark in KEY_MARKS]
EntryT = TypeVar("EntryT", ClassEntry, PredicateEntry)
_EMPTY_MARKS = ("amount", "text", "value")
_ACTION_ENDINGS = ("ion", "ment", "ance", "ence")


def column_words(iri: str) -> str:
    """Return the local name of a predicate as words, without the table before a full stop (``BOOK.ret_dt``)."""
    return iri_to_words(iri).rpartition(".")[2]


def are_table_names(labels: Sequence[str]) -> bool:
    """Tell whether the labels of all classes are names of tables: several, all in capitals."""
    return len(labels) > 1 and all(label.isupper() for label in labels)


def spell_out_table(name: str, comment: str) -> str:
    """Return the name of a table in words: the phrase of its comment, or with the usual abbreviations expanded.

    ``REPREQ`` with the comment "repair requests (since 2020)" becomes ``repair request``.
    """
    phrase = _PHRASE.match(comment)
    words = [singularize(word) for word in phrase[1].lower().split()] if phrase else []
    return " ".join(words) if abbreviates_phrase(name.lower(), words) else expand_abbreviations(name)


def phrase_in_comment(words: str, comment: str) -> str:
    """Return the phrase that a comment begins with, if the words of a column abbreviate words of it; else "".

    ``yob`` with the comment "Year of birth" becomes ``year of birth``.
    """
    match = _PHRASE.match(comment)
    phrase = match[1].lower().split() if match else []
    if not phrase or words == initials(phrase):
        return " ".join(phrase)
    is_abbreviated = all(
        any(word == each or abbreviation_weight(word, each) for each in phrase)
        for word in expand_abbreviations(words).split()
    )
    return " ".join(phrase) if is_abbreviated else ""


def named_kind(predicate: str) -> str:
    """Return the noun for people or a group before "name" in a column (``firm_nm``: firm); "" if it has no other."""
    words = expand_abbreviations(column_words(predicate)).casefold()
    kind, _, last = words.rpartition(" ")
    is_kind = last == "name" and noun_kinds(kind)[:1] in (("person",), ("group",))
    return kind if is_kind and not _FAMILY_NAME.search(words) else ""


def spell_out_column(words: str, texts: Iterable[str]) -> str:
    """Return the words of a column with abbreviations expanded, usual ones or by the words of some texts.

    The texts are comments on the column and its table, and the names of tables: ``memb no`` becomes ``member number``,
    and ``br`` with a table ``branch`` becomes ``branch``.
    """
    found = (singularize(word) for text in texts for word in re.findall(r"[^\W\d_]+", text.lower()))
    known = tuple(dict.fromkeys(found))
    begun = {
        word: [each for each in known if each.startswith(word)] for word in words.split() if len(word) == _BEGINNING
    }
    words = " ".join(begun[w][0] if is_abbreviation(w) and len(begun.get(w, ())) == 1 else w for w in words.split())
    expanded, weight = expand_towards(expand_abbreviations(words), known)
    return expanded if weight >= CLEAR_WEIGHT else expand_abbreviations(words)


def shorten_column_name(
    name: str, tables: Iterable[str], *, is_reference: bool, targets: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the shorter names of a predicate, longest first; usually none.

    ``name`` is the local name as words, ``tables`` are the labels of the classes of its subjects, ``targets`` those of
    its objects, ``is_reference`` tells whether these are entities: ``visit nurse id`` of Visit becomes ``visit nurse``
    and ``nurse``, ``prod unit price`` of Product becomes ``unit price``, and ``paid flg`` becomes ``paid``.
    """
    words, shorter = name.split(), []
    prefix_length = max((_table_prefix_length(words, table.split()) for table in tables), default=0)
    if len(words) > 1 and _is_mark(words[-1].casefold(), is_reference=is_reference) and prefix_length < len(words) - 1:
        words = words[:-1]
        shorter.append(" ".join(words))
    if prefix_length and not all(map(_is_uninformative, words[prefix_length:])):
        shorter.append(" ".join(words[prefix_length:]))
    last = words[-1].casefold()
    target_words = {word.casefold() for table in targets for word in table.split()}
    if len(words) > 1 and last not in target_words and any(_abbreviates(last, word) for word in target_words):
        shorter.append(" ".join(words[:-1]))
    return tuple(dict.fromkeys(shorter))


def _is_uninformative(word: str) -> bool:
    """Tell whether a word names a column of nearly every table."""
    word = word.casefold()
    return word in _UNINFORMATIVE or COLUMN_ABBREVIATIONS.get(word) in _UNINFORMATIVE | _VALUE_MARKS


def _is_mark(word: str, *, is_reference: bool) -> bool:
    """Tell whether the last word of a column's name marks a reference, or is an abbreviation of a kind of values."""
    return word in KEY_MARKS if is_reference and word in KEY_MARKS else COLUMN_ABBREVIATIONS.get(word) in _VALUE_MARKS


def _table_prefix_length(words: Sequence[str], table: Sequence[str]) -> int:
    """Count the leading words that are words of a table's name, in order, or abbreviations of them."""
    position, matched = 0, 0
    for word in words[:-1]:
        matches = (
            index for index in range(position, len(table)) if _abbreviates(word.casefold(), table[index].casefold())
        )
        index = next(matches, None)
        if index is None:
            break
        position, matched = index + 1, matched + 1
    return matched


def _abbreviates(short: str, word: str) -> bool:
    """Tell whether ``short`` is the word, its singular or plural, or a subsequence of its letters."""
    if short in (word, word.removesuffix("s")) or word == short.removesuffix("s"):
        return True
    letters = iter(word)
    return len(short) >= _MIN_ABBREVIATION and short[0] == word[0] and all(letter in letters for letter in short)


def split_name_patterns(names: Iterable[str], pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield graph patterns for entities (``?s``) whose given and family name make one of the names (``?x``).

    ``?p`` is the predicate of the given name. A name is split at each of its blanks. Without ``pairs`` there is no
    pattern.
    """
    parts = [
        (" ".join(words[:position]), " ".join(words[position:]))
        for words in map(str.split, names)
        for position in range(1, min(len(words), MAX_SPLIT_WORDS))
    ]
    rows = [f"({n3(Literal(a))} {n3(Literal(b))} {n3(Literal(f'{a} {b}'))})" for a, b in parts]
    columns = " ".join(f"({n3(URIRef(given))} {n3(URIRef(family))})" for given, family in pairs)
    for batch in batches(rows, 300) if columns else ():
        pattern = f"VALUES (?p ?p2) {{ {columns} }} ?s ?p ?given ; ?p2 ?family"
        yield f"VALUES (?given ?family ?x) {{ {' '.join(batch)} }} {pattern}"


def find_name_pair(predicates: Iterable[str]) -> tuple[str, str] | None:
    """Return the predicates of given and family name among those of one class, or None.

    Both local names must have the same prefix (``guest_first_name``, ``guest_last_name``). Of several pairs, the one
    with the shortest prefix is the entity's own name; the others name somebody else.
    """
    given_names: dict[str, str] = {}
    family_names: dict[str, str] = {}
    for predicate in sorted(predicates, reverse=True):
        name = expand_abbreviations(column_words(predicate)).casefold()
        for pattern, predicate_by_prefix in ((_GIVEN_NAME, given_names), (_FAMILY_NAME, family_names)):
            if match := pattern.search(name):
                predicate_by_prefix[name[: match.start()].strip()] = predicate
    prefixes = sorted(given_names.keys() & family_names.keys(), key=lambda prefix: (len(prefix.split()), prefix))
    return (given_names[prefixes[0]], family_names[prefixes[0]]) if prefixes else None


def is_name_part(predicate: str) -> bool:
    """Tell whether a predicate's name is that of a given or family name."""
    name = expand_abbreviations(column_words(predicate)).casefold()
    return bool(_GIVEN_NAME.search(name) or _FAMILY_NAME.search(name))


def spell_out_names(vocabulary: Vocabulary, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the words that people say for each class and predicate; "" where the KG does not tell them.

    That is the label, else an alternative label, else the label with its abbreviations expanded by the words of its
    comment or of the whole vocabulary. ``languages`` are the tags of the KG, best first: in other languages than
    English, each label stays.
    """
    entries: list[ClassEntry | PredicateEntry] = [*vocabulary.classes.values(), *vocabulary.predicates.values()]
    if not _is_english(entries, languages):
        return {entry.iri: entry.label for entry in entries}
    own = (entry for entry in entries if not entry.is_metadata)
    texts = tuple(text for entry in own for text in (entry.label, *entry.alt_labels, entry.comment))
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
    if isinstance(entry, PredicateEntry):
        is_number = bool(NUMERIC_DATATYPES & {*map(URIRef, entry.datatypes)})
        yield from _name_measure(entry.label) if is_number else ()
        yield from _drop_value_mark(entry.label)
    elif is_table_of(entry.label):
        yield class_noun(entry.label)
    yield entry.label
    names = (entry.label, *sorted(entry.alt_labels, key=lambda name: name.lower().split()[-1:] in _KEY_ENDINGS))
    words = tuple(dict.fromkeys(name.lower() if entry.label.isupper() else name for name in names))
    yield phrase_in_comment(entry.label.lower(), entry.comment)
    yield from words
    yield from (spell_out_column(name.lower(), (entry.comment,)) for name in words)
    are_long = (
        all(len(word) >= _MIN_LONG or not is_abbreviation(word) for word in split_label(name)) for name in words
    )
    yield from (spell_out_column(name.lower(), texts) for name, is_long in zip(words, are_long, strict=True) if is_long)


def _drop_value_mark(label: str) -> Iterator[str]:
    """Yield a label without a last word that says only that there is a value: a cost amount is a cost, a city name a
    city."""
    rest, _, last = label.rpartition(" ")
    noun = rest.rpartition(" ")[2].lower()
    is_place_name = last.lower() == "name" and noun_kinds(noun)[:1] == ("location",)
    if (last.lower() in _EMPTY_MARKS and has_sense(noun, "n")) or is_place_name:
        yield rest


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

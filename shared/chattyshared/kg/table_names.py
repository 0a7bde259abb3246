"""What people call classes and predicates whose names are those of tables and columns.

A name is split into words, abbreviations are expanded (by the comment, by rows, by words of other labels), words for
the table, the row and its key are dropped, and rows of idioms put the rest into spoken order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rdflib import Literal, URIRef
from rdflib.namespace import SKOS, XSD

from chattyshared.kg.batches import batches
from chattyshared.kg.label_ranking import singularize
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, RowKey, Vocabulary
from chattyshared.language.abbreviations import (
    CLEAR_WEIGHT,
    COLUMN_ABBREVIATIONS,
    SHORT_WEIGHT,
    abbreviates_phrase,
    abbreviation_weight,
    expand_abbreviations,
    is_abbreviation,
    is_sayable,
    split_glued,
)
from chattyshared.language.inflection import class_noun, denote_persons, is_table_of, plain_label
from chattyshared.language.languages import language_of_tag
from chattyshared.language.lexicon import word_list, word_lists, word_map, word_set
from chattyshared.language.morphology import PREPOSITIONS, head_lemma_of, lemma_of, split_label
from chattyshared.language.wordnet import has_sense, is_verb, noun_kinds, related_forms
from chattyshared.profile import Profile
from chattyshared.terms import NUMERIC_DATATYPES, iri_to_words, local_name, n3

KEY_MARKS = word_set("abbreviations", "key_marks")
"""Words that only mark a column as a reference to a row."""
_KEY_NOUNS, _VALUE_MARKS = word_set("abbreviations", "key_nouns"), word_set("abbreviations", "value_marks")
_NEEDS_TABLE = KEY_MARKS | word_set("abbreviations", "needs_table")
_UNSETTLED, _ACRONYMS = word_set("abbreviations", "unsettled"), word_set("abbreviations", "acronyms")
_IDIOMS = [(re.compile(pattern), text) for pattern, text in word_map("abbreviations", "idioms").items()]
_GIVEN_NAME, _FAMILY_NAME, _UNCLEAR, _UNCLEAR_COLUMN, _UNCLEAR_REFERENCE = (
    re.compile("|".join(word_list("abbreviations", key)))
    for key in ("given_names", "family_names", "unclear", "unclear_columns", "unclear_references")
)
_TABLE_MARKS, _UNSAID_CLASSES = word_set("nouns", "table_marks"), word_set("nouns", "unsaid_classes")
_MEMBERS = word_map("nouns", "members_of_staff")
_VAGUE_WORDS = word_set("relation_labels", "obscure_measures", "vague_amounts")
_NUMBERED, _CLERICAL = word_set("relation_labels", "numbers_with_owner"), word_set("relation_labels", "clerical")
_MARK_VALUES = word_set("relation_labels", "mark_values")
_EVENT_NOUNS = {past: noun for noun, (_, past, _) in reversed(word_lists("events", "verbs").items()) if past}
"""The noun for an event by its participle (``opened``: opening)."""
_REFERENCE_MARK = re.compile(r"^(?:ref|fk)[ _-]+(?=\w)", re.IGNORECASE)
_OF_ANY = re.compile(r" of (?:an?|the) ")
_WORD = re.compile(r"[^\W\d_]+")
_PHRASE = re.compile(r"(?:(?:an?|the)\s+)?((?:[^\W\d_]+\s+){0,3}[^\W\d_]+)\s*(?:$|[.,;:(])", re.IGNORECASE)
"""A comment that begins with a phrase of a few words only."""
# Origin of the numbers below: set by hand on the development sets.
_MIN_BEGINNING, _MIN_LONG, _MIN_WORD = 3, 4, 5
"""Letters of the beginning of a word, of an abbreviation that any text of the graph expands, and of a word that
abbreviates no other (a contract is no contractor)."""
_MIN_KNOWN, _MIN_ENGLISH_SHARE = 5, 0.5
"""Words of five letters that tell the language of a vocabulary, and the share (0..1) that English dictionaries know."""
MIN_MARKED, MARKED_SHARE = 4, 0.8
"""Columns with a common first word, and their share (0..1), that show a mark of their table."""
_MAX_CODE = 3
"""Letters of the values of a code that nobody can understand (``FIC``)."""
MAX_SPLIT_WORDS = 4
"""The number of words up to which a name is split at every blank."""
EntryT = TypeVar("EntryT", ClassEntry, PredicateEntry)


def add_names(vocabulary: Vocabulary, profile: Profile) -> Vocabulary:
    """Return the vocabulary with what people call its terms, and with shorter and longer names of columns as labels.

    A name that the profile states becomes the label.
    """
    names, stated = name_terms(vocabulary, profile.languages, profile.names), dict(profile.names)
    namer = _Namer(vocabulary) if _is_english(vocabulary, profile.languages) else None
    kinds = {iri: _named_kind(predicate) for iri, predicate in profile.type_labels} if namer else {}

    def relabel(entry: EntryT) -> EntryT:
        is_of_table = is_column(entry.iri, vocabulary.classes) or (entry.label.isupper() and is_derived(entry))
        variants: Iterable[str] = namer.variants(entry) if namer else ()
        further = tuple(filter(None, (*variants, kinds.get(entry.iri, ""))))
        return _relabel(entry, names[entry.iri], further, wins=is_of_table or entry.iri in stated)

    classes = {iri: relabel(entry) for iri, entry in vocabulary.classes.items()}
    predicates = {iri: relabel(entry) for iri, entry in vocabulary.predicates.items()}
    terms = frozenset(entry.iri for entry in _entries(vocabulary) if _is_of_database(entry, vocabulary))
    return Vocabulary(classes, predicates, vocabulary.languages, names, terms)


def _is_of_database(entry: ClassEntry | PredicateEntry, vocabulary: Vocabulary) -> bool:
    """Tell whether a term has only the name of a table or column, or one with words that nobody says."""
    is_shouted = entry.label.isupper() or not is_sayable(entry.label)
    return not entry.is_metadata and is_derived(entry) and (is_shouted or is_column(entry.iri, vocabulary.classes))


def _relabel(entry: EntryT, name: str, further: Sequence[str], *, wins: bool) -> EntryT:
    """Return an entry with its name as the label where it ``wins`` or nobody says the label, and all else beside it."""
    first = entry.label
    if name and (wins or not is_sayable(first)):
        first = name
    elif wins and further and ("." in local_name(entry.iri) or "_" not in local_name(entry.iri)):
        first = further[0]
    others = {_fold(each): each for each in reversed((*entry.alt_labels, entry.label, *further, name)) if each}
    others.pop(_fold(first), None)
    return replace(entry, label=first, alt_labels=tuple(reversed(others.values())))


def name_terms(
    vocabulary: Vocabulary, languages: Sequence[str], stated: Iterable[tuple[str, str]] = ()
) -> dict[str, str]:
    """Return what people call each class and predicate, by IRI; "" where the graph does not tell it.

    ``languages`` are the tags of the graph, best first: in other languages than English, each label stays. ``stated``
    are IRIs and their names in a profile, which win.
    """
    own = {iri: name for iri, name in stated if iri in vocabulary.classes or iri in vocabulary.predicates}
    if not _is_english(vocabulary, languages):
        return {entry.iri: entry.label for entry in _entries(vocabulary)} | own
    namer = _Namer(vocabulary)
    namer.class_names |= {iri: name for iri, name in own.items() if iri in vocabulary.classes}
    names = namer.class_names | {iri: namer.name_predicate(each) for iri, each in vocabulary.predicates.items()} | own
    bearers = Counter((names[e.iri], domain) for e in vocabulary.predicates.values() for domain in e.domains)
    for entry in vocabulary.predicates.values():
        is_taken = any(bearers[names[entry.iri], domain] > 1 for domain in entry.domains)
        if is_taken and names[entry.iri] != entry.label and entry.iri not in own:
            names[entry.iri] = ""
    return names


def is_derived(entry: ClassEntry | PredicateEntry) -> bool:
    """Tell whether the label of a term is its local name, or the name of a column without its table, in words."""
    return _letters(local_name(entry.iri)).endswith(_letters(entry.label))


def column_words(iri: str) -> str:
    """Return the local name of a predicate as words, without the table before a full stop (``BOOK.ret_dt``) and the
    mark of a reference (``ref-owner``)."""
    return _column_of(iri_to_words(iri))


def is_column(iri: str, classes: Container[str]) -> bool:
    """Tell whether a predicate is named like a column of a table: ``ret_dt``, ``BOOK.ret``, ``BOOK#ret`` of BOOK."""
    name = local_name(iri)
    return "_" in name or "." in name or iri.rpartition("#")[0] in classes


def find_column_mark(predicates: Iterable[str]) -> str:
    """Return the first word that nearly all columns of a table have in common (``pat_dob``, ``pat_sex``), or ""."""
    names = {tuple(column_words(predicate).lower().split()) for predicate in predicates}
    firsts = Counter(words[0] for words in names if len(words) > 1)
    word, count = max(firsts.items(), key=lambda item: item[1], default=("", 0))
    return word if count >= MIN_MARKED and count >= MARKED_SHARE * sum(firsts.values()) else ""


def _named_kind(predicate: str) -> str:
    """Return the noun for people or a group before "name" in a column (``firm_nm``: firm); "" if it has no other."""
    words = expand_abbreviations(column_words(predicate)).casefold()
    kind, _, last = words.rpartition(" ")
    is_kind = last == "name" and noun_kinds(kind)[:1] in (("person",), ("group",))
    return kind if is_kind and not _FAMILY_NAME.search(words) else ""


def find_name_pair(predicates: Iterable[str]) -> tuple[str, str] | None:
    """Return the predicates of given and family name among those of one class, or None.

    Both local names must have the same prefix (``guest_first_name``, ``guest_last_name``). Of several pairs, the one
    with the shortest prefix is the entity's own name; the others name somebody else.
    """
    given: dict[str, str] = {}
    family: dict[str, str] = {}
    for predicate in sorted(predicates, reverse=True):
        name = expand_abbreviations(column_words(predicate)).casefold()
        for pattern, by_prefix in ((_GIVEN_NAME, given), (_FAMILY_NAME, family)):
            if match := pattern.search(name):
                by_prefix[name[: match.start()].strip()] = predicate
    prefixes = sorted(given.keys() & family.keys(), key=lambda prefix: (len(prefix.split()), prefix))
    return (given[prefixes[0]], family[prefixes[0]]) if prefixes else None


def find_row_keys(vocabulary: Vocabulary, naming: Iterable[str]) -> dict[str, RowKey]:
    """Return the key of each class of rows that no predicate of ``naming`` names.

    The key is the only whole number that each row has one of for itself and that is called a number or an ID; no other
    class has the noun.
    """
    classes, predicates = vocabulary.classes, vocabulary.predicates
    named = {domain for iri in naming if iri in predicates for domain in predicates[iri].domains}
    nouns = Counter(vocabulary.spoken_names[iri].casefold() for iri in classes)
    keys: dict[str, list[str]] = {}
    for entry in predicates.values():
        last = expand_abbreviations(column_words(entry.iri)).casefold().rpartition(" ")[2]
        is_own = entry.is_functional and entry.is_inverse_functional and len(entry.domains) == 1
        is_number = _is_number(entry) and entry.example[1].isdigit() and last in KEY_MARKS | _KEY_NOUNS
        if is_own and is_number and entry.domains[0] in classes.keys() - named:
            if entry.subject_count == classes[entry.domains[0]].instance_count:
                keys.setdefault(entry.domains[0], []).append(entry.iri)
    found = {iri: RowKey(columns[0], vocabulary.spoken_names[iri]) for iri, columns in keys.items() if not columns[1:]}
    return {iri: key for iri, key in found.items() if nouns[key.noun.casefold()] == 1}


def is_name_part(predicate: str) -> bool:
    """Tell whether a predicate's name is that of a given or family name."""
    name = expand_abbreviations(column_words(predicate)).casefold()
    return bool(_GIVEN_NAME.search(name) or _FAMILY_NAME.search(name))


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


@dataclass(frozen=True, slots=True)
class _Ends:
    """The names of the classes at both ends of a predicate, and the words around it."""

    tables: tuple[str, ...]
    nouns: tuple[str, ...]
    target: str
    is_column: bool
    is_self: bool
    near: tuple[str, ...]


class _Namer:
    """Names the terms of one vocabulary in English."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.classes, self.predicates = vocabulary.classes, vocabulary.predicates
        own = [entry for entry in _entries(vocabulary) if not entry.is_metadata]
        self.far = _words_of(text for each in own for text in (each.label, *each.alt_labels, each.comment))
        self.columns: dict[str, list[str]] = {iri: [] for iri in self.classes}
        self.references = set[tuple[str, str]]()
        for iri, entry in self.predicates.items():
            for domain in entry.domains if is_column(iri, self.classes) else ():
                self.columns.setdefault(domain, []).append(iri)
                self.references |= {(domain, column_words(iri))} if entry.object_kind == "iri" else set()
        self.class_names = {iri: self.name_class(entry) for iri, entry in self.classes.items()}

    def name_class(self, entry: ClassEntry) -> str:
        """Return what people call the members of a class; "" for concepts, resources and the like."""
        for source in self._class_sources(entry):
            if is_sayable(source):
                name = _MEMBERS.get(source.lower(), source)
                return "" if name.lower() in _UNSAID_CLASSES else _capitalize_acronyms(name)
        return ""

    def _class_sources(self, entry: ClassEntry) -> Iterator[str]:
        comments = (self.predicates[iri].comment for iri in self.columns[entry.iri])
        plain = plain_label(entry.label).lower()
        words = _OF_ANY.split(plain)[0].split()  # stop of a line
        if not is_sayable(" ".join(words)) or any(w in COLUMN_ABBREVIATIONS and not noun_kinds(w) for w in words):
            usual = expand_abbreviations(" ".join(words)).split()
            words = self._expand(usual, entry.comment, _words_of((entry.comment, *comments)))
        while "_" in entry.iri and len(words) > 1 and not _TABLE_MARKS.isdisjoint((words[0], words[-1])):
            words = words[1:] if words[0] in _TABLE_MARKS else words[:-1]
        yield self._phrase_of_table(entry)
        is_plural = is_table_of(entry.label) or singularize(words[-1]) != words[-1]
        is_changed = is_plural or entry.label.isupper() or words != plain.split()
        yield class_noun(" ".join(words)) if is_changed else entry.label
        yield from entry.alt_labels

    def _phrase_of_table(self, entry: ClassEntry) -> str:
        return _phrase_of_comment(local_name(entry.iri), entry.comment, singularize) if is_derived(entry) else ""

    def name_predicate(self, entry: PredicateEntry) -> str:
        """Return what people call a predicate; "" for marks, codes and numbers that tell nothing."""
        ends, is_reference = self._ends(entry), entry.object_kind == "iri"
        is_key = not self.references.isdisjoint((domain, column_words(entry.iri)) for domain in entry.domains)
        if is_key and not is_reference or (is_reference and entry.iri.startswith(str(SKOS))):
            return ""
        name = next(filter(is_sayable, self._predicate_sources(entry, ends)), "")
        return "" if not name or _is_unclear(name, entry, ends) else _capitalize_acronyms(name)

    def _predicate_sources(self, entry: PredicateEntry, ends: _Ends) -> Iterator[str]:
        """Yield names of a predicate, best first; those of a column that is not told by a label are its words."""
        verb = entry.label.lower() if _is_number(entry) else ""
        if is_verb(verb) and not has_sense(verb, "n"):
            yield from (form for form in related_forms(verb) if form.endswith(("ion", "ment", "nce")))
        column = _split_words(_label_of_column(entry))
        is_explained = any(_word_in_comment(word, entry.comment) for word in column)
        first = [" ".join(column)] if ends.is_column and (is_derived(entry) or is_explained) else []
        for source in dict.fromkeys((*first, entry.label, *entry.alt_labels)):
            words = source.lower().split() if source.isupper() or source in first else source.split()
            if ends.is_column:
                yield self._say_column(words, entry, ends)
            else:
                yield from (_rephrase(source), _phrase_of_comment(source, entry.comment))
                yield " ".join(self._expand([word.lower() for word in words], entry.comment, ends.near))
        yield _phrase_of_comment(" ".join(column), entry.comment)

    def _say_column(self, words: Sequence[str], entry: PredicateEntry, ends: _Ends) -> str:
        """Return the words of a column in spoken order, without those for its table and its key."""
        known = frozenset(word for each in (*ends.nouns, ends.target) for word in each.lower().split())
        if entry.object_kind == "iri" and len(words) > 1 and words[-1].lower() in KEY_MARKS:
            words = words[:-1]
        words = _drop_table(words, ends.tables)
        # What a reference abbreviates is its table before anything else: the district of ``dist``, no distance.
        target = ends.target.lower().split()
        words = [next((full for full in target if word != full and _is_beginning(word, full)), word) for word in words]
        words = _drop_table(self._expand(words, entry.comment, ends.near, known), ends.tables)
        if entry.object_kind == "iri":
            words = _name_reference(words, ends)
        if words and words[-1] in ("date", "year", "day", "time"):  # opened year
            words = [*(_EVENT_NOUNS.get(word, word) for word in words[:-1]), words[-1]]
        name = _rephrase(" ".join(words))
        for noun in ends.nouns:
            name = name.removesuffix(f" of {noun}")  # disposition of ship
        return name

    def _expand(
        self, words: Iterable[str], comment: str, near: Sequence[str], known: Container[str] = frozenset()
    ) -> list[str]:
        """Return words with the abbreviations among them expanded: by the comment, by rows, by the words of the tables
        at both ends, and by those of all labels."""
        found: list[str] = []
        for word in words:
            usual = expand_abbreviations(word)
            usual = word if word in _UNSETTLED and usual not in self.far else usual
            full = word if word.lower() in known else _word_in_comment(word, comment) or usual
            if full == word and word.lower() not in known and is_abbreviation(word):
                full = _expansion(word, near) or _expansion(word, self.far if len(word) >= _MIN_LONG else ()) or word
            found += [part for part in full.split() if [part] != found[-1:]]
        return found

    def _ends(self, entry: PredicateEntry) -> _Ends:
        domains = [self.classes[iri] for iri in entry.domains if iri in self.classes]
        ranges = [self.classes[iri] for iri in entry.ranges if self.class_names.get(iri)]
        marks = [find_column_mark(self.columns[each.iri]) for each in domains]
        named = [(self.class_names[e.iri], e.label, *e.alt_labels, *marks) for e in domains]
        texts = (text for each in (*domains, *ranges) for text in (self.class_names[each.iri], each.comment))
        return _Ends(
            tuple(dict.fromkeys(name.lower() for names in named for name in names if name)),
            tuple(self.class_names[each.iri].lower() for each in domains),
            self.class_names[ranges[0].iri] if len(ranges) == 1 else "",
            is_column(entry.iri, self.classes),
            bool(set(entry.domains) & set(entry.ranges)),
            _words_of((entry.comment, *texts)),
        )

    def variants(self, entry: ClassEntry | PredicateEntry) -> Iterator[str]:
        """Yield further labels of a table or column: without its table, a mark of its values, and the noun of its
        target, each with and without abbreviations."""
        if isinstance(entry, ClassEntry):
            if is_derived(entry):
                yield from (self._phrase_of_table(entry), expand_abbreviations(plain_label(entry.label).lower()))
            return
        ends, words = self._ends(entry), _split_words(_label_of_column(entry))
        if not ends.is_column or not _letters(entry.label).endswith(_letters(column_words(entry.iri))):
            return
        variants, is_reference = [words], entry.object_kind == "iri"
        is_mark = (is_reference and words[-1] in KEY_MARKS) or COLUMN_ABBREVIATIONS.get(words[-1]) in _VALUE_MARKS
        if is_mark and _table_length(words, ends.tables) < len(words) - 1:
            variants = [words[:-1], words] if is_reference else [words, words[:-1]]
        variants += [shorter for each in variants if (shorter := _drop_table(each, ends.tables)) != each]
        shortest, target = min(variants, key=len), ends.target.lower().split()
        if len(shortest) > 1 and shortest[-1] not in target and any(_is_short_for(shortest[-1], w) for w in target):
            variants.append(shortest[:-1])
        variants += [expand_abbreviations(" ".join(each)).split() for each in variants]
        yield from (" ".join(self._expand(each, entry.comment, ends.near)) for each in variants)


def _entries(vocabulary: Vocabulary) -> list[ClassEntry | PredicateEntry]:
    return [*vocabulary.classes.values(), *vocabulary.predicates.values()]


def _is_english(vocabulary: Vocabulary, languages: Sequence[str]) -> bool:
    """Tell whether the labels are in English: by the first tag, else by the words of the labels."""
    if tag := next(filter(None, languages), ""):
        language = language_of_tag(tag)
        return language is not None and language.has_words("abbreviations")
    parts = (word for entry in _entries(vocabulary) for word in split_label(entry.label))
    words = {word for word in parts if len(word) >= _MIN_KNOWN}
    known = sum(word in COLUMN_ABBREVIATIONS or not is_abbreviation(word) for word in words)
    return len(words) < _MIN_KNOWN or known >= _MIN_ENGLISH_SHARE * len(words)


def _fold(name: str) -> str:
    return name.replace("_", " ").casefold()


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _words_of(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(singularize(word) for text in texts for word in _WORD.findall(text.lower())))


def _split_words(name: str) -> list[str]:
    return [part for word in name.lower().split() for part in split_glued(word).split()]


def _rephrase(name: str) -> str:
    for pattern, text in _IDIOMS:
        name = pattern.sub(text, name)
    return name


def _capitalize_acronyms(name: str) -> str:
    return " ".join(word.upper() if word in _ACRONYMS else word for word in name.split(" "))


def _column_of(words: str) -> str:
    return _REFERENCE_MARK.sub("", words.rpartition(".")[2])


def _label_of_column(entry: PredicateEntry) -> str:
    """Return the words of a column as its label states them without its table, or those of its IRI."""
    return _column_of(entry.label.replace("_", " ")) if is_derived(entry) else column_words(entry.iri)


def _phrase_of_comment(name: str, comment: str, lemma: Callable[[str], str] = str) -> str:
    """Return the phrase that a comment begins with, of the lemmas of its words, if a name abbreviates it: the first
    letter of each word, and more of its letters (``repreq``: repair request, ``yob``: year of birth); else ""."""
    match = _PHRASE.match(comment)
    phrase = list(map(lemma, match[1].lower().split())) if match else []
    return " ".join(phrase) if abbreviates_phrase(_letters(name), phrase) else ""


def _word_in_comment(word: str, comment: str) -> str:
    """Return the only word of a comment that one of a column abbreviates (``exp``: expected, ``care``: caretaker); ""
    if there is none, or if the usual word is there."""
    words = set(_WORD.findall(comment.lower()))
    if word in words or COLUMN_ABBREVIATIONS.get(word) in words:
        return ""
    is_short = is_abbreviation(word) or word in COLUMN_ABBREVIATIONS
    found = [
        each
        for each in words
        if abbreviation_weight(word, each) >= SHORT_WEIGHT and (is_short or noun_kinds(each)[:1] == ("person",))
    ]
    return found[0] if len(found) == 1 else ""


def _expansion(short: str, words: Sequence[str]) -> str:
    """Return the word that an abbreviation clearly means, or the only one that two letters begin; "" if none."""
    begun = [word for word in words if word.startswith(short)] if len(short) == 2 else []
    weight, best = max(((abbreviation_weight(short, word), word) for word in words), default=(0.0, ""))
    return begun[0] if len(begun) == 1 else best if weight >= CLEAR_WEIGHT else ""


def _is_short_for(short: str, word: str) -> bool:
    """Tell whether a word is another one, or an abbreviation of it."""
    if singularize(short) == singularize(word):
        return True
    return abbreviation_weight(short, word) > 0 and not (len(short) >= _MIN_WORD and has_sense(short))


def _drop_table(words: Sequence[str], tables: Iterable[str]) -> list[str]:
    """Return the words of a column without the name of its table before them, if the others are enough."""
    rest = words[_table_length(words, tables) :]
    is_enough = any(COLUMN_ABBREVIATIONS.get(word.lower(), word.lower()) not in _NEEDS_TABLE for word in rest)
    return list(rest if is_enough else words)


def _table_length(words: Sequence[str], tables: Iterable[str]) -> int:
    """Count the words of a column before its last one that name its table."""
    lowered = [word.lower() for word in words]
    return max((_prefix_length(lowered, table.split()) for table in tables), default=0)


def _prefix_length(words: Sequence[str], table: Sequence[str]) -> int:
    """Count the leading words that are words of a table's name, in order, or abbreviations of them."""
    position, matched = 0, 0
    for word in words[:-1]:
        index = next((i for i in range(position, len(table)) if _is_short_for(word, table[i])), None)
        if index is None:
            break
        position, matched = index + 1, matched + 1
    return matched


def _name_reference(words: Sequence[str], ends: _Ends) -> list[str]:
    """Return the name of a column that leads to a row: ``owner`` for *own no*, ``home hangar`` for *home hgr*.

    A reference by the number or code of a row is called after the class of the row; one to its own table never is.
    """
    target, (*modifiers, last) = ends.target.lower(), words
    if last in _KEY_NOUNS and (target or last == "code") and modifiers:
        is_numbered = last != "code" or bool(target)
        *modifiers, last = modifiers
        is_same_kind = noun_kinds(last)[:1] == noun_kinds(head_lemma_of(target))[:1]
        if is_numbered and not is_same_kind and not _is_beginning(last, target) and not ends.is_self:
            return [*modifiers, last, *target.split()]
    elif last in (KEY_MARKS | _KEY_NOUNS if target else KEY_MARKS):
        modifiers, last = [], target
    if not target:
        return [*modifiers, last]
    if ends.is_self and [*modifiers, last] == [target]:
        return []
    if not modifiers and not ends.is_self and (is_abbreviation(last) or last in (target, target.split()[0])):
        return target.split()
    ending = target.split()[-1]
    if _is_beginning(last, ending) and not (ends.is_self and not modifiers):
        last = ending
    if last == ending and modifiers and denote_persons([target]) and "person" in noun_kinds(modifiers[-1]):
        return modifiers  # manager employee
    is_role = ends.is_self and not modifiers and noun_kinds(last)[:1] == ("person",) and not denote_persons([target])
    return [last, ending] if is_role else [*modifiers, last]  # a parent category is no person


def _is_beginning(short: str, word: str) -> bool:
    is_beginning = len(short) >= _MIN_BEGINNING and word.startswith(short)
    return is_beginning or abbreviation_weight(short, word) >= SHORT_WEIGHT


def _is_number(entry: PredicateEntry) -> bool:
    return bool(NUMERIC_DATATYPES & {*map(URIRef, entry.datatypes)})


def _is_unclear(name: str, entry: PredicateEntry, ends: _Ends) -> bool:
    """Tell whether nobody understands a question by a name: a code, a number of nothing, the name of the thing, or what
    only the office that keeps a table needs."""
    *modifiers, last = words = name.lower().split()
    if _UNCLEAR.search(name):
        return True
    if entry.object_kind == "iri":
        is_of_target = ends.is_column and len(words) == 2 and last == head_lemma_of(ends.target.lower())
        return is_of_target and _UNCLEAR_REFERENCE.search(name) is not None
    is_number = _is_number(entry)
    is_boolean = str(XSD.boolean) in entry.datatypes
    values = {value.casefold() for value in entry.values or (entry.example[1],) if value}
    is_known = bool(entry.values) or not any(map(str.isdigit, values))
    is_quality = not modifiers and has_sense(last, "a") and not (has_sense(last, "n") or is_verb(lemma_of(last)))
    is_amount = words[-1] in ("count", "rate") if modifiers else last in ("amount", "text", "value")
    is_vague = {*words} <= _VAGUE_WORDS and not is_amount and (is_number or entry.example[1][:1].isdigit())
    is_code = last == "code" and (ends.is_column or any(map(str.isalpha, values)))
    nouns = ends.nouns if all(ends.nouns) else ()
    return (
        (ends.is_column and _is_clerical(words, entry.iri))
        or (is_quality and not is_number and not is_boolean)  # genuine: whether, since when, or by whom?
        or (is_code and bool(values) and max(map(len, values)) <= _MAX_CODE)
        or (bool(values) and values <= _MARK_VALUES and not is_boolean and is_known)
        or is_vague
        or (is_number and noun_kinds(name.lower())[:1] == ("person",))
        or (bool(nouns) and all(name.lower() in (noun, noun.split()[-1], f"{noun} name") for noun in nouns))
    )


def _is_clerical(words: Sequence[str], iri: str) -> bool:
    """Tell whether a column is a postcode, a balance, a number of rows, part of a name or address, or a relation
    without its noun (``on hire date``)."""
    name, last = " ".join(words), words[-1]
    is_numbering = last == "number" and len(words) > 1 and _NUMBERED.isdisjoint(words)
    is_relation = words[0] in PREPOSITIONS or words[0] in ("since", "until")
    is_listed = last in _CLERICAL or name in _CLERICAL or _UNCLEAR_COLUMN.search(name) is not None
    return is_numbering or is_relation or is_listed or is_name_part(iri)

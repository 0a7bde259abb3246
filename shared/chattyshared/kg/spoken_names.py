"""The words that people say for classes and predicates: none for those that nobody would ask about by their names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TypeVar

from rdflib import URIRef
from rdflib.namespace import SKOS, XSD

from chattyshared.kg.column_names import (
    KEY_MARKS,
    column_words,
    drop_table_prefix,
    find_column_mark,
    find_name_pair,
    is_column,
    is_name_part,
    phrase_in_comment,
    phrase_of_initials,
    spell_out_column,
    word_in_comment,
)
from chattyshared.kg.label_ranking import singularize
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.abbreviations import (
    COLUMN_ABBREVIATIONS,
    SHORT_WEIGHT,
    abbreviation_weight,
    capitalize_acronyms,
    expand_abbreviations,
    is_abbreviation,
    is_sayable,
    names_mark,
    split_glued,
)
from chattyshared.language.inflection import class_noun, denote_persons, is_table_of, plain_label
from chattyshared.language.languages import language_of_tag
from chattyshared.language.lexicon import word_lists, word_map, word_set
from chattyshared.language.morphology import PREPOSITIONS, head_lemma_of, lemma_of, split_label
from chattyshared.language.wordnet import has_sense, is_verb, noun_kinds, related_forms
from chattyshared.terms import NUMERIC_DATATYPES, local_name

# Origin of the numbers below: set by hand on the development sets.
_MIN_LETTERS = 5
"""Letters of the words that tell the language of a vocabulary; shorter ones may be abbreviations."""
_MIN_WORDS = 5
"""Such words that a vocabulary must have before it counts as one in another language."""
_MIN_LONG = 4
"""Letters of an abbreviation that the words of another class or predicate expand."""
_MIN_ENGLISH_SHARE = 0.5
"""Share, 0..1, of such words that the dictionaries know in a vocabulary in English."""
_MAX_CODE = 3
"""Letters of the values of a code that nobody can understand (``FIC``)."""
_MIN_BEGINNING = 3
"""Letters of a word in a column's name that may be the beginning of a longer word (``own``: owner)."""
_MIN_GLUED = 5
"""Columns of several words in one, at least, in a vocabulary of such columns."""
_KEY_ENDINGS = [[mark] for mark in KEY_MARKS]
_EMPTY_MARKS = ("amount", "text", "value")
_ACTION_ENDINGS = ("ion", "ment", "ance", "ence")
_PERSON_NAME = re.compile(r"(?:[A-Z][\w'.-]* ){1,2}[A-Z][\w'-]+")
_HOUR_PAY = re.compile(r"\bhour(?= (?:rate|wage|pay|fee)$)")
_OF_ANY = re.compile(r" of (?:an?|the) ")
_LEVEL_OF = re.compile(r"^(level|rank|index|position) of .*$")
_TIMES = ("date", "year", "day", "time")
_CONDITIONS = ("if", "whether")
_LEADING_NOUNS = ("distance", "year")
_SPANS = ("time", "period", "duration", "term", "terms", "delay", "leave")
_UNITS_OF_TIME = ("days", "weeks", "months")
_KEY_NOUNS = frozenset("registration code number reference".split())
_DEGREES = frozenset("low high minimum maximum".split())
_LEADING_MEASURES = ("capacity",)
_PARTICIPLE_END = "ed"
_UNSAID_CLASSES = word_set("nouns", "unsaid_classes")
_MEMBERS = word_map("nouns", "members_of_staff")
_EVENT_NOUNS = {
    form: noun
    for noun, (verb, participle, _) in reversed(word_lists("events", "verbs").items())
    for form in (participle, lemma_of(participle))
    if verb == "be" and participle and form not in word_lists("events", "verbs")
}
"""The noun for an event by its participle and its verb (``opened``, ``open``: opening)."""
_TABLE_PREFIXES = ("tbl", "tab")
_TABLE_MARKS = word_set("nouns", "table_marks")
_VAGUE_WORDS = word_set("relation_labels", "obscure_measures", "vague_amounts")
_NUMBERED = word_set("relation_labels", "numbers_with_owner")
_MARK_VALUES = word_set("relation_labels", "mark_values")
_ENTRIES = ("registration", "booking", "order", "admission")
_CLERICAL = word_set("relation_labels", "clerical")
_UNSETTLED = word_set("abbreviations", "unsettled")
_PLACE_MARKS = ("address", "addr")
EntryT = TypeVar("EntryT", ClassEntry, PredicateEntry)


def spell_out_names(vocabulary: Vocabulary, languages: Sequence[str]) -> Mapping[str, str]:
    """Return the words that people say for each class and predicate; "" where the KG does not tell them.

    That is the label, else an alternative label, else the label with its abbreviations expanded by the words of its
    comment or of the whole vocabulary; columns of databases without their table's name or key mark. ``languages`` are
    the tags of the KG, best first: in other languages than English, each label stays.
    """
    vocabulary = _with_split_words(vocabulary)
    entries: list[ClassEntry | PredicateEntry] = [*vocabulary.classes.values(), *vocabulary.predicates.values()]
    if not _is_english(entries, languages):
        return {entry.iri: entry.label for entry in entries}
    own = (entry for entry in entries if not entry.is_metadata)
    texts = tuple(text for entry in own for text in (entry.label, *entry.alt_labels, entry.comment))
    names = {entry.iri: _name_class(entry, vocabulary, texts) for entry in vocabulary.classes.values()}
    marks = _column_marks(vocabulary)
    ends = {iri: _Ends.of(entry, vocabulary, names, marks) for iri, entry in vocabulary.predicates.items()}
    comments = {(e.domains, column_words(e.iri)): e.comment for e in vocabulary.predicates.values() if e.comment}
    for entry in vocabulary.predicates.values():
        comment = entry.comment or (comments.get((entry.domains, column_words(entry.iri)), "") if entry.domains else "")
        names[entry.iri] = _name_predicate(replace(entry, comment=comment), ends[entry.iri], texts)
    for iri in _keys_of_references(vocabulary):
        names[iri] = ""
    for entry in vocabulary.predicates.values():
        if names[entry.iri] != entry.label and _is_taken(entry, names, vocabulary):
            names[entry.iri] = ""
    return names


def _with_split_words(vocabulary: Vocabulary) -> Vocabulary:
    """Return a vocabulary in which columns of several words in one are taken apart, if there are several such
    columns; what then still has no word in it is called nothing."""
    split = {iri: split_glued(entry.label) for iri, entry in vocabulary.predicates.items() if not entry.is_metadata}
    if sum(" " in name and name != vocabulary.predicates[iri].label for iri, name in split.items()) < _MIN_GLUED:
        return vocabulary
    said = {iri: name if " " in name or not is_abbreviation(name) else "" for iri, name in split.items()}
    predicates = {iri: replace(entry, label=said.get(iri, entry.label)) for iri, entry in vocabulary.predicates.items()}
    return Vocabulary(vocabulary.classes, predicates, vocabulary.languages)


def _is_split(entry: PredicateEntry) -> bool:
    return " " in entry.label and entry.label.replace(" ", "") == local_name(entry.iri)


def add_spoken_names(vocabulary: Vocabulary, languages: Sequence[str]) -> Vocabulary:
    """Return the vocabulary with the words that people say among the alternative labels, so that they are linked."""
    names = spell_out_names(vocabulary, languages)
    classes = {iri: _with_name(entry, names[iri]) for iri, entry in vocabulary.classes.items()}
    predicates = {iri: _with_name(entry, names[iri]) for iri, entry in vocabulary.predicates.items()}
    return Vocabulary(classes, predicates, vocabulary.languages)


def _with_name(entry: EntryT, name: str) -> EntryT:
    """Return an entry with the words that people say: as its label in place of words of its IRI, else beside it."""
    if not name or name == entry.label:
        return entry
    others: tuple[str, ...] = tuple(other for other in entry.alt_labels if other != name)
    if is_sayable(entry.label) and not is_column(entry.iri, ()):
        return replace(entry, alt_labels=(*others, name))
    return replace(entry, label=name, alt_labels=(entry.label, *others))


def _is_english(entries: Sequence[ClassEntry | PredicateEntry], languages: Sequence[str]) -> bool:
    """Tell whether the labels are in English: by the first tag, else by the words of the labels."""
    tag = next(filter(None, languages), "")
    if tag:
        language = language_of_tag(tag)
        return language is not None and language.has_words("abbreviations")
    words = {word for entry in entries for word in split_label(entry.label) if len(word) >= _MIN_LETTERS}
    known = sum(not is_abbreviation(word) for word in words)
    return len(words) < _MIN_WORDS or known >= _MIN_ENGLISH_SHARE * len(words)


def _name_class(entry: ClassEntry, vocabulary: Vocabulary, texts: Sequence[str]) -> str:
    """Return what people call the members of a class; "" for concepts, resources and the like."""
    words = _OF_ANY.split(plain_label(entry.label).lower())[0].split()  # stop of a line
    words = words[len(words) > 1 and "_" in entry.iri and words[0] in _TABLE_PREFIXES :]
    length = len(words)
    while len(words) > 1 and "_" in entry.iri and words[-1] in _TABLE_MARKS:  # model_list
        words = words[:-1]
    if len(words) < length and denote_persons(words[-1:]) and noun_kinds(singularize(words[-1]))[:1] != ("person",):
        return ""
    if len(words) > 1 and words[-1] == "account" and denote_persons(words[-2:-1]):  # driver account
        words = words[:-1]
    is_shorter = len(words) < len(plain_label(entry.label).split())
    is_changed = is_shorter or is_table_of(entry.label) or singularize(words[-1]) != words[-1]
    is_shouted = entry.label.isupper() and not is_abbreviation(entry.label.lower())  # TANKER
    first = [class_noun(" ".join(words))] if is_changed or is_shouted else []
    if words[-1] in COLUMN_ABBREVIATIONS and not noun_kinds(words[-1]):  # equip
        first = [expand_abbreviations(" ".join(words))]
    completed = _complete_class(entry, vocabulary)
    names = chain(_person_noun(entry, vocabulary, texts), first, _candidate_names(entry, texts), completed)
    name = next(filter(is_sayable, names), "")
    if " " in name and noun_kinds(name.lower().replace(" ", ""))[:1] == ("person",):  # policy holder
        name = name.lower().replace(" ", "")
    name = _MEMBERS.get(name.lower(), name)
    return "" if name.lower() in _UNSAID_CLASSES else capitalize_acronyms(name)


def _person_noun(entry: ClassEntry, vocabulary: Vocabulary, texts: Sequence[str]) -> Iterator[str]:
    """Yield the noun for persons that the name of a table of given and family names is the beginning of (``dent``)."""
    columns = [each.iri for each in vocabulary.predicates.values() if entry.iri in each.domains]
    short = entry.label.lower()
    if find_name_pair(columns) and noun_kinds(short)[:1] != ("person",) and len(short) >= _MIN_BEGINNING:
        words = (singularize(word) for text in texts for word in split_label(text.lower()))
        yield from sorted({w for w in words if w != short and w.startswith(short) and noun_kinds(w)[:1] == ("person",)})


def _complete_class(entry: ClassEntry, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the only word in the comments on the columns of a table that the name of the table abbreviates."""
    comments = (each.comment for each in vocabulary.predicates.values() if entry.iri in each.domains)
    words = {word for comment in comments for word in split_label(comment) if noun_kinds(word)}
    found = [word for word in words if abbreviation_weight(entry.label.lower(), word) >= SHORT_WEIGHT]
    if len(found) == 1:
        yield found[0]


def _column_marks(vocabulary: Vocabulary) -> Mapping[str, str]:
    """Return the first word that the columns of each table have in common, by class; "" if there is none."""
    columns: dict[str, list[str]] = {iri: [] for iri in vocabulary.classes}
    for entry in vocabulary.predicates.values():
        for iri in entry.domains if is_column(entry.iri, vocabulary.classes) else ():
            columns.setdefault(iri, []).append(entry.iri)
    return {iri: find_column_mark(names) for iri, names in columns.items()}


@dataclass(frozen=True, slots=True)
class _Ends:
    """The names of the classes at both ends of a predicate, and whether it is a column of a table."""

    tables: tuple[str, ...]
    nouns: tuple[str, ...]
    targets: tuple[str, ...]
    is_column: bool

    @classmethod
    def of(
        cls, entry: PredicateEntry, vocabulary: Vocabulary, names: Mapping[str, str], marks: Mapping[str, str]
    ) -> _Ends:
        """Return the ends of a predicate; ``marks`` are the words before the columns of each table."""
        domains = [vocabulary.classes[iri] for iri in entry.domains if iri in vocabulary.classes]
        tables = (name for each in domains for name in (names[each.iri], each.label, *each.alt_labels, marks[each.iri]))
        targets = [names[iri] for iri in entry.ranges if names.get(iri)]
        return cls(
            tuple(dict.fromkeys(filter(None, tables))),
            tuple(names[each.iri].lower() for each in domains),
            tuple(targets if len(targets) == 1 else ()),
            is_column(entry.iri, vocabulary.classes) or _is_split(entry),
        )


def _name_predicate(entry: PredicateEntry, ends: _Ends, texts: Sequence[str]) -> str:
    """Return what people call a predicate; "" for marks, codes and numbers that tell nothing."""
    if names_mark(entry.label) or (entry.iri.startswith(str(SKOS)) and entry.object_kind == "iri"):
        return ""
    candidates, misread = _candidate_names(entry, texts), set[str]()
    if ends.is_column:
        words = column_words(entry.iri).split()
        is_explained = any(word_in_comment(word, entry.comment) for word in words)
        is_key = words[-1] in KEY_MARKS or COLUMN_ABBREVIATIONS.get(words[-1]) in _KEY_NOUNS
        is_cut = entry.object_kind == "iri" and len(entry.label.split()) < len(words) and not is_key  # home_dep
        is_reordered = is_cut or any(" " in COLUMN_ABBREVIATIONS.get(word, "") for word in words)
        candidates = chain([" ".join(words)] if is_explained or is_reordered else [], candidates)
        others = set(texts).difference([entry.label, *entry.alt_labels])
        misread = {COLUMN_ABBREVIATIONS[word] for word in _unsettled_words(words, others, entry.comment)}
    names = (name for each in candidates for name in _column_names(each, entry, ends))
    name = next((name for name in names if is_sayable(name) and misread.isdisjoint(name.lower().split())), "")
    return "" if not name or _is_unclear(name, entry, ends) else capitalize_acronyms(name)


def _column_names(name: str, entry: PredicateEntry, ends: _Ends) -> Iterator[str]:
    """Yield what a column may be called by one of its names, best first; any other predicate keeps its name."""
    if ends.is_column and name:
        words = (name.lower() if name.isupper() else name).split()
        if entry.object_kind == "iri" and len(words) > 1 and words[-1].lower() in KEY_MARKS:
            words = words[:-1]
        known = {word for each in (*ends.tables, *ends.targets) for word in each.lower().split()}
        known -= {word for word in known if COLUMN_ABBREVIATIONS.get(word) in known}  # cat, of a table of categories
        words = words if entry.comment else drop_table_prefix(words, ends.tables)  # tel_mob of pat_tel_mob
        words = drop_table_prefix(_expand_words(words, known, entry.comment), ends.tables)
        if entry.object_kind == "iri":
            words = _complete_reference(words, entry.comment, ends.targets)
        if len(words) == 2 and words[0] in _PLACE_MARKS and noun_kinds(words[1])[:1] == ("location",):  # addr_town
            words = words[1:]
        if (
            len(words) == 2
            and words[0] in ("phone", "telephone")
            and words[1] in ("home", "work", "mobile", "day", "evening")
        ):
            words = [words[1], "phone", "number"]
        if len(words) == 2 and words[1] in _TIMES and words[0].lower() == "manufacturer":  # mfr_yr
            words = ["manufacture", words[1]]
        if len(words) == 2 and words[1] in _TIMES and words[0].lower() in _EVENT_NOUNS:  # opened year
            words = [_EVENT_NOUNS[words[0].lower()], words[1]]
        if len(words) > 2 and words[-2] == "of" and words[-1].lower() in ends.nouns:  # disposition of ship
            words = words[:-2]
        if words[-1] == "pc" and any(map(str.isdigit, entry.example[1])):  # invoice_pc
            words = [*words[:-1], "postcode"]
        if words[-1] == "contact" and entry.object_kind != "iri" and _PERSON_NAME.fullmatch(entry.example[1]):
            words = [*words, "person"]
        spoken = " ".join([*words[:-1], "percentage"] if words[-1] in ("percent", "%") else words)
        yield _HOUR_PAY.sub("hourly", spoken)
    yield name


def _unsettled_words(words: Sequence[str], texts: Iterable[str], comment: str) -> set[str]:
    """Return the words of a column that may abbreviate several words (``bk``: book, back) where no text has the usual
    one; an ``exp`` before a time is an expiry."""
    said = {each for text in texts for each in split_label(text.lower())}
    before_times = {a.lower() for a, b in pairwise(words) if COLUMN_ABBREVIATIONS.get(b.lower(), b.lower()) in _TIMES}
    return {
        word
        for word in _UNSETTLED.intersection(map(str.lower, words))
        if COLUMN_ABBREVIATIONS.get(word) not in said
        and not word_in_comment(word, comment)
        and (word != "exp" or word not in before_times)
    }


def _expand_words(words: Sequence[str], known: Container[str], comment: str) -> list[str]:
    """Return the words of a column with initials of the comment and usual abbreviations expanded, in spoken order.

    ``arc`` with "Airworthiness Review Certificate expiry" becomes these three words, ``tel mob`` a ``mobile telephone
    number``, ``cap pax`` a ``passenger capacity``.
    """
    first, *others = [
        word
        if word in known
        else phrase_of_initials(word, comment) or word_in_comment(word, comment) or expand_abbreviations(word)
        for word in map(str.lower, words)
    ]
    others = ["minutes" if b == "minimum" and a in _SPANS else b for a, b in pairwise([first, *others])]  # dur_min
    if first.endswith(" number"):  # tel_no_mob
        others = [word for word in others if word != "number"]
    is_phrase = first == COLUMN_ABBREVIATIONS.get(words[0].lower()) and " " in first and " of " not in first
    expanded = " ".join([*others, first] if is_phrase else [first, *others]).split()
    if (len(expanded) > 2 and expanded[-1] in _DEGREES) or expanded[1:] in (["maximum"], ["minimum"]):  # week rate low
        expanded = [expanded[-1], *expanded[:-1]]
    if len(expanded) == 2 and expanded[0] in _LEADING_MEASURES:
        expanded = [singularize(expanded[1]), expanded[0]]
    return expanded


def _complete_reference(words: Sequence[str], comment: str, targets: Sequence[str]) -> list[str]:
    """Complete a word that is cut off or short by the class at the other end (``own``: owner, ``hgr``: hangar) or the
    comment (``care``: caretaker); a reference by the number or code of a row is called after its class."""
    *modifiers, last = words
    if not modifiers and (last.lower() in KEY_MARKS or (len(targets) == 1 and is_abbreviation(last.lower()))):
        return list(targets) or [""]
    if last.lower() == "code" and modifiers and not targets:  # availability code
        return list(modifiers)
    if last.lower() in _KEY_NOUNS and len(targets) == 1:  # the registration of an aircraft stands for it
        *others, noun = modifiers or [""]
        target, kinds = targets[0].lower(), noun_kinds(noun.lower())
        if noun and kinds[:1] == noun_kinds(head_lemma_of(target))[:1]:  # line_mgr_no of an employee
            return list(modifiers)
        is_beginning = len(noun) >= _MIN_BEGINNING and target.startswith(noun.lower())
        return [*others, targets[0]] if is_beginning else [*modifiers, targets[0]]
    if not modifiers and len(targets) == 1 and targets[0].lower().split()[0] == last.lower():  # the main (pipe)
        return targets[0].split()
    for target in targets:
        ending = target.lower().split()[-1]
        is_beginning = len(last) >= _MIN_BEGINNING and ending.startswith(last.lower())
        if last.lower() != ending and (is_beginning or abbreviation_weight(last.lower(), ending) >= SHORT_WEIGHT):
            last = ending
        if last.lower() == ending and denote_persons(targets) and "person" in noun_kinds(" ".join(modifiers[-1:])):
            return modifiers  # manager employee
        if last.lower() == ending and len(modifiers) == 1:
            longer = (word for word in split_label(comment) if word != modifiers[0] and word.startswith(modifiers[0]))
            role = next((word for word in longer if noun_kinds(word)[:1] == noun_kinds(ending)[:1]), "")
            if role and len(modifiers[0]) >= _MIN_BEGINNING:
                return [role]
    return [*modifiers, last]


def _is_unclear(name: str, entry: PredicateEntry, ends: _Ends) -> bool:
    """Tell whether nobody understands a question by a name: a code, a number of nothing, the name of the thing."""
    *modifiers, last = name.lower().split()
    if entry.object_kind == "iri":
        is_of_target = ends.is_column and last in {head_lemma_of(target.lower()) for target in ends.targets}
        return is_of_target and len(modifiers) == 1 and _is_no_modifier(modifiers[0])
    if (modifiers and modifiers[0] in _CONDITIONS) or {last, *modifiers} <= PREPOSITIONS | {"since", "until"}:
        return True
    if ends.is_column and _is_clerical(entry, name.lower()):
        return True
    is_quality = has_sense(last, "a") and not (has_sense(last, "n") or is_verb(lemma_of(last)) or modifiers)
    if is_quality and not is_number(entry) and str(XSD.boolean) not in entry.datatypes:
        return True  # genuine: whether, since when, or by whom?
    values = {value.casefold() for value in entry.values or (entry.example[1],) if value}
    is_letters = any(map(str.isalpha, values)) or ends.is_column
    if last == "code" and values and is_letters and max(map(len, values)) <= _MAX_CODE:
        return True
    is_boolean = str(XSD.boolean) in entry.datatypes
    is_known = bool(entry.values) or not any(map(str.isdigit, values))
    if values and values <= _MARK_VALUES and not is_boolean and is_known:
        return True
    if ends.is_column and modifiers and last == "number" and not _NUMBERED & set(modifiers):
        return True
    if is_vague_amount(name, entry) or (is_number(entry) and noun_kinds(name.lower())[:1] == ("person",)):
        return True
    return (
        all(ends.nouns)
        and bool(ends.nouns)
        and all(name.lower() in (n, n.split()[-1], f"{n} name") for n in ends.nouns)
    )


def _is_no_modifier(word: str) -> bool:
    """Tell whether a word before the noun of a class tells no kind of it: a participle, a verb, an event."""
    is_verb_form = word.endswith("s") and not noun_kinds(word) and is_verb(lemma_of(word))
    return word.endswith(_PARTICIPLE_END) or is_verb_form or word in _ENTRIES


def _is_clerical(entry: PredicateEntry, name: str) -> bool:
    """Tell whether only the office that keeps a table needs a column: a postcode, a balance, part of a name or address,
    or a relation without its noun (``on hire date``)."""
    words = name.split()
    before = noun_kinds(words[-2]) if len(words) > 1 else ()
    is_open_ended = len(words) > 2 and words[-1] in _TIMES and words[-2] in PREPOSITIONS - {"since"}  # live from date
    is_person_time = len(words) > 2 and words[-1] in _TIMES and before[:1] in (("person",), ("group",))
    is_vague_span = words[-1] in _UNITS_OF_TIME and bool(before) and not words[-2].endswith("ing")
    if is_open_ended or is_person_time or (is_vague_span and words[-2] not in _SPANS):
        return True
    is_reversed = len(words) > 1 and words[0] in _LEADING_NOUNS and bool(noun_kinds(words[1]))  # dist_depot_km
    is_part = (
        is_reversed or words[-1].isdigit() or is_name_part(entry.iri) or (len(words) > 1 and words[0] in PREPOSITIONS)
    )
    return is_part or words[-1] in _CLERICAL or name in _CLERICAL


def is_vague_amount(name: str, entry: PredicateEntry) -> bool:
    """Tell whether a number's name does not tell of what it is one (``average``, ``weekly rank``)."""
    *modifiers, last = _LEVEL_OF.sub(r"\1", name.lower()).split()
    if name.lower() in _EMPTY_MARKS or (modifiers and last in ("count", "rate")):
        return False
    is_vague = {last, *modifiers} <= _VAGUE_WORDS or (
        last in _VAGUE_WORDS and len(modifiers) == 1 and modifiers[0].endswith(_PARTICIPLE_END)
    )
    return is_vague and (is_number(entry) or entry.example[1][:1].isdigit())


def is_number(entry: PredicateEntry) -> bool:
    """Tell whether some values of a predicate are numbers by their datatype."""
    return bool(NUMERIC_DATATYPES & {*map(URIRef, entry.datatypes)})


def _candidate_names(entry: ClassEntry | PredicateEntry, texts: Sequence[str]) -> Iterator[str]:
    """Yield names of an entry, best first: its labels, those without the mark of a key before others."""
    if isinstance(entry, PredicateEntry):
        yield from _name_measure(entry.label) if is_number(entry) else ()
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
    is_quality = not rest.partition(" ")[2] and has_sense(noun, "a")  # a net amount
    if (last.lower() in _EMPTY_MARKS and has_sense(noun, "n") and not is_quality) or is_place_name:
        yield rest


def _name_measure(label: str) -> Iterator[str]:
    """Yield the noun for a measure that a verb names: ``acceleration`` for *accelerate*."""
    verb = label.lower()
    if is_verb(verb) and not has_sense(verb, "n"):
        yield from (form for form in related_forms(verb) if form.endswith(_ACTION_ENDINGS))


def _keys_of_references(vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the columns with the key of a row to which another predicate of the same name leads."""
    columns = {iri: column_words(iri) for iri in vocabulary.predicates if is_column(iri, vocabulary.classes)}
    entries = [vocabulary.predicates[iri] for iri in columns]
    references = {(domain, columns[e.iri]) for e in entries if e.object_kind == "iri" for domain in e.domains}
    for entry in entries:
        if entry.object_kind == "literal" and any(
            (domain, columns[entry.iri]) in references for domain in entry.domains
        ):
            yield entry.iri


def _is_taken(entry: PredicateEntry, names: Mapping[str, str], vocabulary: Vocabulary) -> bool:
    """Tell whether another predicate of the same class has the same name."""
    name, domains = names[entry.iri], set(entry.domains)
    others = (other for other in vocabulary.predicates.values() if other.iri != entry.iri and names[other.iri] == name)
    return any(domains & set(other.domains) for other in others)

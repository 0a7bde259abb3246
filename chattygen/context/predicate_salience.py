"""Predicate salience: which predicates and values are worth a question, by how a KG uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from chattyshared import terms
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM
from chattyshared.language.quantities import MONTHS
from chattyshared.language.scripts import contains_name
from chattyshared.literals import is_readable
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, Term, iri_to_words
from chattyshared.text import is_sentence
from rdflib import RDF, Literal, URIRef
from rdflib.namespace import XSD

TEXT_DATATYPES = frozenset({None, XSD.string, RDF.langString})
_ANSWER_DATATYPES = TEXT_DATATYPES | NUMERIC_DATATYPES | DATE_DATATYPES | {XSD.boolean}
_LINK = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|www\.|urn:|mailto:)", re.IGNORECASE)
_FILE = re.compile(r"\.(?:png|jpe?g|svg|gif|tiff?|webp|pdf|ogg|webm|mp[34])(?:$|[?#])", re.IGNORECASE)
_CODE = re.compile(r"^(?=.*\d)[\w\-./:#]{4,}$")
_HASH = re.compile(r"^[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$|^[0-9a-fA-F]{32,}$")
_NO_VALUE = re.compile(
    r"(?:unknown|unspecified|undefined|unnamed|n/?a|not (?:known|available|applicable|specified|stated)|none|null|nan"
    r"|nil|no (?:data|value|name)|missing|tb[ad]|to be (?:announced|determined)|[-?.–—_*]+)\.?",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[A-Za-z]")
_COORDINATES = word_set("relation_labels", "coordinates")
_IDENTIFIERS = word_set("relation_labels", "identifiers")
_FREE_TEXT_ENDS = [[word] for word in word_set("relation_labels", "free_texts")]
_DAY = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NAME_ENDS = tuple(",;:/|-")
_TEXT_ENDS = (*_NAME_ENDS, *".!?")
MAX_ANSWER_WORDS, MAX_ANSWER_CHARACTERS = 12, 100
"""The longest text that can be an answer."""
MIN_TOLD_LETTERS = 3
"""Characters: the fewest of a value that another text tells: shorter ones occur by chance; set by hand."""
_CACHED_TEXTS = 10_000
"""Texts whose countries are kept: those of a few hundred entities."""


def unaskable_predicates(kg: KnowledgeGraph, naming: Iterable[str]) -> frozenset[str]:
    """Return the predicates that no question asks about: types, names, metadata, codes, coordinates, free texts,
    and those whose name nobody says.

    ``naming`` are label predicates that the profile of the KG does not name.
    """
    type_predicates = (str(RDF.type), *kg.profile.types, *kg.profile.subclasses)
    unaskable = {*type_predicates, *naming, *kg.profile.labels, *kg.profile.alt_labels, *kg.profile.metadata}
    for entry in kg.vocabulary.predicates.values():
        if not kg.spoken_names[entry.iri]:
            unaskable.add(entry.iri)
        words = set(entry.label.casefold().split()) | set(iri_to_words(entry.iri).casefold().split())
        is_key = words & _IDENTIFIERS and not (entry.object_kind == "iri" and kg.spoken_names[entry.iri])
        is_free_text = entry.object_kind == "literal" and entry.label.casefold().split()[-1:] in _FREE_TEXT_ENDS
        if entry.is_metadata or is_key or is_free_text or (words & _COORDINATES and entry.object_kind != "iri"):
            unaskable.add(entry.iri)
        elif entry.is_inverse_functional and _is_text(entry) and _are_codes([entry.example[1]]):
            unaskable.add(entry.iri)
    return frozenset(unaskable)


def _is_text(entry: PredicateEntry) -> bool:
    """Tell whether a predicate has plain texts: a number or a date of one owner is no code."""
    datatypes = {URIRef(datatype) for datatype in entry.datatypes}
    return entry.object_kind == "literal" and not datatypes & (NUMERIC_DATATYPES | DATE_DATATYPES)


def is_askable(values: Sequence[Literal], *, unique: bool) -> bool:
    """Tell whether literals can be answers: no links, files, hashes, sentences or signs of no value.

    Nor codes, if each has one owner (``unique``), nor values that are not readable as their datatype: these cannot be
    compared.
    """
    texts = [str(value) for value in values]
    if any(value.datatype not in _ANSWER_DATATYPES or not is_readable(value) for value in values):
        return False
    patterns = (_LINK.search, _FILE.search, _HASH.search, _LETTER.fullmatch)
    if any(is_placeholder(text) or any(matches(text.strip()) for matches in patterns) for text in texts):
        return False
    if any(len(text.split()) > MAX_ANSWER_WORDS or len(text) > MAX_ANSWER_CHARACTERS or "\n" in text for text in texts):
        return False
    plain = [str(value) for value in values if value.datatype in TEXT_DATATYPES]
    if any(map(is_sentence, plain)):
        return False
    return not (unique and _are_codes(plain))


def is_placeholder(text: str) -> bool:
    """Tell whether a text or a name stands for no value: Unknown, n/a, a dash."""
    return not text.strip() or _NO_VALUE.fullmatch(text.strip()) is not None


def is_thing(iri: URIRef, label: str, types: Sequence[str], *, named: bool = True) -> bool:
    """Tell whether an IRI stands for an entity that the KG describes or names, not for a page, a file or no value.

    ``named``: the KG has labels, so an entity with only an odd local name cannot be an answer.
    """
    if (
        (label and is_placeholder(label))
        or _FILE.search(iri)
        or (named and label == iri_to_words(iri) and re.search(r"[\d@%_/]", label))
    ):
        return False
    return bool(types) or (label != iri_to_words(iri) and not _LINK.search(label)) or bool(re.search("[a-z]{3}", label))


def is_writable(term: Term) -> bool:
    """Tell whether a term can be written into a query."""
    if isinstance(term, Literal):
        return bool(term.language) or term.datatype is None or terms.is_writable(term.datatype)
    return isinstance(term, URIRef) and terms.is_writable(term)


def _are_codes(texts: Sequence[str]) -> bool:
    """Tell whether texts look like codes: digits in one word that is no e-mail address."""
    return bool(texts) and all(_CODE.match(text) and "@" not in text for text in texts)


def has_trailing_punctuation(text: str, *, is_name: bool = False) -> bool:
    """Tell whether a text ends in a mark that no question repeats; names may end in a point, ``!`` or ``?``."""
    return text.rstrip()[-1:] in (_NAME_ENDS if is_name else _TEXT_ENDS)


_BRACKETS = re.compile(r"\(([^()]{3,})\)$")


def repeats_label(value: str, label: str) -> bool:
    """Tell whether a value is a part of the entity's label, the label a part of the value, or its words in brackets
    behind (``The Kiss (Klimt)``: Gustav Klimt)."""
    value_words, label_words = f" {_words(value)} ", f" {_words(label)} "
    behind = _BRACKETS.search(label)
    if behind is not None and f" {_words(behind[1])} " in value_words:
        return True
    if value_words.strip() and (value_words in label_words or label_words in value_words):
        return True
    return _NUMBER.fullmatch(value) is not None and _canonical_number(value) in map(
        _canonical_number, _NUMBER.findall(label)
    )


def _canonical_number(number: str) -> str:
    """Return the shortest writing of a number: ``5,80`` and ``5.8`` are the same."""
    text = number.replace(",", ".")
    return text.rstrip("0").rstrip(".") if "." in text else text


@lru_cache(maxsize=50_000)
def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def tells(text: str, value: str, noun: str = "") -> bool:
    """Tell whether a text contains a value, as an address its town and a date its year, or a word for its people; or
    all words of a name but for the ``noun`` of its class (``Old Mill 1996 Trench B``: Old Mill excavation 1996)."""
    told = _with_countries(text)
    if day := _DAY.fullmatch(value):
        numbers, month = map(int, re.findall(r"\d{1,4}", told)), MONTHS[int(day[2]) - 1][:MIN_TOLD_LETTERS]
        return value in told or (month in told and {int(day[1]), int(day[3])} <= set(numbers))
    words = re.findall(r"\w+", value.casefold()) if noun else []
    if noun and noun.casefold() in words:
        return len(words) > 1 and set(re.findall(r"\w+", told)).issuperset(set(words) - {noun.casefold()})
    return len(value) >= MIN_TOLD_LETTERS and value.casefold() in told and contains_name(told, value)


@lru_cache(maxsize=_CACHED_TEXTS)
def _with_countries(text: str) -> str:
    folded = text.casefold()
    peoples = (COUNTRIES_BY_DEMONYM.get(word, "").casefold() for word in re.findall(r"\w+", folded))
    return f"{folded} {' '.join(filter(None, peoples))}"

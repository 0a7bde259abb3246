"""Which predicates are worth a question: learned from how a KG uses them, not listed for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.literals import is_readable
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, Term, iri_to_words, n3
from rdflib import RDF, Literal, URIRef
from rdflib.namespace import XSD

TEXT_DATATYPES = frozenset({None, XSD.string, RDF.langString})
_LINK = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|www\.|urn:|mailto:)", re.IGNORECASE)
_FILE = re.compile(r"\.(?:png|jpe?g|svg|gif|tiff?|webp|pdf|ogg|webm|mp[34])(?:$|[?#])", re.IGNORECASE)
_CODE = re.compile(r"^(?=.*\d)[\w\-./:#]{4,}$")
_HASH = re.compile(r"^[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$|^[0-9a-fA-F]{32,}$")
_PLACE_ON_EARTH = frozenset({"lat", "long", "lon", "latitude", "longitude", "geometry", "geo", "coordinates", "point"})
_IDENTITY = frozenset({"id", "identifier", "uuid", "guid", "iri", "uri", "url", "key", "slug", "hash", "checksum"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
LONG_WORDS, LONG_CHARACTERS = 12, 100


def unaskable_predicates(kg: KnowledgeGraph, naming: Iterable[str]) -> frozenset[str]:
    """Return the predicates that are never asked about: types, names, metadata, codes, positions on the globe."""
    classing = (str(RDF.type), *kg.profile.types, *kg.profile.subclasses)
    hidden = {*classing, *naming, *kg.profile.labels, *kg.profile.alt_labels, *kg.profile.metadata}
    for entry in kg.vocabulary.predicates.values():
        words = set(entry.label.casefold().split()) | set(iri_to_words(entry.iri).casefold().split())
        if entry.is_metadata or words & _IDENTITY or (words & _PLACE_ON_EARTH and entry.object_kind != "iri"):
            hidden.add(entry.iri)
        elif entry.is_inverse_functional and _is_text(entry) and _codes([entry.example[1]]):
            hidden.add(entry.iri)
    return frozenset(hidden)


def _is_text(entry: PredicateEntry) -> bool:
    """Tell whether a predicate holds plain texts: a number or a date of one owner is no code."""
    told = {URIRef(datatype) for datatype in entry.datatypes}
    return entry.object_kind == "literal" and not told & (NUMERIC_DATATYPES | DATE_DATATYPES)


def is_askable(values: Sequence[Literal], *, unique: bool) -> bool:
    """Tell whether literals can be answers: no links, files, hashes, long texts, booleans, nor codes of one owner.

    Nor what is not readable as its datatype: nobody can say whether a value like it is true, or which is the greater.
    """
    texts = [str(value) for value in values]
    if any(
        value.datatype not in TEXT_DATATYPES | NUMERIC_DATATYPES | DATE_DATATYPES or not is_readable(value)
        for value in values
    ):
        return False
    if any(_LINK.search(text) or _FILE.search(text) or _HASH.search(text) or not text.strip() for text in texts):
        return False
    if any(len(text.split()) > LONG_WORDS or len(text) > LONG_CHARACTERS or "\n" in text for text in texts):
        return False
    plain = [str(value) for value in values if value.datatype in TEXT_DATATYPES]
    return not (unique and _codes(plain))


def is_thing(iri: URIRef, label: str, types: Sequence[str], *, named: bool = True) -> bool:
    """Tell whether an IRI stands for something that the KG describes or names, and not for a page or a file.

    ``named``: the KG names its things, so that one of which only an odd local name is known makes no answer.
    """
    if _FILE.search(iri) or (named and label == iri_to_words(iri) and re.search(r"[\d@%_/]", label)):
        return False
    return bool(types) or (label != iri_to_words(iri) and not _LINK.search(label)) or bool(re.search("[a-z]{3}", label))


def is_writable(term: Term) -> bool:
    """Tell whether a term can be written into a query."""
    try:
        n3(term)
    except ValueError:
        return False
    return True


def _codes(texts: Sequence[str]) -> bool:
    """Tell whether texts look like codes: digits in one word that is no e-mail address."""
    return bool(texts) and all(_CODE.match(text) and "@" not in text for text in texts)


def repeats_label(value: str, label: str) -> bool:
    """Tell whether a value says (a part of) the entity's name again, or the name is a part of it."""
    told, name = f" {_words(value)} ", f" {_words(label)} "
    if told.strip() and (told in name or name in told):
        return True
    return _NUMBER.fullmatch(value) is not None and _by_value(value) in map(_by_value, _NUMBER.findall(label))


def _by_value(number: str) -> str:
    """Return a number as its value is written shortest: ``5,80`` and ``5.8`` are one."""
    text = number.replace(",", ".")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

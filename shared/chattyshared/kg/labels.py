"""Labels and types of many terms in few requests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Row
from chattyshared.kg.batches import fetch_statements, text_of
from chattyshared.kg.cache import CachedReader
from chattyshared.profile import Profile
from chattyshared.terms import Term, iri_to_words, local_name

_DIRECT = re.compile(r"/prop/(?:direct|qualifier)/(P\d+)$")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")


def fetch_labels(source: CachedReader, terms: Iterable[Term]) -> dict[Term, str]:
    """Return a label for each term; each is read at most once.

    For an IRI, the best label by the profile's predicates and languages, else its local name as words; for a literal
    its text; for a blank node the empty string.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    distinct = list(dict.fromkeys(terms))
    unknown = [term for term in distinct if isinstance(term, URIRef) and term not in source.cache.labels]
    predicates = [*label_predicates(source.profile), *_key_nouns(source)]
    if source.profile.type_labels:  # the class of a term tells which of its labels is the main one
        predicates += source.profile.types
    rows = fetch_statements(source.term_endpoint, unknown, predicates) if predicates else ()
    label_by_iri = select_labels(rows, source.profile, _key_nouns(source))
    source.cache.labels.update({term: label_by_iri.get(str(term)) or label_from_iri(str(term)) for term in unknown})
    return {term: source.cache.labels.get(term) or fallback_label(term) for term in distinct}


def fetch_types(source: CachedReader, terms: Iterable[Term]) -> dict[Term, tuple[str, ...]]:
    """Return the classes of each term, without metadata classes; each is read at most once.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    distinct = list(dict.fromkeys(terms))
    unknown = [term for term in distinct if isinstance(term, URIRef) and term not in source.cache.types]
    types_by_iri = collect_types(fetch_statements(source.term_endpoint, unknown, source.profile.types), source.profile)
    source.cache.types.update({term: types_by_iri.get(str(term), ()) for term in unknown})
    return {term: source.cache.types.get(term, ()) for term in distinct}


def fetch_labels_and_types(source: CachedReader, terms: Iterable[Term]) -> None:
    """Read labels and types of terms together, in one request for 200, into the cache of ``source``."""
    missing = [t for t in dict.fromkeys(terms) if isinstance(t, URIRef)]
    missing = [t for t in missing if t not in source.cache.labels or t not in source.cache.types]
    predicates = [*label_predicates(source.profile), *_key_nouns(source), *source.profile.types]
    store_labels_and_types(source, list(fetch_statements(source.term_endpoint, missing, predicates)), missing)


def store_labels_and_types(source: CachedReader, rows: Sequence[Row], terms: Iterable[Term]) -> None:
    """Put the terms' labels and types in rows of ``?s ?q ?x`` into the cache."""
    label_by_iri = select_labels(rows, source.profile, _key_nouns(source))
    types_by_iri = collect_types(rows, source.profile)
    for term in terms:
        source.cache.labels.setdefault(term, label_by_iri.get(str(term)) or label_from_iri(str(term)))
        source.cache.types.setdefault(term, types_by_iri.get(str(term), ()))


def fallback_label(term: Term) -> str:
    """Return a label from the term alone: a literal's text, an IRI's local name as words, "" for a blank node."""
    if isinstance(term, Literal):
        return str(term)
    return "" if isinstance(term, BNode) else label_from_iri(str(term))


def label_from_iri(iri: str) -> str:
    """Return a label from an IRI: the local name as words, with its capitals.

    ``Barack_Obama`` becomes Barack Obama, ``new-york`` new york, ``AdaLovelace`` Ada Lovelace.
    """
    name = local_name(iri).replace("_", " ").strip()
    if " " in name or (name[:1].isupper() and not _CAMEL.search(name)):
        return " ".join(name.split())
    if name[:1].isupper():
        return _CAMEL.sub(" ", name)
    return iri_to_words(iri) or iri


def label_subjects(predicate: str) -> tuple[str, ...]:
    """Return the IRIs that may carry a predicate's labels: itself, and for direct claims and qualifiers their property.

    In Wikibase's RDF, ``.../prop/direct/P31`` and ``.../prop/qualifier/P31`` are described at ``.../entity/P31``.
    """
    return tuple(dict.fromkeys((_DIRECT.sub(r"/entity/\1", predicate), predicate)))


def label_predicates(profile: Profile) -> list[str]:
    """Return all predicates of main labels, best first."""
    own = (predicate for _, predicate in profile.type_labels)
    return list(dict.fromkeys((*profile.labels, *own, *(family for _, family in profile.name_pairs))))


def _key_nouns(source: CachedReader) -> dict[str, str]:
    return {key.predicate: key.noun for key in source.row_keys.values()}


def select_labels(
    rows: Iterable[Row], profile: Profile, key_nouns: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Choose one label per subject from rows of ``?s ?q ?x``; by ``key_nouns``, a row without a label is called "order
    1042"."""
    order = {predicate: position for position, predicate in enumerate(label_predicates(profile))}
    type_label_predicates = dict(profile.type_labels)
    general_predicates = frozenset(profile.labels)
    classes: dict[str, set[str]] = defaultdict(set)
    keyed: dict[str, str] = {}
    candidates: dict[str, list[tuple[str, Literal]]] = defaultdict(list)
    for row in rows:
        predicate, value = text_of(row, "q"), row.get("x")
        if predicate in profile.types:
            classes[text_of(row, "s")].add(text_of(row, "x"))
        elif isinstance(value, Literal) and predicate in order and str(value).strip():
            candidates[text_of(row, "s")].append((predicate, value))
        elif predicate in key_nouns:
            keyed[text_of(row, "s")] = f"{key_nouns[predicate]} {value}"

    def rank(subject: str, predicate: str, value: Literal) -> tuple[object, ...]:
        fits = predicate in general_predicates or any(
            type_label_predicates.get(c) == predicate for c in classes[subject]
        )
        return (not fits, order[predicate], *language_rank(value, profile), len(value), str(value))

    return keyed | {
        subject: _full_label(*min(labels, key=lambda pair: rank(subject, *pair)), labels, profile)
        for subject, labels in candidates.items()
    }


def _full_label(predicate: str, value: Literal, candidates: Sequence[tuple[str, Literal]], profile: Profile) -> str:
    """Return a label with single blanks, and with the family name after a given name."""
    family_predicates = [last for first, last in profile.name_pairs if first == predicate]
    family = min((str(v) for p, v in candidates if p in family_predicates), default="")
    return " ".join(f"{value} {family}".split())


def language_rank(value: Literal, profile: Profile) -> tuple[int, str]:
    """Return the rank of a literal's language in the profile, and its tag: a sort key, best first."""
    tag = (value.language or "").casefold()
    for position, language in enumerate(profile.languages):
        if tag == language or (language and tag.startswith(language + "-")):
            return position, tag
    return len(profile.languages), tag


def collect_types(rows: Iterable[Row], profile: Profile) -> dict[str, tuple[str, ...]]:
    """Collect the classes per subject from rows of ``?s ?q ?x``, sorted, without metadata classes."""
    types_by_iri: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        class_iri = row.get("x")
        is_class = isinstance(class_iri, URIRef) and str(class_iri) not in profile.metadata_classes
        if text_of(row, "q") in profile.types and is_class:
            types_by_iri[text_of(row, "s")].add(str(class_iri))
    return {subject: tuple(sorted(classes)) for subject, classes in types_by_iri.items()}


def collect_labels(rows: Iterable[Row], profile: Profile) -> Mapping[str, tuple[str, ...]]:
    """Collect every literal per subject from rows of ``?s ?q ?x``, best language first, each once."""
    literals_by_iri: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("x")
        if isinstance(value, Literal):
            literals_by_iri[text_of(row, "s")].append(value)
    return {
        subject: tuple(
            dict.fromkeys(str(v) for v in sorted(literals, key=lambda v: (*language_rank(v, profile), str(v))))
        )
        for subject, literals in literals_by_iri.items()
    }

"""Labels and types of many terms in few requests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg.batches import batches, format_iri, in_filter, is_nameable, text_of, values_block
from chattyshared.kg.cache import CachedReader
from chattyshared.profile import Profile
from chattyshared.terms import Term, iri_to_words, local_name

_DIRECT = re.compile(r"/prop/direct/(P\d+)$")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")


def fetch_labels(source: CachedReader, terms: Iterable[Term]) -> dict[Term, str]:
    """Return a label for each term, read at most once ever.

    Of an IRI the best label by the profile's predicates and languages, else its name read aloud; of a literal its
    text; of a blank node nothing.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    wanted = list(dict.fromkeys(terms))
    ask = [term for term in wanted if isinstance(term, URIRef) and term not in source.cache.labels]
    predicates = label_predicates(source.profile)
    for batch in batches(ask if predicates else ()):
        named = select_labels(_about(source.endpoint, batch, predicates), source.profile)
        for term in batch:
            source.cache.labels[term] = named.get(str(term)) or label_from_iri(str(term))
    return {term: source.cache.labels.get(term) or fallback_label(term) for term in wanted}


def fetch_types(source: CachedReader, terms: Iterable[Term]) -> dict[Term, tuple[str, ...]]:
    """Return the classes of each term, metadata classes left out, read at most once ever.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    wanted = list(dict.fromkeys(terms))
    ask = [term for term in wanted if isinstance(term, URIRef) and term not in source.cache.types]
    for batch in batches(ask):
        found = collect_types(_about(source.endpoint, batch, source.profile.types), source.profile)
        source.cache.types.update({term: found.get(str(term), ()) for term in batch})
    return {term: source.cache.types.get(term, ()) for term in wanted}


def fetch_labels_and_types(source: CachedReader, terms: Iterable[Term]) -> None:
    """Read labels and types of terms together, in one request per batch, into the source.memory."""
    missing = [t for t in dict.fromkeys(terms) if isinstance(t, URIRef)]
    missing = [t for t in missing if t not in source.cache.labels or t not in source.cache.types]
    for batch in batches(missing):
        about = [*label_predicates(source.profile), *source.profile.types]
        store_labels_and_types(source, _about(source.endpoint, batch, about), batch)


def store_labels_and_types(source: CachedReader, rows: Sequence[Row], terms: Iterable[Term]) -> None:
    """Put into the memory what rows of ``?s ?q ?x`` say of the terms' labels and types."""
    named, classes = select_labels(rows, source.profile), collect_types(rows, source.profile)
    for term in terms:
        source.cache.labels.setdefault(term, named.get(str(term)) or label_from_iri(str(term)))
        source.cache.types.setdefault(term, classes.get(str(term), ()))


def fallback_label(term: Term) -> str:
    """Return what a term is called by itself: a literal's text, an IRI's name as words, nothing for a blank node."""
    if isinstance(term, Literal):
        return str(term)
    return "" if isinstance(term, BNode) else label_from_iri(str(term))


def label_from_iri(iri: str) -> str:
    """Return what a thing without label is called by its IRI: the local name as words, with its capitals.

    ``Barack_Obama`` becomes Barack Obama, ``new-york`` new york, ``AdaLovelace`` Ada Lovelace.
    """
    name = local_name(iri).replace("_", " ").strip()
    if " " in name or (name[:1].isupper() and not _CAMEL.search(name)):
        return " ".join(name.split())
    if name[:1].isupper():
        return _CAMEL.sub(" ", name)
    return iri_to_words(iri) or iri


def label_subjects(predicate: str) -> tuple[str, ...]:
    """Return the IRIs at which a predicate's labels may stand: itself, and for a direct claim of Wikibase its property.

    So has it Wikibase's RDF dump format: ``.../prop/direct/P31`` is described at ``.../entity/P31``.
    """
    return tuple(dict.fromkeys((_DIRECT.sub(r"/entity/\1", predicate), predicate)))


def label_predicates(profile: Profile) -> list[str]:
    """Return all predicates that may carry the main label, best first."""
    own = (predicate for _, predicate in profile.type_labels)
    return list(dict.fromkeys((*profile.labels, *own, *(family for _, family in profile.name_pairs))))


def select_labels(rows: Iterable[Row], profile: Profile) -> dict[str, str]:
    """Choose one label per subject from rows of ``?s ?q ?x``."""
    order = {predicate: place for place, predicate in enumerate(label_predicates(profile))}
    own = dict(profile.type_labels)
    known = frozenset(profile.labels)
    classes: dict[str, set[str]] = defaultdict(set)
    found: dict[str, list[tuple[str, Literal]]] = defaultdict(list)
    for row in rows:
        predicate, value = text_of(row, "q"), row.get("x")
        if predicate in profile.types:
            classes[text_of(row, "s")].add(text_of(row, "x"))
        elif isinstance(value, Literal) and predicate in order and str(value).strip():
            found[text_of(row, "s")].append((predicate, value))

    def rank(subject: str, predicate: str, value: Literal) -> tuple[object, ...]:
        fits = predicate in known or any(own.get(c) == predicate for c in classes[subject])
        return (not fits, order[predicate], *language_rank(value, profile), len(value), str(value))

    return {
        subject: _whole(*min(named, key=lambda pair: rank(subject, *pair)), named, profile)
        for subject, named in found.items()
    }


def _whole(predicate: str, value: Literal, named: Sequence[tuple[str, Literal]], profile: Profile) -> str:
    """Return a label as it is said: in single blanks, with the family name behind a given one."""
    behind = [last for first, last in profile.name_pairs if first == predicate]
    family = min((str(v) for p, v in named if p in behind), default="")
    return " ".join(f"{value} {family}".split())


def language_rank(value: Literal, profile: Profile) -> tuple[int, str]:
    """Return how far down the profile's languages a literal's own stands: a sort key, best first."""
    tag = (value.language or "").casefold()
    for place, language in enumerate(profile.languages):
        if tag == language or (language and tag.startswith(language + "-")):
            return place, tag
    return len(profile.languages), tag


def collect_types(rows: Iterable[Row], profile: Profile) -> dict[str, tuple[str, ...]]:
    """Collect the classes per subject from rows of ``?s ?q ?x``, sorted, metadata classes left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        kind = row.get("x")
        is_class = isinstance(kind, URIRef) and str(kind) not in profile.metadata_classes
        if text_of(row, "q") in profile.types and is_class:
            found[text_of(row, "s")].add(str(kind))
    return {subject: tuple(sorted(classes)) for subject, classes in found.items()}


def _about(endpoint: Endpoint, subjects: Sequence[Term], predicates: Sequence[str]) -> list[Row]:
    named = [term for term in subjects if is_nameable(term)]
    if not named:
        return []
    if len(predicates) == 1:  # an engine then looks up what it wants, and does not read all that is said of a subject
        about = f"?s {format_iri(predicates[0])} ?x BIND({format_iri(predicates[0])} AS ?q)"
    else:
        about = f"?s ?q ?x {in_filter('q', predicates)}"
    return endpoint.select(f"SELECT ?s ?q ?x WHERE {{ {values_block('s', named)} {about} }}")


def collect_labels(rows: Iterable[Row], profile: Profile) -> Mapping[str, tuple[str, ...]]:
    """Collect every literal per subject from rows of ``?s ?q ?x``, best language first, each once."""
    found: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("x")
        if isinstance(value, Literal):
            found[text_of(row, "s")].append(value)
    return {
        subject: tuple(
            dict.fromkeys(str(v) for v in sorted(literals, key=lambda v: (*language_rank(v, profile), str(v))))
        )
        for subject, literals in found.items()
    }

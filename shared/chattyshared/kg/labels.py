"""Labels and types of many terms in few requests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rdflib import BNode, Literal, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg.batches import among, batches, iri, nameable, text, values
from chattyshared.kg.cache import Source
from chattyshared.profile import Profile
from chattyshared.terms import Term, local_name, readable

_DIRECT = re.compile(r"/prop/direct/(P\d+)$")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")


def labels(source: Source, terms: Iterable[Term]) -> dict[Term, str]:
    """Return a label for each term, read at most once ever.

    Of an IRI the best label by the profile's predicates and languages, else its name read aloud; of a literal its
    text; of a blank node nothing.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    wanted = list(dict.fromkeys(terms))
    ask = [term for term in wanted if isinstance(term, URIRef) and term not in source.memory.labels]
    predicates = label_predicates(source.profile)
    for batch in batches(ask if predicates else ()):
        named = best_labels(_about(source.endpoint, batch, predicates), source.profile)
        for term in batch:
            source.memory.labels[term] = named.get(str(term)) or called(str(term))
    return {term: source.memory.labels.get(term) or plain(term) for term in wanted}


def types(source: Source, terms: Iterable[Term]) -> dict[Term, tuple[str, ...]]:
    """Return the classes of each term, metadata classes left out, read at most once ever.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    wanted = list(dict.fromkeys(terms))
    ask = [term for term in wanted if isinstance(term, URIRef) and term not in source.memory.types]
    for batch in batches(ask):
        found = stated_types(_about(source.endpoint, batch, source.profile.types), source.profile)
        source.memory.types.update({term: found.get(str(term), ()) for term in batch})
    return {term: source.memory.types.get(term, ()) for term in wanted}


def details(source: Source, terms: Iterable[Term]) -> None:
    """Read labels and types of terms together, in one request per batch, into the source.memory."""
    missing = [t for t in dict.fromkeys(terms) if isinstance(t, URIRef)]
    missing = [t for t in missing if t not in source.memory.labels or t not in source.memory.types]
    for batch in batches(missing):
        about = [*label_predicates(source.profile), *source.profile.types]
        learn(source, _about(source.endpoint, batch, about), batch)


def learn(source: Source, rows: Sequence[Row], terms: Iterable[Term]) -> None:
    """Put into the memory what rows of ``?s ?q ?x`` say of the terms' labels and types."""
    named, classes = best_labels(rows, source.profile), stated_types(rows, source.profile)
    for term in terms:
        source.memory.labels.setdefault(term, named.get(str(term)) or called(str(term)))
        source.memory.types.setdefault(term, classes.get(str(term), ()))


def plain(term: Term) -> str:
    """Return what a term is called by itself: a literal's text, an IRI's name as words, nothing for a blank node."""
    if isinstance(term, Literal):
        return str(term)
    return "" if isinstance(term, BNode) else called(str(term))


def called(iri: str) -> str:
    """Return what a thing without label is called by its IRI: the local name as words, with its capitals.

    ``Barack_Obama`` becomes Barack Obama, ``new-york`` new york, ``AdaLovelace`` Ada Lovelace.
    """
    name = local_name(iri).replace("_", " ").strip()
    if " " in name or (name[:1].isupper() and not _CAMEL.search(name)):
        return " ".join(name.split())
    if name[:1].isupper():
        return _CAMEL.sub(" ", name)
    return readable(iri) or iri


def bearers(predicate: str) -> tuple[str, ...]:
    """Return the IRIs at which a predicate's labels may stand: itself, and for a direct claim of Wikibase its property.

    So has it Wikibase's RDF dump format: ``.../prop/direct/P31`` is described at ``.../entity/P31``.
    """
    return tuple(dict.fromkeys((_DIRECT.sub(r"/entity/\1", predicate), predicate)))


def label_predicates(profile: Profile) -> list[str]:
    """Return all predicates that may carry the main label, best first."""
    own = (predicate for _, predicate in profile.type_labels)
    return list(dict.fromkeys((*profile.labels, *own, *(family for _, family in profile.name_pairs))))


def best_labels(rows: Iterable[Row], profile: Profile) -> dict[str, str]:
    """Choose one label per subject from rows of ``?s ?q ?x``."""
    order = {predicate: place for place, predicate in enumerate(label_predicates(profile))}
    own = dict(profile.type_labels)
    known = frozenset(profile.labels)
    classes: dict[str, set[str]] = defaultdict(set)
    found: dict[str, list[tuple[str, Literal]]] = defaultdict(list)
    for row in rows:
        predicate, value = text(row, "q"), row.get("x")
        if predicate in profile.types:
            classes[text(row, "s")].add(text(row, "x"))
        elif isinstance(value, Literal) and predicate in order and str(value).strip():
            found[text(row, "s")].append((predicate, value))

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


def stated_types(rows: Iterable[Row], profile: Profile) -> dict[str, tuple[str, ...]]:
    """Collect the classes per subject from rows of ``?s ?q ?x``, sorted, metadata classes left out."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        kind = row.get("x")
        is_class = isinstance(kind, URIRef) and str(kind) not in profile.metadata_classes
        if text(row, "q") in profile.types and is_class:
            found[text(row, "s")].add(str(kind))
    return {subject: tuple(sorted(classes)) for subject, classes in found.items()}


def _about(endpoint: Endpoint, subjects: Sequence[Term], predicates: Sequence[str]) -> list[Row]:
    named = [term for term in subjects if nameable(term)]
    if not named:
        return []
    if len(predicates) == 1:  # an engine then looks up what it wants, and does not read all that is said of a subject
        about = f"?s {iri(predicates[0])} ?x BIND({iri(predicates[0])} AS ?q)"
    else:
        about = f"?s ?q ?x {among('q', predicates)}"
    return endpoint.select(f"SELECT ?s ?q ?x WHERE {{ {values('s', named)} {about} }}")


def all_labels(rows: Iterable[Row], profile: Profile) -> Mapping[str, tuple[str, ...]]:
    """Collect every literal per subject from rows of ``?s ?q ?x``, best language first, each once."""
    found: dict[str, list[Literal]] = defaultdict(list)
    for row in rows:
        value = row.get("x")
        if isinstance(value, Literal):
            found[text(row, "s")].append(value)
    return {
        subject: tuple(
            dict.fromkeys(str(v) for v in sorted(literals, key=lambda v: (*language_rank(v, profile), str(v))))
        )
        for subject, literals in found.items()
    }

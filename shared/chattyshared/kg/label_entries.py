"""Reading all that the vertices of a KG are called by, for an index."""

from __future__ import annotations

from collections import Counter

from chattyshared.endpoint import Endpoint
from chattyshared.kg import labels
from chattyshared.kg.batches import count_of, fetch_pages, format_iri, text_of, values_block
from chattyshared.kg.label_index import LabelEntry
from chattyshared.kg.metadata_terms import schema_classes
from chattyshared.kg.statistics import KGStatistics
from chattyshared.profile import TYPE_PREDICATES, Profile

PAGE = 100_000
NAMED = 2_000_000
"""Up to so many triples, vertices without a label are found by their IRIs' local names too."""


def read_label_entries(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> list[LabelEntry]:
    """Read main labels and alternative ones of all vertices, and the names of vertices without a label.

    Classes, predicates and other things that speak about the data are no vertices in this sense; a class that other
    predicates than ``rdf:type`` state is one if the KG says more of it than what it is called and which are its own.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found = _labelled(endpoint, profile)
    main = {subject for (subject, _), is_main in found.items() if is_main}
    weights: dict[str, int] = {}
    if counts.triples <= NAMED:
        weights = _weights(endpoint, profile, counts)
        for subject in weights:
            if subject not in main:
                found.setdefault((subject, labels.label_from_iri(subject)), True)
    aside = _schema(endpoint, profile, counts)
    if profile.types != TYPE_PREDICATES and weights:
        aside |= _only_classes(endpoint, profile, counts) - weights.keys()
    return [
        LabelEntry(subject, label, is_main, weights.get(subject, 0))
        for (subject, label), is_main in found.items()
        if label.strip() and subject not in aside
    ]


def _labelled(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    found = _full_names(endpoint, profile)
    whole = {subject for subject, _ in found}
    main = labels.label_predicates(profile)
    parts = {part for both in profile.name_pairs for part in both}
    for predicate in dict.fromkeys((*main, *profile.alt_labels)):
        query = f"SELECT DISTINCT ?s ?x WHERE {{ ?s {format_iri(predicate)} ?x FILTER(isIRI(?s) && isLiteral(?x)) }}"
        for row in fetch_pages(endpoint, query, PAGE):
            key = (text_of(row, "s"), text_of(row, "x"))
            is_part = key[0] in whole and predicate in parts
            found[key] = found.get(key, False) or (predicate in main and not is_part)
    return found


def _full_names(endpoint: Endpoint, profile: Profile) -> dict[tuple[str, str], bool]:
    """Read the names that stand in two columns; either part alone is a further name."""
    found: dict[tuple[str, str], bool] = {}
    for given, family in profile.name_pairs:
        both = (
            f"?s {format_iri(given)} ?x ; {format_iri(family)} ?y FILTER(isIRI(?s) && isLiteral(?x) && isLiteral(?y))"
        )
        for row in fetch_pages(endpoint, f"SELECT DISTINCT ?s ?x ?y WHERE {{ {both} }}", PAGE):
            found[text_of(row, "s"), " ".join(f"{text_of(row, 'x')} {text_of(row, 'y')}".split())] = True
    return found


def _weights(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> dict[str, int]:
    """Return all IRIs at either end of the triples that speak of the world, with the numbers of these."""
    content = [p for p in counts.predicates if p not in profile.metadata]
    found: Counter[str] = Counter()
    for end in "so":
        where = f"{{ {values_block('p', content)} ?s ?p ?o FILTER(isIRI(?{end})) }}"
        query = f"SELECT ?{end} (COUNT(*) AS ?n) WHERE {where} GROUP BY ?{end}"
        for row in fetch_pages(endpoint, query, PAGE):
            found[text_of(row, end)] += count_of(row, "n")
    return found


def _schema(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    found = {*counts.predicates, *profile.metadata_classes}
    kinds = [kind for kind in schema_classes(profile) if kind in counts.classes]
    if kinds:
        query = f"SELECT DISTINCT ?s WHERE {{ {values_block('c', kinds)} ?s a ?c FILTER(isIRI(?s)) }}"
        found.update(text_of(row, "s") for row in fetch_pages(endpoint, query, PAGE))
    return found


def _only_classes(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> set[str]:
    """Return what the KG uses as a class: it has members, or stands below or above another."""
    found = set(counts.classes)
    for predicate in profile.subclasses:
        query = f"SELECT DISTINCT ?s ?o WHERE {{ ?s {format_iri(predicate)} ?o FILTER(isIRI(?s) && isIRI(?o)) }}"
        found.update(text_of(row, end) for row in fetch_pages(endpoint, query, PAGE) for end in "so")
    return found

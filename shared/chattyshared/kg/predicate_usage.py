"""Use of predicates by class: how many things of a class have one, what it leads to, and samples of its values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rdflib import RDF, XSD, Literal, URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.kg.batches import batches, count_of, format_iri, is_nameable, text_of, union_pattern
from chattyshared.kg.statistics import sort_by_count
from chattyshared.profile import Profile

MAX_SAMPLES = 3
"""Distinct values of a predicate that are read."""
_SAMPLED_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class ClassUsage:
    """How many things of a class have a predicate, and the classes or datatypes of its objects there, by frequency."""

    class_iri: str
    subject_count: int
    ends: tuple[str, ...]


def fetch_class_usage(endpoint: Endpoint, profile: Profile) -> Mapping[str, tuple[ClassUsage, ...]]:
    """Return the use of each predicate by the classes of its subjects, most frequent first; two requests.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    subjects, ends = profile.type_pattern("?s", "?c"), profile.type_pattern("?o", "?r")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in endpoint.select(
        f"SELECT ?p ?c (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {subjects} . ?s ?p ?o FILTER(isIRI(?c)) }} GROUP BY ?p ?c"
    ):
        counts[text_of(row, "p")][text_of(row, "c")] = count_of(row, "n")
    kinds: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in endpoint.select(
        f"SELECT ?p ?c ?r ?d ?l (COUNT(*) AS ?n) WHERE {{ {subjects} . ?s ?p ?o OPTIONAL {{ {ends} }}"
        " BIND(DATATYPE(?o) AS ?d) BIND(IF(isLiteral(?o), LANG(?o), ?none) AS ?l) } GROUP BY ?p ?c ?r ?d ?l"
    ):
        end = text_of(row, "r")
        if "l" in row:
            end = str(RDF.langString) if text_of(row, "l") else text_of(row, "d") or str(XSD.string)
        if end:
            kinds[text_of(row, "p"), text_of(row, "c")][end] += count_of(row, "n")
    return {
        predicate: tuple(
            ClassUsage(name, tally[name], tuple(sort_by_count(kinds[predicate, name]))) for name in sort_by_count(tally)
        )
        for predicate, tally in counts.items()
    }


def fetch_value_samples(
    endpoint: Endpoint, datatypes_by_predicate: Mapping[str, Sequence[str]]
) -> Mapping[str, tuple[Literal, ...]]:
    """Return some distinct values of each predicate that has any; one request for 50 predicates.

    Of a predicate with several datatypes, they are values of each.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    samples: dict[str, list[Literal]] = defaultdict(list)
    nameable = [iri for iri in datatypes_by_predicate if is_nameable(URIRef(iri))]
    for batch in batches(nameable, _SAMPLED_AT_ONCE):
        branches = [
            f"{{ SELECT DISTINCT ?o WHERE {{ ?s {format_iri(iri)} ?o FILTER({condition}) }} LIMIT {limit} }}"
            f" BIND({format_iri(iri)} AS ?p)"
            for iri in batch
            for condition, limit in _sample_conditions(datatypes_by_predicate[iri][:MAX_SAMPLES])
        ]
        for row in endpoint.select(f"SELECT ?p ?o WHERE {{ {union_pattern(branches)} }}"):
            if isinstance(value := row.get("o"), Literal):
                samples[text_of(row, "p")].append(value)
    return {iri: tuple(values) for iri, values in samples.items()}


def _sample_conditions(datatypes: Sequence[str]) -> list[tuple[str, int]]:
    """Return the conditions of sampled values, with the number of values for each."""
    if len(datatypes) < 2:
        return [("isLiteral(?o)", MAX_SAMPLES)]
    return [(f"DATATYPE(?o) = {format_iri(datatype)}", 1) for datatype in datatypes]

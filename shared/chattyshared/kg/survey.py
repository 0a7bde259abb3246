"""The first look at a KG: how many triples each predicate has and how many entities each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout
from chattyshared.kg.batches import number, text

SMALL = 300_000
"""Up to so many triples one aggregate query over everything is cheap; above, samples are taken."""
PART = 1_000_000
"""Triples that are counted of a KG that cannot be counted whole."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Numbers of triples per predicate and of entities per class, most frequent first.

    Not ``is_whole``: the KG is too big to be counted in time; the numbers are those of a part of it.
    """

    predicates: Mapping[str, int]
    classes: Mapping[str, int]
    is_whole: bool = True

    @property
    def triples(self) -> int:
        """The number of all triples."""
        return sum(self.predicates.values())

    @property
    def is_small(self) -> bool:
        """Whether queries over all triples are cheap."""
        return self.is_whole and self.triples <= SMALL


def survey(endpoint: Endpoint) -> Survey:
    """Count triples per predicate and entities per class, in two requests; of a part where all takes too long.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    try:
        return _counted(endpoint, "?s ?p ?o", "?s a ?c")
    except EndpointTimeout:
        part = "{{ SELECT * WHERE {{ {} }} LIMIT {} }}"
        return replace(_counted(endpoint, part.format("?s ?p ?o", PART), part.format("?s a ?c", PART)), is_whole=False)


def _counted(endpoint: Endpoint, triples: str, members: str) -> Survey:
    predicates = endpoint.select(f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {triples} }} GROUP BY ?p")
    classes = endpoint.select(f"SELECT ?c (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members} }} GROUP BY ?c")
    return Survey(
        ranked({text(row, "p"): number(row, "n") for row in predicates if "p" in row}),
        ranked({text(row, "c"): number(row, "n") for row in classes if isinstance(row.get("c"), URIRef)}),
    )


def ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with the greatest first, equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

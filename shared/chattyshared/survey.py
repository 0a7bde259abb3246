"""The first look at a KG: how many triples each predicate has and how many entities each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rdflib import URIRef

from chattyshared.batches import number, text
from chattyshared.endpoint import Endpoint

SMALL = 300_000
"""Up to so many triples one aggregate query over everything is cheap; above, samples are taken."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Numbers of triples per predicate and of entities per class, most frequent first."""

    predicates: Mapping[str, int]
    classes: Mapping[str, int]

    @property
    def triples(self) -> int:
        """The number of all triples."""
        return sum(self.predicates.values())

    @property
    def is_small(self) -> bool:
        """Whether queries over all triples are cheap."""
        return self.triples <= SMALL


def survey(endpoint: Endpoint) -> Survey:
    """Count triples per predicate and entities per class, in two requests.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    predicates = endpoint.select("SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p")
    classes = endpoint.select("SELECT ?c (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a ?c } GROUP BY ?c")
    return Survey(
        ranked({text(row, "p"): number(row, "n") for row in predicates if "p" in row}),
        ranked({text(row, "c"): number(row, "n") for row in classes if isinstance(row.get("c"), URIRef)}),
    )


def ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with the greatest first, equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

"""Predicates and classes that a newer graph has renamed, found by the pairs and instances that both names share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import BATCH_SIZE, count_of, is_nameable
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.terms import is_writable, n3
from rdflib import RDF, URIRef

MIN_OVERLAP = 0.5
"""The least share of the sampled pairs or instances of a name that another name has to have; set by hand: half of the
data may change together with a name."""


@dataclass(frozen=True, slots=True)
class RenameFinder:
    """Finds what the names of an old graph are in a new one; each name is looked up once."""

    old: KnowledgeGraph
    new: KnowledgeGraph
    _found: dict[str, str | None] = field(default_factory=dict)

    def find_renames(self, query: QueryAnalysis) -> Mapping[str, str]:
        """Return the new name of each predicate and class of a query that is gone, as far as there is one.

        Raises:
            EndpointError: an endpoint does not answer.
        """
        classes = {str(o) for _, p, o in query.patterns if isinstance(o, URIRef) and _states_class(p)}
        names: list[tuple[str, Callable[[str], str | None]]] = [
            *((iri, self._find_predicate) for iri in query.predicates if not is_rdf_type(iri)),
            *((iri, self._find_class) for iri in sorted(classes)),
        ]
        for iri, find in names:
            if iri not in self._found:
                self._found[iri] = find(iri) if is_writable(iri) else None
        return {iri: new for iri, _ in names if (new := self._found[iri])}

    def _find_predicate(self, iri: str) -> str | None:
        """Return the predicate that connects most pairs of one that is gone; else, most of its subjects."""
        predicate = n3(URIRef(iri))
        if self.new.endpoint.ask(f"ASK {{ ?s {predicate} ?o }}"):
            return None
        rows = self.old.endpoint.select(
            f"SELECT DISTINCT ?s ?o WHERE {{ ?s {predicate} ?o }} ORDER BY ?s ?o LIMIT {BATCH_SIZE}"
        )
        pairs = [f"({n3(row['s'])} {n3(row['o'])})" for row in rows if is_nameable(row["s"]) and is_nameable(row["o"])]
        subjects = sorted({n3(row["s"]) for row in rows if is_nameable(row["s"])})
        by_pairs = f"VALUES (?s ?o) {{ {' '.join(pairs)} }} ?s ?name ?o"
        by_subjects = f"VALUES ?s {{ {' '.join(subjects)} }} ?s ?name ?o"
        return self._most_shared(by_pairs, "*", len(pairs)) or self._most_shared(
            by_subjects, "DISTINCT ?s", len(subjects)
        )

    def _find_class(self, iri: str) -> str | None:
        """Return the class of most instances of one that is gone."""
        a = n3(RDF.type)
        if self.new.endpoint.ask(f"ASK {{ ?s {a} {n3(URIRef(iri))} }}"):
            return None
        rows = self.old.endpoint.select(
            f"SELECT DISTINCT ?s WHERE {{ ?s {a} {n3(URIRef(iri))} }} ORDER BY ?s LIMIT {BATCH_SIZE}"
        )
        instances = [n3(row["s"]) for row in rows if is_nameable(row["s"])]
        return self._most_shared(f"VALUES ?s {{ {' '.join(instances)} }} ?s {a} ?name", "DISTINCT ?s", len(instances))

    def _most_shared(self, pattern: str, counted: str, sample_size: int) -> str | None:
        """Return the name that fits most of a sample in the new graph, and that the old graph does not have there."""
        if not sample_size:
            return None
        former = {name for name, _ in self._count_names(self.old, pattern, counted)}
        for name, count in self._count_names(self.new, pattern, counted):
            if name not in former and is_writable(name) and count >= MIN_OVERLAP * sample_size:
                return name
        return None

    def _count_names(self, kg: KnowledgeGraph, pattern: str, counted: str) -> Iterator[tuple[str, int]]:
        rows = kg.endpoint.select(
            f"SELECT ?name (COUNT({counted}) AS ?n) WHERE {{ {pattern} }} GROUP BY ?name ORDER BY DESC(?n) ?name"
        )
        yield from ((str(row["name"]), count_of(row, "n")) for row in rows if "name" in row)


def _states_class(predicate: object) -> bool:
    """Tell whether a predicate is rdf:type, or a path that begins with it."""
    return is_rdf_type(predicate) or is_rdf_type(next(iter(getattr(predicate, "args", ())), ""))

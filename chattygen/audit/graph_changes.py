"""What differs between two states of a graph: the triples behind a query, and the names of predicates and classes."""

from __future__ import annotations

from dataclasses import dataclass, field

from chattyshared.endpoint import Endpoint
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import BATCH_SIZE, count_of, is_nameable
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.sparql.pattern_groups import PatternGroup
from chattyshared.sparql.rewriting import split_query
from chattyshared.terms import is_writable, n3
from rdflib import RDF, URIRef

from chattygen.audit.question_checks import find_stated

MAX_SOLUTIONS = 2_000
"""The most solutions of a query's pattern, and of one triple pattern, that are compared."""
MIN_OVERLAP = 0.5
"""The least share of the sampled pairs or instances of a name that another name has to have; set by hand: half of the
data may change together with a name."""


def compare_triples(query: QueryAnalysis, old: Endpoint, new: Endpoint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the triples behind a query that came and those that went, in SPARQL's syntax; none if they are not known.

    They are those of the solutions of the query's pattern, and those of its negated patterns; if all these are the same
    (the change lies in a subquery), those of each triple pattern alone. Both endpoints must take untrusted queries.

    Raises:
        EndpointUnavailable: an endpoint does not answer.
    """
    text, ends = split_query(query.text), (old, new)
    if text is None:
        return (), ()
    positive = tuple(pattern for pattern in query.patterns if pattern not in query.negated_patterns)
    parts = [_compare_matches(text.solutions, PatternGroup(positive), ends)]
    parts += [_compare_pattern(PatternGroup((pattern,)), ends) for pattern in query.negated_patterns]
    if not any(map(any, parts)):
        parts = [_compare_pattern(PatternGroup((pattern,)), ends) for pattern in positive]
    came, went = (tuple(sorted({triple for part in parts for triple in part[side]})) for side in (0, 1))
    return came, went


def _compare_pattern(group: PatternGroup, ends: tuple[Endpoint, Endpoint]) -> tuple[set[str], set[str]]:
    return _compare_matches(f"SELECT DISTINCT * WHERE {{ {group.text} }}", group, ends)


def _compare_matches(query: str, group: PatternGroup, ends: tuple[Endpoint, Endpoint]) -> tuple[set[str], set[str]]:
    """Return the triples of a group, in the solutions of a query, that came and those that went."""
    matches = []
    try:
        for endpoint in ends:
            rows = endpoint.select(f"{query} LIMIT {MAX_SOLUTIONS}")
            if len(rows) >= MAX_SOLUTIONS:  # what is missing may only be cut off
                return set(), set()
            triples = (triple for row in rows for triple in group.triples_of(row))
            matches.append({" ".join(map(n3, triple)) for triple in triples if all(map(is_nameable, triple))})
        # A triple whose solution is gone may still be there.
        came, went = matches[1] - matches[0], matches[0] - matches[1]
        return came - find_stated(came, ends[0]), went - find_stated(went, ends[1])
    except QUERY_ERRORS:
        return set(), set()


@dataclass(frozen=True, slots=True)
class GoneName:
    """A predicate or class that the old graph uses and the new one does not, and its new name (empty: none is known).

    ``is_sure`` tells that the new name has the same pairs or instances, not only the same subjects.
    """

    iri: str
    new: str = ""
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class RenameFinder:
    """Finds which names of an old graph are gone in a new one, and the new names of their pairs or instances.

    Each name is looked up once.
    """

    old: KnowledgeGraph
    new: KnowledgeGraph
    _looked_up: dict[str, GoneName | None] = field(default_factory=dict)

    def find_gone_names(self, query: QueryAnalysis) -> tuple[GoneName, ...]:
        """Return the predicates and classes of a query that are gone.

        Raises:
            EndpointError: an endpoint does not answer.
        """
        classes = {str(o) for _, p, o in query.patterns if isinstance(o, URIRef) and _states_class(p)}
        patterns = {iri: "?s ?name ?o" for iri in query.predicates if not is_rdf_type(iri)}
        patterns |= dict.fromkeys(sorted(classes), f"?s {n3(RDF.type)} ?name")
        for iri, pattern in patterns.items():
            if iri not in self._looked_up:
                self._looked_up[iri] = self._look_up(iri, pattern) if is_writable(iri) else None
        return tuple(gone for iri in patterns if (gone := self._looked_up[iri]))

    def _look_up(self, iri: str, pattern: str) -> GoneName | None:
        """Return a name that is gone, with the one that has most of its pairs; else, that has most of its subjects."""
        stated = pattern.replace("?name", n3(URIRef(iri)))
        if self.new.endpoint.ask(f"ASK {{ {stated} }}"):
            return None
        names = "?s ?o" if "?o" in pattern else "?s"
        rows = self.old.endpoint.select(
            f"SELECT DISTINCT {names} WHERE {{ {stated} }} ORDER BY {names} LIMIT {BATCH_SIZE}"
        )
        if not rows:
            return None
        terms = [tuple(row[name[1:]] for name in names.split()) for row in rows]
        sample = {f"({' '.join(map(n3, row))})" for row in terms if all(map(is_nameable, row))}
        subjects = {f"({n3(row[0])})" for row in terms if is_nameable(row[0])}
        same = self._most_shared(pattern, names, sample)
        return GoneName(iri, same or self._most_shared(pattern, "?s", subjects), bool(same))

    def _most_shared(self, pattern: str, names: str, sample: set[str]) -> str:
        """Return the name that fits most of a sample in the new graph, and that the old graph does not have there."""
        if not sample:
            return ""
        query = (
            f"SELECT ?name (COUNT({'*' if '?o' in names else 'DISTINCT ?s'}) AS ?n) WHERE {{ "
            f"VALUES ({names}) {{ {' '.join(sorted(sample))} }} {pattern} }} GROUP BY ?name ORDER BY DESC(?n) ?name"
        )
        former = {str(row["name"]) for row in self.old.endpoint.select(query) if "name" in row}
        for row in self.new.endpoint.select(query):
            name = str(row.get("name", ""))
            if name not in former and is_writable(name) and count_of(row, "n") >= MIN_OVERLAP * len(sample):
                return name
        return ""


def _states_class(predicate: object) -> bool:
    """Tell whether a predicate is rdf:type, or a path that begins with it."""
    return is_rdf_type(predicate) or is_rdf_type(next(iter(getattr(predicate, "args", ())), ""))

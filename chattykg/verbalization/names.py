"""What the terms of a query are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry, Vocabulary
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.terms import has_opaque_name, iri_to_words, local_name
from chattyshared.text import join_texts
from rdflib import URIRef
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import is_open, path_iris
from chattykg.verbalization.expressions import render_term
from chattykg.verbalization.phrases import join_alternatives


@dataclass(frozen=True, slots=True)
class QueryNames:
    """What the terms of a query are called, and which predicates state classes, superclasses and names."""

    vocabulary: Vocabulary
    label: Callable[[str], str]
    type_predicates: frozenset[str]
    superclass_predicates: frozenset[str]
    name_predicates: frozenset[str]

    def entry(self, predicate: Any) -> PredicateEntry | None:
        """Return the entry of a predicate; None for paths and for predicates that the graph does not have."""
        return self.vocabulary.predicates.get(str(predicate)) if isinstance(predicate, URIRef) else None

    def predicate(self, predicate: Any) -> str:
        """Return the label of a predicate, a property path or a computed property."""
        if isinstance(predicate, AlternativePath):
            return join_alternatives([self.predicate(step) for step in predicate.args])
        if isinstance(predicate, NegatedPath):
            return f"property other than {join_texts([self.predicate(step) for step in predicate.args], 'or')}"
        if isinstance(predicate, CompValue):  # rdflib does not keep the reversed step of a negation
            return "a reversed one"
        if isinstance(predicate, InvPath):
            return f"reverse of {self.predicate(predicate.arg)}"
        if isinstance(predicate, MulPath):
            label = self.predicate(predicate.path)
            return {"+": f"{label} (over any number of steps)", "?": f"{label} (or itself)"}.get(
                str(predicate.mod), f"{label} (itself or over any number of steps)"
            )
        if isinstance(predicate, URIRef):
            return render_term(predicate, self.label).removeprefix("has ")
        if is_open(predicate):
            return "property"
        return predicate if type(predicate) is str else f"path {' / '.join(map(self.predicate, path_iris(predicate)))}"

    def widest_class(self, iris: frozenset[str]) -> str:
        """Return the label of the class that is above all the others; "" if there is none."""
        widest = [iri for iri in sorted(iris) if iris <= self.vocabulary.subclasses(iri)]
        return self.vocabulary.classes[widest[0]].label if widest and widest[0] in self.vocabulary.classes else ""

    def is_type(self, predicate: Any) -> bool:
        """Tell whether a predicate or path states a class."""
        iris = frozenset(map(str, path_iris(predicate)))
        return bool(iris & self.type_predicates) and iris <= self.type_predicates | self.superclass_predicates


def _label_of(iri: str, labels: Mapping[str, str], vocabulary: Vocabulary) -> str:
    """Return the label of an IRI; an identifier that only other namespaces label has their label ("P57")."""
    label = labels.get(iri) or iri_to_words(iri)
    if label != local_name(iri) or not has_opaque_name(iri):
        return label
    entries = (entry for other, entry in vocabulary.predicates.items() if local_name(other) == label)
    return next((entry.label for entry in entries if entry.label != label), label)


def query_names(kg: KnowledgeGraph, labels: Mapping[str, str]) -> QueryNames:
    """Return the names of the terms of a query over a graph, given the labels of its IRIs."""
    profile = kg.profile
    return QueryNames(
        kg.vocabulary,
        lambda iri: _label_of(iri, labels, kg.vocabulary),
        frozenset((*TYPE_PREDICATES, *profile.types)),
        frozenset((*SUBCLASS_PREDICATES, *profile.subclasses)),
        frozenset((*LABEL_PREDICATES, *profile.labels, *profile.alt_labels)),
    )

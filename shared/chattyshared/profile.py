"""What a KG calls its labels and what it hides: detected from the data, or read from a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from rdflib import RDF, RDFS, URIRef

from chattyshared.terms import n3

TYPE_PREDICATES = (str(RDF.type),)
SUBCLASS_PREDICATES = (str(RDFS.subClassOf),)
LABEL_PREDICATES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "https://schema.org/name",
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
ALT_LABEL_PREDICATES = (
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "https://schema.org/alternateName",
    "http://schema.org/alternateName",
)


@dataclass(frozen=True, slots=True)
class Profile:
    """How to read one KG: label predicates (best first), alternative ones, languages, and metadata predicates.

    ``types`` are the predicates that state a thing's class, ``subclasses`` those that lead from a class to a wider one.
    ``labels`` is empty for a KG that has no labels at all: local names are read then. ``type_labels`` maps a class to
    the literal predicate that names most of its entities, where that is none of ``labels``. ``name_pairs`` are those of
    such predicates that hold a given name, each with the one that holds the family name: a label is made of both.
    """

    labels: tuple[str, ...] = LABEL_PREDICATES
    alt_labels: tuple[str, ...] = ALT_LABEL_PREDICATES
    languages: tuple[str, ...] = ("en", "")
    metadata: frozenset[str] = frozenset()
    metadata_classes: frozenset[str] = frozenset()
    type_labels: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = TYPE_PREDICATES
    subclasses: tuple[str, ...] = SUBCLASS_PREDICATES
    name_pairs: tuple[tuple[str, str], ...] = ()

    @property
    def has_labels(self) -> bool:
        """Whether anything in the KG carries a label; if not, entities are called by their IRIs' local names."""
        return bool(self.labels or self.type_labels)

    def type_pattern(self, thing: str, kind: str) -> str:
        """Return the triple pattern that states a thing's class; both are written as a query takes them (``?s``)."""
        steps = "|".join(n3(URIRef(iri)) for iri in self.types)
        return f"{thing} {steps if len(self.types) == 1 else f'({steps})'} {kind}"

    @property
    def digest(self) -> str:
        """A short text that differs where profiles differ."""
        hidden = (sorted(self.metadata), sorted(self.metadata_classes))
        shown = (self.labels, self.alt_labels, self.languages, self.type_labels)
        both = (self.name_pairs,) if self.name_pairs else ()
        return sha256(repr((shown, hidden, self.types, *both)).encode()).hexdigest()[:12]

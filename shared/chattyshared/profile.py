"""The profile of a KG: its label, class and metadata predicates, detected from the data or read from a TOML file."""

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
    """How to read one KG: label predicates (best first), alternative labels, languages, and metadata.

    ``types`` are the predicates that state an entity's class, ``subclasses`` those from a class to its superclass.
    ``labels`` is empty for a KG without labels: local names are used then. ``type_labels`` maps a class to the literal
    predicate that names most of its entities, if that is not in ``labels``. ``name_pairs`` are pairs of predicates for
    given and family name: a label consists of both. ``names`` are IRIs of classes and predicates, and what people call
    them.
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
    names: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    blank_things: bool = False

    @property
    def has_labels(self) -> bool:
        """Whether the KG has labels; if not, entities are named by their IRIs' local names."""
        return bool(self.labels or self.type_labels)

    @property
    def naming(self) -> tuple[str, ...]:
        """The predicates that name things, wholly or in part, each once."""
        own = (predicate for _, predicate in self.type_labels)
        parts = (predicate for pair in self.name_pairs for predicate in pair)
        return tuple(dict.fromkeys((*self.labels, *self.alt_labels, *own, *parts)))

    def type_pattern(self, thing: str, kind: str) -> str:
        """Return the triple pattern that states the class ``kind`` of ``thing``; both are in SPARQL syntax (``?s``)."""
        steps = "|".join(n3(URIRef(iri)) for iri in self.types)
        return f"{thing} {steps if len(self.types) == 1 else f'({steps})'} {kind}"

    @property
    def digest(self) -> str:
        """A short digest that differs between different profiles."""
        metadata = (sorted(self.metadata), sorted(self.metadata_classes))
        naming = (self.labels, self.alt_labels, self.languages, self.type_labels)
        optional = filter(None, (self.name_pairs, self.names, self.paths, self.blank_things))
        return sha256(repr((naming, metadata, self.types, *optional)).encode()).hexdigest()[:12]

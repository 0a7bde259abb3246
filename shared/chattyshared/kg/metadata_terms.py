"""Which classes and predicates describe the data and not the domain, by well-known namespaces and names."""

from __future__ import annotations

from chattyshared.endpoint.direct_statements import REPEATED_PREFIX
from chattyshared.language.lexicon import word_set
from chattyshared.profile import Profile
from chattyshared.terms import local_name

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DCT = "http://purl.org/dc/terms/"

CLASSES = (OWL + "Class", RDFS + "Class")
RESTRICTION = OWL + "Restriction"
"""The classes of what an ontology defines."""
UNIVERSAL_CLASSES = frozenset(
    (OWL + "Thing", OWL + "NamedIndividual", RDFS + "Resource", "http://wikiba.se/ontology#Item")
)
"""Classes that say nothing about their members."""

_BOTH = (
    RDF,
    RDFS,
    OWL,
    "http://www.w3.org/ns/shacl#",
    "http://www.w3.org/2008/05/skos-xl#",
    "http://rdfs.org/ns/void#",
    "http://www.w3.org/ns/sparql-service-description#",
    "http://purl.org/vocab/vann/",
    "http://purl.org/vocommons/voaf#",
    "http://www.w3.org/2003/06/sw-vocab-status/ns#",
    "http://purl.org/pav/",
    "http://www.w3.org/ns/adms#",
    "http://creativecommons.org/ns#",
    "http://www.wikidata.org/ontology#",
    "http://wikiba.se/ontology#",
    "http://www.openlinksw.com/schemas/",
    "http://spinrdf.org/",
)
_CLASSES = frozenset(
    (
        SKOS + "ConceptScheme",
        SKOS + "Collection",
        SKOS + "OrderedCollection",
        "http://www.w3.org/ns/dcat#Dataset",
        "http://www.w3.org/ns/dcat#Distribution",
        "http://www.w3.org/ns/prov#Entity",
        "http://www.w3.org/ns/prov#Activity",
    )
)
_PAGES = frozenset(f"http://schema.org/{name}" for name in ("Article", "Dataset"))
"""Classes of ``rdf:type`` for the pages about the entities of a Wikibase, which state their own classes otherwise."""
_PREDICATE_SPACES = (
    "http://www.w3.org/ns/prov#",
    "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "http://www.georss.org/georss/",
    "http://www.opengis.net/ont/geosparql#",
    "http://schema.org/version/",
    REPEATED_PREFIX,
)
_PREDICATES = frozenset(
    [
        DCT + name
        for name in (
            "modified available dateSubmitted dateAccepted dateCopyrighted identifier "
            "license rights rightsHolder provenance conformsTo hasFormat isFormatOf hasVersion isVersionOf "
            "bibliographicCitation"
        ).split()
    ]
    + [
        SKOS + name
        for name in (
            "prefLabel altLabel hiddenLabel notation inScheme topConceptOf hasTopConcept exactMatch closeMatch "
            "broadMatch narrowMatch relatedMatch mappingRelation note changeNote editorialNote historyNote scopeNote "
            "example"
        ).split()
    ]
    + ["http://purl.org/dc/elements/1.1/" + name for name in "identifier rights".split()]
    + [
        "http://xmlns.com/foaf/0.1/" + name
        for name in "depiction depicts img thumbnail page isPrimaryTopicOf primaryTopic topic mbox_sha1sum".split()
    ]
)
_NAMES = word_set("relation_labels", "metadata")


def is_metadata_class(iri: str, *, has_own_classes: bool = False) -> bool:
    """Tell whether a class is one of ontologies, datasets or shapes, by its IRI; ``has_own_classes``: the KG states
    classes by a predicate of its own."""
    return iri in _CLASSES or iri.startswith(_BOTH) or (has_own_classes and iri in _PAGES)


def is_metadata_predicate(iri: str) -> bool:
    """Tell whether a predicate is metadata, by its IRI: labels and comments, links to pages, versions."""
    if iri in _PREDICATES or iri.startswith(_BOTH) or iri.startswith(_PREDICATE_SPACES):
        return True
    name = local_name(iri).casefold()
    return name in _NAMES or name.startswith(("wikipage", "wikipedia"))


def page_filter(profile: Profile, variable: str) -> str:
    """Return the filter that a variable is no page about an entity, which bears the name of this; may be empty."""
    pages = ", ".join(f"<{iri}>" for iri in sorted(profile.metadata_classes & _PAGES))
    return f"FILTER NOT EXISTS {{ {variable} a ?page FILTER(?page IN ({pages})) }}" if pages else ""


def schema_classes(profile: Profile) -> list[str]:
    """Return the metadata classes whose members are parts of a schema or a dataset, not domain entities."""
    return sorted(profile.metadata_classes - UNIVERSAL_CLASSES)

"""Detect the predicates that state classes where ``rdf:type`` does not, by their names and their use in the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rdflib import RDF, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg.batches import batches, format_iri, in_filter, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.labels import label_subjects
from chattyshared.kg.metadata_terms import is_metadata_class, is_metadata_predicate
from chattyshared.kg.statistics import KGStatistics
from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import WORD
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, Profile
from chattyshared.terms import iri_to_words

WELL_KNOWN = ("http://www.wikidata.org/prop/direct/P31", "http://www.wikidata.org/entity/P31")
WELL_KNOWN_ABOVE = ("http://www.wikidata.org/prop/direct/P279", "http://www.wikidata.org/entity/P279")
NEGLIGIBLE_SHARE = 0.05
"""Classes of ``rdf:type`` with at most this share of a candidate's triples, or of its subjects, do not count."""
MAX_OBJECTS_PER_SUBJECT, MIN_COVERAGE = 0.5, 0.4
"""A type predicate has at most this many distinct objects per subject, and at least this share of all entities has
it."""
SAMPLE_TRIPLES, SAMPLE_PREDICATES, SUBJECTS_PER_PREDICATE = 1_000, 30, 20
"""Sample sizes: triples of a candidate, other predicates, and subjects of each of these."""
MAX_CANDIDATES, MAX_NAMED_PREDICATES = 6, 600
"""Limits: candidates that are sampled, and predicates whose labels are read."""
# English names, and the labels of Wikidata's P31 and P279 in other languages.
_TYPE_NAMES = word_set("relation_labels", "instance_of")
_KIND_NAMES = word_set("relation_labels", "kind_of")
_SUBCLASS_NAMES = word_set("relation_labels", "subclass_of")


def find_class_predicates(endpoint: Endpoint, counts: KGStatistics) -> Profile:
    """Return a profile with the class and subclass predicates only.

    The class predicate is ``rdf:type`` (no request is made), unless nearly no entities have it and a predicate with the
    name of a type, kind or category (in its IRI or label) leads most entities to few, shared IRIs. Of several such
    predicates, the best name wins, then the most frequent one. That takes three or four requests, each over a few
    thousand triples.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    names_by_predicate = _candidate_names(endpoint, counts)
    ranks = {
        name: rank for name in names_by_predicate if (rank := _name_rank(name, names_by_predicate[name])) is not None
    }
    candidates = sorted(ranks, key=lambda name: (ranks[name], -counts.predicates[name], name))[:MAX_CANDIDATES]
    classes_by_predicate = _sampled_classes(endpoint, candidates) if candidates else {}
    general = _general_predicates(endpoint, counts, classes_by_predicate) if classes_by_predicate else set()
    chosen = next((name for name in candidates if name in general), "")
    if not chosen:
        return Profile()
    subclass_predicates = [
        name for name, names in names_by_predicate.items() if name in WELL_KNOWN_ABOVE or names & _SUBCLASS_NAMES
    ]
    return Profile(
        types=(chosen,), subclasses=(*SUBCLASS_PREDICATES, *sorted(set(subclass_predicates) - set(SUBCLASS_PREDICATES)))
    )


def _candidate_names(endpoint: Endpoint, counts: KGStatistics) -> dict[str, frozenset[str]]:
    """Return the names of the candidates: all predicates with far more triples than there are typed entities."""
    classed_count = sum(n for class_iri, n in counts.classes.items() if not is_metadata_class(class_iri))
    usable = [p for p in counts.predicates if is_nameable(URIRef(p)) and not is_metadata_predicate(p)]
    names_by_predicate = {
        name: {_normalize(iri_to_words(name))}
        for name in usable
        if classed_count <= NEGLIGIBLE_SHARE * counts.predicates[name]
    }
    labels = [p for p in LABEL_PREDICATES if p in counts.predicates]
    if names_by_predicate and labels:
        predicate_by_subject = {
            subject: name
            for name in list(names_by_predicate)[:MAX_NAMED_PREDICATES]
            for subject in label_subjects(name)
        }
        for batch in batches(predicate_by_subject):
            query = f"SELECT ?s ?x WHERE {{ {values_block('s', batch)} ?s ?q ?x {in_filter('q', labels)} }}"
            for row in endpoint.select(query):
                names_by_predicate[predicate_by_subject[text_of(row, "s")]].add(_normalize(text_of(row, "x")))
    for name in WELL_KNOWN:
        if name in counts.predicates:
            names_by_predicate.setdefault(name, set())
    return {name: frozenset(texts) for name, texts in names_by_predicate.items()}


def _normalize(words: str) -> str:
    return " ".join(WORD.findall(words.casefold()))


def _name_rank(name: str, names: frozenset[str]) -> int | None:
    """Return how likely a predicate states classes, by its names: 0 is most likely; None: it does not."""
    if name in WELL_KNOWN:
        return 0
    return 1 if names & _TYPE_NAMES else 2 if names & _KIND_NAMES else None


def _sampled_classes(endpoint: Endpoint, candidates: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the candidates that lead many untyped subjects to few IRIs, with these IRIs."""
    optional_type = f"OPTIONAL {{ ?s {RDF.type.n3()} ?c }}"
    branches = [
        f"{{ SELECT ?s ?o WHERE {{ ?s {format_iri(p)} ?o }} LIMIT {SAMPLE_TRIPLES} }}"
        f" BIND({format_iri(p)} AS ?p) {optional_type}"
        for p in candidates
    ]
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in endpoint.select(f"SELECT ?p ?s ?o ?c WHERE {{ {union_pattern(branches)} }}"):
        rows[text_of(row, "p")].append(row)
    found = {name: _class_like_objects(rows[name], is_known=name in WELL_KNOWN) for name in candidates}
    return {name: classes for name, classes in found.items() if classes}


def _class_like_objects(rows: Sequence[Row], *, is_known: bool) -> frozenset[str]:
    """Return the objects of sampled triples if they look like classes, else the empty set; of a known predicate, each
    IRI does: a file of one entity has all of its classes once."""
    subjects = {text_of(row, "s") for row in rows}
    pairs = {(text_of(row, "s"), row["o"]) for row in rows}
    classes = {text_of(row, "o") for row in rows if isinstance(row["o"], URIRef)}
    classed = {text_of(row, "s") for row in rows if "c" in row and not is_metadata_class(text_of(row, "c"))}
    objects_are_iris = sum(isinstance(o, URIRef) for _, o in pairs) >= (1 - NEGLIGIBLE_SHARE) * len(pairs)
    objects_are_shared = len(classes) <= MAX_OBJECTS_PER_SUBJECT * len(subjects) and len(pairs) <= 2 * len(subjects)
    return (
        frozenset(classes)
        if is_known or objects_are_iris and objects_are_shared and len(classed) <= NEGLIGIBLE_SHARE * len(subjects)
        else frozenset()
    )


def _general_predicates(
    endpoint: Endpoint, counts: KGStatistics, classes_by_predicate: Mapping[str, Iterable[str]]
) -> set[str]:
    """Return the candidates that enough subjects of the most frequent other predicates have.

    Classes and predicates do not count as subjects here. Label predicates are ignored: classes and entities have them.
    """
    excluded = {*classes_by_predicate, *LABEL_PREDICATES}
    others = [
        p for p in counts.predicates if p not in excluded and is_nameable(URIRef(p)) and not is_metadata_predicate(p)
    ]
    if not others:
        return set(classes_by_predicate)
    branches = [
        f"{{ SELECT ?s WHERE {{ ?s {format_iri(p)} ?o }} LIMIT {SUBJECTS_PER_PREDICATE} }}"
        for p in others[:SAMPLE_PREDICATES]
    ]
    sample_query = f"{{ SELECT DISTINCT ?s WHERE {{ {union_pattern(branches)} FILTER(isIRI(?s)) }} }}"
    predicates_by_entity: dict[str, set[str]] = defaultdict(set)
    for row in endpoint.select(
        f"SELECT ?s ?q WHERE {{ {sample_query} OPTIONAL {{ ?s ?q ?x {in_filter('q', classes_by_predicate)} }} }}"
    ):
        predicates_by_entity[text_of(row, "s")].add(text_of(row, "q"))
    general = set()
    for name, classes in classes_by_predicate.items():
        entities = predicates_by_entity.keys() - set(classes) - counts.predicates.keys()
        if (
            sum(name in predicates_by_entity[entity] for entity in entities) >= MIN_COVERAGE * len(entities)
            or name in WELL_KNOWN
        ):
            general.add(name)
    return general

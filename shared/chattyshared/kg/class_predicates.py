"""Which predicates state classes where ``rdf:type`` does not: told by their names, and by how the data use them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rdflib import RDF, URIRef

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg.batches import batches, format_iri, in_filter, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.labels import label_subjects
from chattyshared.kg.metadata_terms import is_metadata_class, is_metadata_predicate
from chattyshared.kg.statistics import KGStatistics
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, Profile
from chattyshared.terms import iri_to_words

WELL_KNOWN = ("http://www.wikidata.org/prop/direct/P31", "http://www.wikidata.org/entity/P31")
WELL_KNOWN_ABOVE = ("http://www.wikidata.org/prop/direct/P279", "http://www.wikidata.org/entity/P279")
NEARLY = 0.05
"""Classes of ``rdf:type`` that have at most this share of a candidate's triples, or of its subjects, cover nothing."""
SHARED, COVERED = 0.5, 0.4
"""A type predicate has at most so many objects per subject, and stands at least at this share of all things."""
SAMPLE, PREDICATES, EACH = 1_000, 30, 20
"""Triples of a candidate, other predicates, and subjects of each of these that are looked at."""
CANDIDATES, NAMED = 6, 600
"""Candidates that are looked at, and predicates whose labels are read."""
# English, and what Wikidata calls its P31 and P279 in the languages of most of its readers.
_TYPE = frozenset(
    (
        "instance of|is instance of|is an instance of|is a|isa|is an|type|types|has type|is of type|of type|entity type"
        "|class|has class|is of class|member of class|ist ein e|nature de l élément|instancia de|instância de"
        "|istanza di|is een|är en instans av"
    ).split("|")
)
_KIND = frozenset("kind|has kind|is of kind|kind of thing|category|has category|categories|main category".split("|"))
_ABOVE = frozenset(
    (
        "subclass of|sub class of|is subclass of|is a subclass of|superclass|super class|has superclass|parent class"
        "|subtype of|sub type of|is subtype of|supertype|parent type|subkind of|parent kind|subcategory of"
        "|parent category|unterklasse von|sous classe de|subclase de|subclasse de|sottoclasse di|subklasse van"
        "|underklass till"
    ).split("|")
)


def find_class_predicates(endpoint: Endpoint, counts: KGStatistics) -> Profile:
    """Return a profile that says how classes are stated, and nothing else yet.

    That is ``rdf:type``, at no request, unless classes of things have nearly no members by it and a predicate named
    like a type, kind or category (by its IRI, or by its label) leads most things to few, shared IRIs; of several the
    best named, then the most used. Three or four requests then, each of a few thousand triples.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    told = _names(endpoint, counts)
    ranks = {name: rank for name in told if (rank := _rank(name, told[name])) is not None}
    candidates = sorted(ranks, key=lambda name: (ranks[name], -counts.predicates[name], name))[:CANDIDATES]
    fitting = _fitting(endpoint, candidates) if candidates else {}
    covering = _covering(endpoint, counts, fitting) if fitting else set()
    chosen = next((name for name in candidates if name in covering), "")
    if not chosen:
        return Profile()
    above = [name for name, names in told.items() if name in WELL_KNOWN_ABOVE or names & _ABOVE]
    return Profile(types=(chosen,), subclasses=(*SUBCLASS_PREDICATES, *sorted(set(above) - set(SUBCLASS_PREDICATES))))


def _names(endpoint: Endpoint, counts: KGStatistics) -> dict[str, frozenset[str]]:
    """Return what the predicates are called that may state classes: all with far more triples than classed things."""
    classed = sum(n for kind, n in counts.classes.items() if not is_metadata_class(kind))
    usable = [p for p in counts.predicates if is_nameable(URIRef(p)) and not is_metadata_predicate(p)]
    found = {name: {_plain(iri_to_words(name))} for name in usable if classed <= NEARLY * counts.predicates[name]}
    labels = [p for p in LABEL_PREDICATES if p in counts.predicates]
    if found and labels:
        described = {place: name for name in list(found)[:NAMED] for place in label_subjects(name)}
        for batch in batches(described):
            query = f"SELECT ?s ?x WHERE {{ {values_block('s', batch)} ?s ?q ?x {in_filter('q', labels)} }}"
            for row in endpoint.select(query):
                found[described[text_of(row, "s")]].add(_plain(text_of(row, "x")))
    for name in WELL_KNOWN:
        if name in counts.predicates:
            found.setdefault(name, set())
    return {name: frozenset(names) for name, names in found.items()}


def _plain(words: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", words.casefold()))


def _rank(name: str, names: frozenset[str]) -> int | None:
    """Return how surely a predicate is one for classes, by its names: 0 is surest; None: it is none."""
    if name in WELL_KNOWN:
        return 0
    return 1 if names & _TYPE else 2 if names & _KIND else None


def _fitting(endpoint: Endpoint, candidates: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the candidates that lead many subjects to few IRIs, with those: subjects that nothing else classes."""
    typed = f"OPTIONAL {{ ?s {RDF.type.n3()} ?c }}"
    branches = [
        f"{{ SELECT ?s ?o WHERE {{ ?s {format_iri(p)} ?o }} LIMIT {SAMPLE} }} BIND({format_iri(p)} AS ?p) {typed}"
        for p in candidates
    ]
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in endpoint.select(f"SELECT ?p ?s ?o ?c WHERE {{ {union_pattern(branches)} }}"):
        rows[text_of(row, "p")].append(row)
    return {name: kinds for name in candidates if (kinds := _kinds(rows[name]))}


def _kinds(rows: Sequence[Row]) -> frozenset[str]:
    """Return the objects of sampled triples if they look like classes, else nothing."""
    subjects = {text_of(row, "s") for row in rows}
    pairs = {(text_of(row, "s"), row["o"]) for row in rows}
    kinds = {text_of(row, "o") for row in rows if isinstance(row["o"], URIRef)}
    classed = {text_of(row, "s") for row in rows if "c" in row and not is_metadata_class(text_of(row, "c"))}
    are_iris = sum(isinstance(o, URIRef) for _, o in pairs) >= (1 - NEARLY) * len(pairs)
    is_shared = len(kinds) <= SHARED * len(subjects) and len(pairs) <= 2 * len(subjects)
    return frozenset(kinds) if are_iris and is_shared and len(classed) <= NEARLY * len(subjects) else frozenset()


def _covering(endpoint: Endpoint, counts: KGStatistics, fitting: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the candidates that stand at enough of the subjects of the most used other predicates.

    Classes and predicates are no things in this sense; labels stand at both, so they tell nothing.
    """
    aside = {*fitting, *LABEL_PREDICATES}
    others = [
        p for p in counts.predicates if p not in aside and is_nameable(URIRef(p)) and not is_metadata_predicate(p)
    ]
    if not others:
        return set(fitting)
    each = [f"{{ SELECT ?s WHERE {{ ?s {format_iri(p)} ?o }} LIMIT {EACH} }}" for p in others[:PREDICATES]]
    sampled = f"{{ SELECT DISTINCT ?s WHERE {{ {union_pattern(each)} FILTER(isIRI(?s)) }} }}"
    having: dict[str, set[str]] = defaultdict(set)
    for row in endpoint.select(f"SELECT ?s ?q WHERE {{ {sampled} OPTIONAL {{ ?s ?q ?x {in_filter('q', fitting)} }} }}"):
        having[text_of(row, "s")].add(text_of(row, "q"))
    found = set()
    for name, kinds in fitting.items():
        things = having.keys() - set(kinds) - counts.predicates.keys()
        if sum(name in having[thing] for thing in things) >= COVERED * len(things) or name in WELL_KNOWN:
            found.add(name)
    return found

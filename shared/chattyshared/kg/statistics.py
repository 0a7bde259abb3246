"""The first look at a KG: how many triples each predicate has and how many entities each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from random import Random
from statistics import stdev

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import EndpointTimeout, QueryRejected
from chattyshared.kg.batches import count_of, text_of
from chattyshared.kg.metadata_terms import is_metadata_class
from chattyshared.profile import TYPE_PREDICATES, Profile

SMALL = 300_000
"""Up to so many triples one aggregate query over everything is cheap; above, samples are taken."""
PART = 1_000_000
"""Triples that are counted of a KG that cannot be counted whole."""
PAGES, ROWS = 20, 1_000
"""Pages, at places that chance makes, from which the sizes of classes are estimated, and rows of each."""
_PART = "{{ SELECT * WHERE {{ {} }} LIMIT {} }}"
_USUAL = Profile()
# Each triple gives a number made of decimal digits of an MD5 of its text; their sum per predicate does not depend on
# any order and changes with each changed triple. Blank nodes have no name that lasts: they count as nothing. The
# datatype of texts with a language is written out, for Virtuoso knows none there. (Its MD5 takes characters beyond
# ASCII otherwise than by their UTF-8: a KG with such has another digest there than in files.)
_SUMS = """SELECT ?p (SUM(?h) AS ?sum) WHERE { ?s ?p ?o
 BIND(IF(isBlank(?s), "_", STR(?s)) AS ?a)
 BIND(IF(isBlank(?o), "_", IF(isLiteral(?o), CONCAT(STR(?o), "@", LCASE(LANG(?o)), "^", IF(LANG(?o) != "",
   "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", STR(DATATYPE(?o)))), STR(?o))) AS ?b)
 BIND(<http://www.w3.org/2001/XMLSchema#integer>(CONCAT("1",
   SUBSTR(REPLACE(MD5(CONCAT(?a, " ", ?b)), "[a-f]", ""), 1, 8))) AS ?h)
} GROUP BY ?p"""


@dataclass(frozen=True, slots=True)
class KGStatistics:
    """Numbers of triples per predicate and of entities per class, most frequent first.

    Not ``is_whole``: the KG is too big to be counted in time; the numbers of predicates are those of a part of it.
    ``errors`` holds, per class whose size is an estimate, half the width of its 95 % confidence interval (entities);
    it is empty where classes were counted.
    """

    predicates: Mapping[str, int]
    classes: Mapping[str, int]
    is_complete: bool = True
    class_errors: Mapping[str, float] = field(default_factory=dict)

    @property
    def triples(self) -> int:
        """The number of all triples."""
        return sum(self.predicates.values())

    @property
    def is_small(self) -> bool:
        """Whether queries over all triples are cheap."""
        return self.is_complete and self.triples <= SMALL


def measure_statistics(endpoint: Endpoint, profile: Profile = _USUAL) -> KGStatistics:
    """Count triples per predicate and entities per class, in two requests; what takes too long is sampled.

    A profile whose ``types`` are not ``rdf:type`` alone takes a third request: see ``restated``.

    Raises:
        EndpointError: the endpoint does not answer, or not even a part can be read in time.
    """
    try:
        predicates, is_whole = _per_predicate(endpoint, "?s ?p ?o"), True
    except EndpointTimeout:
        predicates, is_whole = _per_predicate(endpoint, _PART.format("?s ?p ?o", PART)), False
    found = _with_classes(endpoint, KGStatistics(predicates, {}, is_whole), _USUAL)
    return found if profile.types == TYPE_PREDICATES else recount_classes(endpoint, found, profile)


def recount_classes(endpoint: Endpoint, counts: KGStatistics, profile: Profile) -> KGStatistics:
    """Return a survey with the classes that other predicates than ``rdf:type`` state, in one request.

    Of the classes of ``rdf:type`` those stay that speak of the data: ontologies and their parts are typed by it alone.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found = _with_classes(endpoint, counts, profile)
    aside = {kind: n for kind, n in counts.classes.items() if is_metadata_class(kind)}
    return replace(found, classes=sort_by_count({**aside, **found.classes}))


def _with_classes(endpoint: Endpoint, counts: KGStatistics, profile: Profile) -> KGStatistics:
    members = profile.type_pattern("?s", "?c")
    try:
        return replace(counts, classes=_per_class(endpoint, members))
    except EndpointTimeout:
        classes, errors = _estimated(endpoint, members)
        classes = classes or _per_class(endpoint, _PART.format(members, PART))
        return replace(counts, classes=classes, is_complete=False, class_errors=errors)


def _per_predicate(endpoint: Endpoint, triples: str) -> dict[str, int]:
    rows = endpoint.select(f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {triples} }} GROUP BY ?p")
    return sort_by_count({text_of(row, "p"): count_of(row, "n") for row in rows if "p" in row})


def _per_class(endpoint: Endpoint, members: str) -> dict[str, int]:
    rows = endpoint.select(f"SELECT ?c (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members} }} GROUP BY ?c")
    return sort_by_count({text_of(row, "c"): count_of(row, "n") for row in rows if isinstance(row.get("c"), URIRef)})


def _estimated(endpoint: Endpoint, members: str) -> tuple[dict[str, int], dict[str, float]]:
    """Estimate the sizes of the classes, and by how much that may be wrong, from pages at random places.

    Each page is one cluster of a cluster sample: rows of one page resemble each other, so the error comes from how
    much the pages differ (Cochran, Sampling Techniques, chapter 9). Nothing comes back where pages cannot be read.
    """
    try:
        total = count_of(endpoint.select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {members} }}")[0], "n")
    except EndpointTimeout:
        return {}, {}
    chance, found = Random("survey"), list[Counter[str]]()
    reach = total
    for _ in range(PAGES):
        place = chance.randrange(max(1, reach - ROWS + 1))
        try:
            rows = endpoint.select(f"SELECT ?c WHERE {{ {members} }} LIMIT {ROWS} OFFSET {place}")
        except EndpointTimeout:
            reach = place // 2  # many engines walk to the place: the next ones lie nearer
            if not reach:
                break
            continue
        found.append(Counter(text_of(row, "c") for row in rows if isinstance(row.get("c"), URIRef)))
    return _from_pages([page for page in found if page], total)


def _from_pages(pages: Sequence[Counter[str]], total: int) -> tuple[dict[str, int], dict[str, float]]:
    """Return size and error of each class that the pages hold, out of ``total`` memberships."""
    if len(pages) < 2:
        return {}, {}
    sizes, errors = {}, {}
    for kind in {kind for page in pages for kind in page}:
        shares = [page[kind] / page.total() for page in pages]
        sizes[kind] = max(1, round(total * sum(shares) / len(shares)))
        errors[kind] = total * 1.96 * stdev(shares) / len(shares) ** 0.5
    return sort_by_count(sizes), errors


def sort_by_count(counts: Mapping[str, int]) -> dict[str, int]:
    """Return counts with the greatest first, equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def compute_fingerprint(endpoint: Endpoint, counts: KGStatistics) -> str:
    """Return a digest of numbers of triples per predicate and entities per class; of small KGs, of each triple.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    digest = sha256()
    for line in (*_count_lines(counts), *_triple_sums(endpoint, counts)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:32]


def _count_lines(counts: KGStatistics) -> Iterator[str]:
    yield from (f"{predicate} {n}" for predicate, n in sorted(counts.predicates.items()))
    yield from (f"a {kind} {n}" for kind, n in sorted(counts.classes.items()))


def _triple_sums(endpoint: Endpoint, counts: KGStatistics) -> list[str]:
    if not counts.is_small:
        return []
    try:
        rows = endpoint.select(_SUMS)
    except (QueryRejected, EndpointTimeout):  # an engine without MD5, or a slow one: the counts alone must do
        return []
    return sorted(f"{text_of(row, 'p')} {count_of(row, 'sum')}" for row in rows)

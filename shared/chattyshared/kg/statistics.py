"""Statistics and fingerprint of a KG: the triples of each predicate and the entities of each class."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import stdev

from rdflib import URIRef

from chattyshared.endpoint import Endpoint
from chattyshared.errors import ChattyError, EndpointTimeout, QueryRejected
from chattyshared.jsonlines import write_atomically
from chattyshared.kg.batches import count_of, text_of
from chattyshared.kg.metadata_terms import is_metadata_class
from chattyshared.profile import TYPE_PREDICATES, Profile

_log = logging.getLogger(__name__)
MAX_SMALL = 300_000
"""Up to this many triples, one aggregate query over all of them is cheap; above, samples are taken."""
PART_SIZE = 1_000_000
"""Triples that are counted if a KG cannot be counted whole."""
SAMPLE_PAGES, PAGE_ROWS = 20, 1_000
"""Pages at random offsets, and rows of each, from which the sizes of classes are estimated."""
_PART_PATTERN = "{{ SELECT * WHERE {{ {} }} LIMIT {} }}"
_DEFAULT_PROFILE = Profile()
# Each triple gives a number from the decimal digits of an MD5 of its text. The sum per predicate is independent of
# order and changes with every changed triple. Blank nodes have no stable name and are ignored. The datatype of texts
# with a language tag is written out, since Virtuoso returns none. (Virtuoso's MD5 does not encode characters beyond
# ASCII as UTF-8: a KG with such characters has another digest there than in files.)
_SUM_QUERY = """SELECT ?p (SUM(?h) AS ?sum) WHERE { ?s ?p ?o
 BIND(IF(isBlank(?s), "_", STR(?s)) AS ?a)
 BIND(IF(isBlank(?o), "_", IF(isLiteral(?o), CONCAT(STR(?o), "@", LCASE(LANG(?o)), "^", IF(LANG(?o) != "",
   "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", STR(DATATYPE(?o)))), STR(?o))) AS ?b)
 BIND(<http://www.w3.org/2001/XMLSchema#integer>(CONCAT("1",
   SUBSTR(REPLACE(MD5(CONCAT(?a, " ", ?b)), "[a-f]", ""), 1, 8))) AS ?h)
} GROUP BY ?p"""


@dataclass(frozen=True, slots=True)
class KGStatistics:
    """Numbers of triples per predicate and of entities per class, most frequent first.

    ``is_complete`` is false if the KG is too big to count in time; the predicates' numbers are then those of a part of
    it. ``class_errors`` holds, per class with an estimated size, half the width of the 95 % confidence interval
    (entities); it is empty if classes were counted.
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
        return self.is_complete and self.triples <= MAX_SMALL


def measure_statistics(endpoint: Endpoint, profile: Profile = _DEFAULT_PROFILE) -> KGStatistics:
    """Count triples per predicate and entities per class, in two requests; on a timeout, sample.

    A profile whose ``types`` are not only ``rdf:type`` takes a third request: see ``recount_classes``.

    Raises:
        EndpointError: the endpoint does not answer, or does not even return a part in time.
    """
    try:
        predicates, is_whole = _count_by_predicate(endpoint, "?s ?p ?o"), True
    except EndpointTimeout:
        predicates, is_whole = _count_by_predicate(endpoint, _PART_PATTERN.format("?s ?p ?o", PART_SIZE)), False
    statistics = _with_classes(endpoint, KGStatistics(predicates, {}, is_whole), _DEFAULT_PROFILE)
    return statistics if profile.types == TYPE_PREDICATES else recount_classes(endpoint, statistics, profile)


def recount_classes(endpoint: Endpoint, counts: KGStatistics, profile: Profile) -> KGStatistics:
    """Return the statistics with the classes that the profile's type predicates state, in one request.

    Metadata classes of ``rdf:type`` stay: ontologies and their parts are typed by it alone.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    recounted = _with_classes(endpoint, counts, profile)
    metadata_classes = {
        class_iri: n for class_iri, n in counts.classes.items() if is_metadata_class(class_iri, has_own_classes=True)
    }
    return replace(recounted, classes=sort_by_count({**metadata_classes, **recounted.classes}))


def _with_classes(endpoint: Endpoint, counts: KGStatistics, profile: Profile) -> KGStatistics:
    members = profile.type_pattern("?s", "?c")
    try:
        return replace(counts, classes=_count_by_class(endpoint, members))
    except EndpointTimeout:
        classes, errors = _estimate_classes(endpoint, members)
        classes = classes or _count_by_class(endpoint, _PART_PATTERN.format(members, PART_SIZE))
        return replace(counts, classes=classes, is_complete=False, class_errors=errors)


def _count_by_predicate(endpoint: Endpoint, triples: str) -> dict[str, int]:
    rows = endpoint.select(f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {triples} }} GROUP BY ?p")
    return sort_by_count({text_of(row, "p"): count_of(row, "n") for row in rows if "p" in row})


def _count_by_class(endpoint: Endpoint, members: str) -> dict[str, int]:
    rows = endpoint.select(f"SELECT ?c (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {members} }} GROUP BY ?c")
    return sort_by_count({text_of(row, "c"): count_of(row, "n") for row in rows if isinstance(row.get("c"), URIRef)})


def _estimate_classes(endpoint: Endpoint, members: str) -> tuple[dict[str, int], dict[str, float]]:
    """Estimate the sizes of the classes, with errors, from pages at random offsets.

    Each page is one cluster of a cluster sample: rows of one page resemble each other, so the error is computed from
    the differences between pages (Cochran, Sampling Techniques, chapter 9). If pages cannot be read, both results are
    empty.
    """
    try:
        total = count_of(endpoint.select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {members} }}")[0], "n")
    except EndpointTimeout:
        return {}, {}
    rng, class_counts = Random("survey"), list[Counter[str]]()
    max_offset = total
    for _ in range(SAMPLE_PAGES):
        offset = rng.randrange(max(1, max_offset - PAGE_ROWS + 1))
        try:
            rows = endpoint.select(f"SELECT ?c WHERE {{ {members} }} LIMIT {PAGE_ROWS} OFFSET {offset}")
        except EndpointTimeout:
            max_offset = offset // 2  # many engines scan up to the offset: use smaller ones
            if not max_offset:
                break
            continue
        class_counts.append(Counter(text_of(row, "c") for row in rows if isinstance(row.get("c"), URIRef)))
    return _estimate_from_pages([page for page in class_counts if page], total)


def _estimate_from_pages(pages: Sequence[Counter[str]], total: int) -> tuple[dict[str, int], dict[str, float]]:
    """Return the estimated size and error of each class in the pages, out of ``total`` memberships."""
    if len(pages) < 2:
        return {}, {}
    sizes, errors = {}, {}
    for class_iri in {class_iri for page in pages for class_iri in page}:
        shares = [page[class_iri] / page.total() for page in pages]
        sizes[class_iri] = max(1, round(total * sum(shares) / len(shares)))
        errors[class_iri] = total * 1.96 * stdev(shares) / len(shares) ** 0.5
    return sort_by_count(sizes), errors


def read_or_measure(path: Path, measure: Callable[[], KGStatistics]) -> KGStatistics:
    """Return the statistics that a file keeps; without one, measure and keep them. The file belongs to one content.

    A file that cannot be read is written anew; one that cannot be written is left out, with a warning.
    """
    try:
        return KGStatistics(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        statistics = measure()
    if statistics.is_complete:
        try:
            write_atomically(path, [json.dumps({"predicates": statistics.predicates, "classes": statistics.classes})])
        except ChattyError as error:
            _log.warning("the counts cannot be kept (%s)", error)
    return statistics


def sort_by_count(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts in descending order, equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def compute_fingerprint(endpoint: Endpoint, counts: KGStatistics) -> str:
    """Return a digest of the counts per predicate and class, and of all triples if the KG is small.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    digest = sha256()
    for line in (*_count_lines(counts), *_triple_sums(endpoint, counts)):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:32]


def _count_lines(counts: KGStatistics) -> Iterator[str]:
    yield from (f"{predicate} {n}" for predicate, n in sorted(counts.predicates.items()))
    yield from (f"a {class_iri} {n}" for class_iri, n in sorted(counts.classes.items()))


def _triple_sums(endpoint: Endpoint, counts: KGStatistics) -> list[str]:
    if not counts.is_small:
        return []
    try:
        rows = endpoint.select(_SUM_QUERY)
    except (QueryRejected, EndpointTimeout):  # an engine without MD5, or a slow one: use the counts alone
        return []
    return sorted(f"{text_of(row, 'p')} {count_of(row, 'sum')}" for row in rows)

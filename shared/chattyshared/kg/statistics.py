"""Statistics of a KG: its triples, classes and fingerprint; what its predicates relate, how often, and their values."""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import stdev
from typing import Literal as Choice

from rdflib import BNode, Literal, URIRef
from rdflib.namespace import RDF, XSD

from chattyshared.endpoint import Endpoint
from chattyshared.errors import ChattyError, EndpointTimeout, QueryRejected
from chattyshared.jsonlines import write_atomically
from chattyshared.kg import labels
from chattyshared.kg.batches import (
    batches,
    count_of,
    format_iri,
    in_filter,
    is_nameable,
    sampled_pattern,
    text_of,
    union_pattern,
    values_block,
)
from chattyshared.kg.metadata_terms import is_metadata_class
from chattyshared.profile import TYPE_PREDICATES, Profile
from chattyshared.terms import Term

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


SAMPLE_SIZE = 60
"""Sampled subjects, and objects, per predicate of a big KG."""
MAX_SAMPLED_PREDICATES = 1000
"""The number of predicates of a big KG that are sampled, the most frequent."""
MAX_VALUES = 8
"""The most distinct objects of a predicate that are listed."""
MIN_REPETITIONS = 2
"""Objects are listed if each occurs this often on average; otherwise they identify entities, not kinds of them."""
MAX_SAMPLES = 3
"""Distinct values of a predicate that are read."""
_SAMPLED_AT_ONCE = 50
MAX_SAMPLED_CLASSES = 1000
"""The number of classes of a big KG whose names are looked for, the largest."""
_NAMED_MEMBERS = 5
"""Entities of a class that are looked at for a name."""
_TAGGED, _PLAIN = str(RDF.langString), str(XSD.string)

Objects = Choice["iri", "literal", "mixed"]


@dataclass(slots=True)
class PredicateStatistics:
    """How one predicate is used in the triples that were counted: all ``total`` ones, or a sample of them.

    The counters hold numbers of triples. ``example_subject`` is an IRI; ``values`` holds all objects if they are few.
    """

    total: int
    triples: int = 0
    subjects: int = 0
    is_inverse_functional: bool = False
    kinds: Counter[Objects] = field(default_factory=Counter)
    datatypes: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    ranges: Counter[str] = field(default_factory=Counter)
    example_subject: str = ""
    values: tuple[Term, ...] = ()

    @property
    def subject_count(self) -> int:
        """The number of subjects, estimated from those of a sample; 0 if nothing was counted."""
        return max(self.subjects, round(self.total * self.subjects / self.triples)) if self.triples else 0

    @property
    def object_kind(self) -> Objects:
        """The kind of the objects."""
        return "mixed" if len(self.kinds) > 1 else next(iter(self.kinds), "iri")

    @property
    def is_functional(self) -> bool:
        """Whether no subject has two objects."""
        return 0 < self.triples <= self.subjects


def measure_predicates(endpoint: Endpoint, counts: KGStatistics, profile: Profile) -> Mapping[str, PredicateStatistics]:
    """Return the statistics of each predicate, from all triples in at most five requests; of a big KG from samples, in
    at most six requests for 20 predicates.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    counted = {name: PredicateStatistics(total) for name, total in counts.predicates.items()}
    tallies = defaultdict(lambda: PredicateStatistics(0), counted)  # a server may get new predicates meanwhile
    if counts.is_small:
        _measure(endpoint, profile, tallies, "?s ?p ?o")
    else:
        names = [name for name in counts.predicates if is_nameable(URIRef(name))][:MAX_SAMPLED_PREDICATES]
        for batch in batches(names, 20):
            _measure(endpoint, profile, tallies, _sample(batch, "s"), _sample(batch, "o"))
        _add_named_classes(endpoint, profile, list(counts.classes), tallies)
    return {name: tallies[name] for name in counts.predicates}


def _measure(
    endpoint: Endpoint, profile: Profile, tallies: Mapping[str, PredicateStatistics], triples: str, of_objects: str = ""
) -> None:
    """Measure the predicates of a pattern of triples; ``of_objects`` holds all subjects of sampled objects, where the
    triples are those of sampled subjects."""
    # Not MAX(?s): engines give the largest of many IRIs as a literal (rdflib), or none (Comunica).
    of_ends = (
        "SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?ns) (COUNT(DISTINCT ?o) AS ?no)"
        ' (MAX(IF(isIRI(?s), STR(?s), "")) AS ?one) WHERE {{ {} }} GROUP BY ?p'
    )
    rows = endpoint.select(of_ends.format(triples))
    distinct: dict[str, int] = {}
    for row in rows:
        name = text_of(row, "p")
        tally, distinct[name] = tallies[name], count_of(row, "no")
        tally.triples, tally.subjects, tally.example_subject = (
            count_of(row, "n"),
            count_of(row, "ns"),
            text_of(row, "one"),
        )
    for row in endpoint.select(of_ends.format(of_objects)) if of_objects else rows:
        tallies[text_of(row, "p")].is_inverse_functional = count_of(row, "n") <= count_of(row, "no")
    for row in endpoint.select(
        f"SELECT ?p ?k ?d ?l (COUNT(*) AS ?n) WHERE {{ {triples}"
        " BIND(isLiteral(?o) AS ?k) BIND(DATATYPE(?o) AS ?d) BIND(LANG(?o) AS ?l) } GROUP BY ?p ?k ?d ?l"
    ):
        tally, n = tallies[text_of(row, "p")], count_of(row, "n")
        is_literal = text_of(row, "k") in ("true", "1")
        tally.kinds["literal" if is_literal else "iri"] += n
        if is_literal:
            # Virtuoso has no datatype for a text with a language tag.
            tally.datatypes[_TAGGED if text_of(row, "l") else text_of(row, "d") or _PLAIN] += n
        if text_of(row, "l"):
            tally.languages[text_of(row, "l")] += n
    for end in "so":
        of_class = f"{triples} . {profile.type_pattern(f'?{end}', '?c')}"
        for row in endpoint.select(f"SELECT ?p ?c (COUNT(*) AS ?n) WHERE {{ {of_class} }} GROUP BY ?p ?c"):
            if isinstance(row.get("c"), URIRef):
                tally = tallies[text_of(row, "p")]
                (tally.domains if end == "s" else tally.ranges)[text_of(row, "c")] += count_of(row, "n")
    few = [n for n in distinct if _are_few(distinct[n], tallies[n].triples, len(tallies[n].languages))]
    for name, values in _fetch_values(endpoint, profile, few, triples).items():
        tallies[name].values = values


def _sample(names: Sequence[str], end: str) -> str:
    """Return the pattern of the triples of sampled subjects or objects of each predicate."""
    branches = [
        f"SELECT ({format_iri(name)} AS ?p) ?s ?o WHERE {{ {{ SELECT DISTINCT ?{end} WHERE {{ "
        f"{{ SELECT ?{end} WHERE {{ ?s {format_iri(name)} ?o }} LIMIT {4 * SAMPLE_SIZE} }} }}"
        f" LIMIT {SAMPLE_SIZE} }} ?s {format_iri(name)} ?o }} LIMIT {5 * SAMPLE_SIZE}"
        for name in names
    ]
    return sampled_pattern("?p ?s ?o", branches)


def _add_named_classes(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], tallies: Mapping[str, PredicateStatistics]
) -> None:
    """Add the classes whose first entities have a label to the domains of its predicate.

    A sample of a label's subjects shows the few classes that the store lists first, and the others would look nameless.
    """
    naming = [name for name in labels.label_predicates(profile) if name in tallies]
    nameable = [iri for iri in classes[:MAX_SAMPLED_CLASSES] if is_nameable(URIRef(iri))]
    for batch in batches(nameable if naming else (), _SAMPLED_AT_ONCE):
        branches = [
            f"SELECT ({format_iri(iri)} AS ?c) ?s WHERE {{ {profile.type_pattern('?s', format_iri(iri))} }}"
            f" LIMIT {_NAMED_MEMBERS}"
            for iri in batch
        ]
        pattern = f"{sampled_pattern('?c ?s', branches)} ?s ?p ?label {in_filter('p', naming)}"
        for row in endpoint.select(f"SELECT DISTINCT ?p ?c WHERE {{ {pattern} }}"):
            domains = tallies[text_of(row, "p")].domains
            domains[text_of(row, "c")] = max(1, domains[text_of(row, "c")])


def _are_few(distinct: int, triples: int, languages: int = 1) -> bool:
    """Tell whether a predicate has few distinct objects; each may be stated in several languages."""
    return 0 < distinct <= MAX_VALUES * max(1, languages) and triples >= MIN_REPETITIONS * distinct


def _fetch_values(
    endpoint: Endpoint, profile: Profile, names: Sequence[str], triples: str
) -> dict[str, tuple[Term, ...]]:
    """Return the objects of predicates with few objects, most frequent first; one request per 200 predicates."""
    counts_by_predicate: dict[str, Counter[Term]] = defaultdict(Counter)
    for batch in batches([name for name in names if _describes_entities(name, profile)]):
        query = f"SELECT ?p ?o (COUNT(*) AS ?n) WHERE {{ {values_block('p', batch)} {triples} }} GROUP BY ?p ?o"
        for row in endpoint.select(query):
            counts_by_predicate[text_of(row, "p")][row["o"]] += count_of(row, "n")
    return {name: _rank_values(tally, profile) for name, tally in counts_by_predicate.items()}


def _describes_entities(name: str, profile: Profile) -> bool:
    """Tell whether a predicate describes entities: it states no label, class or metadata."""
    return name not in profile.metadata and name not in profile.types and name not in profile.labels


def _rank_values(tally: Counter[Term], profile: Profile) -> tuple[Term, ...]:
    """Return objects, most frequent first, texts in one language; none if a blank node is among them."""
    if any(isinstance(term, BNode) for term in tally):
        return ()
    tagged = (term for term in tally if isinstance(term, Literal) and term.language)
    ranks: dict[Term, tuple[int, str]] = {term: labels.language_rank(term, profile) for term in tagged}
    preferred = [term for term in tally if term not in ranks or ranks[term] == min(ranks.values())]
    preferred.sort(key=lambda term: (-tally[term], str(term)))
    return tuple(preferred) if len(preferred) <= MAX_VALUES else ()


@dataclass(frozen=True, slots=True)
class ClassUsage:
    """How many things of a class have a predicate, and the classes or datatypes of its objects there, by frequency."""

    class_iri: str
    subject_count: int
    ends: tuple[str, ...]


def fetch_class_usage(endpoint: Endpoint, profile: Profile) -> Mapping[str, tuple[ClassUsage, ...]]:
    """Return the use of each predicate by the classes of its subjects, most frequent first; two requests.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    subjects, ends = profile.type_pattern("?s", "?c"), profile.type_pattern("?o", "?r")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in endpoint.select(
        f"SELECT ?p ?c (COUNT(DISTINCT ?s) AS ?n) WHERE {{ {subjects} . ?s ?p ?o FILTER(isIRI(?c)) }} GROUP BY ?p ?c"
    ):
        counts[text_of(row, "p")][text_of(row, "c")] = count_of(row, "n")
    kinds: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in endpoint.select(
        f"SELECT ?p ?c ?r ?d ?l (COUNT(*) AS ?n) WHERE {{ {subjects} . ?s ?p ?o OPTIONAL {{ {ends} }}"
        " BIND(DATATYPE(?o) AS ?d) BIND(IF(isLiteral(?o), LANG(?o), ?none) AS ?l) } GROUP BY ?p ?c ?r ?d ?l"
    ):
        end = text_of(row, "r")
        if "l" in row:
            end = _TAGGED if text_of(row, "l") else text_of(row, "d") or _PLAIN
        if end:
            kinds[text_of(row, "p"), text_of(row, "c")][end] += count_of(row, "n")
    return {
        predicate: tuple(
            ClassUsage(name, tally[name], tuple(sort_by_count(kinds[predicate, name]))) for name in sort_by_count(tally)
        )
        for predicate, tally in counts.items()
    }


def fetch_value_samples(
    endpoint: Endpoint, datatypes_by_predicate: Mapping[str, Sequence[str]]
) -> Mapping[str, tuple[Literal, ...]]:
    """Return some distinct values of each predicate that has any; one request for 50 predicates.

    Of a predicate with several datatypes, they are values of each.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    samples: dict[str, list[Literal]] = defaultdict(list)
    nameable = [iri for iri in datatypes_by_predicate if is_nameable(URIRef(iri))]
    for batch in batches(nameable, _SAMPLED_AT_ONCE):
        branches = [
            f"{{ SELECT DISTINCT ?o WHERE {{ ?s {format_iri(iri)} ?o FILTER({condition}) }} LIMIT {limit} }}"
            f" BIND({format_iri(iri)} AS ?p)"
            for iri in batch
            for condition, limit in _sample_conditions(datatypes_by_predicate[iri][:MAX_SAMPLES])
        ]
        for row in endpoint.select(f"SELECT ?p ?o WHERE {{ {union_pattern(branches)} }}"):
            if isinstance(value := row.get("o"), Literal):
                samples[text_of(row, "p")].append(value)
    return {iri: tuple(values) for iri, values in samples.items()}


def _sample_conditions(datatypes: Sequence[str]) -> list[tuple[str, int]]:
    """Return the conditions of sampled values, with the number of values for each."""
    if len(datatypes) < 2:
        return [("isLiteral(?o)", MAX_SAMPLES)]
    return [(f"DATATYPE(?o) = {format_iri(datatype)}", 1) for datatype in datatypes]

"""Profile detection: predicates of labels and classes, the languages of labels, and which terms are metadata."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median

from rdflib import Literal, URIRef
from rdflib.namespace import OWL, RDF, RDFS, XSD

from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.direct_statements import (
    INTERSECTION,
    LITERAL_FORM,
    XL_LABELS,
    is_list_step,
    is_schema_predicate,
)
from chattyshared.errors import EndpointTimeout
from chattyshared.kg import table_names
from chattyshared.kg.batches import (
    batches,
    count_of,
    fetch_statements,
    format_iri,
    in_filter,
    is_nameable,
    sampled_pattern,
    text_of,
    union_pattern,
    values_block,
)
from chattyshared.kg.direct_view import wrap_endpoint
from chattyshared.kg.label_ranking import singularize
from chattyshared.kg.labels import label_subjects
from chattyshared.kg.metadata_terms import UNIVERSAL_CLASSES, is_metadata_class, is_metadata_predicate
from chattyshared.kg.statistics import KGStatistics, measure_statistics, read_or_measure, recount_classes
from chattyshared.language.abbreviations import SHORT_WEIGHT, abbreviation_weight, expand_abbreviations
from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import WORD
from chattyshared.language.wordnet import noun_kinds
from chattyshared.profile import ALT_LABEL_PREDICATES, LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES, Profile
from chattyshared.terms import iri_to_words
from chattyshared.text import are_sentences

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
        for row in fetch_statements(endpoint, predicate_by_subject, labels):
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


SAMPLE_SIZE = 40
"""Sampled entities per class."""
MAX_CLASSES = 60
"""The number of classes that are sampled, the biggest."""
MAX_PREDICATES = 600
"""The number of predicates with IRI objects that are sampled, the most frequent."""
MAX_SCHEMA_MEMBERS = 20_000
"""Up to this many members of metadata classes, the predicates that only these have are looked up."""
_DEFAULT_PROFILE = Profile()
_LINK = re.compile(r"(?i)^(https?|ftp)://\S+$|^www\.\S+$|\.(jpe?g|png|svg|gif|tiff?)$")
_HASH = re.compile(r"(?i)^(?=.*\d)[0-9a-f]{16,}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_ALIASES = word_set("relation_labels", "aliases")
_NAMES = frozenset("name names title titles label labels".split())
_NAME_MODIFIERS = word_set("relation_labels", "name_modifiers")
_CODES = word_set("relation_labels", "codes")
_NOT_NAMES = word_set("relation_labels", "no_names")
MAX_MEDIAN_LENGTH = 150
"""Characters; literals with a longer median are prose about an entity, not facts."""
_MIN_DISTINCT = 0.9
"""Share (0..1) of values that differ from which a column that is not called a name names rows; set by hand."""


@dataclass(slots=True)
class _PredicateSample:
    """The literals of one predicate on the sampled entities of one class."""

    subjects: set[str] = field(default_factory=set)
    values: list[Literal] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)

    @property
    def is_text(self) -> bool:
        return all(value.datatype in (None, XSD.string) for value in self.values)

    @property
    def length(self) -> float:
        return median(len(value) for value in self.values)

    @property
    def distinct(self) -> float:
        return len({str(value) for value in self.values}) / len(self.values)

    def share_of(self, pattern: re.Pattern[str]) -> float:
        return sum(bool(pattern.search(str(value).strip())) for value in self.values) / len(self.values)


_Sample = dict[str, dict[str, _PredicateSample]]


def detect_profile_with_statistics(endpoint: Endpoint, counts_path: Path | None = None) -> tuple[KGStatistics, Profile]:
    """Count the KG's triples and class members, and detect its profile; a file may keep the counts.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    measure = partial(measure_statistics, endpoint)
    counts = measure() if counts_path is None else read_or_measure(counts_path, measure)
    paths = find_paths(endpoint, counts)
    counts = replace(
        counts, predicates={**counts.predicates, **{iri: counts.predicates.get(iri, 1) for iri, _ in paths}}
    )
    endpoint = wrap_endpoint(endpoint, replace(_DEFAULT_PROFILE, paths=paths))
    class_profile = replace(find_class_predicates(endpoint, counts), paths=paths)
    if class_profile.types != TYPE_PREDICATES:
        counts = recount_classes(endpoint, counts, class_profile)
    return counts, detect_profile(endpoint, counts, class_profile)


def detect_profile(
    endpoint: Endpoint, counts: KGStatistics | None = None, class_profile: Profile = _DEFAULT_PROFILE
) -> Profile:
    """Detect label predicates, languages and metadata from the data, in about ten requests.

    ``labels`` holds the known label predicates in use. A class whose entities mostly lack those gets, in
    ``type_labels``, the literal predicate that most of its sampled entities have, with short and nearly unique values.
    If both are empty, the KG has no labels. ``class_profile`` holds the predicates that state classes.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    counts = counts or measure_statistics(endpoint, class_profile)
    is_metadata = partial(is_metadata_class, has_own_classes=class_profile.types != TYPE_PREDICATES)
    content = [c for c in counts.classes if not is_metadata(c)]
    sampled = [c for c in content if is_nameable(URIRef(c))][:MAX_CLASSES]
    sample, sizes = _sample_classes(endpoint, class_profile, sampled)
    label_predicates = tuple(p for p in LABEL_PREDICATES if p in counts.predicates)
    pairs: dict[str, tuple[str, str]] = {}
    type_labels = tuple(
        (class_iri, chosen)
        for class_iri, literals in sample.items()
        if not _are_labelled(literals, label_predicates, sizes[class_iri])
        and (chosen := _class_name_predicate(literals, sizes[class_iri], class_iri, pairs))
    )
    if not content and not label_predicates:
        chosen = _best_name_predicate(*_sample_untyped(endpoint))
        label_predicates = (chosen,) if chosen else ()
    merged = _merge_by_predicate(sample)
    class_predicate_iris = {*class_profile.types, *class_profile.subclasses}
    metadata = {p for p in counts.predicates if is_metadata_predicate(p) or p in class_predicate_iris}
    metadata |= {p for p, literals in merged.items() if _is_noise(literals) and p not in label_predicates}
    unclear = [p for p in counts.predicates if p not in metadata and p not in merged]
    metadata |= _link_predicates(endpoint, class_profile, unclear[:MAX_PREDICATES])
    metadata |= _schema_only_predicates(endpoint, [c for c in counts.classes if is_metadata(c)], counts)
    main = {*label_predicates, *(predicate for _, predicate in type_labels), *(family for _, family in pairs.values())}
    alternatives = [p for p in ALT_LABEL_PREDICATES if p in counts.predicates]
    alternatives += sorted(p for p, literals in merged.items() if p not in main and _is_name_predicate(p, literals))
    return replace(
        class_profile,
        blank_things=_has_blank_things(endpoint, main),
        labels=label_predicates,
        alt_labels=tuple(dict.fromkeys(alternatives)),
        languages=_label_languages(endpoint, (*main, *alternatives), counts),
        metadata=frozenset(metadata - {predicate for _, predicate in type_labels}),
        name_pairs=tuple(sorted(set(pairs.values()))),
        metadata_classes=frozenset(c for c in counts.classes if is_metadata(c)),
        type_labels=type_labels,
    )


def find_paths(endpoint: Endpoint, counts: KGStatistics) -> tuple[tuple[str, str], ...]:
    """Return the predicates that stand for a property path: labels of SKOS-XL, and predicates of lists.

    One request if the KG has lists or containers. A store that is made direct has none that is used.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    paths = {
        spelled: f"<{stated}>/<{LITERAL_FORM}>" + (f"|<{spelled}>" if spelled in counts.predicates else "")
        for stated, spelled in XL_LABELS.items()
        if stated in counts.predicates
    }
    if str(OWL.intersectionOf) in counts.predicates:
        paths[str(RDFS.subClassOf)] = f"<{RDFS.subClassOf}>|{INTERSECTION}"
    steps = [format_iri(predicate) for predicate in counts.predicates if is_list_step(predicate)]
    if steps:
        rows = endpoint.select(f"SELECT DISTINCT ?p WHERE {{ ?s ?p ?list . ?list {'|'.join(steps)} ?member }}")
        used = sorted(text_of(row, "p") for row in rows if not is_schema_predicate(text_of(row, "p")))
        paths |= {predicate: f"<{predicate}>/({'|'.join(steps)})*" for predicate in used}
    return tuple(paths.items())


def _has_blank_things(endpoint: Endpoint, naming: Iterable[str]) -> bool:
    names = "|".join(map(format_iri, dict.fromkeys(naming)))
    if not names:
        return False
    try:
        return endpoint.ask(
            f"ASK {{ {{ SELECT ?s WHERE {{ ?s {names} ?x }} LIMIT {MAX_SCHEMA_MEMBERS} }} FILTER(isBlank(?s)) }}"
        )
    except EndpointTimeout:
        return False


def _sample_classes(
    endpoint: Endpoint, class_profile: Profile, classes: Sequence[str]
) -> tuple[_Sample, Mapping[str, int]]:
    sample: _Sample = {class_iri: defaultdict(_PredicateSample) for class_iri in classes}
    entities: dict[str, set[str]] = defaultdict(set)
    for batch in batches(classes, 20):
        branches = [
            f"SELECT ({format_iri(class_iri)} AS ?c) ?s WHERE {{ "
            f"{class_profile.type_pattern('?s', format_iri(class_iri))} }} LIMIT {SAMPLE_SIZE}"
            for class_iri in batch
        ]
        for row in endpoint.select(
            f"SELECT ?c ?s ?p ?o WHERE {{ {sampled_pattern('?c ?s', branches)} ?s ?p ?o "
            f"FILTER(isLiteral(?o) || ?p IN ({', '.join(map(format_iri, class_profile.types))})) }}"
        ):
            class_iri, value = text_of(row, "c"), row.get("o")
            entities[class_iri].add(text_of(row, "s"))
            if isinstance(value, Literal):
                literals = sample[class_iri][text_of(row, "p")]
                literals.subjects.add(text_of(row, "s"))
                literals.values.append(value)
    return sample, {class_iri: len(entities[class_iri]) for class_iri in classes}


def _sample_untyped(endpoint: Endpoint) -> tuple[Mapping[str, _PredicateSample], int]:
    """Sample subjects of a KG without classes."""
    inner = f"{{ SELECT DISTINCT ?s WHERE {{ ?s ?q ?x FILTER(isIRI(?s)) }} LIMIT {5 * SAMPLE_SIZE} }}"
    sample: dict[str, _PredicateSample] = defaultdict(_PredicateSample)
    subjects: set[str] = set()
    for row in endpoint.select(f"SELECT ?s ?p ?o WHERE {{ {inner} ?s ?p ?o }}"):
        subjects.add(text_of(row, "s"))
        if isinstance(value := row.get("o"), Literal):
            sample[text_of(row, "p")].subjects.add(text_of(row, "s"))
            sample[text_of(row, "p")].values.append(value)
    return sample, len(subjects)


def _are_labelled(sample: Mapping[str, _PredicateSample], label_predicates: Iterable[str], size: int) -> bool:
    labelled: set[str] = set()
    for predicate in label_predicates:
        if predicate in sample:
            labelled |= sample[predicate].subjects
    return len(labelled) * 2 >= size


def _class_name_predicate(
    sample: Mapping[str, _PredicateSample], size: int, class_iri: str, pairs: dict[str, tuple[str, str]]
) -> str:
    """Return the predicate of a class's names. If given and family name are two predicates, put both into ``pairs``."""
    chosen = _best_name_predicate(sample, size, class_iri)
    if (
        chosen
        and _name_type(chosen, _class_words(sample, class_iri)) == "name"
        and not table_names.is_name_part(chosen)
    ):
        return chosen
    usual = (p for p, values in sample.items() if len(values.subjects) * 2 >= size and _is_short_text(values))
    if pair := table_names.find_name_pair(usual):
        pairs[class_iri] = pair
        return pair[0]
    return chosen


def _best_name_predicate(sample: Mapping[str, _PredicateSample], size: int, class_iri: str = "") -> str:
    """Return the literal predicate that names most entities of a class, or ""."""
    candidates = []
    for predicate, values in sample.items():
        share = len(values.subjects) / size
        if not _is_short_text(values) or share < 0.5 or (values.distinct < 0.7 and len(values.values) > 3):
            continue
        likely = _name_type(predicate, _class_words(sample, class_iri))
        if not likely and (values.distinct < _MIN_DISTINCT or are_sentences(map(str, values.values))):
            continue
        if is_metadata_predicate(predicate) and not likely:
            continue
        if likely == "code" and _is_of_other(predicate, class_iri):
            continue
        if likely in ("", "code") and _names_another(predicate):
            continue
        letters = sum(str(value)[:1].isalpha() for value in values.values) / len(values.values)
        spaced = sum(" " in str(value) for value in values.values) / len(values.values)
        order = (
            likely != "name",
            likely != "alias",
            -round(share, 1),
            -round(letters, 1),
            -round(spaced, 1),
        )
        candidates.append((*order, len(_singular_words(predicate)), predicate))
    return str(min(candidates)[-1]) if candidates else ""


def _class_words(predicates: Iterable[str], class_iri: str) -> frozenset[str]:
    """Return the words for the things of a class: those of its name, and the mark before the columns of its table."""
    mark = table_names.find_column_mark(predicates)
    return frozenset((*_singular_words(class_iri), mark, *expand_abbreviations(mark).split()))


def _names_another(predicate: str) -> bool:
    """Tell whether a column holds no name of its row: a postcode, or the name of a caller (but of a firm, for a
    contractor may be called so)."""
    words = _singular_words(predicate)
    is_firm = noun_kinds(" ".join(words[-2:-1]))[:1] == ("group",)
    return (words[-1:] == ["name"] and not is_firm) or not _NOT_NAMES.isdisjoint(words)


def _is_of_other(predicate: str, class_iri: str) -> bool:
    """Tell whether a code is one that somebody else gives: the customer's order number of a hire."""
    *modifiers, _ = _singular_words(predicate) or [""]
    is_person = len(modifiers) > 1 and noun_kinds(modifiers[0])[:1] == ("person",)
    return is_person and modifiers[0] not in _singular_words(class_iri)


def _singular_words(iri: str) -> list[str]:
    words = expand_abbreviations(table_names.column_words(iri)).casefold().split() if iri else []
    return [singularize(word) for word in words]


def _abbreviates_any(word: str, class_words: Iterable[str]) -> bool:
    return any(abbreviation_weight(word, other) >= SHORT_WEIGHT for other in class_words)


def _name_type(predicate: str, class_words: frozenset[str]) -> str:
    """Return what a predicate's name suggests: ``name`` (of the entity itself), ``alias``, ``code``, or ""."""
    name = expand_abbreviations(table_names.column_words(predicate))
    *modifiers, last = name.casefold().split() or [""]
    if last in _ALIASES:
        return "alias"
    if last in _NAMES and all(
        word in _NAME_MODIFIERS or singularize(word) in class_words or _abbreviates_any(word, class_words)
        for word in modifiers
    ):
        return "name"
    return "code" if last in _CODES else ""


def _is_short_text(literals: _PredicateSample) -> bool:
    is_opaque = literals.share_of(_LINK) >= 0.5 or literals.share_of(_HASH) >= 0.5
    return literals.is_text and literals.length <= 80 and not is_opaque


def _is_name_predicate(predicate: str, literals: _PredicateSample) -> bool:
    """Tell whether a predicate holds alternative labels: a name-like predicate with short, nearly unique texts."""
    promise = _name_type(predicate, frozenset(literals.classes))
    if promise == "code":  # codes of two or three letters can be everyday words: it, no, us
        return _is_short_text(literals) and literals.distinct >= 0.9 and literals.length >= 4
    return bool(promise) and _is_short_text(literals) and literals.distinct >= 0.5


def _is_noise(literals: _PredicateSample) -> bool:
    if not literals.is_text:
        return all("wktLiteral" in str(v.datatype) or "gmlLiteral" in str(v.datatype) for v in literals.values)
    return literals.length > MAX_MEDIAN_LENGTH or literals.share_of(_LINK) > 0.9 or (literals.share_of(_HASH) > 0.9)


def _merge_by_predicate(sample: _Sample) -> dict[str, _PredicateSample]:
    merged: dict[str, _PredicateSample] = defaultdict(_PredicateSample)
    for class_iri, values_by_predicate in sample.items():
        for predicate, literals in values_by_predicate.items():
            merged[predicate].subjects |= literals.subjects
            merged[predicate].values += literals.values
            merged[predicate].classes.update(_singular_words(class_iri))
    return merged


def _link_predicates(endpoint: Endpoint, class_profile: Profile, predicates: Iterable[str]) -> set[str]:
    """Find the predicates whose objects are images or web pages: IRIs that the KG does not type."""
    links: set[str] = set()
    for batch in batches([p for p in predicates if is_nameable(URIRef(p))], 30):
        branches = [
            f"{{ SELECT ?o WHERE {{ ?s {format_iri(p)} ?o FILTER(isIRI(?o)) }} LIMIT 20 }} BIND({format_iri(p)} AS ?p)"
            f" OPTIONAL {{ {class_profile.type_pattern('?o', '?c')} }}"
            for p in batch
        ]
        objects: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        for row in endpoint.select(f"SELECT ?p ?o ?c WHERE {{ {union_pattern(branches)} }}"):
            objects[text_of(row, "p")].append((text_of(row, "o"), "c" in row))
        for predicate, ends in objects.items():
            if not any(typed for _, typed in ends) and all(_is_file_link(end) for end, _ in ends):
                links.add(predicate)
    return links


def _schema_only_predicates(endpoint: Endpoint, classes: Sequence[str], counts: KGStatistics) -> set[str]:
    """Find the predicates that only members of metadata classes have, for example a licence."""
    schema_kinds = [c for c in classes if c not in UNIVERSAL_CLASSES]
    if not schema_kinds or sum(counts.classes[c] for c in schema_kinds) > MAX_SCHEMA_MEMBERS:
        return set()
    inner = f"{{ SELECT DISTINCT ?s WHERE {{ {values_block('c', schema_kinds)} ?s {RDF.type.n3()} ?c }} }}"
    rows = endpoint.select(f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ {inner} ?s ?p ?o }} GROUP BY ?p")
    return {text_of(row, "p") for row in rows if count_of(row, "n") >= counts.predicates.get(text_of(row, "p"), 0)}


def _is_file_link(link: str) -> bool:
    return bool(re.search(r"(?i)\.(jpe?g|png|svg|gif|tiff?|webp|pdf|html?)(\?.*)?$|Special:FilePath/|format=svg", link))


def _label_languages(endpoint: Endpoint, predicates: Sequence[str], counts: KGStatistics) -> tuple[str, ...]:
    """Return the languages of labels: English first if present, then untagged, then by frequency."""
    tally: Counter[str] = Counter()
    used = [p for p in predicates if p in counts.predicates and is_nameable(URIRef(p))]
    if used:
        branches = [f"{{ SELECT ?o WHERE {{ ?s {format_iri(p)} ?o }} LIMIT 1000 }}" for p in used]
        query = (
            f"SELECT ?l (COUNT(*) AS ?n) WHERE {{ {union_pattern(branches)} BIND(LCASE(LANG(?o)) AS ?l) }} GROUP BY ?l"
        )
        for row in endpoint.select(query):
            tally[text_of(row, "l").split("-")[0]] += count_of(row, "n")
    order = sorted(tally, key=lambda tag: (-tally[tag], tag))
    first = ["en"] if "en" in tally else order[:1]
    return tuple(dict.fromkeys((*first, "", *order))) if tally else ("en", "")

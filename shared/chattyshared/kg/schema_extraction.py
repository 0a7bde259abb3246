"""Extract a KG's vocabulary from its data: about twelve requests for a small KG, samples of a big one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rdflib import Literal, URIRef
from rdflib.namespace import RDFS, SKOS, XSD

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import labels, table_names
from chattyshared.kg.batches import batches, fetch_statements, is_nameable, text_of, union_pattern, values_block
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.metadata_terms import is_metadata_class
from chattyshared.kg.statistics import KGStatistics, PredicateStatistics, measure_predicates, sort_by_count
from chattyshared.kg.text_readings import fetch_text_readings
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.language.languages import FURTHER_TAGS
from chattyshared.profile import ALT_LABEL_PREDICATES, SUBCLASS_PREDICATES, Profile
from chattyshared.terms import Term, iri_to_words, n3

COMMENT_PREDICATES = (
    str(RDFS.comment),
    str(SKOS.definition),
    "http://purl.org/dc/terms/description",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://dbpedia.org/ontology/abstract",
)
"""Predicates of descriptions in words."""
_DECLARED = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT ?s ?q ?x WHERE {{
 {{ ?s ?q ?x VALUES ?q {{ {} rdfs:domain rdfs:range }} FILTER(isIRI(?s) && isIRI(?x)) }}
 UNION {{ ?s a ?x VALUES ?x {{ owl:Class rdfs:Class }} FILTER(isIRI(?s)) }} }} LIMIT 50000"""
_CLAIM = re.compile(r"/prop/P\d+$")
_STATEMENT = re.compile(r"/prop/(?:statement/)?(P\d+)$")
"""What leads to a statement of Wikibase and from it to its value; the direct claim says the same in one step."""
_TEXTS = frozenset(map(str, (XSD.string, XSD.duration, XSD.dayTimeDuration)))
"""Datatypes whose texts are read to know what they state."""
MAX_EXAMPLES = 200
"""Objects of one subject and predicate from which the example is chosen; a hub may have any number."""
MAX_DESCRIBED = 4_000
"""The number of classes, and of predicates, whose labels are read, the most frequent."""
MAX_HIERARCHY_STEPS = 6
"""Steps up the class hierarchy of a big KG that has its own subclass predicates."""


@dataclass(slots=True)
class _Declared:
    """What the KG's own ontology declares."""

    classes: set[str] = field(default_factory=set)
    parents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    domains: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ranges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True, slots=True)
class _Names:
    """Label, alternative labels and comment of one class or predicate."""

    label: str
    alt: tuple[str, ...]
    comment: str
    foreign: tuple[tuple[str, str], ...] = ()


def extract_vocabulary(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> Vocabulary:
    """Return the classes and predicates in use, with labels and statistics.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    declared = _read_declared(endpoint, profile, counts)
    _read_statements(endpoint, counts, declared)
    uses = measure_predicates(endpoint, counts, profile)
    classes = list(dict.fromkeys((*counts.classes, *sorted(declared.classes))))
    stated_names, languages = _read_names(endpoint, profile, classes, list(counts.predicates))
    names = _distinguish_labels(stated_names, list(counts.predicates))
    examples, values = _read_examples(endpoint, profile, uses)
    is_small = counts.is_small  # a property that sums all counts
    entries = {
        name: _predicate_entry(name, counts, uses[name], names[name], declared, profile) for name in counts.predicates
    }
    textual = (
        entry.iri
        for entry in entries.values()
        if not _TEXTS.isdisjoint(entry.datatypes) and not entry.is_metadata and entry.iri not in profile.naming
    )
    readings = fetch_text_readings(endpoint, textual) if is_small else {}
    vocabulary = Vocabulary(
        classes={
            class_iri: _class_entry(class_iri, counts, names[class_iri], declared, profile) for class_iri in classes
        },
        predicates={
            name: replace(
                entry,
                example=examples.get(name, ("", "")),
                values=values.get(name, ()),
                has_all_values=is_small and name in values,
                text_reading=readings.get(name),
            )
            for name, entry in entries.items()
        },
        languages=languages,
    )
    return table_names.add_names(vocabulary, profile)


def _class_entry(
    class_iri: str, counts: KGStatistics, names: _Names, declared: _Declared, profile: Profile
) -> ClassEntry:
    return ClassEntry(
        iri=class_iri,
        label=names.label,
        alt_labels=names.alt,
        comment=names.comment,
        direct_superclasses=tuple(sorted(declared.parents[class_iri] - {class_iri})),
        instance_count=counts.classes.get(class_iri, 0),
        is_metadata=class_iri in profile.metadata_classes or is_metadata_class(class_iri),
        foreign_labels=names.foreign,
    )


def _predicate_entry(
    name: str,
    counts: KGStatistics,
    use: PredicateStatistics,
    names: _Names,
    declared: _Declared,
    profile: Profile,
) -> PredicateEntry:
    def content(measured: Iterable[str], declared_classes: Iterable[str]) -> tuple[str, ...]:
        classes = dict.fromkeys((*measured, *sorted(declared_classes)))
        return tuple(c for c in classes if c not in profile.metadata_classes and not is_metadata_class(c))

    own = ("type",) if name in profile.types and names.label != "type" else ()  # the word that questions use
    return PredicateEntry(
        iri=name,
        label=names.label,
        alt_labels=tuple(dict.fromkeys((*names.alt, *own))),
        comment=names.comment,
        triple_count=counts.predicates[name],
        subject_count=use.subject_count,
        object_kind=use.object_kind,
        domains=content(sort_by_count(use.domains), declared.domains[name]),
        ranges=content(sort_by_count(use.ranges), () if use.object_kind == "literal" else declared.ranges[name]),
        datatypes=tuple(sort_by_count(use.datatypes)),
        languages=tuple(sort_by_count(use.languages)),
        is_functional=use.is_functional,
        is_inverse_functional=use.is_inverse_functional,
        is_metadata=name in profile.metadata
        or _STATEMENT.sub(r"/prop/direct/\1", name) in counts.predicates.keys() - {name},
        foreign_labels=names.foreign,
    )


def _read_declared(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> _Declared:
    declared = _Declared()
    target_by_predicate = {str(RDFS.domain): declared.domains, str(RDFS.range): declared.ranges}
    target_by_predicate |= dict.fromkeys(profile.subclasses, declared.parents)
    full_predicates = profile.subclasses if counts.is_small else SUBCLASS_PREDICATES
    rows = endpoint.select(_DECLARED.format(" ".join(n3(URIRef(iri)) for iri in full_predicates)))
    if further := [iri for iri in profile.subclasses if iri not in full_predicates]:
        rows = [*rows, *_read_superclasses(endpoint, further, list(counts.classes)[:MAX_DESCRIBED])]
    for row in rows:
        subject, predicate, value = text_of(row, "s"), text_of(row, "q"), text_of(row, "x")
        if predicate in target_by_predicate:
            target_by_predicate[predicate][subject].add(value)
            if predicate in profile.subclasses:
                declared.classes |= {subject, value}
        else:
            declared.classes.add(subject)
    return declared


def _read_statements(endpoint: Endpoint, counts: KGStatistics, declared: _Declared) -> None:
    """Take the claims of Wikibase (``prop/P26``) as the domains of what stands at their statements."""
    claims = [iri for iri in counts.predicates if _CLAIM.search(iri)]
    for batch in batches(claims):
        query = f"SELECT DISTINCT ?p ?q WHERE {{ {values_block('p', batch)} ?s ?p ?x . ?x ?q ?y }}"
        for row in endpoint.select(query):
            declared.domains[text_of(row, "q")].add(text_of(row, "p"))


def _read_superclasses(endpoint: Endpoint, predicates: Sequence[str], classes: Sequence[str]) -> list[Row]:
    """Read the superclasses of the classes step by step: such a KG may have millions of classes."""
    rows: list[Row] = []
    visited, front = set(classes), list(classes)
    for _ in range(MAX_HIERARCHY_STEPS):
        found = fetch_statements(endpoint, front, predicates)
        step_rows = [row for row in found if isinstance(row.get("x"), URIRef)]
        rows += step_rows
        front = sorted({text_of(row, "x") for row in step_rows} - visited)[:MAX_DESCRIBED]
        visited.update(front)
    return rows


def _read_names(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], predicates: Sequence[str]
) -> tuple[dict[str, _Names], frozenset[str]]:
    """Read labels, alternative labels and comments of classes and predicates, and the languages of the labels.

    The rarest are named by their IRIs.
    """
    naming_predicates = dict.fromkeys((*profile.labels, str(RDFS.label), str(SKOS.prefLabel)))
    wide = replace(profile, labels=tuple(naming_predicates), type_labels=())
    alternatives = dict.fromkeys((*ALT_LABEL_PREDICATES, *profile.alt_labels))
    predicate_iris = [p for p in dict.fromkeys((*naming_predicates, *alternatives, *COMMENT_PREDICATES))]
    described: dict[str, list[Term]] = defaultdict(list)
    for name in predicates[:MAX_DESCRIBED]:
        for subject in labels.label_subjects(name):
            described[subject].append(URIRef(name))
    rows: list[Row] = []
    for row in fetch_statements(endpoint, dict.fromkeys((*classes[:MAX_DESCRIBED], *described)), predicate_iris):
        rows += [{**row, "s": term} for term in described.get(text_of(row, "s"), (row["s"],))]
    label_by_iri = labels.select_labels(rows, wide)
    label_rows = [row for row in rows if text_of(row, "q") not in COMMENT_PREDICATES]
    foreign = _foreign_labels(label_rows, profile)
    own_rows = [row for row in label_rows if (_tag(row), text_of(row, "x")) not in foreign[text_of(row, "s")]]
    alt_labels = labels.collect_labels(own_rows, profile)
    comments = labels.collect_labels([r for r in rows if text_of(r, "q") in COMMENT_PREDICATES], profile)
    names = {
        name: replace(
            _make_names(name, label_by_iri.get(name), alt_labels.get(name, ()), comments.get(name, ())),
            foreign=tuple(sorted(foreign[name])),
        )
        for name in (*classes, *predicates)
    }
    return names, frozenset(filter(None, map(_tag, label_rows)))


def _foreign_labels(rows: Sequence[Row], profile: Profile) -> dict[str, set[tuple[str, str]]]:
    """Return the labels of each subject in a language that the rules read and that is not the first one, with its tag.

    A question in another language shall not take them for its own words ("Kind" is a child in German).
    """
    first = next((tag for tag in profile.languages if tag), "").partition("-")[0]
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        if _tag(row) in FURTHER_TAGS and _tag(row) != first:
            found[text_of(row, "s")].add((_tag(row), text_of(row, "x")))
    return found


def _tag(row: Row) -> str:
    value = row.get("x")
    return (value.language or "").partition("-")[0].casefold() if isinstance(value, Literal) else ""


def _distinguish_labels(names: dict[str, _Names], predicates: Sequence[str]) -> dict[str, _Names]:
    """If several predicates share a label, name those by their IRI whose local name differs.

    A copied label ("name" on ``member``) would make two predicates indistinguishable.
    """
    shared = Counter(names[name].label.casefold() for name in predicates)
    distinct = dict(names)
    for name in predicates:
        from_iri = _make_names(name, None, (), ())
        own, stated = from_iri.label.casefold(), names[name]
        is_word = len(own) > 2 and own.replace(" ", "").isalpha()
        if shared[stated.label.casefold()] > 1 and is_word and own != stated.label.casefold() and own not in shared:
            distinct[name] = replace(
                stated, label=from_iri.label, alt=(*(a for a in stated.alt if a != from_iri.label), stated.label)
            )
    return distinct


def _make_names(iri: str, label: str | None, labels: Sequence[str], comments: Sequence[str]) -> _Names:
    name = " ".join(
        word.lower() if word[1:].islower() or len(word) == 1 else word for word in iri_to_words(iri).split()
    )
    main = label or name or iri
    candidates = dict.fromkeys((*labels, name))
    alt = tuple(candidate for candidate in candidates if candidate and candidate.casefold() != main.casefold())
    return _Names(main, alt, comments[0] if comments else "")


def _read_examples(
    endpoint: Endpoint, profile: Profile, uses: Mapping[str, PredicateStatistics]
) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, ...]]]:
    """Return, per predicate, the labels of one subject and object, and the labels of all objects if they are few."""
    subjects = [(name, use.example_subject) for name, use in uses.items() if use.example_subject]
    pairs = [(p, s) for p, s in subjects if is_nameable(URIRef(p)) and is_nameable(URIRef(s))]
    ends: dict[str, tuple[Term, Term]] = {}
    for batch in batches(pairs, 100):
        query = f"SELECT ?p ?s ?o WHERE {{ {union_pattern([_objects_of(*pair) for pair in batch])} }}"
        for row in sorted(endpoint.select(query), key=lambda r: (_language_sort_key(r, profile), str(r["o"]))):
            ends.setdefault(text_of(row, "p"), (row["s"], row["o"]))
    values_by_predicate = {name: use.values for name, use in uses.items() if use.values}
    terms = (term for group in (*ends.values(), *values_by_predicate.values()) for term in group)
    label_by_term = labels.fetch_labels(CachedReader(endpoint, profile, KGCache()), terms)
    value_labels = {
        name: tuple(dict.fromkeys(label_by_term[term] for term in group)) for name, group in values_by_predicate.items()
    }
    return {name: (label_by_term[s], label_by_term[o]) for name, (s, o) in ends.items()}, value_labels


def _objects_of(predicate: str, subject: str) -> str:
    """Return a pattern of a predicate, a subject, and the first of its objects."""
    p, s = n3(URIRef(predicate)), n3(URIRef(subject))
    pattern = f"{s} {p} ?o FILTER(!isBlank(?o))"
    return f"SELECT ({p} AS ?p) ({s} AS ?s) ?o WHERE {{ {pattern} }} LIMIT {MAX_EXAMPLES}"


def _language_sort_key(row: Row, profile: Profile) -> tuple[int, str]:
    value = row.get("o")
    return labels.language_rank(value, profile) if isinstance(value, Literal) else (0, "")

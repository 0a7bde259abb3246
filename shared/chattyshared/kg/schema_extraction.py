"""Reading a KG's vocabulary from its data: a dozen requests for a small one, samples of a big one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rdflib import Literal, URIRef
from rdflib.namespace import RDFS, SKOS

from chattyshared.endpoint import Endpoint, Row
from chattyshared.kg import column_names, labels
from chattyshared.kg.batches import batches, in_filter, is_nameable, text_of, values_block
from chattyshared.kg.cache import CachedReader, KGCache
from chattyshared.kg.metadata_terms import is_metadata_class
from chattyshared.kg.predicate_statistics import PredicateStatistics, measure_predicates
from chattyshared.kg.statistics import KGStatistics
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry, Vocabulary
from chattyshared.profile import ALT_LABEL_PREDICATES, SUBCLASS_PREDICATES, Profile
from chattyshared.terms import Term, iri_to_words, local_name, n3

_COMMENTS = (
    str(RDFS.comment),
    str(SKOS.definition),
    "http://purl.org/dc/terms/description",
    "http://schema.org/description",
)
_DECLARED = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT ?s ?q ?x WHERE {{
 {{ ?s ?q ?x VALUES ?q {{ {} rdfs:domain rdfs:range }} FILTER(isIRI(?s) && isIRI(?x)) }}
 UNION {{ ?s a ?x VALUES ?x {{ owl:Class rdfs:Class }} FILTER(isIRI(?s)) }} }} LIMIT 50000"""
LARGEST = 4_000
"""Classes, and predicates, whose labels are read, the most frequent; few KGs have as many."""
STEPS = 6
"""How far up from classes with members wider classes are looked for in a big KG that does not use RDF Schema."""


@dataclass(slots=True)
class _Declared:
    """What the KG's own ontology says."""

    classes: set[str] = field(default_factory=set)
    parents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    domains: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    ranges: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


@dataclass(frozen=True, slots=True)
class _Words:
    """Label, further labels and comment of one class or predicate."""

    label: str
    alt: tuple[str, ...]
    comment: str


def extract_vocabulary(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> Vocabulary:
    """Read classes and predicates as the data use them.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    declared = _declared(endpoint, profile, counts)
    uses = measure_predicates(endpoint, counts, profile)
    classes = _classes(counts, declared)
    named = _told_apart(_words(endpoint, profile, classes, list(counts.predicates)), list(counts.predicates))
    named |= {name: _as_table(name, named[name]) for name in classes}
    named |= {name: _as_column(name, named, uses[name]) for name in counts.predicates}
    examples, listed = _examples(endpoint, profile, uses)
    whole = counts.is_small  # summed anew each time that it is asked
    made = {name: _entry(name, counts, uses[name], named[name], declared, profile) for name in counts.predicates}
    return Vocabulary(
        classes={kind: _class(kind, counts, named[kind], declared, profile) for kind in classes},
        predicates={
            name: replace(
                entry,
                example=examples.get(name, ("", "")),
                values=listed.get(name, ()),
                has_all_values=whole and name in listed,
            )
            for name, entry in made.items()
        },
    )


def _class(kind: str, counts: KGStatistics, named: _Words, declared: _Declared, profile: Profile) -> ClassEntry:
    return ClassEntry(
        iri=kind,
        label=named.label,
        alt_labels=named.alt,
        comment=named.comment,
        direct_superclasses=tuple(sorted(declared.parents[kind] - {kind})),
        instance_count=counts.classes.get(kind, 0),
        is_metadata=kind in profile.metadata_classes or is_metadata_class(kind),
    )


def _entry(
    name: str,
    counts: KGStatistics,
    use: PredicateStatistics,
    named: _Words,
    declared: _Declared,
    profile: Profile,
) -> PredicateEntry:
    def content(measured: Iterable[str], stated: Iterable[str]) -> tuple[str, ...]:
        every = dict.fromkeys((*measured, *sorted(stated)))
        return tuple(c for c in every if c not in profile.metadata_classes and not is_metadata_class(c))

    own = ("type",) if name in profile.types and named.label != "type" else ()  # so people ask for it
    return PredicateEntry(
        iri=name,
        label=named.label,
        alt_labels=tuple(dict.fromkeys((*named.alt, *own))),
        comment=named.comment,
        triple_count=counts.predicates[name],
        subject_count=use.subject_count,
        object_kind=use.object_kind,
        domains=content(use.domains, declared.domains[name]),
        ranges=content(use.ranges, () if use.object_kind == "literal" else declared.ranges[name]),
        datatypes=use.datatypes,
        languages=use.languages,
        is_functional=use.is_functional,
        is_inverse_functional=use.is_inverse_functional,
        is_metadata=name in profile.metadata,
    )


def _declared(endpoint: Endpoint, profile: Profile, counts: KGStatistics) -> _Declared:
    found = _Declared()
    into = {str(RDFS.domain): found.domains, str(RDFS.range): found.ranges}
    into |= dict.fromkeys(profile.subclasses, found.parents)
    whole = profile.subclasses if counts.is_small else SUBCLASS_PREDICATES
    rows = endpoint.select(_DECLARED.format(" ".join(n3(URIRef(iri)) for iri in whole)))
    if further := [iri for iri in profile.subclasses if iri not in whole]:
        rows = [*rows, *_climbed(endpoint, further, list(counts.classes)[:LARGEST])]
    for row in rows:
        subject, predicate, value = text_of(row, "s"), text_of(row, "q"), text_of(row, "x")
        if predicate in into:
            into[predicate][subject].add(value)
            if predicate in profile.subclasses:
                found.classes |= {subject, value}
        else:
            found.classes.add(subject)
    return found


def _climbed(endpoint: Endpoint, predicates: Sequence[str], classes: Sequence[str]) -> list[Row]:
    """Read what lies above some classes, step by step: where classes are things among others, there may be millions."""
    rows: list[Row] = []
    seen, front = set(classes), list(classes)
    for _ in range(STEPS):
        found = [
            row
            for batch in batches(front)
            for row in endpoint.select(
                f"SELECT ?s ?q ?x WHERE {{ {values_block('s', batch)} ?s ?q ?x "
                f"{in_filter('q', predicates)} FILTER(isIRI(?x)) }}"
            )
        ]
        rows += found
        front = sorted({text_of(row, "x") for row in found} - seen)[:LARGEST]
        seen.update(front)
    return rows


def _classes(counts: KGStatistics, declared: _Declared) -> list[str]:
    return list(dict.fromkeys((*counts.classes, *sorted(declared.classes))))


def _words(
    endpoint: Endpoint, profile: Profile, classes: Sequence[str], predicates: Sequence[str]
) -> dict[str, _Words]:
    """Read labels, further labels and comments of classes and predicates; names of the rarest are read from IRIs."""
    naming_predicates = dict.fromkeys((*profile.labels, str(RDFS.label), str(SKOS.prefLabel)))
    wide = replace(profile, labels=tuple(naming_predicates), type_labels=())
    alternatives = dict.fromkeys((*ALT_LABEL_PREDICATES, *profile.alt_labels))
    asked = [p for p in dict.fromkeys((*naming_predicates, *alternatives, *_COMMENTS))]
    described = {place: URIRef(name) for name in predicates[:LARGEST] for place in labels.label_subjects(name)}
    rows: list[Row] = []
    for batch in batches(dict.fromkeys((*classes[:LARGEST], *described))):
        query = f"SELECT ?s ?q ?x WHERE {{ {values_block('s', batch)} ?s ?q ?x {in_filter('q', asked)} }}"
        rows += [{**row, "s": described.get(text_of(row, "s"), row["s"])} for row in endpoint.select(query)]
    best = labels.select_labels(rows, wide)
    every = labels.collect_labels([r for r in rows if text_of(r, "q") not in _COMMENTS], profile)
    comments = labels.collect_labels([r for r in rows if text_of(r, "q") in _COMMENTS], profile)
    return {
        name: _named(name, best.get(name), every.get(name, ()), comments.get(name, ()))
        for name in (*classes, *predicates)
    }


def _told_apart(named: dict[str, _Words], predicates: Sequence[str]) -> dict[str, _Words]:
    """Where several predicates bear one label, let those whose IRI says something else be called by that.

    A label that was copied and not changed ("name" on ``member``) would make two predicates one for every reader.
    """
    shared = Counter(named[name].label.casefold() for name in predicates)
    told = dict(named)
    for name in predicates:
        words = _named(name, None, (), ())
        own, said = words.label.casefold(), named[name]
        is_word = len(own) > 2 and own.replace(" ", "").isalpha()
        if shared[said.label.casefold()] > 1 and is_word and own != said.label.casefold() and own not in shared:
            told[name] = replace(said, label=words.label, alt=(*(a for a in said.alt if a != words.label), said.label))
    return told


def _as_table(name: str, said: _Words) -> _Words:
    """Add what a class without a label of its own is called with abbreviations written out."""
    whole = column_names.expand_abbreviations(said.label)
    if whole == said.label or said.label != _named(name, None, (), ()).label:
        return said
    return replace(said, alt=(whole, *said.alt))


def _as_column(name: str, named: Mapping[str, _Words], use: PredicateStatistics) -> _Words:
    """Add what a predicate is called without its table's name, and call it so where only a key's mark goes.

    A predicate that bears a label of its own is called by that.
    """
    said = named[name]
    if "_" not in local_name(name) or said.label != _named(name, None, (), ()).label:
        return said
    tables = [named[kind].label for kind in use.domains[:2] if kind in named]
    shorter = column_names.shorten_column_name(said.label, tables, is_reference=use.object_kind != "literal")
    every = dict.fromkeys((*shorter, said.label, *said.alt))
    every |= dict.fromkeys((column_names.expand_abbreviations(shorter[-1] if shorter else said.label),))
    main = shorter[0] if shorter and said.label.startswith(shorter[0]) else said.label
    return replace(said, label=main, alt=tuple(words for words in every if words != main))


def _named(iri: str, label: str | None, every: Sequence[str], comments: Sequence[str]) -> _Words:
    name = " ".join(
        word.lower() if word[1:].islower() or len(word) == 1 else word for word in iri_to_words(iri).split()
    )
    main = label or name or iri
    further = dict.fromkeys((*every, name))
    alt = tuple(words for words in further if words and words.casefold() != main.casefold())
    return _Words(main, alt, comments[0] if comments else "")


def _examples(
    endpoint: Endpoint, profile: Profile, uses: Mapping[str, PredicateStatistics]
) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, ...]]]:
    """Return one subject's and object's label per predicate, of its last subject by IRI, where it was counted; and
    the labels of its objects where they are few."""
    wanted = [(name, use.example_subject) for name, use in uses.items() if use.example_subject]
    ends: dict[str, tuple[Term, Term]] = {}
    for batch in batches(wanted, 100):
        pairs = [
            f"({n3(URIRef(p))} {n3(URIRef(s))})" for p, s in batch if is_nameable(URIRef(p)) and is_nameable(URIRef(s))
        ]
        query = f"SELECT ?p ?s ?o WHERE {{ VALUES (?p ?s) {{ {' '.join(pairs)} }} ?s ?p ?o FILTER(!isBlank(?o)) }}"
        for row in sorted(endpoint.select(query), key=lambda r: (_far_down(r, profile), str(r["o"]))):
            ends.setdefault(text_of(row, "p"), (row["s"], row["o"]))
    few = {name: use.values for name, use in uses.items() if use.values}
    terms = (term for group in (*ends.values(), *few.values()) for term in group)
    named = labels.fetch_labels(CachedReader(endpoint, profile, KGCache()), terms)
    listed = {name: tuple(dict.fromkeys(named[term] for term in group)) for name, group in few.items()}
    return {name: (named[s], named[o]) for name, (s, o) in ends.items()}, listed


def _far_down(row: Row, profile: Profile) -> tuple[int, str]:
    value = row.get("o")
    return labels.language_rank(value, profile) if isinstance(value, Literal) else (0, "")

"""What a graph states of one thing: names, classes, texts, and facts by predicate in both directions, bounded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from chattyshared.dialogue import Value
from chattyshared.endpoint import Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import count_of, format_iri, is_nameable, union_pattern
from chattyshared.kg.labels import label_predicates, language_rank
from chattyshared.kg.schema_extraction import COMMENT_PREDICATES
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.literals import to_value
from chattyshared.terms import Term
from rdflib import BNode, Literal, URIRef

SCANNED_TRIPLES = 500
"""Triples that are read in each direction; with more, each predicate is counted and read by itself."""
COUNTED_TRIPLES = 10_000
"""Triples of one predicate and direction that are counted; beyond, the count is a lower bound."""
MAX_PREDICATES = 60
"""Predicates in each direction that are counted by themselves."""
SHOWN_VALUES = 10
"""Values of one predicate and direction that a description holds."""
MAX_CHARACTERS = 2_000
"""Characters of a text that are kept."""
MAX_NESTED_TRIPLES = 200
"""Triples of nameless nodes that are read."""
CUT_MARK = "…"

_Side = Choice["out", "in"]


@dataclass(frozen=True, slots=True)
class FactValue:
    """The far end of a fact, and the label of its class ("" without one)."""

    value: Value
    class_label: str = ""


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The facts of one predicate in one direction: their number and the first of their values.

    There may be more than ``count`` if it is not exact. ``is_metadata``: no fact about the world, as with identifiers.
    """

    predicate: str
    label: str
    count: int
    values: tuple[FactValue, ...]
    is_count_exact: bool = True
    is_metadata: bool = False

    @property
    def is_cut(self) -> bool:
        """Whether there are more values than these."""
        return self.count > len(self.values) or not self.is_count_exact


@dataclass(frozen=True, slots=True)
class EntityDescription:
    """What a graph states of a thing; ``names`` and ``texts`` have the graph's first language first.

    ``outgoing`` are the other facts that have the thing as subject, ``incoming`` those that have it as object.
    ``is_complete`` is false if predicates may be missing.
    """

    iri: str
    label: str
    names: tuple[Value, ...] = ()
    classes: tuple[Value, ...] = ()
    texts: tuple[Value, ...] = ()
    outgoing: tuple[FactGroup, ...] = ()
    incoming: tuple[FactGroup, ...] = ()
    is_complete: bool = True

    @property
    def is_stated(self) -> bool:
        """Whether the graph states anything of it."""
        return bool(self.names or self.classes or self.texts or self.outgoing or self.incoming)

    @property
    def is_cut(self) -> bool:
        """Whether the graph states more than this."""
        return not self.is_complete or any(group.is_cut for group in (*self.outgoing, *self.incoming))


@dataclass(frozen=True, slots=True)
class _SideFacts:
    """The far ends and the counts by predicate, of one direction; ``is_whole``: all triples were read."""

    far_ends: Mapping[str, Sequence[Term]]
    counts: Mapping[str, int]
    is_whole: bool = True


def describe_entity(kg: KnowledgeGraph, iri: str, *, shown_values: int = SHOWN_VALUES) -> EntityDescription:
    """Return what the graph states of a thing; a description that states nothing for an unknown or impossible IRI.

    The number of requests and rows is bounded, whatever number of facts there is.

    Raises:
        EndpointError: the KG could not be asked.
    """
    thing = URIRef(iri)
    if not is_nameable(thing):
        return EntityDescription(iri, iri)
    kg = kg.with_endpoint(kg.endpoint)  # the labels of one description are kept no longer than it
    scan = _scan_facts(kg, iri)
    outgoing, incoming = (
        facts if facts.is_whole else _count_facts(kg, iri, side, facts, shown_values) for side, facts in scan.items()
    )
    nested = _describe_nameless(kg, iri, outgoing)
    return _Writer(kg, iri, shown_values, nested).write(outgoing, incoming)


def _scan_facts(kg: KnowledgeGraph, iri: str) -> Mapping[_Side, _SideFacts]:
    """Read the first triples of each direction in one request."""
    branches = [
        f'{{ SELECT ?p ?far WHERE {{ {_pattern(iri, "?p", side)} }} LIMIT {SCANNED_TRIPLES + 1} }} BIND("{side}" AS ?d)'
        for side in ("out", "in")
    ]
    rows = kg.endpoint.select(f"SELECT ?d ?p ?far WHERE {{ {union_pattern(branches)} }}")
    return {"out": _collect_side(rows, "out"), "in": _collect_side(rows, "in")}


def _collect_side(rows: Iterable[Row], side: _Side) -> _SideFacts:
    far_ends: defaultdict[str, list[Term]] = defaultdict(list)
    for row in rows:
        if str(row.get("d")) == side and "p" in row and "far" in row:
            far_ends[str(row["p"])].append(row["far"])
    counts = {predicate: len(terms) for predicate, terms in far_ends.items()}
    return _SideFacts(far_ends, counts, sum(counts.values()) <= SCANNED_TRIPLES)


def _count_facts(kg: KnowledgeGraph, iri: str, side: _Side, scan: _SideFacts, shown: int) -> _SideFacts:
    """Count and read each predicate of a direction with many triples by itself, up to a limit.

    The predicates are those that were read, those of classes, names and texts, and those that the vocabulary knows of
    such things.
    """
    classes = kg.types_of([URIRef(iri)])[URIRef(iri)]
    known = (e.iri for e in kg.vocabulary.predicates.values() if _may_occur(e, side, classes, kg))
    texts = (*_name_predicates(kg), *COMMENT_PREDICATES) if side == "out" else ()
    candidates = dict.fromkeys((*kg.profile.types, *kg.profile.subclasses, *texts, *scan.far_ends, *known))
    predicates = [p for p in candidates if is_nameable(URIRef(p))][:MAX_PREDICATES]
    counting = (
        f"{{ SELECT (COUNT(*) AS ?n) WHERE {{ {{ SELECT ?far WHERE {{ {_pattern(iri, format_iri(p), side)} }} "
        f"LIMIT {COUNTED_TRIPLES + 1} }} }} }} BIND({format_iri(p)} AS ?p)"
        for p in predicates
    )
    reading = (
        f"{{ SELECT ?far WHERE {{ {_pattern(iri, format_iri(p), side)} }} LIMIT {shown} }} BIND({format_iri(p)} AS ?p)"
        for p in predicates
    )
    rows = kg.endpoint.select(f"SELECT ?p ?n WHERE {{ {union_pattern(list(counting))} }}")
    counts = {str(row["p"]): count for row in rows if (count := count_of(row, "n"))}
    far_ends: defaultdict[str, list[Term]] = defaultdict(list)
    for row in kg.endpoint.select(f"SELECT ?p ?far WHERE {{ {union_pattern(list(reading))} }}"):
        far_ends[str(row["p"])].append(row["far"])
    return _SideFacts(far_ends, counts, is_whole=False)


def _name_predicates(kg: KnowledgeGraph) -> tuple[str, ...]:
    return (*label_predicates(kg.profile), *kg.profile.alt_labels)


def _may_occur(entry: PredicateEntry, side: _Side, classes: Sequence[str], kg: KnowledgeGraph) -> bool:
    """Tell whether things of these classes may have a predicate on this side; without a class of its own it is no
    candidate."""
    own = entry.domains if side == "out" else entry.ranges
    return bool(own and classes) and kg.vocabulary.may_share_members(own, classes)


def _pattern(iri: str, predicate: str, side: _Side) -> str:
    return f"{format_iri(iri)} {predicate} ?far" if side == "out" else f"?far {predicate} {format_iri(iri)}"


def _describe_nameless(kg: KnowledgeGraph, iri: str, facts: _SideFacts) -> Mapping[str, tuple[str, ...]]:
    """Return a text for each nameless node that is a value of a thing, by predicate: the facts of the node in words."""
    if not any(isinstance(term, BNode) for terms in facts.far_ends.values() for term in terms):
        return {}
    rows = kg.endpoint.select(
        f"SELECT ?p ?node ?q ?x WHERE {{ {format_iri(iri)} ?p ?node FILTER(isBlank(?node)) ?node ?q ?x }} "
        f"LIMIT {MAX_NESTED_TRIPLES}"
    )
    labels = kg.labels({row[name] for row in rows for name in ("q", "x")})
    parts: defaultdict[tuple[str, Term], list[str]] = defaultdict(list)
    for row in rows:
        if str(row["q"]) not in kg.profile.types and labels[row["x"]]:
            parts[str(row["p"]), row["node"]].append(f"{labels[row['q']]}: {labels[row['x']]}")
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for (predicate, _), facts_of_node in parts.items():
        texts[predicate].append(", ".join(sorted(facts_of_node)))
    return {predicate: tuple(sorted(lines)) for predicate, lines in texts.items()}


class _Writer:
    """Writes a description; labels and classes of all shown terms are read at once."""

    def __init__(self, kg: KnowledgeGraph, iri: str, shown: int, nested: Mapping[str, tuple[str, ...]]) -> None:
        self._kg, self._iri, self._shown, self._nested = kg, iri, shown, nested

    def write(self, outgoing: _SideFacts, incoming: _SideFacts) -> EntityDescription:
        """Return the description of the facts in both directions."""
        kg, thing, profile = self._kg, URIRef(self._iri), self._kg.profile
        name_predicates = _name_predicates(kg)
        # What else names a thing, such as a name at birth, is a fact of its own besides.
        apart = {*label_predicates(profile), *COMMENT_PREDICATES, *profile.types}
        shown = [self._choose(terms) for facts in (outgoing, incoming) for terms in facts.far_ends.values()]
        terms = [thing, *(term for chosen in shown for term in chosen if isinstance(term, URIRef))]
        kg.prefetch_labels_and_types(terms)
        kg.prefetch_labels_and_types([URIRef(one) for types in kg.types_of(terms).values() for one in types[:1]])
        classes = [t for p in profile.types for t in outgoing.far_ends.get(p, ()) if isinstance(t, URIRef)]
        return EntityDescription(
            self._iri,
            kg.label(thing),
            names=self._texts(outgoing, name_predicates),
            classes=tuple(to_value(t, kg.label(t)) for t in classes if str(t) not in profile.metadata_classes),
            texts=self._texts(outgoing, COMMENT_PREDICATES),
            outgoing=self._groups(outgoing, apart),
            incoming=self._groups(incoming, set()),
            is_complete=outgoing.is_whole and incoming.is_whole,
        )

    def _texts(self, facts: _SideFacts, predicates: Iterable[str]) -> tuple[Value, ...]:
        """Return the literals of some predicates, each once: best language first, then by predicate and text."""
        sides = (sorted(facts.far_ends.get(predicate, ()), key=str) for predicate in predicates)
        literals = dict.fromkeys(term for terms in sides for term in terms if isinstance(term, Literal))
        ranked = sorted(literals, key=lambda term: language_rank(term, self._kg.profile)[0])
        return tuple(to_value(_shorten(term)) for term in ranked)

    def _groups(self, facts: _SideFacts, apart: set[str]) -> tuple[FactGroup, ...]:
        """Return the facts of one direction by predicate: the vocabulary's order, metadata last."""
        order = {predicate: place for place, predicate in enumerate(self._kg.vocabulary.predicates)}
        groups = [self._group(predicate, facts) for predicate in facts.counts if predicate not in apart]
        return tuple(
            sorted(groups, key=lambda g: (g.is_metadata, order.get(g.predicate, len(order)), g.label, g.predicate))
        )

    def _group(self, predicate: str, facts: _SideFacts) -> FactGroup:
        kg, count = self._kg, facts.counts[predicate]
        entry = kg.vocabulary.predicates.get(predicate)
        chosen = self._choose(facts.far_ends.get(predicate, ()))
        values = [self._fact_value(term) for term in chosen]
        values.sort(key=lambda one: ((one.value.label or one.value.value).casefold(), one.value.value))
        nested = [FactValue(Value(text[:MAX_CHARACTERS], "literal")) for text in self._nested.get(predicate, ())]
        return FactGroup(
            predicate,
            entry.label if entry else kg.label(URIRef(predicate)),
            min(count, COUNTED_TRIPLES),
            tuple([*values, *nested][: self._shown]),
            is_count_exact=count <= COUNTED_TRIPLES,
            is_metadata=entry.is_metadata if entry else predicate in kg.profile.metadata,
        )

    def _choose(self, terms: Iterable[Term]) -> Sequence[Term]:
        """Return the first values with a name: literals in the graph's language before others, then by their text."""
        named = [term for term in dict.fromkeys(terms) if not isinstance(term, BNode)]
        return sorted(named, key=self._rank)[: self._shown]

    def _rank(self, term: Term) -> tuple[int, str]:
        place = language_rank(term, self._kg.profile)[0] if isinstance(term, Literal) and term.language else 0
        return place, str(term)

    def _fact_value(self, term: Term) -> FactValue:
        if not isinstance(term, URIRef):
            return FactValue(to_value(_shorten(term)))
        types = self._kg.types_of([term])[term]
        return FactValue(to_value(term, self._kg.label(term)), self._kg.label(URIRef(types[0])) if types else "")


def _shorten(term: Term) -> Term:
    """Return a literal with a text of bounded length."""
    if not isinstance(term, Literal) or len(term) <= MAX_CHARACTERS:
        return term
    return Literal(f"{str(term)[:MAX_CHARACTERS]}{CUT_MARK}", lang=term.language)

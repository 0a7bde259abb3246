"""Query composition: the graph pattern and the solution modifier of linked relations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from chattyshared.kg.text_readings import TextReading
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.quantities import convert_unit
from chattyshared.literals import format_year
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import DATE_DATATYPES
from rdflib import URIRef
from rdflib.namespace import XSD

from chattykg.linking.answer_types import (
    is_date_predicate,
    is_mostly_numeric_predicate,
    is_numeric_predicate,
    is_year,
    is_year_predicate,
    translate_truth,
    truth_values,
)
from chattykg.linking.class_linking import ClassLink, order_classes
from chattykg.linking.predicate_candidates import LinkedRelation, PredicateCandidate
from chattykg.linking.property_paths import is_containment_chain
from chattykg.qir import MEAN, QIR, TEXT_OPERATORS, Filter, Relation, is_unknown
from chattykg.query.graph_patterns import FilterCondition, GraphPattern, Node, TriplePattern, ValueReading
from chattykg.query.grounding import GroundedQIR, QueryContext
from chattykg.query.solution_modifiers import ModifierKind, SolutionModifier, write_query
from chattykg.query.units import kept_units, selected_unit

_NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?")
_YEAR_BC = re.compile(r"-\d{4}")
_DATE_PATTERN = re.compile(r"\d{4}-\d\d(-\d\d)?")
_RESERVED = re.compile(r"\?(given|class|label|any)\d+|\?(best|many|count|value|n)")
"""Variables that the writers of queries add."""
_Group = tuple[frozenset[str], tuple[Relation, ...]]
"""Unknowns, and the relations that alone have them."""
_YEAR = "?year"
"""The unknown of "what year": of a date the answer is the year."""


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query: grounded mentions, linked relations and classes, the pattern and modifier that say them.

    ``score`` ranks it.
    """

    grounded: GroundedQIR
    edges: tuple[LinkedRelation, ...]
    classes: tuple[tuple[str, ClassLink], ...]
    pattern: GraphPattern
    modifier: SolutionModifier
    score: float

    @property
    def qir(self) -> QIR:
        """The grounded QIR that it says."""
        return self.grounded.qir

    @property
    def sparql(self) -> str:
        """The query as SPARQL."""
        return write_query(self.pattern, self.modifier)

    def predicates(self) -> frozenset[str]:
        """Return the predicates of all its relations, without those of second steps."""
        return frozenset(iri for edge in self.edges for iri in edge.candidate.predicates)


def compose_query(
    grounded: GroundedQIR,
    edges: Sequence[LinkedRelation],
    classes: Sequence[tuple[str, ClassLink]],
    score: float,
    context: QueryContext,
    row_limit: int,
) -> Query | None:
    """Return the query of linked relations and classes; None if they do not fit together."""
    composer = _Composer(grounded, edges, classes, context, row_limit)
    modifier = composer.modifier()
    pattern = composer.hierarchy() if modifier and modifier.kind == "ask" else None
    pattern = pattern or composer.pattern()
    if pattern is None or modifier is None:
        return None
    if modifier.kind != "ask" and not set(pattern.variables()).issuperset(modifier.targets):
        return None
    return Query(grounded, tuple(edges), tuple(classes), pattern, modifier, score)


class _Composer:
    """Builds the parts of one query, with a valid variable for each unknown."""

    def __init__(
        self,
        grounded: GroundedQIR,
        edges: Sequence[LinkedRelation],
        classes: Sequence[tuple[str, ClassLink]],
        context: QueryContext,
        row_limit: int,
    ) -> None:
        self.grounded, self.edges, self.classes, self.kg, self.rows = grounded, edges, classes, context.kg, row_limit
        self.qir, self.links = grounded.qir, grounded.entity_links
        self.names: dict[str, str] = {}
        self.literals: dict[str, PredicateCandidate] = {}
        for edge in edges:
            end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
            if edge.candidate.is_literal and is_unknown(end):
                self.literals.setdefault(end, edge.candidate)
        kept = (kept_units(edge.candidate, self.kg) for edge in edges)
        selected = ((units.predicate, selected_unit(units, context.question, self.qir)) for units in kept)
        self.units = {edge: pair for edge, pair in zip(edges, selected, strict=True) if pair[1]}
        stated = {unknown for unknown, candidate in self.literals.items() if candidate.is_numeric}
        self.counted = tuple(h for h in self.qir.having if h.counted not in stated)
        self.stated = tuple(Filter(h.counted, h.operator, h.value) for h in self.qir.having if h.counted in stated)

    # --------------------------------------------------------------------------------------------------------- pattern
    def pattern(self) -> GraphPattern | None:
        """Return the graph pattern; None if a condition cannot be said."""
        conditions = [self._condition(each) for each in (*self.qir.filters, *self.stated, *self._flags())]
        conditions += [
            FilterCondition(self._unit_variable(e), "=", name, "text") for e, (_, name) in self.units.items()
        ]
        said = tuple(condition for condition in conditions if condition is not None)
        if len(said) < len(conditions):
            return None
        qir, optional = self.qir, frozenset(self.qir.optional)
        outer = {end for relation in qir.triples for end in relation.ends()}
        outer |= {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
        denied = _group_relations(qir.negated, frozenset(qir.unknowns()) - outer)
        possible = _group_relations([r for r in qir.triples if optional & set(r.ends())], optional)
        inner = optional.union(*(unknowns for unknowns, _ in denied))
        stated = [e for e in self.edges if not e.is_negated and optional.isdisjoint(e.relation.ends())]
        excluded = (self._excluded(end, iri) for end, iri in self.grounded.excluded_types)
        return replace(
            self._group(stated, said, lambda end: end not in inner),
            negated=(*(self._inner(group, said, is_negated=True) for group in denied), *excluded),
            optional=tuple(self._inner(group, said, is_negated=False) for group in possible),
            languages=self._languages(),
        )

    def hierarchy(self) -> GraphPattern | None:
        """Return the pattern that a class lies below another, if only they are asked about and one has no members."""
        if len(self.classes) != 2 or self.edges or self.qir.filters or self.grounded.excluded_types:
            return None
        (one, below), (other, above) = self.classes
        counts = {iri: entry.instance_count for iri, entry in self.kg.vocabulary.classes.items()}
        has_members = all(any(counts.get(iri) for iri in each.classes_with_subclasses) for each in (below, above))
        if one != other or one in self.links or has_members:
            return None
        lower, upper = (tuple(map(URIRef, each.classes)) for each in (below, above))
        return GraphPattern((TriplePattern(lower, self.kg.profile.subclasses, upper, is_transitive=True),))

    def _inner(self, group: _Group, conditions: Sequence[FilterCondition], *, is_negated: bool) -> GraphPattern:
        unknowns, relations = group
        edges = [edge for edge in self.edges if edge.is_negated == is_negated and edge.relation in relations]
        return self._group(edges, conditions, unknowns.__contains__)

    def _group(
        self,
        edges: Iterable[LinkedRelation],
        conditions: Iterable[FilterCondition],
        is_included: Callable[[str], bool],
    ) -> GraphPattern:
        """Return the pattern of some relations, and of all that is said of the included unknowns."""
        variables = {name for unknown, name in self.names.items() if is_included(unknown)}
        listed = [*self.grounded.values]
        listed += [(end, self.links[end].terms) for end, _ in self.classes if end in self.links]
        return GraphPattern(
            tuple(triple for edge in edges for triple in self._triples(edge)),
            types=tuple(
                (self.variable(end), order_classes(link.classes_with_subclasses, self.kg))
                for end, link in self.classes
                if end not in self.literals and is_included(end)
            ),
            values=tuple((self.variable(end), terms) for end, terms in listed if is_included(end)),
            conditions=tuple(each for each in conditions if each.variable in variables),
            type_predicates=self.kg.profile.types,
        )

    def variable(self, unknown: str) -> str:
        """Return the variable of an unknown: letters and digits only, unique in the query."""
        if unknown not in self.names:
            name = f"?{re.sub(r'[^A-Za-z0-9]', '', unknown) or 'x'}"
            while name in self.names.values() or _RESERVED.fullmatch(name):
                name += "_"
            self.names[unknown] = name
        return self.names[unknown]

    def _node(self, end: str) -> Node:
        return self.links[end].terms if end in self.links else self.variable(end)

    def _triples(self, edge: LinkedRelation) -> tuple[TriplePattern, ...]:
        candidate = edge.candidate
        subject, object_ = edge.relation.ends() if candidate.is_forward else edge.relation.ends()[::-1]
        first, last = self._node(subject), self._node(object_)
        steps = candidate.second_predicates or candidate.predicates
        is_bound = object_ in self.links or any(end == object_ for end, _ in self.classes)
        entries = [self.kg.vocabulary.predicates.get(iri) for iri in steps]
        is_chain = is_bound and all(entry is not None and is_containment_chain(entry) for entry in entries)
        between = self.variable(f"via {self.edges.index(edge)}") if candidate.second_predicates else first
        kept = self.units.get(edge)
        units = (TriplePattern(between, (kept[0],), self._unit_variable(edge)),) if kept else ()
        if not candidate.second_predicates:
            return (TriplePattern(first, steps, last, is_chain), *units)
        ends = (between, first) if candidate.is_inward else (first, between)
        way = TriplePattern(ends[0], candidate.predicates, ends[1])
        return way, TriplePattern(between, steps, last, is_chain), *units

    def _unit_variable(self, edge: LinkedRelation) -> str:
        return self.variable(f"unit {self.edges.index(edge)}")

    def _excluded(self, end: str, iri: str) -> GraphPattern:
        classes = tuple(URIRef(below) for below in sorted(self.kg.vocabulary.subclasses(iri)))
        return GraphPattern((TriplePattern(self._node(end), self.kg.profile.types, classes),))

    def _languages(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Keep only the first language of the KG if the target is a literal in several languages."""
        qir, entry = self.qir, self._entry(self.qir.target)
        if entry is None or len(entry.languages) < 2 or qir.order or qir.having or qir.aggregate or qir.targets:
            return ()
        first = next((tag for tag in self.kg.profile.languages if tag in entry.languages and tag), "")
        return ((self.variable(qir.target), (first, "")),) if first else ()

    # ------------------------------------------------------------------------------------------------------ conditions
    def _entry(self, unknown: str) -> PredicateEntry | None:
        """Return the predicate that binds an unknown for a literal."""
        candidate = self.literals.get(unknown)
        return self.kg.vocabulary.predicates.get(candidate.last_predicate) if candidate else None

    def _reading(self, unknown: str) -> ValueReading | None:
        """Return how the literals that an unknown stands for are read; None if it stands for things."""
        candidate, entry = self.literals.get(unknown), self._entry(unknown)
        if candidate is None or entry is None:
            return "text" if candidate else None
        if isinstance(entry.text_reading, TextReading) and DATE_DATATYPES.isdisjoint(map(URIRef, entry.datatypes)):
            return entry.text_reading
        if is_date_predicate(entry) and not is_mostly_numeric_predicate(entry):
            return "date" if len(set(entry.datatypes)) == 1 else "mixed date"
        if set(entry.datatypes) == {str(XSD.time)}:
            return "value"
        if is_numeric_predicate(entry):
            is_typed = entry.datatypes and not any(datatype.endswith("#string") for datatype in entry.datatypes)
            return "number" if is_typed and candidate.is_numeric else "text number"
        return "text"

    def _flags(self) -> Iterable[Filter]:
        """Yield that a flag is true whose value the question neither asks for nor restricts ("with a balcony")."""
        qir, order = self.qir, self.qir.order
        used = {qir.target, *qir.targets, order.by if order else "", *(unknown for unknown, _ in self.grounded.values)}
        used |= {end for each in qir.filters for end in (each.unknown, each.value)}
        used |= {end for each in qir.having for end in (each.group, each.counted)}
        for unknown in sorted(self.literals.keys() - used):
            truths = truth_values(self._entry(unknown))
            if truths and sum(unknown in edge.relation.ends() for edge in self.edges) == 1:
                yield Filter(unknown, "=", truths[0])

    def _condition(self, filter_: Filter) -> FilterCondition | None:
        entry, reading = self._entry(filter_.unknown), self._reading(filter_.unknown)
        truths = truth_values(entry)
        value = translate_truth(filter_.value, truths) if truths else filter_.value
        for kept in kept_units(self.literals.get(filter_.unknown), self.kg).names[:1] if filter_.unit else ():
            value = convert_unit(value, filter_.unit, kept)
        if _YEAR_BC.fullmatch(value) and self.kg.profile.types != TYPE_PREDICATES:
            value = format_year(int(value) + 1)  # Wikibase counts a year 0, as XML Schema 1.1 does
        made = FilterCondition(self.variable(filter_.unknown), filter_.operator, value.strip(), "label")
        is_textual, is_number = filter_.operator in TEXT_OPERATORS, reading in ("number", "text number")
        if value == MEAN:
            over = self._measured(filter_.unknown) if is_number else None
            return replace(made, value="", reading=reading, mean_over=over) if reading and over else None
        if is_unknown(value):
            as_read: ValueReading = reading if reading == "text number" else "value"
            other = self.variable(value)
            return None if is_textual else replace(made, value="", reading=as_read, other_variable=other)
        if reading is None and filter_.operator == "!=" and made.value in self.links:
            return replace(made, reading="value", excluded_terms=self.links[made.value].terms)
        if reading is None:
            is_compared = _NUMBER_PATTERN.fullmatch(made.value) and filter_.operator not in ("=", *TEXT_OPERATORS)
            return None if is_compared else replace(made, label_predicates=self.kg.profile.labels[:4])
        kind = "text" if is_textual else _kind_of(made, entry, reading)
        return replace(made, reading=kind) if kind else None

    def _measured(self, unknown: str) -> GraphPattern | None:
        """Return the pattern that binds the value of all things of the class, without the other conditions."""
        edge = next((e for e in self.edges if unknown in e.relation.ends() and e.candidate.is_literal), None)
        if edge is None:
            return None
        holder = edge.relation.subject if edge.candidate.is_forward else edge.relation.object
        if is_unknown(holder):
            typed = [each for each in self.edges if each.relation.subject == holder and not each.relation.relation]
            return self._group((edge, *typed), (), lambda end: end == holder)
        first, *rest = self._triples(edge)
        patterns, classes = (replace(first, subject="?each"), *rest), self.links[holder].candidates[0].classes
        types = (("?each", classes),) * bool(classes)
        return GraphPattern(patterns, types=types, type_predicates=self.kg.profile.types)

    # -------------------------------------------------------------------------------------------------------- modifier
    def modifier(self) -> SolutionModifier | None:
        """Return the solution modifier; None if the values cannot be aggregated or sorted."""
        qir, order, variable = self.qir, self.qir.order, self.variable
        having = tuple(replace(h, group=variable(h.group), counted=variable(h.counted)) for h in self.counted)
        if qir.shape == "boolean":
            return SolutionModifier("ask", (), 1, having=having)
        target, reading = self.variable(qir.target), self._reading(qir.target)
        if qir.aggregate and not can_aggregate(qir.aggregate, reading):
            return None
        if qir.aggregates:
            return self._summary() if not qir.having and not (order and order.limit) else None
        is_stated = self._is_stated()
        function = qir.aggregate or "count"
        aggregates = ((function, target, reading or "value"),)
        groups, counted = self._groups()
        if groups and (qir.aggregate or not is_stated):
            aggregates = ((function, self.variable(counted), reading or "value"),)
            is_ranked = order is not None and order.by == counted and not order.per
            if any(each.group not in groups for each in having) or (order and order.limit and not is_ranked):
                return None
            named = replace(order, by=self.variable(order.by)) if order and is_ranked else None
            return SolutionModifier("groups", groups, self.rows, named, having, aggregates)
        if having:
            group = having[0].group
            return SolutionModifier("groups", (group,), self.rows, having=having, is_counted=qir.shape == "count")
        if qir.aggregate:
            return SolutionModifier("groups", (), 1, aggregates=aggregates)
        if order:
            ordered = self._ordered()
            is_counted = qir.shape == "count" and not is_stated  # "how many films are there by the oldest director"
            return replace(ordered, is_counted=is_counted and order.by != qir.target) if ordered else None
        if not groups and not is_stated and (qir.shape == "count" or qir.shape == "number" and reading is None):
            return SolutionModifier("groups", (), 1, aggregates=aggregates)
        return self._plain((*groups, self.variable(counted)) if groups else self._columns())

    def _groups(self) -> tuple[tuple[str, ...], str]:
        """Return the variables of the groups whose size or aggregate is asked for, and the unknown that is counted.

        A table that is sorted by how many of a column there are counts these.
        """
        qir, order = self.qir, self.qir.order
        is_sized = qir.shape == "table" and order is not None and order.count and order.by in qir.targets
        counted = order.by if order and is_sized else qir.target
        if not (qir.shape in ("count", "number") or qir.aggregate or counted != qir.target):
            return (), counted
        named = (self.variable(end) for end in qir.targets if is_unknown(end) and end != counted)
        return tuple(dict.fromkeys(named)), counted

    def _is_stated(self) -> bool:
        """Tell whether the graph states the number that is asked for, so that nothing has to be counted.

        Numbers of nothing in particular are counted themselves ("how many levels are there?").
        """
        if self.qir.shape == "count" and len(self.edges) == 1 and not (self.qir.entities() or self.qir.classes):
            return False
        candidate = self.literals.get(self.qir.target)
        use_count = sum(self.qir.target in edge.relation.ends() for edge in self.edges)
        return candidate is not None and candidate.is_numeric and use_count == 1

    def _summary(self) -> SolutionModifier | None:
        """Return the modifier of several aggregates; None if one is taken of what is neither number nor date."""
        aggregates = tuple((f, self.variable(u), self._reading(u) or "value") for f, u in self.qir.aggregates)
        others = [(f, reading) for f, _, reading in aggregates if f != "count"]
        if any(reading == "mixed date" or not can_aggregate(f, reading) for f, reading in others):
            return None
        aggregated = {unknown for _, unknown in self.qir.aggregates}
        groups = tuple(dict.fromkeys(self.variable(end) for end in self.qir.targets if end not in aggregated))
        return SolutionModifier("groups", groups, self.rows, aggregates=aggregates)

    def _plain(self, columns: tuple[str, ...]) -> SolutionModifier:
        reading = self._reading(self.qir.target)
        is_date = reading in ("date", "mixed date") and not is_year_predicate(self._entry(_YEAR))
        is_year = is_date and self.qir.target == _YEAR and len(columns) == 1
        return SolutionModifier("rows", columns, self.rows, is_year=is_year, reading=reading or "value")

    def _columns(self) -> tuple[str, ...]:
        """Return the variables of the columns of a table, or that of the target."""
        is_table = self.qir.shape == "table" and len(self.qir.targets) > 1
        return tuple(dict.fromkeys(map(self.variable, self.qir.targets if is_table else (self.qir.target,))))

    def _ordered(self) -> SolutionModifier | None:
        order, columns = self.qir.order, self._columns()
        if order is None or order.per and (order.count or order.limit != 1 or order.offset):
            return None
        named = replace(order, by=self.variable(order.by), per=self.variable(order.per) if order.per else "")
        is_stated = order.by in self.literals and self.literals[order.by].is_numeric
        if order.count and not is_stated:
            return SolutionModifier("groups", columns, self.rows, named) if len(columns) == 1 else None
        reading = self._reading(order.by)
        if reading is None or reading == "text" and (order.limit or self.qir.shape == "table"):
            return self._plain(columns) if not order.limit else None
        named = replace(named, count=False)
        kind: ModifierKind = "extreme" if order.limit == 1 and not order.offset else "groups"
        return SolutionModifier(kind, columns, self.rows, named, reading=reading)


def _kind_of(condition: FilterCondition, entry: PredicateEntry | None, reading: ValueReading) -> ValueReading | None:
    """Return how the value of a condition is compared with values of a reading; None if it cannot be."""
    value = condition.value
    is_number = bool(_NUMBER_PATTERN.fullmatch(value.replace(",", "")))
    is_date = is_year(value) or bool(_DATE_PATTERN.match(value))
    if _DATE_PATTERN.fullmatch(value) and is_year_predicate(entry):
        return None
    if reading == "date":
        return "date" if is_number or is_date else None
    if isinstance(reading, TextReading) and reading == "mixed date":
        return reading if is_date else None
    if (is_number or is_date) and entry and is_date_predicate(entry) and len(set(entry.datatypes)) > 1:
        return "mixed date" if is_date else "number"
    if is_number and reading in ("number", "text number", "duration"):
        return reading
    is_written = set(entry.datatypes) == {str(XSD.string)} if entry else False
    if (is_year(value) or _DATE_PATTERN.fullmatch(value)) and not (is_written and condition.operator != "="):
        return "date"
    return "text" if condition.operator in ("=", "!=") or reading == "value" else None


def can_aggregate(function: str, reading: ValueReading | None) -> bool:
    """Tell whether values have an aggregate: numbers have each, and dates a first and a last one."""
    is_date = reading in ("date", "mixed date", "duration") and function not in ("sum", "avg")
    return is_date or reading in ("number", "text number")


def _group_relations(relations: Sequence[Relation], own: frozenset[str]) -> tuple[_Group, ...]:
    """Group relations by the unknowns that only they have: each group stands in one pattern."""
    groups: list[_Group] = []
    for relation in relations:
        unknowns = own.intersection(relation.ends())
        joined = [group for group in groups if group[0] & unknowns]
        groups = [group for group in groups if group not in joined]
        groups.append((unknowns.union(*(g[0] for g in joined)), (*(r for g in joined for r in g[1]), relation)))
    return tuple(groups)

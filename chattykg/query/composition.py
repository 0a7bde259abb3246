"""Query composition: the graph pattern and the solution modifier of linked relations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.text_readings import TextReading
from chattyshared.kg.vocabulary import PredicateEntry
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
from chattykg.qir import MEAN, QIR, TEXT_OPERATORS, Filter, Having, Order, Relation, is_unknown
from chattykg.query.graph_patterns import FilterCondition, GraphPattern, Node, TriplePattern, ValueReading
from chattykg.query.grounding import GroundedQIR
from chattykg.query.solution_modifiers import SolutionModifier, write_query

_NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?")
_YEAR_BC = re.compile(r"-\d{4}")
_DATE_PATTERN = re.compile(r"\d{4}-\d\d(-\d\d)?")
_Group = tuple[frozenset[str], tuple[Relation, ...]]
"""Unknowns, and the relations that alone have them."""
_YEAR = "?year"
"""The unknown of "what year": of a date the answer is the year."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One interpretation of a QIR: grounded mentions, linked relations, linked classes, and a score (0..1)."""

    grounded: GroundedQIR
    edges: tuple[LinkedRelation, ...]
    classes: tuple[tuple[str, ClassLink], ...]
    score: float


@dataclass(frozen=True, slots=True)
class Query:
    """A candidate query: its interpretation, graph pattern and solution modifier; ``score`` ranks it.

    ``alternatives`` are the queries whose union it is.
    """

    interpretation: Interpretation
    pattern: GraphPattern
    modifier: SolutionModifier
    score: float
    alternatives: tuple[Query, ...] = ()

    @property
    def sparql(self) -> str:
        """The query as SPARQL."""
        return write_query(self.pattern, self.modifier)

    def predicates(self) -> frozenset[str]:
        """Return the predicates of all its relations."""
        return frozenset(iri for edge in self.interpretation.edges for iri in edge.candidate.predicates)


def compose_query(
    grounded: GroundedQIR,
    edges: Sequence[LinkedRelation],
    classes: Sequence[tuple[str, ClassLink]],
    kg: KnowledgeGraph,
    row_limit: int,
) -> tuple[GraphPattern, SolutionModifier] | None:
    """Return pattern and modifier of the query, or None if the linked relations do not fit together."""
    return _Composer(grounded, edges, classes, kg, row_limit).made()


class _Composer:
    """Builds the parts of one query, with a valid variable for each unknown."""

    def __init__(
        self,
        grounded: GroundedQIR,
        edges: Sequence[LinkedRelation],
        classes: Sequence[tuple[str, ClassLink]],
        kg: KnowledgeGraph,
        row_limit: int,
    ) -> None:
        self.grounded, self.edges, self.classes, self.kg, self.rows = grounded, edges, classes, kg, row_limit
        self.qir: QIR = grounded.qir
        self.names: dict[str, str] = {}
        self.literals = self._literals()
        self.stated = self._is_stated()

    def made(self) -> tuple[GraphPattern, SolutionModifier] | None:
        """Return pattern and modifier."""
        conditions = self._conditions()
        if conditions is None:
            return None
        qir, optional = self.qir, frozenset(self.qir.optional)
        outer = {end for relation in qir.triples for end in relation.ends()}
        outer |= {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
        denied = _group_relations(qir.negated, frozenset(qir.unknowns()) - outer)
        possible = _group_relations([r for r in qir.triples if optional & set(r.ends())], optional)
        inner = optional.union(*(unknowns for unknowns, _ in denied))
        pattern = GraphPattern(
            tuple(
                triple
                for edge in self.edges
                if not edge.is_negated and optional.isdisjoint(edge.relation.ends())
                for triple in self._patterns(edge)
            ),
            (*(self._inner(group, conditions, is_negated=True) for group in denied), *self._excluded()),
            self._types(lambda end: end not in inner),
            self._values(lambda end: end not in inner),
            tuple(c for c in conditions if c.variable not in {self.variable(unknown) for unknown in inner}),
            type_predicates=self.kg.profile.types,
            optional=tuple(self._inner(group, conditions, is_negated=False) for group in possible),
        )
        modifier = self._form()
        if modifier is None:
            return None
        if modifier.kind not in ("ask", "ask having") and not set(pattern.variables()).issuperset(modifier.targets):
            return None
        return replace(pattern, languages=self._languages(modifier)), modifier

    def variable(self, unknown: str) -> str:
        """Return the variable of an unknown: letters and digits only, unique in the query."""
        if unknown not in self.names:
            word = re.sub(r"[^A-Za-z0-9]", "", unknown) or "x"
            used_names = set(self.names.values())
            name = f"?{word}"
            while name in used_names or re.fullmatch(r"\?(given|class|label|any)\d+|\?(best|many|count|value|n)", name):
                name += "_"
            self.names[unknown] = name
        return self.names[unknown]

    def _node(self, end: str) -> Node:
        if is_unknown(end) or end not in self.grounded.entity_links:
            return self.variable(end)
        return self.grounded.entity_links[end].terms

    def _patterns(self, edge: LinkedRelation) -> tuple[TriplePattern, ...]:
        candidate = edge.candidate
        subject, object_ = edge.relation.ends() if candidate.is_forward else edge.relation.ends()[::-1]
        if not candidate.second_predicates:
            is_chain = self._is_chain(candidate.predicates, object_)
            return (TriplePattern(self._node(subject), candidate.predicates, self._node(object_), is_chain),)
        between = self.variable(f"via {self.edges.index(edge)}")
        first = (between, self._node(subject)) if candidate.is_inward else (self._node(subject), between)
        second = candidate.second_predicates
        return TriplePattern(first[0], candidate.predicates, first[1]), TriplePattern(
            between, second, self._node(object_), self._is_chain(second, object_)
        )

    def _is_chain(self, predicates: Sequence[str], place: str) -> bool:
        """Tell whether predicates lead over any number of places to a given place, or to one of a class."""
        entries = [self.kg.vocabulary.predicates.get(iri) for iri in predicates]
        is_bound = place in self.grounded.entity_links or any(end == place for end, _ in self.classes)
        return is_bound and all(entry is not None and is_containment_chain(entry) for entry in entries)

    def _inner(self, group: _Group, conditions: Sequence[FilterCondition], *, is_negated: bool) -> GraphPattern:
        """Return the pattern of some relations, with the conditions on the unknowns that only they have."""
        unknowns, relations = group
        inner = {self.variable(unknown) for unknown in unknowns}
        edges = [edge for edge in self.edges if edge.is_negated == is_negated and edge.relation in relations]
        return GraphPattern(
            tuple(pattern for edge in edges for pattern in self._patterns(edge)),
            types=self._types(lambda end: end in unknowns),
            values=self._values(lambda end: end in unknowns),
            type_predicates=self.kg.profile.types,
            conditions=tuple(condition for condition in conditions if condition.variable in inner),
        )

    def _excluded(self) -> Iterable[GraphPattern]:
        for end, iri in self.grounded.excluded_types:
            classes = tuple(URIRef(below) for below in sorted(self.kg.vocabulary.subclasses(iri)))
            yield GraphPattern((TriplePattern(self._node(end), self.kg.profile.types, classes),))

    def _types(self, is_included: Callable[[str], bool]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (self.variable(end), order_classes(link.classes_with_subclasses, self.kg))
            for end, link in self.classes
            if end not in self.literals and is_included(end)
        )

    def _values(self, is_included: Callable[[str], bool]) -> tuple[tuple[str, tuple[URIRef, ...]], ...]:
        values = [*self.grounded.values]
        for end, _ in self.classes:
            if not is_unknown(end) and end in self.grounded.entity_links:
                values.append((end, self.grounded.entity_links[end].terms))
        return tuple((self.variable(end), terms) for end, terms in values if is_included(end))  # type: ignore[misc]

    def _literals(self) -> Mapping[str, PredicateCandidate]:
        """Return the unknowns that stand for literals, each with the predicate candidate that binds it."""
        literals: dict[str, PredicateCandidate] = {}
        for edge in self.edges:
            end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
            if edge.candidate.is_literal and is_unknown(end):
                literals.setdefault(end, edge.candidate)
        return literals

    def _is_stated(self) -> bool:
        """Tell whether the graph states the number that is asked for, so that nothing has to be counted.

        Numbers of nothing in particular are counted themselves ("how many levels are there?").
        """
        if self.qir.shape == "count" and len(self.edges) == 1 and not (self.qir.entities() or self.qir.classes):
            return False
        candidate = self.literals.get(self.qir.target)
        use_count = sum(self.qir.target in edge.relation.ends() for edge in self.edges)
        return candidate is not None and candidate.is_numeric and use_count == 1

    def _entry(self, unknown: str) -> PredicateEntry | None:
        """Return the predicate that binds an unknown for a literal."""
        return (
            self.kg.vocabulary.predicates.get(self.literals[unknown].last_predicate)
            if unknown in self.literals
            else None
        )

    def _reading(self, unknown: str) -> ValueReading | None:
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

    def _conditions(self) -> tuple[FilterCondition, ...] | None:
        conditions = []
        counted_having = self._counted()
        stated_having = (Filter(h.counted, h.operator, h.value) for h in self.qir.having if h not in counted_having)
        for filter_ in (*self.qir.filters, *stated_having, *self._flags()):
            condition = self._condition(filter_)
            if condition is None:
                return None
            conditions.append(condition)
        return tuple(conditions)

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
        if reading is None and filter_.operator == "!=" and made.value in self.grounded.entity_links:
            return replace(made, reading="value", excluded_terms=self.grounded.entity_links[made.value].terms)
        if reading is None:
            is_compared = _NUMBER_PATTERN.fullmatch(made.value) and filter_.operator not in ("=", *TEXT_OPERATORS)
            return None if is_compared else replace(made, label_predicates=self.kg.profile.labels[:4])
        kind = "text" if is_textual else self._kind_of(made, entry, reading)
        return replace(made, reading=kind) if kind else None

    def _kind_of(
        self, condition: FilterCondition, entry: PredicateEntry | None, reading: ValueReading
    ) -> ValueReading | None:
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
        if is_number and reading in ("number", "text number"):
            return reading
        is_written = set(entry.datatypes) == {str(XSD.string)} if entry else False
        if (is_year(value) or _DATE_PATTERN.fullmatch(value)) and not (is_written and condition.operator != "="):
            return "date"
        return "text" if condition.operator in ("=", "!=") or reading == "value" else None

    def _measured(self, unknown: str) -> GraphPattern | None:
        """Return the pattern that binds the value of all things of the class, without the other conditions."""
        edge = next((e for e in self.edges if unknown in e.relation.ends() and e.candidate.is_literal), None)
        if edge is None:
            return None
        holder = edge.relation.subject if edge.candidate.is_forward else edge.relation.object
        type_predicates = self.kg.profile.types
        if is_unknown(holder):
            type_edges = (each for each in self.edges if each.relation.subject == holder and not each.relation.relation)
            patterns = (pattern for each in (edge, *type_edges) for pattern in self._patterns(each))
            return GraphPattern(
                tuple(patterns), types=self._types(lambda end: end == holder), type_predicates=type_predicates
            )
        classes = self.grounded.entity_links[holder].candidates[0].classes
        first, *rest = self._patterns(edge)
        return GraphPattern(
            (replace(first, subject="?each"), *rest),
            types=(("?each", classes),) * bool(classes),
            type_predicates=type_predicates,
        )

    def _form(self) -> SolutionModifier | None:
        qir = self.qir
        if qir.shape == "boolean":
            having = self._named_having()
            return SolutionModifier("ask having", (), 1, having=having) if having else SolutionModifier("ask", (), 1)
        target = self.variable(qir.target)
        reading = self._reading(qir.target)
        if qir.aggregate and not can_aggregate(qir.aggregate, reading):
            return None
        if qir.aggregates:
            is_whole = not qir.having and (qir.order is None or not qir.order.limit)
            return summary_modifier(qir, self.variable, self.rows, self._reading) if is_whole else None
        grouping = grouping_modifier(qir, self.variable, self.rows, is_stated=self.stated, reading=reading)
        if grouping is not None and grouping.kind == "grouped":
            return self._grouped(grouping)
        if self._counted():
            return self._having(target)
        if qir.aggregate:
            aggregate = SolutionModifier("aggregate", (target,), 1, aggregate=qir.aggregate)
            return grouping or replace(aggregate, reading=reading or "value")
        if qir.order:
            return self._ordered(target, qir.order)
        if grouping is None and qir.shape in ("count", "number") and not self.stated:
            return (
                SolutionModifier("count", (target,), 1)
                if qir.shape == "count" or reading is None
                else self._plain(target)
            )
        return grouping or self._plain(target)

    def _grouped(self, grouping: SolutionModifier) -> SolutionModifier | None:
        """Return the modifier of groups with the conditions on them; None if it cannot say these, or the order."""
        having, order, groups = self._named_having(), grouping.order, grouping.targets[:-1]
        is_ranked = order is not None and order.by == grouping.targets[-1] and not order.per
        if any(each.group not in groups for each in having) or (order and order.limit and not is_ranked):
            return None
        return replace(grouping, having=having, order=order if is_ranked else None)

    def _plain(self, target: str) -> SolutionModifier:
        if columns := self._columns():
            return SolutionModifier("table", columns, self.rows)
        is_date = self._reading(self.qir.target) in ("date", "mixed date")
        is_year = is_date and self.qir.target == _YEAR and not is_year_predicate(self._entry(_YEAR))
        reading = self._reading(self.qir.target) or "value"
        return SolutionModifier("select", (target,), self.rows, is_year=is_year, reading=reading)

    def _columns(self) -> tuple[str, ...]:
        """Return the variables of a table with several columns; () for other shapes."""
        is_table = self.qir.shape == "table" and len(self.qir.targets) > 1
        return tuple(dict.fromkeys(map(self.variable, self.qir.targets))) if is_table else ()

    def _ordered(self, target: str, order: Order) -> SolutionModifier | None:
        named_order = replace(order, by=self.variable(order.by), per=self.variable(order.per) if order.per else "")
        columns = self._columns() or (target,)
        if order.per and (order.count or order.limit != 1 or order.offset):
            return None
        is_stated = order.by in self.literals and self.literals[order.by].is_numeric
        if order.count and not is_stated:
            return SolutionModifier("most", (target,), self.rows, named_order) if len(columns) == 1 else None
        reading = self._reading(order.by)
        if reading is None or reading == "text" and (order.limit or self.qir.shape == "table"):
            return self._plain(target) if not order.limit else None
        if order.limit == 1 and not order.offset:
            return SolutionModifier("extreme", columns, self.rows, named_order, reading=reading)
        return SolutionModifier("ranked", columns, self.rows, named_order, reading=reading) if not order.per else None

    def _counted(self) -> tuple[Having, ...]:
        """Return the conditions on counts, without those whose number the graph states."""
        return tuple(
            having
            for having in self.qir.having
            if having.counted not in self.literals or not self.literals[having.counted].is_numeric
        )

    def _named_having(self) -> tuple[Having, ...]:
        variable = self.variable
        return tuple(replace(h, group=variable(h.group), counted=variable(h.counted)) for h in self._counted())

    def _having(self, target: str) -> SolutionModifier:
        is_count = self.qir.shape == "count"
        return SolutionModifier(
            "having count" if is_count else "having", (target,), self.rows, having=self._named_having()
        )

    def _languages(self, modifier: SolutionModifier) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Keep only the first language of the KG if the target is a literal in several languages."""
        entry = self._entry(self.qir.target)
        if entry is None or modifier.kind not in ("select", "count") or len(entry.languages) < 2:
            return ()
        first = next((tag for tag in self.kg.profile.languages if tag in entry.languages and tag), "")
        return ((modifier.targets[0], (first, "")),) if first else ()


def grouping_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, *, is_stated: bool, reading: ValueReading | None
) -> SolutionModifier | None:
    """Return the modifier of a count or aggregate per group: the group columns, then the counted one.

    None for a QIR without groups; a table if the graph states the number of each group (``is_stated``). ``reading``
    is how the aggregated values are read. A table that is sorted by how many of a column there are counts these.
    """
    is_ranked_table = qir.shape == "table" and qir.order is not None and qir.order.count
    counted = qir.order.by if is_ranked_table and qir.order and qir.order.by in qir.targets else qir.target
    groups = [end for end in qir.targets if is_unknown(end) and end != counted]
    if not groups or not (qir.shape in ("count", "number") or qir.aggregate or counted != qir.target):
        return None
    columns = tuple(dict.fromkeys(map(variable_of, (*groups, counted))))
    if is_stated and not qir.aggregate:
        return SolutionModifier("table", columns, row_limit)
    order = replace(qir.order, by=variable_of(qir.order.by)) if qir.order else None
    reading = reading or "value"
    return SolutionModifier("grouped", columns, row_limit, order, aggregate=qir.aggregate, reading=reading)


def summary_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, reading_of: Callable[[str], ValueReading | None]
) -> SolutionModifier | None:
    """Return the modifier of several counts or aggregates; None if one is taken of what is neither number nor date."""
    aggregates = tuple((function, variable_of(u), reading_of(u) or "value") for function, u in qir.aggregates)
    if any(f != "count" and (reading == "mixed date" or not can_aggregate(f, reading)) for f, _, reading in aggregates):
        return None
    aggregated = {unknown for _, unknown in qir.aggregates}
    groups = tuple(dict.fromkeys(variable_of(end) for end in qir.targets if end not in aggregated))
    return SolutionModifier("summary", groups, row_limit, aggregates=aggregates)


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

"""Composition: from linked relations to the body of a query and the form that gives exactly what was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from rdflib import URIRef

from chattykg.linking.answer_types import (
    is_date_predicate,
    is_mostly_numeric_predicate,
    is_numeric_predicate,
    is_year,
    is_year_predicate,
)
from chattykg.linking.class_linking import ClassLink, order_classes
from chattykg.linking.predicate_candidates import LinkedRelation, PredicateCandidate
from chattykg.qir import MEAN, QIR, Filter, Having, Order, Relation, is_unknown
from chattykg.query.aggregation import group_negated, grouping_modifier
from chattykg.query.graph_patterns import FilterCondition, GraphPattern, Node, TriplePattern, ValueReading
from chattykg.query.grounding import GroundedQIR
from chattykg.query.solution_modifiers import SolutionModifier

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?")


def compose_query(
    grounded: GroundedQIR,
    edges: Sequence[LinkedRelation],
    classes: Sequence[tuple[str, ClassLink]],
    kg: KnowledgeGraph,
    row_limit: int,
) -> tuple[GraphPattern, SolutionModifier] | None:
    """Return body and form of the query, or None where what was chosen cannot be asked together."""
    return _Composer(grounded, edges, classes, kg, row_limit).made()


class _Composer:
    """Gathers the parts of one query; names every unknown so that it is a variable and nothing else."""

    def __init__(
        self,
        grounded: GroundedQIR,
        edges: Sequence[LinkedRelation],
        classes: Sequence[tuple[str, ClassLink]],
        kg: KnowledgeGraph,
        rows: int,
    ) -> None:
        self.grounded, self.edges, self.classes, self.kg, self.rows = grounded, edges, classes, kg, rows
        self.qir: QIR = grounded.qir
        self.names: dict[str, str] = {}
        self.literals = self._literals()
        self.stated = self._is_stated()

    def made(self) -> tuple[GraphPattern, SolutionModifier] | None:
        """Return body and form."""
        conditions = self._conditions()
        if conditions is None:
            return None
        groups = group_negated(self.qir)
        local = frozenset(unknown for unknowns, _ in groups for unknown in unknowns)
        body = GraphPattern(
            tuple(pattern for edge in self.edges if not edge.is_negated for pattern in self._patterns(edge)),
            (*(self._without(unknowns, relations, conditions) for unknowns, relations in groups), *self._excluded()),
            self._types(lambda end: end not in local),
            self._values(),
            tuple(c for c in conditions if c.variable not in {self.variable(unknown) for unknown in local}),
            type_predicates=self.kg.profile.types,
        )
        form = self._form(body)
        if form is None:
            return None
        if form.kind not in ("ask", "ask having") and not set(body.variables()).issuperset(form.targets):
            return None
        return replace(body, languages=self._languages(form)), form

    def variable(self, unknown: str) -> str:
        """Return the variable of an unknown: a plain word, whatever a model called it."""
        if unknown not in self.names:
            word = re.sub(r"[^A-Za-z0-9]", "", unknown) or "x"
            taken = set(self.names.values())
            name = f"?{word}"
            while name in taken or re.fullmatch(r"\?(given|class|label|any)\d+|\?(best|many|count|value|n)", name):
                name += "_"
            self.names[unknown] = name
        return self.names[unknown]

    def _node(self, end: str) -> Node:
        if is_unknown(end) or end not in self.grounded.entity_links:
            return self.variable(end)
        return self.grounded.entity_links[end].terms

    def _patterns(self, edge: LinkedRelation) -> tuple[TriplePattern, ...]:
        option = edge.candidate
        subject, other = edge.relation.ends() if option.is_forward else edge.relation.ends()[::-1]
        if not option.second_predicates:
            return (TriplePattern(self._node(subject), option.predicates, self._node(other)),)
        between = self.variable(f"via {self.edges.index(edge)}")
        first = (between, self._node(subject)) if option.is_inward else (self._node(subject), between)
        return TriplePattern(first[0], option.predicates, first[1]), TriplePattern(
            between, option.second_predicates, self._node(other)
        )

    def _without(
        self, unknowns: frozenset[str], relations: Sequence[Relation], conditions: Sequence[FilterCondition]
    ) -> GraphPattern:
        """Return what must not hold: relations that must not, with all that is said of unknowns of their own."""
        inner = {self.variable(unknown) for unknown in unknowns}
        return GraphPattern(
            tuple(
                pattern
                for edge in self.edges
                if edge.is_negated and edge.relation in relations
                for pattern in self._patterns(edge)
            ),
            types=self._types(lambda end: end in unknowns),
            type_predicates=self.kg.profile.types,
            conditions=tuple(condition for condition in conditions if condition.variable in inner),
        )

    def _excluded(self) -> Iterable[GraphPattern]:
        for end, iri in self.grounded.excluded_types:
            classes = tuple(URIRef(below) for below in sorted(self.kg.vocabulary.subclasses(iri)))
            yield GraphPattern((TriplePattern(self._node(end), self.kg.profile.types, classes),))

    def _types(self, wanted: Callable[[str], bool]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (self.variable(end), order_classes(found.classes_with_subclasses, self.kg))
            for end, found in self.classes
            if end not in self.literals and wanted(end)
        )

    def _values(self) -> tuple[tuple[str, tuple[URIRef, ...]], ...]:
        given = [(self.variable(unknown), terms) for unknown, terms in self.grounded.values]
        for end, _ in self.classes:
            if not is_unknown(end) and end in self.grounded.entity_links:
                given.append((self.variable(end), self.grounded.entity_links[end].terms))
        return tuple(given)  # type: ignore[arg-type]

    def _literals(self) -> Mapping[str, PredicateCandidate]:
        """Return the unknowns that stand for literals, with the option that binds them."""
        found: dict[str, PredicateCandidate] = {}
        for edge in self.edges:
            end = edge.relation.object if edge.candidate.is_forward else edge.relation.subject
            if edge.candidate.is_literal and is_unknown(end):
                found.setdefault(end, edge.candidate)
        return found

    def _is_stated(self) -> bool:
        """Tell whether the number that is asked for stands in the graph, so that nothing has to be counted."""
        option = self.literals.get(self.qir.target)
        used = sum(self.qir.target in edge.relation.ends() for edge in self.edges)
        return option is not None and option.is_numeric and used == 1

    def _entry(self, unknown: str) -> PredicateEntry | None:
        """Return the predicate that binds an unknown which stands for a literal."""
        return (
            self.kg.vocabulary.predicates.get(self.literals[unknown].last_predicate)
            if unknown in self.literals
            else None
        )

    def _reading(self, unknown: str) -> ValueReading | None:
        option, entry = self.literals.get(unknown), self._entry(unknown)
        if option is None or entry is None:
            return "text" if option else None
        if is_date_predicate(entry) and not is_mostly_numeric_predicate(entry):
            return "date" if len(set(entry.datatypes)) == 1 else "mixed date"
        if is_numeric_predicate(entry):
            typed = entry.datatypes and not any(datatype.endswith("#string") for datatype in entry.datatypes)
            return "number" if typed and option.is_numeric else "text number"
        return "text"

    def _is_mixed(self, unknown: str) -> bool:
        """Tell whether an unknown stands for dates beside values of other datatypes."""
        entry = self._entry(unknown)
        return entry is not None and is_date_predicate(entry) and len(set(entry.datatypes)) > 1

    def _conditions(self) -> tuple[FilterCondition, ...] | None:
        found = []
        counted = self._counted()
        stated = (Filter(h.counted, h.operator, h.value) for h in self.qir.having if h not in counted)
        for wanted in (*self.qir.filters, *stated):
            condition = self._condition(wanted)
            if condition is None:
                return None
            found.append(condition)
        return tuple(found)

    def _condition(self, wanted: Filter) -> FilterCondition | None:
        variable, reading = self.variable(wanted.unknown), self._reading(wanted.unknown)
        if wanted.value == MEAN:
            over = self._measured(wanted.unknown) if reading in ("number", "text number") else None
            return FilterCondition(variable, wanted.operator, "", reading, mean_over=over) if reading and over else None
        if is_unknown(wanted.value):
            kind: ValueReading = "text number" if reading == "text number" else "value"
            return FilterCondition(variable, wanted.operator, "", kind, self.variable(wanted.value))
        value, textual = wanted.value.strip(), wanted.operator in ("contains", "starts", "ends")
        if reading is None:
            if wanted.operator == "!=" and value in self.grounded.entity_links:
                return FilterCondition(
                    variable, "!=", value, "value", excluded_terms=self.grounded.entity_links[value].terms
                )
            if _NUMBER.fullmatch(value) and wanted.operator not in ("=", "contains", "starts", "ends"):
                return None
            return FilterCondition(
                variable, wanted.operator, value, "label", label_predicates=self.kg.profile.labels[:4]
            )
        is_number = bool(_NUMBER.fullmatch(value.replace(",", "")))
        if not textual and _DATE.fullmatch(value) and is_year_predicate(self._entry(wanted.unknown)):
            return None
        if not textual and reading == "date":
            return (
                FilterCondition(variable, wanted.operator, value, "date") if is_number or _DATE.match(value) else None
            )
        is_date = is_year(value) or bool(_DATE.match(value))
        if not textual and (is_number or is_date) and self._is_mixed(wanted.unknown):
            return FilterCondition(variable, wanted.operator, value, "mixed date" if is_date else "number")
        if not textual and is_number and reading in ("number", "text number"):
            return FilterCondition(variable, wanted.operator, value, reading)
        if not textual and (is_year(value) or _DATE.fullmatch(value)):
            return FilterCondition(variable, wanted.operator, value, "date")
        if not textual and wanted.operator not in ("=", "!="):
            return None
        return FilterCondition(variable, wanted.operator, value, "text")

    def _measured(self, unknown: str) -> GraphPattern | None:
        """Return what binds a value of all things of the class: what is said besides of those asked for is left out."""
        edge = next((e for e in self.edges if unknown in e.relation.ends() and e.candidate.is_literal), None)
        if edge is None:
            return None
        holder = edge.relation.subject if edge.candidate.is_forward else edge.relation.object
        typing = self.kg.profile.types
        if is_unknown(holder):
            kinds = (each for each in self.edges if each.relation.subject == holder and not each.relation.relation)
            patterns = (pattern for each in (edge, *kinds) for pattern in self._patterns(each))
            return GraphPattern(tuple(patterns), types=self._types(lambda end: end == holder), type_predicates=typing)
        stated = self.grounded.entity_links[holder].candidates[0].classes
        first, *rest = self._patterns(edge)
        return GraphPattern(
            (replace(first, subject="?each"), *rest), types=(("?each", stated),) * bool(stated), type_predicates=typing
        )

    def _form(self, body: GraphPattern) -> SolutionModifier | None:
        qir = self.qir
        if qir.shape == "boolean":
            counted = self._named_having()
            return SolutionModifier("ask having", (), 1, having=counted) if counted else SolutionModifier("ask", (), 1)
        target = self.variable(qir.target)
        reading = self._reading(qir.target)
        if self._counted():
            return self._having(target)
        each = grouping_modifier(qir, self.variable, self.rows, is_stated=self.stated, reading=reading)
        if qir.aggregate:
            if reading not in ("number", "text number", "date", "mixed date"):
                return None
            return each or SolutionModifier("aggregate", (target,), 1, aggregate=qir.aggregate, reading=reading)
        if qir.order:
            return self._ordered(target, qir.order)
        if each is None and qir.shape in ("count", "number") and not self.stated:
            return (
                SolutionModifier("count", (target,), 1)
                if qir.shape == "count" or reading is None
                else self._plain(target)
            )
        return each or self._plain(target)

    def _plain(self, target: str) -> SolutionModifier:
        if self.qir.shape == "table" and len(self.qir.targets) > 1:
            return SolutionModifier("table", tuple(dict.fromkeys(map(self.variable, self.qir.targets))), self.rows)
        return SolutionModifier("select", (target,), self.rows)

    def _ordered(self, target: str, order: Order) -> SolutionModifier | None:
        named = replace(order, by=self.variable(order.by))
        stated = order.by in self.literals and self.literals[order.by].is_numeric
        if order.count and not stated:
            return SolutionModifier("most", (target,), self.rows, named)
        reading = self._reading(order.by)
        if reading is None or reading == "text":
            return self._plain(target) if order.limit != 1 else None
        if order.limit == 1 and not order.offset:
            return SolutionModifier("extreme", (target,), self.rows, named, reading=reading)
        return SolutionModifier("ranked", (target,), self.rows, named, reading=reading)

    def _counted(self) -> tuple[Having, ...]:
        """Return the conditions on how many there are, without those whose number stands in the graph."""
        return tuple(
            having
            for having in self.qir.having
            if having.counted not in self.literals or not self.literals[having.counted].is_numeric
        )

    def _named_having(self) -> tuple[Having, ...]:
        named = self.variable
        return tuple(replace(h, group=named(h.group), counted=named(h.counted)) for h in self._counted())

    def _having(self, target: str) -> SolutionModifier:
        counts = self.qir.shape == "count"
        return SolutionModifier(
            "having count" if counts else "having", (target,), self.rows, having=self._named_having()
        )

    def _languages(self, form: SolutionModifier) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Keep to the KG's first language where a literal that is asked for comes in several."""
        entry = self._entry(self.qir.target)
        if entry is None or form.kind not in ("select", "count") or len(entry.languages) < 2:
            return ()
        first = next((tag for tag in self.kg.profile.languages if tag in entry.languages and tag), "")
        return ((form.targets[0], (first, "")),) if first else ()

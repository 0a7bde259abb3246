"""Sentences for queries: what a SELECT or ASK query asks, as an English phrase.

What a phrase cannot say stands in it as a formula, or it ends with "with further conditions": it is never false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import (
    Expression,
    QueryGroup,
    SelectQuery,
    TripleEdge,
    is_open,
    order_edges,
    read_query,
    variables_of,
)
from chattykg.verbalization.descriptions import GROUP_MARK, PatternDescriber
from chattykg.verbalization.expressions import render_formula
from chattykg.verbalization.measures import (
    COMPARISONS,
    compare_measure,
    extreme_clause,
    find_aggregate,
    grouped_text,
    measure_text,
)
from chattykg.verbalization.names import QueryNames, query_iris, query_names
from chattykg.verbalization.phrases import (
    add_every,
    join_alternatives,
    join_measures,
    join_texts,
    plural_noun,
    pluralize_clause,
)
from chattykg.verbalization.selections import selection_text, table_text, value_text
from chattykg.verbalization.superlatives import plain_variable, resolve_superlative

MAX_CHARACTERS = 400
_FURTHER = " with further conditions"
_RANKS = ("highest", "lowest")


def verbalize_query(
    sparql: str, kg: KnowledgeGraph, *, row_limit: int = 0, known_labels: Mapping[str, str] | None = None
) -> str:
    """Return a query in words: "every film whose director is Ann Lee and whose year is more than 2010".

    "" for a text that is no SELECT or ASK query. ``row_limit`` is a LIMIT that means nothing; ``known_labels`` are
    those of IRIs; one request for the others.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ""
    labels = dict(known_labels or {})
    unknown = [URIRef(iri) for iri in query_iris(select) if iri not in labels]
    labels |= {str(term): label for term, label in kg.labels(unknown).items()} if unknown else {}
    names = query_names(kg, labels)
    sentence = _Verbalizer(names, sparql).sentence(
        replace(select, limit=0 if select.limit == row_limit else select.limit)
    )
    return sentence if len(sentence) <= MAX_CHARACTERS else f"{sentence[: MAX_CHARACTERS - 1]}…"


def verbalize_patterns(patterns: Sequence[tuple[Any, Any, Any]], sparql: str, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return triple patterns of a query as main clauses; without any, the conditions of the query in words.

    One request, for labels; () where a clause could not say all.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ()
    group = QueryGroup(edges=tuple(TripleEdge(*pattern) for pattern in patterns))
    group = group if patterns else replace(select.group, optionals=(), negated=())
    names = query_names(kg, {str(term): label for term, label in kg.labels(map(URIRef, query_iris(group))).items()})
    describer = PatternDescriber(group, names)
    if patterns:
        texts = describer.unsaid()
    else:
        terms = [(describer.alias_noun(term), term) for term in list(describer.conditions)]
        texts = [f"{noun} is {text}" for noun, term in terms for text in describer.drain_conditions(term)]
    return () if describer.is_partial else tuple(texts)


@dataclass(slots=True)
class _Verbalizer:
    """Writes the phrase of a query; subqueries are phrases of their own."""

    names: QueryNames
    sparql: str

    def sentence(self, select: SelectQuery) -> str:
        """Return the phrase of a query: its alternatives joined, where what they share is said once."""
        select = resolve_superlative(select)
        sentences = [self._alternative(replace(select, group=group)) for group in select.group.alternatives()]
        return join_alternatives(sentences)

    def _alternative(self, select: SelectQuery) -> str:
        describer = self._describe_group(select)
        if select.is_ask:
            text = self._truth(describer, select)
        elif select.is_aggregated:
            text = self._aggregated(describer, select)
        elif len(select.columns) == 1 or not select.columns:
            text = selection_text(describer, select)
        else:
            text = table_text(describer, select)
        return self._finished(text, describer, select)

    def _finished(self, text: str, describer: PatternDescriber, select: SelectQuery) -> str:
        """Return a phrase with what its noun phrases left out."""
        rest = describer.unsaid()
        if select.is_ask:
            statements = [each for each in (text, *rest) if each]
            text = f"whether {' and '.join(statements) or 'there is anything'}"
        elif rest:
            text += f", where {' and '.join(rest)}"
        if self._has_hidden_optional(select):
            describer.is_partial = True
        return text + (_FURTHER if describer.is_partial else "")

    def _has_hidden_optional(self, select: SelectQuery) -> bool:
        """Tell whether an OPTIONAL decides which solutions there are: an expression uses its variables."""
        used = {variable for each in select.group.filters for variable in variables_of(each)}
        return any(
            each.touches(variable) and not select.group.touches(variable)
            for each in select.group.optionals
            for variable in used
        )

    def _describe_group(self, select: SelectQuery) -> PatternDescriber:
        """Return a describer of the group, with its subqueries as computed properties and names."""
        group, aliases = select.group, dict[Any, str]()
        members: dict[Any, str] = {}
        for sub in group.subqueries:
            columns = [column for column in sub.columns if column not in sub.groups]
            aggregates = [(column, find_aggregate(column, sub)) for column in columns]
            if sub.is_aggregated and not sub.groups and len(columns) == 1:
                aliases[columns[0]] = self.sentence(sub)
            elif len(sub.groups) == 1 and columns and all(a for _, a in aggregates) and not (sub.having or sub.limit):
                group += QueryGroup(edges=tuple(
                    TripleEdge(sub.groups[0], self._computed_property(sub, aggregate), column)
                    for column, aggregate in aggregates if aggregate
                ))  # fmt: skip
            elif len(sub.columns) == 1 and not columns or (not sub.is_aggregated and len(sub.columns) == 1):
                members[sub.columns[0]] = self.sentence(sub)
            else:
                group += QueryGroup(unread=("subquery",))
        measured = frozenset(
            variable
            for expression in (*select.computed.values(), *(each for each, _ in select.order))
            for variable in variables_of(expression)
        )
        computed = {name: each for name, each in select.computed.items()}
        group = order_edges(group, self.sparql)
        describer = PatternDescriber(group, self.names, computed, aliases, measured)
        for term, text in members.items():
            describer.members[term] = text
        return describer

    def _computed_property(self, sub: SelectQuery, aggregate: CompValue) -> str:
        """Return the text of the aggregate of a grouped subquery as the label of a property of its group."""
        describer = self._describe_group(replace(sub, group=sub.group.alternatives()[0]))
        describer.is_partial |= len(sub.group.alternatives()) > 1
        describer.aliases[sub.groups[0]] = GROUP_MARK
        text = measure_text(describer, aggregate)
        rest = describer.unsaid()
        return text + (f" (where {' and '.join(rest)})" if rest else "") + (_FURTHER if describer.is_partial else "")

    # yes-or-no questions

    def _truth(self, describer: PatternDescriber, select: SelectQuery) -> str:
        texts = []
        for sub in select.group.subqueries:
            if sub.is_aggregated and not sub.groups and sub.having:
                inner = self._describe_group(replace(sub, group=sub.group.alternatives()[0], having=()))
                describer.is_partial |= len(sub.group.alternatives()) > 1
                texts += [self._having_statement(inner, sub, each) for each in sub.having]
                describer.is_partial |= inner.is_partial or bool(inner.unsaid())
        open_terms = [term for term in (*describer.classes, *describer.named) if is_open(term)]
        for term in open_terms:
            is_free = not any(describer.is_known(end) for edge in describer.incident(term) for end in edge.ends)
            if term not in describer.aliases and is_free:
                texts.append(f"there is {describer.reference(term)}")
        return " and ".join(texts)

    def _having_statement(self, describer: PatternDescriber, sub: SelectQuery, expression: Expression) -> str:
        comparison = _read_having(expression, sub)
        if comparison is None:
            describer.is_partial = True
            return ""
        aggregate, operator, value = comparison
        return f"the {measure_text(describer, aggregate)} is {COMPARISONS[operator]}{value}"

    # questions for things and values

    # tables

    # aggregates

    def _aggregated(self, describer: PatternDescriber, select: SelectQuery) -> str:
        measures = [column for column in select.columns if column not in select.groups]
        if not select.groups:
            texts = [self._measure(select, column) for column in measures]
            first = self._measure(select, measures[0], describer) if measures else "everything"
            return join_measures([first, *texts[1:]])
        order = find_aggregate(select.order[0][0], select) if select.order else None
        limit = select.limit
        if not measures or (order is not None and limit):
            return self._ranked_groups(describer, select, order, limit, measures)
        texts = []
        for column in measures:
            own = describer if column is measures[0] else self._describe_group(select)
            aggregate = find_aggregate(column, select)
            texts.append(
                grouped_text(own, select.groups, aggregate)
                if aggregate is not None
                else self._group_formula(own, select, column)
            )
            if own is not describer:
                own.unsaid()
                describer.is_partial |= own.is_partial
        text = join_measures(texts)
        for expression in select.having:
            text += self._having_note(describer, select, expression, measures)
        if limit:
            text += f", up to {limit} of them"
        return text

    def _measure(self, select: SelectQuery, column: Variable, describer: PatternDescriber | None = None) -> str:
        """Return the text of an aggregate over all solutions."""
        own = describer or self._describe_group(select)
        aggregate = find_aggregate(column, select)
        sub = own.group.subqueries[0] if len(own.group.subqueries) == 1 else None
        if aggregate is not None and sub is not None and aggregate.name == "Aggregate_Count" and not own.group.edges:
            return f"the number of {self._plural(sub)}" if not sub.is_ask else ""
        if aggregate is None:
            text = value_text(self._aggregate_formula(own, select, column))
        else:
            text = f"the {measure_text(own, aggregate)}"
        return text if describer is not None else self._finished(text, own, select)

    def _plural(self, sub: SelectQuery) -> str:
        """Return what a subquery selects as plural, from its phrase in the singular."""
        inner = self._describe_group(replace(sub, group=sub.group.alternatives()[0]))
        return self._finished(self._group_phrase(inner, sub, is_plural_form=True), inner, sub)

    def _aggregate_formula(self, describer: PatternDescriber, select: SelectQuery, column: Variable) -> str:
        """Return a formula over aggregates, each with its own description."""
        computed = {name: each for name, each in select.computed.items() if find_aggregate(name, select) is None}

        def refer(term: Any) -> str:
            aggregate = find_aggregate(term, select)
            if aggregate is None:
                return describer.formula_term(term)
            own = self._describe_group(select)
            text = measure_text(own, aggregate)
            describer.is_partial |= own.is_partial or bool(own.unsaid())
            return f"the {text}"

        try:
            text = render_formula(select.computed[column], refer, computed)
        except (ValueError, KeyError):
            describer.is_partial = True
            return "a formula"
        describer.edges.clear()
        describer.classes.clear()
        describer.conditions.clear()
        describer.named.clear()
        describer.formulas.clear()
        describer.negated.clear()
        return text

    def _group_formula(self, describer: PatternDescriber, select: SelectQuery, column: Variable) -> str:
        for group in select.groups:
            describer.aliases[group] = f"that {describer.noun(group)}"
        nouns = join_texts([describer.noun(group) for group in select.groups], "and")
        return f"for each {nouns}, {self._aggregate_formula(describer, select, column)}"

    def _group_phrase(self, describer: PatternDescriber, select: SelectQuery, *, is_plural_form: bool = False) -> str:
        """Return the groups of a query, with the conditions on their aggregates."""
        group = select.groups[0] if select.groups else select.columns[0]
        noun = describer.noun(group)
        describer.aliases[group] = f"that {noun}"
        conditions = [self._having_clause(describer, select, group, each) for each in select.having]
        clauses = describer.clauses(group, noun, is_plural_form=is_plural_form)
        parts = [pluralize_clause(each) if is_plural_form else each for each in conditions if each]
        text = " ".join(
            (plural_noun(noun) if is_plural_form else noun, *parts[:1], *(f"and {each}" for each in parts[1:]))
        )
        return text + (f" and{clauses}" if parts and clauses else clauses)

    def _ranked_groups(
        self, describer: PatternDescriber, select: SelectQuery, order: CompValue | None, limit: int,
        measures: Sequence[Variable],
    ) -> str:  # fmt: skip
        """Return groups that have an aggregate, or the first ones by an aggregate."""
        if len(select.groups) > 1:
            describer.is_partial |= len([c for c in select.columns if c in select.groups]) > 1
        group = next((column for column in select.columns if column in select.groups), select.groups[0])
        if order is None or not (limit or not select.having):
            if select.order and limit and order is None:
                plain = plain_variable(select.order[0][0])
                if plain is not None and plain not in select.groups:
                    describer.is_partial = True
            phrase = self._group_phrase(describer, replace(select, groups=(group,)))
            head = f"up to {limit} of: " if limit else ""
            return f"{head}{add_every(phrase)}"
        noun = describer.noun(group)
        describer.aliases[group] = f"that {noun}"
        extent = extreme_clause(describer, group, order, is_highest=select.order[0][1])
        conditions = [self._having_clause(describer, select, group, each) for each in select.having]
        clauses = describer.clauses(group, noun, is_plural_form=limit != 1)
        if limit != 1:
            extent = extent.replace("that is ", "that are ", 1)
        if not limit:
            return f"{plural_noun(noun)}{clauses}, those {extent} first"
        head = f"the {noun}" if limit == 1 else f"the {limit} {plural_noun(noun)}"
        if select.offset:
            head = f"after the first {select.offset}, {head}"
        shown = [find_aggregate(column, select) for column in measures]
        notes = ["that value"] if any(each is not None and _same(each, order) for each in shown) else []
        notes += ["further values"] if any(each is None or not _same(each, order) for each in shown) else []
        text = " ".join([head, extent, *(each for each in conditions if each)]) + clauses
        return text + (f", with {' and '.join(notes)}" if notes else "")

    def _having_clause(
        self, describer: PatternDescriber, select: SelectQuery, group: Any, expression: Expression
    ) -> str:
        comparison = _read_having(expression, select)
        if comparison is None:
            describer.is_partial = True
            return ""
        return compare_measure(describer, group, *comparison)

    def _having_note(
        self, describer: PatternDescriber, select: SelectQuery, expression: Expression, measures: Sequence[Variable]
    ) -> str:
        """Return a condition on an aggregate that is shown as a column."""
        comparison = _read_having(expression, select)
        shown = [find_aggregate(column, select) for column in measures]
        if comparison is None or len(shown) != 1 or shown[0] is None or not _same(shown[0], comparison[0]):
            describer.is_partial = True
            return ""
        noun = "number" if comparison[0].name == "Aggregate_Count" else "value"
        return f", where this {noun} is {COMPARISONS[comparison[1]]}{comparison[2]}"


def _read_having(expression: Expression, select: SelectQuery) -> tuple[CompValue, str, str] | None:
    """Return the aggregate, the operator and the value of a condition on groups."""
    if not (isinstance(expression, CompValue) and expression.name == "RelationalExpression"):
        return None
    aggregate = find_aggregate(expression.expr, select)
    is_read = aggregate is not None and isinstance(expression.other, Literal) and expression.op not in ("IN", "NOT IN")
    return (aggregate, expression.op, str(expression.other)) if is_read and aggregate is not None else None


def _same(aggregate: CompValue, other: CompValue) -> bool:
    """Tell whether two aggregates are the same, whatever variable stands for them."""
    return bool(aggregate.name == other.name and aggregate.vars == other.vars and aggregate.distinct == other.distinct)

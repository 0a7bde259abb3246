"""Sentences for queries: what a SELECT or ASK query asks, as an English phrase.

What a phrase cannot say stands in it as a formula, or it ends with "with further conditions". A query that no phrase
describes truly has the phrase ``NO_PHRASE``: a phrase is never false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import (
    Expression,
    QueryGroup,
    SelectQuery,
    TripleEdge,
    order_edges,
    read_query,
    rename,
    variables_of,
    walk_terms,
)
from chattykg.verbalization.descriptions import GROUP_MARK, PatternDescriber
from chattykg.verbalization.expressions import NoPhraseError
from chattykg.verbalization.groups import GroupVerbalizer
from chattykg.verbalization.measures import find_aggregate, measure_text
from chattykg.verbalization.names import QueryNames, query_names
from chattykg.verbalization.phrases import FURTHER, join_alternatives, shorten_superlative
from chattykg.verbalization.selections import cut_text, selection_text, table_text

MAX_CHARACTERS = 400
NO_PHRASE = "the result of a query that no plain phrase describes"


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
    verbalizer = _Verbalizer(_fetch_names(select, kg, known_labels or {}), sparql)
    try:
        sentence = verbalizer.sentence(replace(select, limit=0 if select.limit == row_limit else select.limit))
    except NoPhraseError:
        return NO_PHRASE
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
    describer = PatternDescriber(group, _fetch_names(group, kg, {}))
    terms = [] if patterns else [(describer.alias_noun(term), term) for term in list(describer.conditions)]
    try:
        texts = [f"{noun} is {text}" for noun, term in terms for text in describer.drain_conditions(term)]
        texts += describer.unsaid() if patterns else []
    except NoPhraseError:
        return ()
    return () if describer.is_partial else tuple(texts)


def _fetch_names(part: Any, kg: KnowledgeGraph, known_labels: Mapping[str, str]) -> QueryNames:
    iris = dict.fromkeys(term for term in walk_terms(part) if isinstance(term, URIRef))
    unknown = [iri for iri in iris if str(iri) not in known_labels]
    labels = {str(term): label for term, label in kg.labels(unknown).items()} if unknown else {}
    return query_names(kg, {**known_labels, **labels})


@dataclass(frozen=True, slots=True)
class _Verbalizer:
    """Writes the phrase of a query; subqueries are phrases of their own."""

    names: QueryNames
    sparql: str

    def sentence(self, select: SelectQuery) -> str:
        """Return the phrase of a query: its alternatives joined, where what they share is said once.

        Raises:
            NoPhraseError: no phrase describes the query truly.
        """
        select = _extreme_as_order(_without_wrapping(select))
        groups = select.group.alternatives()
        if len(groups) == 1:
            return self._phrase(replace(select, group=groups[0]))
        is_measure = len(select.columns) == 1 and find_aggregate(select.columns[0], select) is not None
        if select.groups or select.having or (select.is_aggregated and not is_measure):
            raise NoPhraseError("groups over a union")
        plain = replace(select, limit=0, offset=0, order=())
        return cut_text(join_alternatives([self._phrase(replace(plain, group=each)) for each in groups]), select)

    def _phrase(self, select: SelectQuery) -> str:
        is_plain = select.is_aggregated and not select.having and set(select.groups).issuperset(select.columns)
        if is_plain and not any(find_aggregate(each, select) for each, _ in select.order):
            select = replace(select, is_aggregated=False)
        if select.is_aggregated:
            return GroupVerbalizer(select, self.describe, self.finish, self.sentence).text()
        if select.is_ask and (sub := select.group.only_subquery) and sub.groups:
            return f"whether there is any of these: {self.sentence(replace(sub, columns=sub.groups))}"
        describer = self.describe(select)
        if select.is_ask:
            return self.finish(_existence(describer), describer, is_ask=True)
        text = selection_text(describer, select) if len(select.columns) < 2 else table_text(describer, select)
        return self.finish(text, describer)

    def finish(self, text: str, describer: PatternDescriber, *, is_ask: bool = False) -> str:
        """Return a phrase with what its noun phrases left out."""
        rest = describer.unsaid()
        if is_ask:
            text = f"whether {' and '.join(each for each in (text, *rest) if each) or 'there is anything'}"
        elif rest:
            text += f", where {' and '.join(rest)}"
        return f"{text}{FURTHER}" if describer.is_partial else shorten_superlative(text)

    def describe(self, select: SelectQuery) -> PatternDescriber:
        """Return a describer of the group, with its subqueries as computed properties and names."""
        group, aliases, members = replace(select.group, subqueries=()), dict[Any, str](), dict[Any, str]()
        used = {*variables_of((group, select.computed, select.order, select.having)), *select.columns, *select.groups}
        for sub in select.group.subqueries:
            columns = tuple(column for column in sub.columns if column in used or len(sub.columns) == 1)
            aggregates = [(column, find_aggregate(column, sub)) for column in columns if column not in sub.groups]
            if sub.is_aggregated and not sub.groups:
                tested = variables_of(sub.having)
                aliases |= {
                    name: self.sentence(replace(sub, columns=(name,), having=())) for name in (*columns, *tested)
                }
                group += QueryGroup(filters=sub.having)
            elif len(sub.groups) == 1 and aggregates and not (sub.having or sub.limit or sub.offset):
                group += QueryGroup(edges=tuple(
                    TripleEdge(sub.groups[0], self._computed_property(sub, aggregate), column)
                    for column, aggregate in aggregates if aggregate
                ))  # fmt: skip
            elif len(columns) == 1:
                text = self.sentence(replace(sub, columns=columns))
                is_single = sub.limit == 1 and text.startswith("the ") and columns[0] not in select.columns
                (aliases if is_single else members)[columns[0]] = text
            else:
                group += QueryGroup(unread=("subquery",))
        measured = frozenset(variables_of((select.computed, select.order)))
        describer = PatternDescriber(
            order_edges(group, self.sparql), self.names, dict(select.computed), aliases, measured
        )  # fmt: skip
        describer.members.update(members)
        return describer

    def _computed_property(self, sub: SelectQuery, aggregate: Any) -> str:
        """Return the text of the aggregate of a grouped subquery as the label of a property of its group."""
        groups = sub.group.alternatives()
        if len(groups) > 1:
            raise NoPhraseError("groups over a union")
        describer = self.describe(replace(sub, group=groups[0]))
        describer.aliases[sub.groups[0]] = GROUP_MARK
        text = measure_text(describer, aggregate)
        rest = describer.unsaid()
        return text + (f" (where {' and '.join(rest)})" if rest else "") + (FURTHER if describer.is_partial else "")


def _without_wrapping(select: SelectQuery) -> SelectQuery:
    """Return the subquery of a query that only chooses columns of it, or orders and cuts its solutions."""
    while sub := select.group.only_subquery:
        is_changed = select.is_aggregated or select.is_ask or bool(select.computed)
        if is_changed or ((select.order or select.limit or select.offset) and (sub.limit or sub.offset)):
            break
        sub = replace(sub, order=select.order or sub.order, limit=select.limit or sub.limit)
        select = replace(sub, columns=select.columns, offset=select.offset or sub.offset)
    return select


def _extreme_as_order(select: SelectQuery) -> SelectQuery:
    """Return a query whose subquery gives the highest or lowest value of its own pattern as one in that order."""
    if select.order or select.limit or select.is_aggregated or len(select.group.subqueries) != 1:
        return select
    sub, outer = select.group.subqueries[0], replace(select.group, subqueries=(), filters=())
    pairs = zip(
        variables_of((sub.group.edges, sub.group.values)), variables_of((outer.edges, outer.values)), strict=False
    )
    sub = rename(sub, dict(pairs))
    aggregate = find_aggregate(sub.columns[0], sub) if len(sub.columns) == 1 and not sub.groups else None
    if sub.having or aggregate is None or aggregate.name not in ("Aggregate_Max", "Aggregate_Min"):
        return select
    others = [each for each in select.group.filters if not _equates(each, aggregate.vars, sub.columns[0])]
    is_tied = len(others) == len(select.group.filters) - 1
    if not is_tied or replace(sub.group, filters=()) != outer or any(each not in sub.group.filters for each in others):
        return select
    return replace(select, group=sub.group, order=((aggregate.vars, aggregate.name == "Aggregate_Max"),), limit=1)


def _equates(condition: Expression, one: Any, other: Any) -> bool:
    is_equation = isinstance(condition, CompValue) and condition.name == "RelationalExpression" and condition.op == "="
    return is_equation and [condition.expr, condition.other] in ([one, other], [other, one])


def _existence(describer: PatternDescriber) -> str:
    """Return that there is a thing that is not introduced otherwise."""
    texts = []
    is_open = not any(describer.is_known(end) for edge in describer.edges for end in edge.ends)
    first = [edge.subject for edge in describer.edges[:1] if is_open]
    for term in (*describer.classes, *describer.named, *first):
        is_free = not any(describer.is_known(end) for edge in describer.incident(term) for end in edge.ends)
        if isinstance(term, Variable) and term not in describer.aliases and is_free:
            texts.append(f"there is {describer.reference(term)}")
    return " and ".join(texts)

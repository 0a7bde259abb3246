"""Sentences for queries: what a SELECT or ASK query asks for, as a phrase in the language of the graph's labels.

The phrases are the rows of ``query_phrases.toml`` in the folder of a language. A phrase says all of a query: a query
that the rows do not cover has none, and is shown itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.languages import ENGLISH, QuestionLanguage, language_of_tag
from rdflib import URIRef, Variable
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
    walk_terms,
)
from chattykg.verbalization.descriptions import NoPhraseError, PatternDescriber, QueryNames, name_of, unwrap

MAX_CHARACTERS = 400
"""Characters of a phrase; a query that needs more has none."""
_ALL_COLUMNS = re.compile(r"\bSELECT\s+(?:(?:DISTINCT|REDUCED)\s+)?\*", re.IGNORECASE)
_EXTREMES = ("Aggregate_Max", "Aggregate_Min")


def verbalize_query(
    sparql: str,
    kg: KnowledgeGraph,
    *,
    row_limit: int = 0,
    known_labels: Mapping[str, str] | None = None,
    is_cut: bool = False,
) -> str:
    """Return a query in words: "every film whose director is Ann Lee and whose year is more than 2010".

    "" for a query that no phrase says, and for a text that is no SELECT or ASK query. ``row_limit`` is a LIMIT that
    means nothing, but for the phrase of a result that ``is_cut`` there; ``known_labels`` are those of IRIs; one request
    for the others.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ""
    if _ALL_COLUMNS.search(sparql):  # in any order
        select = replace(select, columns=tuple(sorted(select.columns)))
    words = _read_words(select, kg, known_labels or {})
    try:
        text = _say_query(
            _plain(replace(select, limit=0 if select.limit == row_limit else select.limit), sparql), words
        )
    except NoPhraseError:
        return ""
    text = words.say("cut", phrase=text, count=f"{row_limit:,}") if is_cut else text
    return text if len(text) <= MAX_CHARACTERS else ""


def verbalize_patterns(patterns: Sequence[tuple[Any, Any, Any]], sparql: str, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return triple patterns of a query as English main clauses; without any, the conditions of the query in words.

    One request, for labels; () where a clause could not say all.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ()
    edges = tuple(TripleEdge(*pattern) for pattern in patterns)
    group = QueryGroup(edges=edges) if edges else replace(select.group, negated=(), unread=())
    try:
        describer = PatternDescriber(group, _read_words(group, kg, {}, ENGLISH))
        if edges:
            return tuple(describer.facts())
        terms = list(describer.conditions)
        return tuple(
            describer.words.say("condition", subject=describer.value_noun(term), value=text)
            for term in terms
            for text in describer.compared(term)
        )
    except NoPhraseError:
        return ()


def _read_words(
    part: Any, kg: KnowledgeGraph, known: Mapping[str, str], language: QuestionLanguage | None = None
) -> QueryNames:
    iris = dict.fromkeys(term for term in walk_terms(part) if isinstance(term, URIRef) and str(term) not in known)
    labels = {str(term): label for term, label in kg.labels(iris).items()} if iris else {}
    language = language or language_of_tag(next(iter(kg.profile.languages), "")) or ENGLISH
    return QueryNames(kg, {**known, **labels}, language)


def _plain(select: SelectQuery, sparql: str) -> SelectQuery:
    """Return a query without a subquery that only lists what is counted, or that gives the highest value of all."""
    (sub, *others) = select.group.subqueries or (None,)
    if sub is None or others or sub.limit or sub.groups:
        return replace(select, group=order_edges(select.group, sparql), is_distinct=False)
    if select.is_aggregated and not sub.is_aggregated and select.group == QueryGroup(subqueries=(sub,)):
        if len(sub.columns) < 2 and sub.is_distinct:
            raise NoPhraseError("an aggregate of different values")
        return replace(select, group=order_edges(sub.group, sparql), is_distinct=sub.is_distinct)
    inner, outer = ((each.edges, each.values, each.negated) for each in (sub.group, select.group))
    names = dict(zip(variables_of(inner), variables_of(outer), strict=False))

    def renamed(part: Any) -> list[Any]:
        return [names.get(each, each) if isinstance(each, Variable) else each for each in walk_terms(part)]

    is_same = renamed(inner) == [*walk_terms(outer)]
    aggregate: Any = _resolve(sub.columns[0], sub) if len(sub.columns) == 1 else None
    if name_of(aggregate) in _EXTREMES and is_same and not (select.is_aggregated or select.limit):
        value, best = names.get(aggregate.vars) if isinstance(aggregate.vars, Variable) else None, sub.columns[0]
        rest = [[*walk_terms(each)] for each in select.group.filters if not _equates(each, value, best)]
        told = [renamed(each) for each in sub.group.filters]
        if len(rest) + 1 == len(select.group.filters) and all(each in told for each in rest):
            inverse = {outer: inner for inner, outer in names.items()}
            columns = tuple(inverse.get(each, each) for each in select.columns)
            order = ((aggregate.vars, aggregate.name == "Aggregate_Max"),)
            return replace(select, group=order_edges(sub.group, sparql), columns=columns, order=order, limit=1)
    raise NoPhraseError("a subquery")


def _equates(condition: Expression, one: Any, other: Any) -> bool:
    is_equation = name_of(condition) == "RelationalExpression" and condition.op == "="
    return is_equation and [condition.expr, condition.other] in ([one, other], [other, one])


def _resolve(expression: Expression, select: SelectQuery) -> Expression:
    """Return what a variable stands for that a query computes."""
    while isinstance(expression, Variable) and expression in select.computed:
        expression = select.computed[expression]
    return expression


def _say_query(select: SelectQuery, words: QueryNames) -> str:
    """Return the phrase of a query.

    Raises:
        NoPhraseError: no phrase says all of it.
    """
    describer = PatternDescriber(select.group, words, variables_of((select.computed, select.order)))
    if select.is_ask:
        return words.say("whether", phrase=words.join(describer.facts()))
    columns = [_resolve(column, select) for column in select.columns]
    by, is_descending = select.order[0] if select.order else (None, False)
    order = unwrap(_resolve(by, select))[0]
    if name_of(order) in _EXTREMES:
        order = order.vars
    if len(columns) == 1 and name_of(columns[0]).startswith("Aggregate_") and not (select.groups or select.order):
        text = _say_measure(describer, columns[0], is_distinct=select.is_distinct)
    elif all(isinstance(each, Variable) for each in (*columns, order or Variable("none"))) and not select.offset:
        if select.is_aggregated and not {*columns} <= {*select.groups}:
            raise NoPhraseError("other groups than are shown")
        text = _say_things(describer, columns, order, select.limit, is_descending=is_descending)
    else:
        raise NoPhraseError("computed values, or groups of solutions")
    describer.check_all_said()
    return text


def _say_measure(describer: PatternDescriber, aggregate: CompValue, *, is_distinct: bool) -> str:
    """Return an aggregate over all solutions.

    Raises:
        NoPhraseError: the solutions may repeat a value, or no row says the aggregate.
    """
    name, variable = aggregate.name.removeprefix("Aggregate_").lower(), aggregate.vars
    if aggregate.distinct == "DISTINCT" and name != "count":
        raise NoPhraseError("an aggregate of different values")
    if variable == "*":
        subjects = (edge.subject for edge in describer.edges if is_open(edge.subject))
        variable = next(subjects, next(iter(describer.kinds), None))
    is_once = is_distinct or name in ("max", "min") or (name == "count" and aggregate.distinct == "DISTINCT")
    edges = describer.stated if name == "count" else [each for each in describer.stated if each.object != variable]
    is_shared = name == "count" and any(edge.object == variable and is_open(edge.subject) for edge in edges)
    if not is_once and (is_shared or any(map(describer.repeats, edges))):
        raise NoPhraseError("an aggregate of repeated values")
    text = describer.property_of(variable, name) if name in describer.words.rows["property"] else ""
    if not text and name == "count":
        text = describer.described(variable, name, is_plural=True)
    if not text:
        raise NoPhraseError("an aggregate of values that have conditions")
    return describer.words.say("the", phrase=text)


def _say_things(
    describer: PatternDescriber, things: Sequence[Any], order: Any, limit: int, *, is_descending: bool
) -> str:
    """Return what the columns of a query are: things with their properties, in an order, or the first ones.

    Raises:
        NoPhraseError: no row says it.
    """
    words, others = describer.words, [each for each in (order,) if each is not None and each not in things]
    owners = [
        *things,
        *(edge.subject for edge in map(describer.sole_edge, things[:1]) if edge and (others or things[1:])),
    ]
    values = {owner: [each for each in (*things, *others) if each != owner] for owner in owners}
    fitting = (each for each in owners if all(describer.is_value_of(each, value) for value in values[each]))
    root = next(fitting, things[0])
    is_first = bool(limit) and order is not None
    columns = [each for each in things if each != root and not (is_first and each == order)]
    labels = [describer.take_property(each, root) for each in columns]
    label, rank = "", describer.rank(order, is_highest=is_descending)
    if describer.is_value_of(root, order):
        label = describer.take_property(order, root)
    elif is_first and order != root:
        describer.introduce(root, describer.value_noun(root))
        label = describer.property_of(order)
    if (is_first or order not in (None, *things)) and not label:
        raise NoPhraseError("an order that is not said")
    if limit:
        noun, clauses = describer.noun(root), describer.clauses(root, is_plural=limit > 1)
        slots = {"noun": noun, "count": str(limit), "rank": rank, "label": label, "clauses": clauses}
        text = words.say("first" if is_first else "most", is_plural=limit > 1, **slots)
    else:
        text = describer.reference(root, "every") if root not in things else describer.every(root)
        text = words.say("sorted", phrase=text, label=label) if label else text
    if root not in things:
        return words.say("the", phrase=words.say("asked", "property", label=words.join(labels), owner=text))
    return words.say("columns", phrase=text, columns=words.join(labels)) if labels else text

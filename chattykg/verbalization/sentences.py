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
from chattyshared.sparql.algebra import (
    Expression,
    QueryGroup,
    SelectQuery,
    TripleEdge,
    order_edges,
    read_query,
    variables_of,
    walk_terms,
)
from rdflib import URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

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


def verbalize_patterns(edges: tuple[TripleEdge, ...], sparql: str, kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return triple patterns of a query as English main clauses; without any, the conditions of the query in words.

    One request, for labels; () where a clause could not say all.

    Raises:
        EndpointError: the KG could not be asked.
    """
    select = read_query(sparql)
    if select is None:
        return ()
    group = QueryGroup(edges=edges) if edges else replace(select.group, negated=(), unread=())
    try:
        describer = PatternDescriber(_read_words(group, kg, {}, ENGLISH)).read(group)
        if edges:
            return tuple(describer.facts())
        return tuple(
            describer.words.say("condition", subject=describer.value_noun(term), value=text)
            for term in list(describer.conditions)
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
    """Return a query without a subquery that only lists what is aggregated, or that gives the highest value of all."""
    (sub, *others) = select.group.subqueries or (None,)
    if sub is None:
        return replace(select, group=order_edges(select.group, sparql), is_distinct=False)
    rest = replace(select.group, subqueries=())
    inner = replace(select, group=order_edges(sub.group, sparql), is_distinct=sub.is_distinct)
    if select.is_aggregated and not sub.is_aggregated and rest == QueryGroup() and not sub.limit:
        return inner
    best = _resolve(sub.columns[0], sub)
    conditions = [each for each in rest.filters if not _equates(each, getattr(best, "vars", None), sub.columns[0])]
    is_same = replace(rest, filters=()) == replace(sub.group, filters=()) and all(
        c in sub.group.filters for c in conditions
    )
    if name_of(best) in _EXTREMES and is_same and len(conditions) < len(rest.filters) and not (others or select.limit):
        return replace(inner, order=((best.vars, best.name == "Aggregate_Max"),), limit=1)
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
    describer = PatternDescriber(words, variables_of((select.computed, select.order))).read(select.group)
    if select.is_ask:
        return words.say("whether", phrase=words.join(describer.facts()))
    columns = [_resolve(column, select) for column in select.columns]
    by, is_descending = select.order[0] if select.order else (None, False)
    order = unwrap(_resolve(by, select))[0]
    order = order.vars if name_of(order) in _EXTREMES else order
    is_grouped = select.is_aggregated and not all(each in select.groups for each in columns)
    if name_of(columns[0]).startswith("Aggregate_") and not (columns[1:] or select.groups or select.order):
        text = _say_measure(describer, columns[0], is_distinct=select.is_distinct)
    elif is_grouped or select.offset or not all(isinstance(each, Variable) for each in (*columns, order) if each):
        raise NoPhraseError("computed values, or groups of solutions")
    else:
        text = _say_things(describer, columns, order, select.limit, is_descending=is_descending)
    describer.check_all_said()
    return text


def _say_measure(describer: PatternDescriber, aggregate: CompValue, *, is_distinct: bool) -> str:
    """Return an aggregate over all solutions.

    Raises:
        NoPhraseError: the solutions may repeat a value, or no row says the aggregate.
    """
    name, variable = aggregate.name.removeprefix("Aggregate_").lower(), aggregate.vars
    is_each = aggregate.distinct == "DISTINCT"
    is_repeated = name in ("sum", "avg") and not is_distinct and len(describer.edges) > 1
    if not isinstance(variable, Variable) or is_repeated or is_each != (name == "count"):
        raise NoPhraseError("an aggregate of repeated values, or of different ones")
    text = describer.property_of(variable, name) if name in describer.words.rows["property"] else ""
    if not text and name != "count":
        raise NoPhraseError("an aggregate of values that have conditions")
    return describer.words.say("the", phrase=text or describer.described(variable, name, is_plural=True))


def _say_things(
    describer: PatternDescriber, things: Sequence[Any], order: Any, limit: int, *, is_descending: bool
) -> str:
    """Return what the columns of a query are: things with their properties, in an order, or the first ones.

    Raises:
        NoPhraseError: no row says it.
    """
    words = describer.words
    sorting = [each for each in (order,) if each is not None and each not in things]
    edges = {each: describer.sole_edge(each) for each in (*things, *sorting)}
    owners = [*things, *(edge.subject for edge in [edges[things[0]]] if edge and (sorting or things[1:]))]
    fitting = (one for one in owners if all(e == one or (edge and edge.subject == one) for e, edge in edges.items()))
    root = next(fitting, things[0])
    labels = [describer.take_property(each, root) for each in things if each != root]
    rank, label = describer.rank(order, is_highest=is_descending), ""
    for each in sorting:
        label = describer.take_property(each, root)
    if limit and order is not None and not label:
        raise NoPhraseError("an order that is not said")
    if limit:
        noun, clauses = describer.noun(root), describer.clauses(root, is_plural=limit > 1)
        slots = {"noun": noun, "count": str(limit), "rank": rank, "label": label, "clauses": clauses}
        text = words.say("first" if label else "most", is_plural=limit > 1, **slots)
    else:
        text = describer.reference(root, "every") if root not in things else describer.described(root, "every")
        text = words.say("sorted", phrase=text, label=label) if label else text
    if root not in things:
        return words.say("the", phrase=words.say("asked", "property", label=words.join(labels), owner=text))
    return words.say("columns", phrase=text, columns=words.join(labels)) if labels else text

"""Queries that compare with an extreme of their own solutions, as orders of which the first is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rdflib import Literal, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.verbalization.algebra import Expression, QueryGroup, SelectQuery
from chattykg.verbalization.expressions import read_condition
from chattykg.verbalization.measures import find_aggregate


def resolve_superlative(select: SelectQuery) -> SelectQuery:
    """Return a query that compares with the extreme of its own solutions as one that keeps the first of them."""
    for sub in select.group.subqueries:
        aggregate = find_aggregate(sub.columns[0], sub) if len(sub.columns) == 1 and not sub.groups else None
        if aggregate is None or aggregate.name not in ("Aggregate_Max", "Aggregate_Min") or sub.having:
            continue
        best, descending = sub.columns[0], aggregate.name == "Aggregate_Max"
        test = next((each for each in select.group.filters if _equals(each, best)), None)
        if test is None:
            continue
        others = tuple(each for each in select.group.subqueries if each is not sub)
        filters = tuple(each for each in select.group.filters if each is not test)
        rest = replace(select.group, subqueries=others, filters=filters)
        if len(others) == 1 and not rest.edges and sub.group.subqueries == others:
            order = ((others[0].computed[_other_side(test, best)], descending),)
            return replace(others[0], columns=select.columns, order=order, limit=1)
        if plain_variable(_other_side(test, best)) == plain_variable(aggregate.vars) and _same_group(rest, sub.group):
            return replace(select, group=rest, order=((aggregate.vars, descending),), limit=1)
    return select


def _equals(expression: Expression, variable: Variable) -> bool:
    is_equation = isinstance(expression, CompValue) and expression.name == "RelationalExpression"
    return is_equation and expression.op == "=" and variable in (expression.expr, expression.other)


def _other_side(expression: Any, variable: Variable) -> Expression:
    return expression.other if expression.expr == variable else expression.expr


def _same_group(group: QueryGroup, other: QueryGroup) -> bool:
    """Tell whether two groups say the same, apart from tests of types."""

    def essence(each: QueryGroup) -> tuple[Any, ...]:
        tests = [repr(f) for f in each.filters if (c := read_condition(f)) is None or c.operator != "guard"]
        return frozenset(each.edges), sorted(tests), repr(each.negated), repr(each.unions), each.values, each.binds

    return essence(group) == essence(other)


def plain_variable(expression: Expression) -> Variable | None:
    """Return the variable that an expression is, without casts."""
    if isinstance(expression, Variable):
        return expression
    condition = read_condition(CompValue("RelationalExpression", expr=expression, op="=", other=Literal(0)))
    return condition.variable if condition is not None and not condition.is_period else None

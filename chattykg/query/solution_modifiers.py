"""Solution modifiers: the query form, aggregation, order and limit around a graph pattern."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal as Choice

from chattyshared.terms import n3
from rdflib import Literal

from chattykg.qir import Having, Order
from chattykg.query.graph_patterns import GraphPattern, ValueReading, write_guard, write_number, write_operand

ModifierKind = Choice["ask", "rows", "groups", "extreme", "computed"]
"""A truth; rows of the pattern; groups of its rows; those rows with the highest or lowest value; a computed number."""
Aggregate = tuple[str, str, ValueReading]
"""A function, its variable, and how the values are read."""

GROUP_VALUE = "?value"
"""The column of the only aggregate of a query; that of a lone count is ``?count``."""
YEAR_OF_DATE = "^(-?[0-9]{4,})-.*$"
MAX_OFFSET = 10**9
"""The greatest offset that is written; every engine reads one of this size."""
_OPERATIONS = {"difference": "?first - ?second", "ratio": "?first / ?second", "percent": "100 * ?first / ?second"}


@dataclass(frozen=True, slots=True)
class SolutionModifier:
    """How the solutions of a pattern become an answer.

    ``targets`` are the variables of the columns, or of the groups of which ``aggregates`` are taken, ``having`` holds
    and ``order`` sorts; ``is_counted``: how many rows or groups there are is asked for. ``reading`` is how the sorted
    value or the target is read; ``limit`` is the maximum number of rows; ``is_year``: of dates only the year is asked
    for. A "computed" number is taken of those that ``parts`` give, each for one of the alternatives of the pattern.
    """

    kind: ModifierKind
    targets: tuple[str, ...]
    limit: int
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    reading: ValueReading = "value"
    is_year: bool = False
    is_counted: bool = False
    compute: str = ""
    parts: tuple[SolutionModifier, ...] = ()

    @property
    def is_table(self) -> bool:
        """Tell whether the answer has rows of several columns."""
        return len(self.columns) > 1

    @property
    def is_top(self) -> bool:
        """Tell whether only the first value of an order is asked for, with all that share it."""
        return self.order is not None and self.order.limit == 1 and not self.order.offset

    @property
    def is_ranked(self) -> bool:
        """Tell whether the answer stands in the order of its rows."""
        return self.kind == "groups" and self.order is not None and not self.is_top

    @property
    def is_number(self) -> bool:
        """Tell whether the answer is one count or aggregate."""
        return self.is_counted or self.kind == "groups" and not self.targets and len(self.aggregates) == 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables of the answer's columns."""
        if self.kind == "computed":
            return (GROUP_VALUE,)
        if len(self.aggregates) == 1:
            is_count = self.aggregates[0][0] == "count" and not self.targets
            return (*self.targets, "?count" if is_count else GROUP_VALUE)
        return (*self.targets, *(f"{variable}_{function}" for function, variable, _ in self.aggregates))


def gives_number(modifier: SolutionModifier) -> bool:
    """Tell whether a query with this modifier gives one number, of which others can be computed."""
    is_value = modifier.kind == "rows" and modifier.reading in ("number", "text number")
    return is_value or modifier.is_number and bool(modifier.aggregates)


def write_query(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write the query."""
    body, end = pattern.to_sparql(), f" LIMIT {modifier.limit}"
    if modifier.is_counted:
        rows = write_query(pattern, replace(modifier, is_counted=False)).removesuffix(end)
        return f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {rows} }} }} LIMIT 1"
    if modifier.kind == "computed":
        numbers = zip(pattern.alternatives, modifier.parts, ("?first", "?second"), strict=True)
        parts = " ".join(f"{{ {_write_number(each, part, name)} }}" for each, part, name in numbers)
        return f"SELECT ({_OPERATIONS[modifier.compute]} AS {GROUP_VALUE}) WHERE {{ {parts} }}"
    if modifier.kind == "groups":
        return _write_groups(pattern, modifier)
    if modifier.kind == "extreme" and modifier.order:
        return _write_extreme(pattern, modifier, modifier.order) + end
    if modifier.kind == "ask" and modifier.having:
        counted = f"SELECT (COUNT(DISTINCT {modifier.having[0].counted}) AS ?many) WHERE {{ {body} }}"
        return f"ASK {{ {{ {counted} HAVING ({_write_tests(modifier)}) }} }}"
    if modifier.kind == "ask":
        return f"ASK {{ {body} }}"
    columns = " ".join(modifier.targets)
    if modifier.is_year:
        columns = f'(REPLACE(STR({columns}), {n3(Literal(YEAR_OF_DATE))}, "$1") AS {GROUP_VALUE})'
    return f"SELECT DISTINCT {columns} WHERE {{ {body} }}{end}"


def write_sample_query(pattern: GraphPattern, variables: tuple[str, ...], limit: int) -> str:
    """Write a query for complete solutions of a pattern."""
    return f"SELECT DISTINCT {' '.join(variables)} WHERE {{ {pattern.to_sparql()} }} LIMIT {limit}"


def write_probe_query(patterns: tuple[GraphPattern, ...]) -> str:
    """Write one query that returns the indices (``?n``) of the patterns that have a solution."""
    parts = (
        f"{{ SELECT ({index} AS ?n) WHERE {{ {pattern.to_sparql()} }} LIMIT 1 }}"
        for index, pattern in enumerate(patterns)
    )
    return f"SELECT ?n WHERE {{ {' UNION '.join(parts)} }} LIMIT {len(patterns)}"


def write_cut_query(pattern: GraphPattern, modifier: SolutionModifier, order: Order) -> str:
    """Write a query for the values by which the last thing within a limit and the first one beyond it are sorted."""
    guard = "" if order.count else _write_guard(order.by, modifier.reading)
    return (
        f"SELECT ({_write_measure(modifier, order)} AS ?value) WHERE {{ {pattern.to_sparql()} {guard}}} "
        f"GROUP BY {' '.join(modifier.targets)} ORDER BY {_direction(order)}(?value) "
        f"LIMIT 2 OFFSET {min(order.offset + order.limit - 1, MAX_OFFSET)}"
    )


def _write_groups(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write the aggregates of all solutions or of each group, or the groups of some size or in some order."""
    groups, order, aggregates = " ".join(modifier.targets), modifier.order, modifier.aggregates
    inner = pattern.to_sparql()
    if len(aggregates) > 1 or any(function != "count" for function, *_ in aggregates):
        (_, value, reading) = aggregates[0]
        inner = f"{{ {_distinct_rows(pattern, value, reading if len(aggregates) == 1 else 'value')} }}"
    elif order and not order.count and not aggregates:
        inner = f"{inner} {_write_guard(order.by, modifier.reading)}".rstrip()
    named = zip(aggregates, modifier.columns[len(modifier.targets) :], strict=True)
    columns = [*modifier.targets, *(f"({_write_aggregate(each)} AS {name})" for each, name in named)]
    tests = f" HAVING ({_write_tests(modifier)})" if modifier.having else ""
    by, measure = f" GROUP BY {groups}{tests}" if groups else "", GROUP_VALUE
    if order and not aggregates:
        measure = "?many" if modifier.is_top else _write_measure(modifier, order)
        columns += [f"({_write_measure(modifier, order)} AS ?many)"] * modifier.is_top
    grouped = f"SELECT {' '.join(columns)} WHERE {{ {inner} }}{by}"
    end = f" LIMIT {modifier.limit}"
    if order and modifier.is_top:
        best = f"SELECT ({_extreme_of(order)}({measure}) AS ?best) WHERE {{ {{ {grouped} }} }}"
        kept = f"{{ {best} }} {{ {grouped} }} FILTER({measure} = ?best)"
        return f"SELECT {' '.join(modifier.columns)} WHERE {{ {kept} }}{end}"
    if order:
        limit = min(order.limit, modifier.limit) if order.limit > 0 else modifier.limit
        offset = f" OFFSET {min(order.offset, MAX_OFFSET)}" if order.offset > 0 else ""
        return f"{grouped} ORDER BY {_direction(order)}({measure}) {groups} LIMIT {limit}{offset}"
    return f"{grouped} ORDER BY {groups}{end}" if aggregates and groups else grouped + end


def _write_extreme(pattern: GraphPattern, modifier: SolutionModifier, order: Order) -> str:
    """Write the rows with the highest or lowest value, of all or for each value of another variable."""
    body, over = pattern.to_sparql(), pattern if order.per else pattern.holding(order.by, modifier.targets[0])
    operand, guard = write_operand(order.by, modifier.reading), _write_guard(order.by, modifier.reading)
    per, groups = (f"{order.per} ", f" GROUP BY {order.per}") if order.per else ("", "")
    best = f"SELECT {per}({_extreme_of(order)}({operand}) AS ?best) WHERE {{ {over.to_sparql()} {guard}}}{groups}"
    kept = f"{{ {best} }} {body} FILTER({operand} = ?best)"
    return f"SELECT DISTINCT {' '.join(modifier.targets)} WHERE {{ {kept} }}"


def _write_number(pattern: GraphPattern, modifier: SolutionModifier, name: str) -> str:
    """Write a query for one number: a count above 0, an aggregate, or a value if no other one is stated."""
    plain: Aggregate = ("", "".join(modifier.targets), modifier.reading)
    function, value, reading = next(iter(modifier.aggregates), plain)
    if function == "count":
        counted = f"COUNT(DISTINCT {value})"
        return f"SELECT ({counted} AS {name}) WHERE {{ {pattern.to_sparql()} }} HAVING ({counted} > 0)"
    operand = write_operand(value, reading)
    test = "" if function else f" HAVING (MIN({operand}) = MAX({operand}))"
    rows = _distinct_rows(pattern, value, reading)
    return f"SELECT ({function.upper() or 'MIN'}({operand}) AS {name}) WHERE {{ {{ {rows} }} }}{test}"


def _distinct_rows(pattern: GraphPattern, value: str, reading: ValueReading) -> str:
    """Write the subquery for the distinct solutions whose value is readable."""
    variables = " ".join(pattern.variables())
    return f"SELECT DISTINCT {variables} WHERE {{ {pattern.to_sparql()} {_write_guard(value, reading)}}}"


def _write_aggregate(aggregate: Aggregate) -> str:
    """Write an aggregate; an unreadable value makes it an error rather than a wrong number."""
    function, variable, reading = aggregate
    operand = f"DISTINCT {variable}" if function == "count" else write_operand(variable, reading)
    return f"{function.upper()}({operand})"


def _write_measure(modifier: SolutionModifier, order: Order) -> str:
    """Write that by which groups are sorted: a count, or the highest or lowest value."""
    if order.count:
        return f"COUNT(DISTINCT {order.by})"
    return f"{_extreme_of(order)}({write_operand(order.by, modifier.reading)})"


def _extreme_of(order: Order) -> str:
    return "MAX" if order.descending else "MIN"


def _direction(order: Order) -> str:
    return "DESC" if order.descending else "ASC"


def _write_tests(modifier: SolutionModifier) -> str:
    return " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in modifier.having)


def _write_guard(variable: str, reading: ValueReading) -> str:
    """Write the filter of values that can be sorted or summed; empty if none is needed."""
    readable = write_guard(variable, reading)
    return f"FILTER({readable}) " if readable else ""

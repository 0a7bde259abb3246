"""Solution modifiers: the query form, aggregation, order and limit around a graph pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from chattyshared.terms import n3
from rdflib import Literal

from chattykg.qir import Having, Order
from chattykg.query.graph_patterns import GraphPattern, ValueReading, write_guard, write_number, write_operand

ModifierKind = Choice[
    "ask",
    "ask having",
    "select",
    "count",
    "aggregate",
    "extreme",
    "ranked",
    "most",
    "table",
    "having",
    "having count",
    "grouped",
]

GROUP_VALUE = "?value"
"""The column of a grouped query that holds the count or aggregate of each group."""
YEAR_OF_DATE = "^(-?[0-9]{4,})-.*$"
MAX_OFFSET = 10**9
"""The greatest offset that is written; every engine reads one of this size."""


@dataclass(frozen=True, slots=True)
class SolutionModifier:
    """How the solutions of a pattern become an answer.

    ``targets`` are the columns (for "grouped" the groups, then the counted or aggregated variable); ``reading`` is how
    values are sorted and summed; ``limit`` is the maximum number of rows; ``is_year``: of dates only the year is asked.
    """

    kind: ModifierKind
    targets: tuple[str, ...]
    limit: int
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregate: str = ""
    reading: ValueReading = "value"
    is_year: bool = False


def write_query(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write the query."""
    return _WRITERS[modifier.kind](pattern, modifier)


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


def write_cut_query(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write a query for the values by which the last thing within a limit and the first one beyond it are sorted."""
    order, target = _required_order(modifier), modifier.targets[0]
    if modifier.kind == "most":
        value, guard = f"COUNT(DISTINCT {order.by})", ""
    else:
        name = "MAX" if order.descending else "MIN"
        value, guard = f"{name}({write_operand(order.by, modifier.reading)})", _write_guard(order.by, modifier)
    direction = "DESC" if order.descending else "ASC"
    return (
        f"SELECT ({value} AS ?value) WHERE {{ {pattern.to_sparql()} {guard}}} GROUP BY {target} "
        f"ORDER BY {direction}(?value) LIMIT 2 OFFSET {min(order.offset + order.limit - 1, MAX_OFFSET)}"
    )


def _ask(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    return f"ASK {{ {pattern.to_sparql()} }}"


def _ask_having(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write a query that tests a count over all solutions."""
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in modifier.having)
    counted = modifier.having[0].counted
    inner = f"SELECT (COUNT(DISTINCT {counted}) AS ?many) WHERE {{ {pattern.to_sparql()} }} HAVING ({tests})"
    return f"ASK {{ {{ {inner} }} }}"


def _select(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    columns = " ".join(modifier.targets)
    if modifier.is_year:
        columns = f'(REPLACE(STR({columns}), {n3(Literal(YEAR_OF_DATE))}, "$1") AS {GROUP_VALUE})'
    return f"SELECT DISTINCT {columns} WHERE {{ {pattern.to_sparql()} }} LIMIT {modifier.limit}"


def _count(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    return f"SELECT (COUNT(DISTINCT {modifier.targets[0]}) AS ?count) WHERE {{ {pattern.to_sparql()} }} LIMIT 1"


def _distinct_rows(pattern: GraphPattern, value: str, modifier: SolutionModifier) -> str:
    """Write the subquery for the distinct solutions whose value is readable."""
    variables = " ".join(pattern.variables())
    return f"SELECT DISTINCT {variables} WHERE {{ {pattern.to_sparql()} {_write_guard(value, modifier)}}}"


def _aggregate(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    value = modifier.targets[0]
    inner = _distinct_rows(pattern, value, modifier)
    name = modifier.aggregate.upper()
    return f"SELECT ({name}({write_operand(value, modifier.reading)}) AS ?value) WHERE {{ {{ {inner} }} }} LIMIT 1"


def _grouped(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write a query for the count or aggregate of each group."""
    value, groups = modifier.targets[-1], " ".join(modifier.targets[:-1])
    if modifier.aggregate:
        inner = f"{{ {_distinct_rows(pattern, value, modifier)} }}"
        aggregate = f"({modifier.aggregate.upper()}({write_operand(value, modifier.reading)}) AS {GROUP_VALUE})"
    else:
        inner, aggregate = pattern.to_sparql(), f"(COUNT(DISTINCT {value}) AS {GROUP_VALUE})"
    return f"SELECT {groups} {aggregate} WHERE {{ {inner} }} GROUP BY {groups} ORDER BY {groups} LIMIT {modifier.limit}"


def _extreme(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    order = _required_order(modifier)
    name = "MAX" if order.descending else "MIN"
    operand = write_operand(order.by, modifier.reading)
    best = f"SELECT ({name}({operand}) AS ?best) WHERE {{ {pattern.to_sparql()} {_write_guard(order.by, modifier)}}}"
    target = " ".join(modifier.targets)
    return (
        f"SELECT DISTINCT {target} WHERE {{ {{ {best} }} {pattern.to_sparql()} "
        f"FILTER({write_operand(order.by, modifier.reading)} = ?best) }} LIMIT {modifier.limit}"
    )


def _ranked(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    order = _required_order(modifier)
    name, direction = ("MAX", "DESC") if order.descending else ("MIN", "ASC")
    target = " ".join(modifier.targets)
    value = f"{direction}({name}({write_operand(order.by, modifier.reading)}))"
    limit = min(order.limit, modifier.limit) if order.limit > 0 else modifier.limit
    offset = _write_offset(order)
    return (
        f"SELECT {target} WHERE {{ {pattern.to_sparql()} {_write_guard(order.by, modifier)}}} "
        f"GROUP BY {target} ORDER BY {value} {target} LIMIT {limit}{offset}"
    )


def _most(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    order, target = _required_order(modifier), modifier.targets[0]
    if order.limit != 1 or order.offset:
        direction = "DESC" if order.descending else "ASC"
        limit = min(order.limit, modifier.limit) if order.limit > 0 else modifier.limit
        offset = _write_offset(order)
        return (
            f"SELECT {target} WHERE {{ {pattern.to_sparql()} }} GROUP BY {target} "
            f"ORDER BY {direction}(COUNT(DISTINCT {order.by})) {target} LIMIT {limit}{offset}"
        )
    name = "MAX" if order.descending else "MIN"
    counted = (
        f"SELECT {target} (COUNT(DISTINCT {order.by}) AS ?many) WHERE {{ {pattern.to_sparql()} }} GROUP BY {target}"
    )
    best = f"SELECT ({name}(?many) AS ?best) WHERE {{ {{ {counted} }} }}"
    inner = f"{{ {best} }} {{ {counted} }} FILTER(?many = ?best)"
    return f"SELECT DISTINCT {target} WHERE {{ {inner} }} LIMIT {modifier.limit}"


def _having(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    return f"{_groups(pattern, modifier)} LIMIT {modifier.limit}"


def _groups(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in modifier.having)
    group = modifier.having[0].group
    return f"SELECT {group} WHERE {{ {pattern.to_sparql()} }} GROUP BY {group} HAVING ({tests})"


def _having_count(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    return f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {_groups(pattern, modifier)} }} }} LIMIT 1"


def _required_order(modifier: SolutionModifier) -> Order:
    if modifier.order is None:
        raise ValueError(f"a query of the form {modifier.kind!r} needs an order")
    return modifier.order


def _write_offset(order: Order) -> str:
    return f" OFFSET {min(order.offset, MAX_OFFSET)}" if order.offset > 0 else ""


def _write_guard(variable: str, modifier: SolutionModifier) -> str:
    """Write the filter of values that can be sorted or summed; empty if none is needed."""
    readable = write_guard(variable, modifier.reading)
    return f"FILTER({readable}) " if readable else ""


_WRITERS = {
    "ask": _ask,
    "ask having": _ask_having,
    "select": _select,
    "table": _select,
    "count": _count,
    "aggregate": _aggregate,
    "grouped": _grouped,
    "extreme": _extreme,
    "ranked": _ranked,
    "most": _most,
    "having": _having,
    "having count": _having_count,
}

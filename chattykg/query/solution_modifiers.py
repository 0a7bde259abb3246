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
    "summary",
    "computed",
]

GROUP_VALUE = "?value"
"""The column of a grouped query that holds the count or aggregate of each group."""
YEAR_OF_DATE = "^(-?[0-9]{4,})-.*$"
MAX_OFFSET = 10**9
"""The greatest offset that is written; every engine reads one of this size."""


@dataclass(frozen=True, slots=True)
class SolutionModifier:
    """How the solutions of a pattern become an answer.

    ``targets`` are the columns (for "grouped" the groups, then the counted or aggregated variable; for "summary" the
    groups only, and ``aggregates`` the others: function, variable and its reading); ``reading`` is how values are
    sorted and summed; ``limit`` is the maximum number of rows; ``is_year``: of dates only the year is asked. A
    "computed" number is taken of those that ``parts`` give, each for one of the pattern's alternatives.
    """

    kind: ModifierKind
    targets: tuple[str, ...]
    limit: int
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregate: str = ""
    reading: ValueReading = "value"
    is_year: bool = False
    aggregates: tuple[tuple[str, str, ValueReading], ...] = ()
    compute: str = ""
    parts: tuple[SolutionModifier, ...] = ()

    @property
    def is_table(self) -> bool:
        """Tell whether the answer has rows of several columns."""
        is_wide = self.kind in ("extreme", "ranked") and len(self.targets) > 1
        return self.kind in ("table", "grouped", "summary") or is_wide

    @property
    def is_ranked(self) -> bool:
        """Tell whether the answer stands in the order of its rows."""
        is_list = self.kind in ("most", "grouped") and self.order is not None and self.order.limit != 1
        return self.kind == "ranked" or is_list

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables of the answer's columns."""
        if self.kind == "grouped":
            return (*self.targets[:-1], GROUP_VALUE)
        if self.kind == "computed":
            return (GROUP_VALUE,)
        return (*self.targets, *(f"{variable}_{function}" for function, variable, _ in self.aggregates))


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
    counted, tests = modifier.having[0].counted, _write_tests(modifier)
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
    tests = f" HAVING ({_write_tests(modifier)})" if modifier.having else ""
    grouped = f"SELECT {groups} {aggregate} WHERE {{ {inner} }} GROUP BY {groups}{tests}"
    order = modifier.order
    if order is None:
        return f"{grouped} ORDER BY {groups} LIMIT {modifier.limit}"
    if order.limit == 1 and not order.offset:
        best = f"SELECT ({'MAX' if order.descending else 'MIN'}({GROUP_VALUE}) AS ?best) WHERE {{ {{ {grouped} }} }}"
        rows = f"{{ {best} }} {{ {grouped} }} FILTER({GROUP_VALUE} = ?best)"
        return f"SELECT {' '.join(modifier.columns)} WHERE {{ {rows} }} LIMIT {modifier.limit}"
    direction = "DESC" if order.descending else "ASC"
    return f"{grouped} ORDER BY {direction}({GROUP_VALUE}) {groups}{_write_limit(modifier)}"


def _summary(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write a query for several counts or aggregates, of all solutions or of each group."""
    inner = f"SELECT DISTINCT {' '.join(pattern.variables())} WHERE {{ {pattern.to_sparql()} }}"
    columns = [
        f"({_write_aggregate(function, variable, reading)} AS {variable}_{function})"
        for function, variable, reading in modifier.aggregates
    ]
    groups = " ".join(modifier.targets)
    order = f" GROUP BY {groups} ORDER BY {groups}" if groups else ""
    return f"SELECT {' '.join((*modifier.targets, *columns))} WHERE {{ {{ {inner} }} }}{order} LIMIT {modifier.limit}"


def _write_aggregate(function: str, variable: str, reading: ValueReading) -> str:
    """Write an aggregate; an unreadable value makes it an error rather than a wrong number."""
    if function == "count":
        return f"COUNT(DISTINCT {variable})"
    return f"{function.upper()}({write_operand(variable, reading)})"


def gives_number(modifier: SolutionModifier) -> bool:
    """Tell whether a query with this modifier gives one number, of which others can be computed."""
    is_number = modifier.kind in ("select", "aggregate") and modifier.reading in ("number", "text number")
    return modifier.kind == "count" or is_number


_OPERATIONS = {"difference": "?first - ?second", "ratio": "?first / ?second", "percent": "100 * ?first / ?second"}


def _computed(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    """Write a query that computes a number of those of two subqueries."""
    numbers = zip(pattern.alternatives, modifier.parts, ("?first", "?second"), strict=True)
    parts = " ".join(f"{{ {_write_number(body, part, name)} }}" for body, part, name in numbers)
    return f"SELECT ({_OPERATIONS[modifier.compute]} AS {GROUP_VALUE}) WHERE {{ {parts} }}"


def _write_number(pattern: GraphPattern, modifier: SolutionModifier, name: str) -> str:
    """Write a query for one number: a count above 0, an aggregate, or a value if no other one is stated."""
    value = modifier.targets[0]
    if modifier.kind == "count":
        counted = f"COUNT(DISTINCT {value})"
        return f"SELECT ({counted} AS {name}) WHERE {{ {pattern.to_sparql()} }} HAVING ({counted} > 0)"
    operand, function = write_operand(value, modifier.reading), modifier.aggregate.upper() or "MIN"
    test = "" if modifier.aggregate else f" HAVING (MIN({operand}) = MAX({operand}))"
    return (
        f"SELECT ({function}({operand}) AS {name}) WHERE {{ {{ {_distinct_rows(pattern, value, modifier)} }} }}{test}"
    )


def _extreme(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    order = _required_order(modifier)
    name = "MAX" if order.descending else "MIN"
    operand = write_operand(order.by, modifier.reading)
    per, groups = (f"{order.per} ", f" GROUP BY {order.per}") if order.per else ("", "")
    solutions = f"{{ {pattern.to_sparql()} {_write_guard(order.by, modifier)}}}"
    best = f"SELECT {per}({name}({operand}) AS ?best) WHERE {solutions}{groups}"
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
    return (
        f"SELECT {target} WHERE {{ {pattern.to_sparql()} {_write_guard(order.by, modifier)}}} "
        f"GROUP BY {target} ORDER BY {value} {target}{_write_limit(modifier)}"
    )


def _most(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    order, target = _required_order(modifier), modifier.targets[0]
    if order.limit != 1 or order.offset:
        direction = "DESC" if order.descending else "ASC"
        return (
            f"SELECT {target} WHERE {{ {pattern.to_sparql()} }} GROUP BY {target} "
            f"ORDER BY {direction}(COUNT(DISTINCT {order.by})) {target}{_write_limit(modifier)}"
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
    group = modifier.having[0].group
    return f"SELECT {group} WHERE {{ {pattern.to_sparql()} }} GROUP BY {group} HAVING ({_write_tests(modifier)})"


def _having_count(pattern: GraphPattern, modifier: SolutionModifier) -> str:
    return f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {_groups(pattern, modifier)} }} }} LIMIT 1"


def _required_order(modifier: SolutionModifier) -> Order:
    if modifier.order is None:
        raise ValueError(f"a query of the form {modifier.kind!r} needs an order")
    return modifier.order


def _write_limit(modifier: SolutionModifier) -> str:
    order = _required_order(modifier)
    limit = min(order.limit, modifier.limit) if order.limit > 0 else modifier.limit
    return f" LIMIT {limit}" + (f" OFFSET {min(order.offset, MAX_OFFSET)}" if order.offset > 0 else "")


def _write_tests(modifier: SolutionModifier) -> str:
    return " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in modifier.having)


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
    "summary": _summary,
    "computed": _computed,
    "extreme": _extreme,
    "ranked": _ranked,
    "most": _most,
    "having": _having,
    "having count": _having_count,
}

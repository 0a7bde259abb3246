"""The forms of a query: what is written around a body, so that exactly what was asked for comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

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
MAX_OFFSET = 10**9
"""No list is longer, and every engine reads an offset of this size."""


@dataclass(frozen=True, slots=True)
class SolutionModifier:
    """How the solutions of a body become an answer.

    ``targets`` are the columns (of a grouped one the groups, and last what is counted or aggregated for each);
    ``reading`` is how values are sorted and summed; ``limit`` bounds the rows.
    """

    kind: ModifierKind
    targets: tuple[str, ...]
    limit: int
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregate: str = ""
    reading: ValueReading = "value"


def write_query(body: GraphPattern, form: SolutionModifier) -> str:
    """Write the query."""
    return _WRITERS[form.kind](body, form)


def write_sample_query(body: GraphPattern, variables: tuple[str, ...], limit: int) -> str:
    """Write a query for whole solutions of a body."""
    return f"SELECT DISTINCT {' '.join(variables)} WHERE {{ {body.to_sparql()} }} LIMIT {limit}"


def write_probe_query(bodies: tuple[GraphPattern, ...]) -> str:
    """Write one query that returns the numbers (``?n``) of the bodies that have a solution."""
    parts = (
        f"{{ SELECT ({place} AS ?n) WHERE {{ {body.to_sparql()} }} LIMIT 1 }}" for place, body in enumerate(bodies)
    )
    return f"SELECT ?n WHERE {{ {' UNION '.join(parts)} }} LIMIT {len(bodies)}"


def _ask(body: GraphPattern, form: SolutionModifier) -> str:
    return f"ASK {{ {body.to_sparql()} }}"


def _ask_having(body: GraphPattern, form: SolutionModifier) -> str:
    """Ask whether there are so many of something, all solutions taken together."""
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in form.having)
    counted = form.having[0].counted
    return (
        f"ASK {{ {{ SELECT (COUNT(DISTINCT {counted}) AS ?many) WHERE {{ {body.to_sparql()} }} HAVING ({tests}) }} }}"
    )


def _select(body: GraphPattern, form: SolutionModifier) -> str:
    return f"SELECT DISTINCT {' '.join(form.targets)} WHERE {{ {body.to_sparql()} }} LIMIT {form.limit}"


def _count(body: GraphPattern, form: SolutionModifier) -> str:
    return f"SELECT (COUNT(DISTINCT {form.targets[0]}) AS ?count) WHERE {{ {body.to_sparql()} }} LIMIT 1"


def _aggregate(body: GraphPattern, form: SolutionModifier) -> str:
    value = form.targets[0]
    inner = f"SELECT DISTINCT {' '.join(body.variables())} WHERE {{ {body.to_sparql()} {_guard(value, form)}}}"
    name = form.aggregate.upper()
    return f"SELECT ({name}({write_operand(value, form.reading)}) AS ?value) WHERE {{ {{ {inner} }} }} LIMIT 1"


def _grouped(body: GraphPattern, form: SolutionModifier) -> str:
    """Count, or take the aggregate, for each group by itself."""
    value, by = form.targets[-1], " ".join(form.targets[:-1])
    if form.aggregate:
        inner = (
            f"{{ SELECT DISTINCT {' '.join(body.variables())} WHERE {{ {body.to_sparql()} {_guard(value, form)}}} }}"
        )
        taken = f"({form.aggregate.upper()}({write_operand(value, form.reading)}) AS {GROUP_VALUE})"
    else:
        inner, taken = body.to_sparql(), f"(COUNT(DISTINCT {value}) AS {GROUP_VALUE})"
    return f"SELECT {by} {taken} WHERE {{ {inner} }} GROUP BY {by} ORDER BY {by} LIMIT {form.limit}"


def _extreme(body: GraphPattern, form: SolutionModifier) -> str:
    order = _order(form)
    name = "MAX" if order.descending else "MIN"
    operand = write_operand(order.by, form.reading)
    best = f"SELECT ({name}({operand}) AS ?best) WHERE {{ {body.to_sparql()} {_guard(order.by, form)}}}"
    target = " ".join(form.targets)
    return (
        f"SELECT DISTINCT {target} WHERE {{ {{ {best} }} {body.to_sparql()} "
        f"FILTER({write_operand(order.by, form.reading)} = ?best) }} LIMIT {form.limit}"
    )


def _ranked(body: GraphPattern, form: SolutionModifier) -> str:
    order = _order(form)
    name, way = ("MAX", "DESC") if order.descending else ("MIN", "ASC")
    target = " ".join(form.targets)
    value = f"{way}({name}({write_operand(order.by, form.reading)}))"
    limit = min(order.limit, form.limit) if order.limit > 0 else form.limit
    skipped = _skipped(order)
    return (
        f"SELECT {target} WHERE {{ {body.to_sparql()} {_guard(order.by, form)}}} "
        f"GROUP BY {target} ORDER BY {value} {target} LIMIT {limit}{skipped}"
    )


def _most(body: GraphPattern, form: SolutionModifier) -> str:
    order, target = _order(form), form.targets[0]
    if order.limit != 1 or order.offset:
        way = "DESC" if order.descending else "ASC"
        limit = min(order.limit, form.limit) if order.limit > 0 else form.limit
        skipped = _skipped(order)
        return (
            f"SELECT {target} WHERE {{ {body.to_sparql()} }} GROUP BY {target} "
            f"ORDER BY {way}(COUNT(DISTINCT {order.by})) {target} LIMIT {limit}{skipped}"
        )
    name = "MAX" if order.descending else "MIN"
    counted = f"SELECT {target} (COUNT(DISTINCT {order.by}) AS ?many) WHERE {{ {body.to_sparql()} }} GROUP BY {target}"
    best = f"SELECT ({name}(?many) AS ?best) WHERE {{ {{ {counted} }} }}"
    return f"SELECT DISTINCT {target} WHERE {{ {{ {best} }} {{ {counted} }} FILTER(?many = ?best) }} LIMIT {form.limit}"


def _having(body: GraphPattern, form: SolutionModifier) -> str:
    return f"{_groups(body, form)} LIMIT {form.limit}"


def _groups(body: GraphPattern, form: SolutionModifier) -> str:
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {write_number(h.value)}" for h in form.having)
    group = form.having[0].group
    return f"SELECT {group} WHERE {{ {body.to_sparql()} }} GROUP BY {group} HAVING ({tests})"


def _having_count(body: GraphPattern, form: SolutionModifier) -> str:
    return f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {_groups(body, form)} }} }} LIMIT 1"


def _order(form: SolutionModifier) -> Order:
    if form.order is None:
        raise ValueError(f"a query of the form {form.kind!r} needs an order")
    return form.order


def _skipped(order: Order) -> str:
    return f" OFFSET {min(order.offset, MAX_OFFSET)}" if order.offset > 0 else ""


def _guard(variable: str, form: SolutionModifier) -> str:
    """Leave out what is not readable as what is sorted or summed."""
    readable = write_guard(variable, form.reading)
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

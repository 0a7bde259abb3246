"""The forms of a query: what is written around a body, so that exactly what was asked for comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as Choice

from chattykg.qir import Having, Order
from chattykg.query.graph_patterns import Body, Reading, number, read_as, write_guard

Kind = Choice[
    "ask", "ask having", "select", "count", "aggregate", "extreme", "ranked", "most", "table", "having",
    "having count", "grouped",
]  # fmt: skip

GROUP_VALUE = "?value"
"""The column of a grouped query that holds the count or aggregate of each group."""
MOST_SKIPPED = 10**9
"""No list is longer, and every engine reads an offset of this size."""


@dataclass(frozen=True, slots=True)
class Form:
    """How the solutions of a body become an answer.

    ``targets`` are the columns (of a grouped one the groups, and last what is counted or aggregated for each);
    ``reading`` is how values are sorted and summed; ``limit`` bounds the rows.
    """

    kind: Kind
    targets: tuple[str, ...]
    limit: int
    order: Order | None = None
    having: tuple[Having, ...] = ()
    aggregate: str = ""
    reading: Reading = "value"


def write(body: Body, form: Form) -> str:
    """Write the query."""
    return _WRITERS[form.kind](body, form)


def sample(body: Body, variables: tuple[str, ...], limit: int) -> str:
    """Write a query for whole solutions of a body."""
    return f"SELECT DISTINCT {' '.join(variables)} WHERE {{ {body.text()} }} LIMIT {limit}"


def probe(bodies: tuple[Body, ...]) -> str:
    """Write one query that returns the numbers (``?n``) of the bodies that have a solution."""
    parts = (f"{{ SELECT ({place} AS ?n) WHERE {{ {body.text()} }} LIMIT 1 }}" for place, body in enumerate(bodies))
    return f"SELECT ?n WHERE {{ {' UNION '.join(parts)} }} LIMIT {len(bodies)}"


def _ask(body: Body, form: Form) -> str:
    return f"ASK {{ {body.text()} }}"


def _ask_having(body: Body, form: Form) -> str:
    """Ask whether there are so many of something, all solutions taken together."""
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {number(h.value)}" for h in form.having)
    counted = form.having[0].counted
    return f"ASK {{ {{ SELECT (COUNT(DISTINCT {counted}) AS ?many) WHERE {{ {body.text()} }} HAVING ({tests}) }} }}"


def _select(body: Body, form: Form) -> str:
    return f"SELECT DISTINCT {' '.join(form.targets)} WHERE {{ {body.text()} }} LIMIT {form.limit}"


def _count(body: Body, form: Form) -> str:
    return f"SELECT (COUNT(DISTINCT {form.targets[0]}) AS ?count) WHERE {{ {body.text()} }} LIMIT 1"


def _aggregate(body: Body, form: Form) -> str:
    value = form.targets[0]
    inner = f"SELECT DISTINCT {' '.join(body.variables())} WHERE {{ {body.text()} {_guard(value, form)}}}"
    name = form.aggregate.upper()
    return f"SELECT ({name}({read_as(value, form.reading)}) AS ?value) WHERE {{ {{ {inner} }} }} LIMIT 1"


def _grouped(body: Body, form: Form) -> str:
    """Count, or take the aggregate, for each group by itself."""
    value, by = form.targets[-1], " ".join(form.targets[:-1])
    if form.aggregate:
        inner = f"{{ SELECT DISTINCT {' '.join(body.variables())} WHERE {{ {body.text()} {_guard(value, form)}}} }}"
        taken = f"({form.aggregate.upper()}({read_as(value, form.reading)}) AS {GROUP_VALUE})"
    else:
        inner, taken = body.text(), f"(COUNT(DISTINCT {value}) AS {GROUP_VALUE})"
    return f"SELECT {by} {taken} WHERE {{ {inner} }} GROUP BY {by} ORDER BY {by} LIMIT {form.limit}"


def _extreme(body: Body, form: Form) -> str:
    order = _order(form)
    name = "MAX" if order.descending else "MIN"
    best = (
        f"SELECT ({name}({read_as(order.by, form.reading)}) AS ?best) WHERE {{ {body.text()} {_guard(order.by, form)}}}"
    )
    target = " ".join(form.targets)
    return (
        f"SELECT DISTINCT {target} WHERE {{ {{ {best} }} {body.text()} "
        f"FILTER({read_as(order.by, form.reading)} = ?best) }} LIMIT {form.limit}"
    )


def _ranked(body: Body, form: Form) -> str:
    order = _order(form)
    name, way = ("MAX", "DESC") if order.descending else ("MIN", "ASC")
    target = " ".join(form.targets)
    value = f"{way}({name}({read_as(order.by, form.reading)}))"
    limit = min(order.limit, form.limit) if order.limit > 0 else form.limit
    skipped = _skipped(order)
    return (
        f"SELECT {target} WHERE {{ {body.text()} {_guard(order.by, form)}}} "
        f"GROUP BY {target} ORDER BY {value} {target} LIMIT {limit}{skipped}"
    )


def _most(body: Body, form: Form) -> str:
    order, target = _order(form), form.targets[0]
    if order.limit != 1 or order.offset:
        way = "DESC" if order.descending else "ASC"
        limit = min(order.limit, form.limit) if order.limit > 0 else form.limit
        skipped = _skipped(order)
        return (
            f"SELECT {target} WHERE {{ {body.text()} }} GROUP BY {target} "
            f"ORDER BY {way}(COUNT(DISTINCT {order.by})) {target} LIMIT {limit}{skipped}"
        )
    name = "MAX" if order.descending else "MIN"
    counted = f"SELECT {target} (COUNT(DISTINCT {order.by}) AS ?many) WHERE {{ {body.text()} }} GROUP BY {target}"
    best = f"SELECT ({name}(?many) AS ?best) WHERE {{ {{ {counted} }} }}"
    return f"SELECT DISTINCT {target} WHERE {{ {{ {best} }} {{ {counted} }} FILTER(?many = ?best) }} LIMIT {form.limit}"


def _having(body: Body, form: Form) -> str:
    return f"{_groups(body, form)} LIMIT {form.limit}"


def _groups(body: Body, form: Form) -> str:
    tests = " && ".join(f"COUNT(DISTINCT {h.counted}) {h.operator} {number(h.value)}" for h in form.having)
    group = form.having[0].group
    return f"SELECT {group} WHERE {{ {body.text()} }} GROUP BY {group} HAVING ({tests})"


def _having_count(body: Body, form: Form) -> str:
    return f"SELECT (COUNT(*) AS ?count) WHERE {{ {{ {_groups(body, form)} }} }} LIMIT 1"


def _order(form: Form) -> Order:
    if form.order is None:
        raise ValueError(f"a query of the form {form.kind!r} needs an order")
    return form.order


def _skipped(order: Order) -> str:
    return f" OFFSET {min(order.offset, MOST_SKIPPED)}" if order.offset > 0 else ""


def _guard(variable: str, form: Form) -> str:
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

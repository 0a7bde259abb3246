"""Aggregation per group ("How many boats does each harbour have?") and groups of negated relations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.graph_patterns import ValueReading
from chattykg.query.solution_modifiers import SolutionModifier


def grouping_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, *, is_stated: bool, reading: ValueReading | None
) -> SolutionModifier | None:
    """Return the modifier of a count or aggregate per group: the group columns, then the counted one.

    None for a QIR without groups; a table if the graph states the number of each group (``is_stated``). ``reading``
    is how the aggregated values are read. A table that is sorted by how many of a column there are counts these.
    """
    is_ranked_table = qir.shape == "table" and qir.order is not None and qir.order.count
    counted = qir.order.by if is_ranked_table and qir.order and qir.order.by in qir.targets else qir.target
    groups = [end for end in qir.targets if is_unknown(end) and end != counted]
    if not groups or not (qir.shape in ("count", "number") or qir.aggregate or counted != qir.target):
        return None
    columns = tuple(dict.fromkeys(map(variable_of, (*groups, counted))))
    if is_stated and not qir.aggregate:
        return SolutionModifier("table", columns, row_limit)
    order = replace(qir.order, by=variable_of(qir.order.by)) if qir.order else None
    reading = reading or "value"
    return SolutionModifier("grouped", columns, row_limit, order, aggregate=qir.aggregate, reading=reading)


def summary_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, reading_of: Callable[[str], ValueReading | None]
) -> SolutionModifier | None:
    """Return the modifier of several counts or aggregates; None if one is taken of what is neither number nor date."""
    aggregates = tuple((function, variable_of(u), reading_of(u) or "value") for function, u in qir.aggregates)
    if any(f != "count" and (reading == "mixed date" or not can_aggregate(f, reading)) for f, _, reading in aggregates):
        return None
    aggregated = {unknown for _, unknown in qir.aggregates}
    groups = tuple(dict.fromkeys(variable_of(end) for end in qir.targets if end not in aggregated))
    return SolutionModifier("summary", groups, row_limit, aggregates=aggregates)


def can_aggregate(function: str, reading: ValueReading | None) -> bool:
    """Tell whether values have an aggregate: numbers have each, and dates a first and a last one."""
    is_date = reading in ("date", "mixed date") and function not in ("sum", "avg")
    return is_date or reading in ("number", "text number")


def group_optional(qir: QIR) -> tuple[frozenset[str], ...]:
    """Group the optional unknowns: those that a relation joins stand in one optional pattern."""
    groups: list[frozenset[str]] = []
    for relation in qir.triples:
        own = frozenset(qir.optional).intersection(relation.ends())
        joined = [group for group in groups if group & own]
        if own:
            groups = [*(group for group in groups if group not in joined), own.union(*joined)]
    return tuple(groups)


def group_negated(qir: QIR) -> tuple[tuple[frozenset[str], tuple[Relation, ...]], ...]:
    """Group the negated relations by the unknowns that only they have: each group is negated as one pattern."""
    outer = {end for relation in qir.triples for end in relation.ends()}
    outer |= {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    groups: list[tuple[frozenset[str], tuple[Relation, ...]]] = []
    for relation in qir.negated:
        own_unknowns = frozenset(end for end in relation.ends() if is_unknown(end) and end not in outer)
        joined = [group for group in groups if group[0] & own_unknowns]
        groups = [group for group in groups if group not in joined]
        unknowns = own_unknowns.union(*(group[0] for group in joined))
        groups.append((unknowns, (*(r for group in joined for r in group[1]), relation)))
    return tuple(groups)

"""Aggregation per group ("How many boats does each harbour have?") and groups of negated relations."""

from __future__ import annotations

from collections.abc import Callable

from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.graph_patterns import ValueReading
from chattykg.query.solution_modifiers import SolutionModifier


def grouping_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, *, is_stated: bool, reading: ValueReading | None
) -> SolutionModifier | None:
    """Return the modifier of a count or aggregate per group: the group columns, then the counted one.

    None for a QIR without groups; a table if the graph states the number of each group (``is_stated``). ``reading``
    is how the aggregated values are read.
    """
    groups = [end for end in qir.targets if is_unknown(end) and end != qir.target]
    if not groups or not (qir.shape in ("count", "number") or qir.aggregate):
        return None
    columns = tuple(dict.fromkeys(map(variable_of, (*groups, qir.target))))
    if not qir.aggregate:
        return SolutionModifier("table" if is_stated else "grouped", columns, row_limit)
    return SolutionModifier("grouped", columns, row_limit, aggregate=qir.aggregate, reading=reading or "value")


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

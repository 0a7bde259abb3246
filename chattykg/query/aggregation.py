"""Counts and aggregates for each group: "How many boats does each harbour have?"."""

from __future__ import annotations

from collections.abc import Callable

from chattykg.qir import QIR, Relation, is_unknown
from chattykg.query.graph_patterns import ValueReading
from chattykg.query.solution_modifiers import SolutionModifier


def grouping_modifier(
    qir: QIR, variable_of: Callable[[str], str], row_limit: int, *, is_stated: bool, reading: ValueReading | None
) -> SolutionModifier | None:
    """Return the form of a count or aggregate for each group, its groups first and what is counted last.

    None where it is taken over all; a table where the number of each group stands in the graph (``stated``).
    ``reading`` is how what an aggregate is taken of reads.
    """
    groups = [end for end in qir.targets if is_unknown(end) and end != qir.target]
    if not groups or not (qir.shape in ("count", "number") or qir.aggregate):
        return None
    columns = tuple(dict.fromkeys(map(variable_of, (*groups, qir.target))))
    if not qir.aggregate:
        return SolutionModifier("table" if is_stated else "grouped", columns, row_limit)
    return SolutionModifier("grouped", columns, row_limit, aggregate=qir.aggregate, reading=reading or "value")


def group_negated(qir: QIR) -> tuple[tuple[frozenset[str], tuple[Relation, ...]], ...]:
    """Group the negated relations by the unknowns that only they speak of: each group is one thing that must not be."""
    outer = {end for relation in qir.triples for end in relation.ends()}
    outer |= {qir.target, *qir.targets, *(unknown for unknown, _ in qir.values)}
    groups: list[tuple[frozenset[str], tuple[Relation, ...]]] = []
    for relation in qir.negated:
        own = frozenset(end for end in relation.ends() if is_unknown(end) and end not in outer)
        joined = [group for group in groups if group[0] & own]
        groups = [group for group in groups if group not in joined]
        unknowns = own.union(*(group[0] for group in joined))
        groups.append((unknowns, (*(r for group in joined for r in group[1]), relation)))
    return tuple(groups)

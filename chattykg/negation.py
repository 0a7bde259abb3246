"""What must not hold: the negated relations of a question, grouped into things that must not be."""

from __future__ import annotations

from chattykg.qir import QIR, Relation, is_unknown


def negated_groups(qir: QIR) -> tuple[tuple[frozenset[str], tuple[Relation, ...]], ...]:
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

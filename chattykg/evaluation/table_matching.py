"""Tables against tables: rows assigned to rows, whatever the order of the columns.

Two measures. ``exact``: a row is the multiset of its values, as QALD's scorer counts (GERBIL): it is right if all its
values are. ``assigned``: each row of gold gets at most one row of the answer, so that as many of gold's values as
possible are found; what a row says beyond gold's columns is forgiven (GRASP, Walter and Bast 2025). Extra rows are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattykg.evaluation.answer_matching import AnswerElement, ElementKey

TableRow = tuple[AnswerElement, ...]
MAX_ASSIGNED_ROWS = 150
"""Beyond so many rows that are only half right nothing is assigned, and identical rows alone count (GRASP: 1,024)."""


@dataclass(frozen=True, slots=True)
class RowScore:
    """F1 of the rows of one answer: those that are identical, and those assigned with what they hold of gold's."""

    exact: float
    assigned: float


def score_rows(gold: Sequence[TableRow], said: Sequence[TableRow]) -> RowScore:
    """Compare two tables; both empty is right, one empty is wrong. Rows are taken as sets: doubles count once."""
    gold, said = _once(gold), _once(said)
    if not gold or not said:
        right = float(not gold and not said)
        return RowScore(right, right)
    shares = _shares(gold, said)
    same = _identical(gold, said, shares)
    left_gold = [g for g in range(len(gold)) if g not in same]
    left_said = sorted(set(range(len(said))) - set(same.values()))
    found = float(len(same))
    touched = {(g, s): shares[g][s] for g in left_gold for s in left_said if s in shares[g]}
    rows = sorted({g for g, _ in touched})
    columns = sorted({s for _, s in touched})
    exact = _f1(len(same), len(gold), len(said))
    if max(len(rows), len(columns)) > MAX_ASSIGNED_ROWS:
        return RowScore(exact, exact)
    if touched:
        found += max_assignment_weight([[touched.get((g, s), 0.0) for s in columns] for g in rows])
    return RowScore(exact, _assigned_f1(found, len(gold), len(said)))


def max_assignment_weight(weights: Sequence[Sequence[float]]) -> float:
    """Return the greatest sum of weights of pairs (row, column), each used once at most.

    Kuhn and Munkres' method with potentials, O(n^2 m); ``weights`` is a matrix of at least one row and column.
    """
    if len(weights) > len(weights[0]):
        weights = list(zip(*weights, strict=True))
    rows, columns = len(weights), len(weights[0])
    u, v = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner, way = [0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, used = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while True:
            used[column] = True
            near, step, following = owner[column], float("inf"), 0
            for c in range(1, columns + 1):
                if used[c]:
                    continue
                cost = -weights[near - 1][c - 1] - u[near] - v[c]
                if cost < least[c]:
                    least[c], way[c] = cost, column
                if least[c] < step:
                    step, following = least[c], c
            for c in range(columns + 1):
                if used[c]:
                    u[owner[c]] += step
                    v[c] -= step
                else:
                    least[c] -= step
            column = following
            if owner[column] == 0:
                break
        while column:
            owner[column], column = owner[way[column]], way[column]
    return sum(weights[owner[c] - 1][c - 1] for c in range(1, columns + 1) if owner[c])


def _f1(right: float, gold: int, said: int) -> float:
    return 2 * right / (gold + said)


def _assigned_f1(found: float, gold: int, said: int) -> float:
    """Return GRASP's F1: what is found is right, rows beyond as many as gold has are wrong, the rest of gold missed."""
    if found <= 0:
        return 0.0
    precision, recall = found / (found + max(0, said - gold)), found / gold
    return 2 * precision * recall / (precision + recall)


def _once(rows: Sequence[TableRow]) -> list[TableRow]:
    return list({tuple(sorted(map(_name, row))): row for row in rows}.values())


def _name(element: AnswerElement) -> ElementKey:
    return min(element.keys)


def _shares(gold: Sequence[TableRow], said: Sequence[TableRow]) -> list[dict[int, float]]:
    """Return, for each row of gold, the rows of the answer that hold any of its values, and what share of them."""
    holders: dict[ElementKey, set[int]] = {}
    for place, row in enumerate(said):
        for element in row:
            for key in element.keys:
                holders.setdefault(key, set()).add(place)
    found = []
    for row in gold:
        near = {place for element in row for key in element.keys for place in holders.get(key, ())}
        found.append({place: _overlap(row, said[place]) / len(row) for place in sorted(near)})
    return found


def _overlap(row: TableRow, other: TableRow) -> int:
    left = list(other)
    for element in row:
        met = next((cell for cell in left if element.matches(cell)), None)
        if met is not None:
            left.remove(met)
    return len(other) - len(left)


def _identical(
    gold: Sequence[TableRow], said: Sequence[TableRow], shares: Sequence[dict[int, float]]
) -> dict[int, int]:
    """Pair rows that hold the same values: taking these pairs first costs no assignment anything."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for g, row in enumerate(gold):
        same = (s for s, share in shares[g].items() if share == 1 and len(said[s]) == len(row) and s not in taken)
        first = next(same, None)
        if first is not None:
            pairs[g] = first
            taken.add(first)
    return pairs

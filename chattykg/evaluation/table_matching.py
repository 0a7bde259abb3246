"""Compares tables row by row; the order of rows and columns does not matter.

Two measures. ``exact``: a row is the multiset of its values and is right if all of them are, as in QALD's scorer
(GERBIL). ``assigned``: each row of gold is assigned at most one row of the answer so that as many of gold's values as
possible are found; extra columns are not wrong, extra rows are (GRASP, Walter and Bast 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chattykg.evaluation.answer_matching import AnswerElement, ElementKey

TableRow = tuple[AnswerElement, ...]
MAX_ASSIGNED_ROWS = 150
"""With more partly right rows than this, none are assigned and only identical rows count (GRASP: 1,024)."""


@dataclass(frozen=True, slots=True)
class RowScore:
    """F1 of the rows of one answer: of identical rows, and of assigned rows by their share of gold's values."""

    exact: float
    assigned: float


def score_rows(gold: Sequence[TableRow], answer: Sequence[TableRow]) -> RowScore:
    """Compare two tables without duplicate rows; 1 if both are empty, 0 if one is."""
    gold, answer = _distinct_rows(gold), _distinct_rows(answer)
    if not gold or not answer:
        right = float(not gold and not answer)
        return RowScore(right, right)
    shares = _value_shares(gold, answer)
    identical = _identical_rows(gold, answer, shares)
    other_gold = [g for g in range(len(gold)) if g not in identical]
    other_answer = sorted(set(range(len(answer))) - set(identical.values()))
    found = float(len(identical))
    weights = {(g, a): shares[g][a] for g in other_gold for a in other_answer if a in shares[g]}
    rows = sorted({g for g, _ in weights})
    columns = sorted({a for _, a in weights})
    exact = 2 * len(identical) / (len(gold) + len(answer))
    if max(len(rows), len(columns)) > MAX_ASSIGNED_ROWS:
        return RowScore(exact, exact)
    if weights:
        found += max_assignment_weight([[weights.get((g, a), 0.0) for a in columns] for g in rows])
    return RowScore(exact, _assigned_f1(found, len(gold), len(answer)))


def max_assignment_weight(weights: Sequence[Sequence[float]]) -> float:
    """Return the greatest sum of weights of pairs (row, column), each used at most once.

    The Kuhn-Munkres method with potentials, O(n^2 m); ``weights`` is a matrix of at least one row and column.
    """
    if len(weights) > len(weights[0]):
        weights = list(zip(*weights, strict=True))
    rows, columns = len(weights), len(weights[0])
    u, v = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner, previous = [0] * (columns + 1), [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, used = [float("inf")] * (columns + 1), [False] * (columns + 1)
        while True:
            used[column] = True
            owner_row, step, next_column = owner[column], float("inf"), 0
            for c in range(1, columns + 1):
                if used[c]:
                    continue
                cost = -weights[owner_row - 1][c - 1] - u[owner_row] - v[c]
                if cost < least[c]:
                    least[c], previous[c] = cost, column
                if least[c] < step:
                    step, next_column = least[c], c
            for c in range(columns + 1):
                if used[c]:
                    u[owner[c]] += step
                    v[c] -= step
                else:
                    least[c] -= step
            column = next_column
            if owner[column] == 0:
                break
        while column:
            owner[column], column = owner[previous[column]], previous[column]
    return sum(weights[owner[c] - 1][c - 1] for c in range(1, columns + 1) if owner[c])


def _assigned_f1(found: float, gold: int, answer: int) -> float:
    """Return GRASP's F1 from the sum of assigned weights: rows in excess of gold's number are wrong."""
    if found <= 0:
        return 0.0
    precision, recall = found / (found + max(0, answer - gold)), found / gold
    return 2 * precision * recall / (precision + recall)


def _distinct_rows(rows: Sequence[TableRow]) -> list[TableRow]:
    return list({tuple(sorted(map(_sort_key, row))): row for row in rows}.values())


def _sort_key(element: AnswerElement) -> ElementKey:
    return min(element.keys)


def _value_shares(gold: Sequence[TableRow], answer: Sequence[TableRow]) -> list[dict[int, float]]:
    """Return, for each row of gold, the share of its values in each row of the answer that has any of them."""
    holders: dict[ElementKey, set[int]] = {}
    for index, row in enumerate(answer):
        for element in row:
            for key in element.keys:
                holders.setdefault(key, set()).add(index)
    shares = []
    for row in gold:
        indexes = {index for element in row for key in element.keys for index in holders.get(key, ())}
        shares.append({index: _overlap(row, answer[index]) / len(row) for index in sorted(indexes)})
    return shares


def _overlap(row: TableRow, other: TableRow) -> int:
    remaining = list(other)
    for element in row:
        match = next((cell for cell in remaining if element.matches(cell)), None)
        if match is not None:
            remaining.remove(match)
    return len(other) - len(remaining)


def _identical_rows(
    gold: Sequence[TableRow], answer: Sequence[TableRow], shares: Sequence[dict[int, float]]
) -> dict[int, int]:
    """Return pairs (gold row, answer row) with the same values; they are part of some best assignment."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for g, row in enumerate(gold):
        same = (a for a, share in shares[g].items() if share == 1 and len(answer[a]) == len(row) and a not in taken)
        first = next(same, None)
        if first is not None:
            pairs[g] = first
            taken.add(first)
    return pairs

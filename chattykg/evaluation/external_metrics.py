"""Scores as the published scorers compute them, with their errors, and a corrected score.

TEXT2SPARQL (text2sparql-client 2.1, ``evaluate``): the values of all columns are one set of texts, compared as
written. An ASK result is the text "true", which is always retrieved, and is relevant if gold is true. So a right "no"
scores 0, a wrong "no" to a gold "yes" scores 1, and empty gold scores 0 even without an answer, as in the challenge's
published tables. (This holds for the client's declared pytrec-eval 0.5. With pytrec-eval-terrier 0.5.11, the only
version that installs today, questions with empty gold drop out of the mean.) Questions without an answer line drop
out. For questions whose order matters, nDCG replaces F1; all elements have the same weight and are sorted by their
bytes in descending order, so the order is not measured.

Triad's evaluator: hits are counted on sets, but divided by the lengths of lists plus 1e-5; empty gold has F1 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chattykg.evaluation.metrics import TurnScore, harmonic_mean, mean, ndcg, ndcg_of_positions

_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Text2SparqlScore:
    """Means over ``n`` questions; ``ndcg`` is over the ``ordered`` ones, and replaces their F in ``f_ndcg``."""

    n: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f: float = 0.0
    ordered: int = 0
    ndcg: float = 0.0
    f_ndcg: float = 0.0


def score_text2sparql(turns: Iterable[TurnScore], *, with_empty_gold: bool = True) -> Text2SparqlScore:
    """Return the challenge's official score, as in its published tables.

    As in its program, ``f_ndcg`` includes the mean of nDCG in the mean as if it were one more question. Without
    ``with_empty_gold``, questions with empty gold drop out, as in its program today.
    """
    counted = [turn for turn in turns if turn.answer is not None and (with_empty_gold or turn.gold.elements)]
    rows = [(*_set_rates(turn), _byte_order_ndcg(turn) if turn.gold.is_ordered else None) for turn in counted]
    return _set_score(rows, counts_mean=True)


def score_text2sparql_corrected(turns: Iterable[TurnScore]) -> Text2SparqlScore:
    """Return the corrected score: booleans and empty gold count, a missing question is wrong, order is measured.

    Numbers and dates are compared by value.
    """
    rows = [
        (turn.precision, turn.recall, turn.f1, order_ndcg(turn) if turn.gold.is_ordered else None) for turn in turns
    ]
    return _set_score(rows)


def order_ndcg(turn: TurnScore) -> float:
    """Return the nDCG of the answer against the order of gold."""
    elements = turn.answer.elements if turn.answer else ()
    gold = turn.gold.elements
    return ndcg_of_positions(
        [next((i for i, right in enumerate(gold) if right.matches(element)), None) for element in elements], len(gold)
    )


def triad_f1(turns: Iterable[TurnScore]) -> float:
    """Return the mean F1 of Triad's evaluator, over turns with and without gold."""
    return mean(map(_triad_f1, turns))


def _triad_f1(turn: TurnScore) -> float:
    gold, answer = [element.text for element in turn.gold.elements], _texts(turn)
    hits = len(set(gold) & set(answer))
    return harmonic_mean(hits / (len(answer) + _EPSILON), hits / (len(gold) + _EPSILON))


def _set_rates(turn: TurnScore) -> tuple[float, float, float]:
    relevant, retrieved = _relevant(turn), _retrieved(turn)
    hits = len(relevant & retrieved)
    precision = hits / len(retrieved) if retrieved else 0.0
    recall = hits / len(relevant) if relevant else 0.0
    return precision, recall, harmonic_mean(precision, recall)


def _set_score(
    rows: Sequence[tuple[float, float, float, float | None]], *, counts_mean: bool = False
) -> Text2SparqlScore:
    """Average precision, recall, F, and nDCG in place of F for ordered questions; ``counts_mean`` adds nDCG's mean."""
    orders = [gain for *_, gain in rows if gain is not None]
    mixed = [f if gain is None else gain for _, _, f, gain in rows]
    if counts_mean and orders:
        mixed.append(mean(orders))
    precision, recall, f = (mean(row[:3][index] for row in rows) for index in range(3))
    return Text2SparqlScore(len(rows), precision, recall, f, len(orders), mean(orders), mean(mixed))


def _byte_order_ndcg(turn: TurnScore) -> float:
    """Return trec_eval's nDCG of elements of equal weight, which it sorts by bytes in descending order."""
    relevant = _relevant(turn)
    ranking = sorted(_retrieved(turn), key=str.encode, reverse=True)
    return ndcg([float(text in relevant) for text in ranking], [1.0] * len(relevant))


def _relevant(turn: TurnScore) -> set[str]:
    if turn.gold.answer_type == "boolean":
        return {"true"} if turn.gold.elements[0].text.casefold() in ("true", "yes") else set()
    return {element.text for element in turn.gold.elements}


def _retrieved(turn: TurnScore) -> set[str]:
    texts = set(_texts(turn))
    return {"true"} if texts and texts <= {"true", "false"} else texts


def _texts(turn: TurnScore) -> list[str]:
    if turn.answer is None:
        return []
    cells = [cell for row in turn.answer.rows for cell in row] or turn.answer.elements
    return [cell.text for cell in cells]

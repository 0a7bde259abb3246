"""Scores as peers' own programs count them, traps included, and beside each what it should have been.

TEXT2SPARQL (text2sparql-client 2.1, ``evaluate``): the values of all columns are one set of texts, compared as they
are written; an ASK is the one text "true", retrieved whatever it says and relevant if gold is true. So a right "no"
scores 0, a wrong "no" to a gold "yes" scores 1, and gold that is empty scores 0 even if nothing is said: so in the
challenge's published tables. (The client's declared pytrec-eval 0.5 gives that; with pytrec-eval-terrier 0.5.11, by
which alone it can be installed today, questions with empty gold drop out of the mean.) Questions without an answer
line drop out. For questions whose order matters nDCG takes the place of F1; all elements
weigh the same and lie in the order of their bytes, last first, so order is not measured.

Triad's evaluator: hits are counted on sets, but divided by the lengths of lists with 1e-5 added; empty gold is F1 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from chattykg.evaluation.metrics import TurnScore, harmonic_mean
from chattykg.evaluation.ranking_metrics import ndcg, ndcg_of_positions

_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class Text2SparqlScore:
    """Means over ``n`` questions; ``ndcg`` is over the ``ordered`` ones among them, and stands for F in ``f_ndcg``."""

    n: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f: float = 0.0
    ordered: int = 0
    ndcg: float = 0.0
    f_ndcg: float = 0.0

    def to_json(self) -> dict[str, float | int]:
        """Return the figures by name, to six places."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def score_text2sparql(turns: Iterable[TurnScore], *, with_empty_gold: bool = True) -> Text2SparqlScore:
    """Return the challenge's official score: the one that its published tables show.

    As its program does, ``f_ndcg`` takes the mean of nDCG into the mean as if it were one more question. Without
    ``empty_gold``, questions with none drop out, as its program counts today.
    """
    there = [turn for turn in turns if turn.answer is not None and (with_empty_gold or turn.gold.elements)]
    rows = [(*_set_rates(turn), _by_bytes(turn) if turn.gold.is_ordered else None) for turn in there]
    return _set_score(rows, counts_mean=True)


def score_text2sparql_corrected(turns: Iterable[TurnScore]) -> Text2SparqlScore:
    """Return the same score put right: booleans and empty gold count, a missing question is wrong, order is measured.

    Values are compared as everywhere here: numbers and dates by value.
    """
    listed = list(turns)
    rows = [
        (turn.precision, turn.recall, turn.f1, order_ndcg(turn) if turn.gold.is_ordered else None) for turn in listed
    ]
    return _set_score(rows)


def order_ndcg(turn: TurnScore) -> float:
    """Return nDCG of what was said against the order of gold."""
    said = turn.answer.elements if turn.answer else ()
    gold = turn.gold.elements
    return ndcg_of_positions(
        [next((i for i, right in enumerate(gold) if right.matches(one)), None) for one in said], len(gold)
    )


@dataclass(frozen=True, slots=True)
class TriadScore:
    """Triad's figures: means over ``n`` questions, gold or not."""

    n: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    accuracy: float = 0.0

    def to_json(self) -> dict[str, float | int]:
        """Return the figures by name, to six places."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def score_triad(turns: Sequence[TurnScore]) -> TriadScore:
    """Return the figures of Triad's evaluator; accuracy is the share of answers that are gold's set."""
    rows = [_triad(turn) for turn in turns]
    return TriadScore(len(rows), *(_mean(row[place] for row in rows) for place in range(4)))


def _triad(turn: TurnScore) -> tuple[float, float, float, float]:
    right, said = [one.text for one in turn.gold.elements], _texts(turn)
    hits = len(set(right) & set(said))
    precision, recall = hits / (len(said) + _EPSILON), hits / (len(right) + _EPSILON)
    return precision, recall, harmonic_mean(precision, recall), float(set(right) == set(said))


def _set_rates(turn: TurnScore) -> tuple[float, float, float]:
    relevant, retrieved = _relevant(turn), _retrieved(turn)
    hits = len(relevant & retrieved)
    precision = hits / len(retrieved) if retrieved else 0.0
    recall = hits / len(relevant) if relevant else 0.0
    return precision, recall, harmonic_mean(precision, recall)


def _set_score(
    rows: Sequence[tuple[float, float, float, float | None]], *, counts_mean: bool = False
) -> Text2SparqlScore:
    """Average precision, recall, F and, where order matters, nDCG in place of F."""
    orders = [gain for *_, gain in rows if gain is not None]
    mixed = [f if gain is None else gain for _, _, f, gain in rows]
    if counts_mean and orders:
        mixed.append(fmean(orders))
    precision, recall, f = (_mean(row[place] for row in rows) for place in (0, 1, 2))
    return Text2SparqlScore(len(rows), precision, recall, f, len(orders), _mean(orders), _mean(mixed))


def _by_bytes(turn: TurnScore) -> float:
    """Return trec_eval's nDCG of elements that all weigh the same: its order is theirs by bytes, greatest first."""
    relevant = _relevant(turn)
    listed = sorted(_retrieved(turn), key=str.encode, reverse=True)
    return ndcg([float(text in relevant) for text in listed], [1.0] * len(relevant))


def _relevant(turn: TurnScore) -> set[str]:
    if turn.gold.answer_type == "boolean":
        return {"true"} if turn.gold.elements[0].text.casefold() in ("true", "yes") else set()
    return {one.text for one in turn.gold.elements}


def _retrieved(turn: TurnScore) -> set[str]:
    texts = set(_texts(turn))
    return {"true"} if texts and texts <= {"true", "false"} else texts


def _texts(turn: TurnScore) -> list[str]:
    if turn.answer is None:
        return []
    cells = [cell for row in turn.answer.rows for cell in row] or turn.answer.elements
    return [cell.text for cell in cells]


def _mean(values: Iterable[float | None]) -> float:
    listed = [value for value in values if value is not None]
    return fmean(listed) if listed else 0.0

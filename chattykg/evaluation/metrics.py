"""The measures of one answer against gold: pure functions from sets of elements to figures; and groups of turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from statistics import fmean
from typing import Literal

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import CertificateVerdict

from chattykg.evaluation.answer_matching import AnswerElement, distinct_elements, distinct_indexes

HIT_RANK = 5
"""The last rank at which a right answer counts for Hit@5."""


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold answer of one turn (no elements: only no answer is right), and the groups of the turn.

    ``is_scored`` is false for a turn without gold that is asked only for its conversation, and for one whose gold is a
    table: ``rows``. ``position`` counts from 1. ``dialogue`` is empty for a single question. ``answer_type`` is
    resource, number, date, boolean, string or table; empty if there are no elements. ``sparql`` is the gold query, or
    empty. ``is_ordered`` tells whether the order of the answer matters. ``unanswerable`` is the kind of a turn without
    gold, if the file states it. ``seed`` is the IRI of the dialogue's entity and ``seed_class`` its class, as far as
    the file states them; ``seed_band`` and ``predicate_band`` are head, torso or tail of the seed in its class and of
    the query's rarest predicate, if a graph tells. ``verdict`` is that of the turn's certificate; empty without one.
    """

    id: str
    elements: tuple[AnswerElement, ...] = ()
    position: int = 1
    form: str = ""
    link: str = ""
    is_scored: bool = True
    dialogue: str = ""
    question: str = ""
    answer_type: str = ""
    lang: str = ""
    kg: str = ""
    sparql: str = ""
    is_ordered: bool = False
    rows: tuple[tuple[AnswerElement, ...], ...] = ()
    unanswerable: str = ""
    seed: str = ""
    seed_class: str = ""
    seed_band: str = ""
    predicate_band: str = ""
    verdict: CertificateVerdict | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """A system's answer at one turn, best element first; ``line`` has its links and its cost.

    ``rows`` are whole solutions. ``remembered`` is an answer from a model's memory: none of the graph where there is
    gold, a false one elsewhere.
    """

    elements: tuple[AnswerElement, ...] = ()
    line: AnswerLine = AnswerLine("")
    rows: tuple[tuple[AnswerElement, ...], ...] = ()
    remembered: tuple[AnswerElement, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnScore:
    """The measures of one turn; ``answer`` is None if the system has no answer line for it.

    ``right_count`` of the ``answer_count`` distinct elements of the answer are right; ``gold_found_count`` of the
    ``gold_count`` elements of gold are found. ``first_right_rank`` counts from 1, ties share a rank; None if no element
    is right.
    """

    gold: Gold
    answer: SystemAnswer | None
    precision: float
    recall: float
    f1: float
    is_first_right: bool
    first_right_rank: int | None = None
    right_count: int = 0
    answer_count: int = 0
    gold_found_count: int = 0
    gold_count: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the answer equals gold."""
        return self.f1 == 1.0

    @property
    def is_answerable(self) -> bool:
        """Whether there is gold."""
        return bool(self.gold.elements)

    @property
    def is_answered(self) -> bool:
        """Whether the answer has any element."""
        return self.answer is not None and bool(self.answer.elements)

    @property
    def qald_precision(self) -> float:
        """Precision by QALD's rule: 1 for an empty answer to a question with gold, 0 for a missing answer line."""
        is_empty = self.answer is not None and not self.answer.elements
        return 1.0 if is_empty and self.is_answerable else self.precision


MEASURES: Mapping[str, Callable[[TurnScore], float]] = {
    "f1": lambda turn: turn.f1,
    "precision": lambda turn: turn.precision,
    "recall": lambda turn: turn.recall,
    "qald_precision": lambda turn: turn.qald_precision,
    "exact": lambda turn: turn.is_exact,
    "p_at_1": lambda turn: turn.is_first_right,
    "answered": lambda turn: turn.is_answered,
    "p_at_1_tied": lambda turn: turn.first_right_rank == 1,
    "mrr": lambda turn: reciprocal_rank(turn.first_right_rank),
    "hit_at_5": lambda turn: turn.first_right_rank is not None and turn.first_right_rank <= HIT_RANK,
    "trust": lambda turn: trust_score(turn),
}
"""The measures of one turn whose means are figures; in those with ``tied``, MRR and Hit@5 equal scores share a rank."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The number of turns in a group, their mean F1, and how many have the whole gold and nothing else."""

    n: int
    f1: float
    solved: int = 0


@dataclass(frozen=True, slots=True)
class FalseAnswerRate:
    """The number of unanswerable turns of a kind, and the share of them that got an answer."""

    n: int
    false_answers: float


def score_turn(gold: Gold, answer: SystemAnswer | None) -> TurnScore:
    """Compare an answer with gold, as sets.

    A vertex whose IRI is in gold matches only that element. Any other element matches every gold element with which it
    shares a key (several vertices of one name, if gold states only the name).
    """
    gold_elements = distinct_elements(gold.elements)
    if answer and answer.remembered and not gold_elements:
        answer = replace(answer, elements=answer.remembered, remembered=())
    indexes = distinct_indexes(answer.elements) if answer else ()
    elements = [answer.elements[index] for index in indexes] if answer else []
    if not gold_elements:
        is_right = answer is not None and not elements
        rate = float(is_right)
        return TurnScore(gold, answer, rate, rate, rate, is_right, 1 if is_right else None, answer_count=len(elements))
    gold_iris = {element.iri for element in gold_elements if element.iri}
    matches = [
        frozenset(index for index, right in enumerate(gold_elements) if _matches_gold(element, right, gold_iris))
        for element in elements
    ]
    hits, gold_found = sum(map(bool, matches)), len(frozenset().union(*matches))
    precision, recall = hits / len(elements) if elements else 0.0, gold_found / len(gold_elements)
    has_scores = answer is not None and len(answer.line.scores) == len(answer.elements)
    scores = [answer.line.scores[index] for index in indexes] if answer and has_scores else ()
    return TurnScore(
        gold, answer, precision, recall, harmonic_mean(precision, recall), bool(matches and matches[0]),
        next((rank for rank, hit in zip(tied_ranks(scores, len(matches)), matches, strict=True) if hit), None),
        hits, len(elements), gold_found, len(gold_elements),
    )  # fmt: skip


def false_answers_by_kind(turns: Iterable[TurnScore]) -> dict[str, FalseAnswerRate]:
    """Return the false answers to unanswerable turns by kind; turns without a kind are left out."""
    groups = group_turns(turns, lambda turn: turn.gold.unanswerable)
    return {kind: FalseAnswerRate(len(group), mean(turn.is_answered for turn in group)) for kind, group in groups}


def score_remembered(turns: Iterable[TurnScore]) -> GroupScore | None:
    """Return the score of the answers from a model's memory to turns with gold, by themselves; None without any."""
    remembered = [
        score_turn(turn.gold, replace(turn.answer, elements=turn.answer.remembered))
        for turn in turns
        if turn.answer is not None and turn.answer.remembered
    ]
    return score_groups(remembered, lambda _: "memory").get("memory")


def qald_macro(turns: Sequence[TurnScore]) -> float:
    """Return QALD's F1: the harmonic mean of mean precision, where silence has precision 1, and mean recall."""
    return harmonic_mean(mean(turn.qald_precision for turn in turns), mean(turn.recall for turn in turns))


def micro_f1(turns: Sequence[TurnScore]) -> float:
    """Return the F1 of all elements of all turns together."""
    right, answered = sum(turn.right_count for turn in turns), sum(turn.answer_count for turn in turns)
    found, gold = sum(turn.gold_found_count for turn in turns), sum(turn.gold_count for turn in turns)
    return harmonic_mean(right / answered if answered else 0.0, found / gold if gold else 0.0)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the harmonic mean of two rates; 0 if both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile (0 to 100), interpolated linearly; 0 if there are no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    position = (len(ordered) - 1) * percent / 100
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _matches_gold(element: AnswerElement, right: AnswerElement, gold_iris: set[str]) -> bool:
    if element.iri in gold_iris:
        return element.iri == right.iri
    return element.matches(right)


def mean(values: Iterable[float]) -> float:
    """Return the mean of some values; 0 if there are none."""
    all_values = list(values)
    return fmean(all_values) if all_values else 0.0


def mean_f1(turns: Iterable[TurnScore]) -> float:
    """Return the mean F1 of some turns."""
    return mean(turn.f1 for turn in turns)


def score_groups(turns: Iterable[TurnScore], name_of: Callable[[TurnScore], str | int]) -> dict[str, GroupScore]:
    """Return the score of each group of turns."""
    return {
        name: GroupScore(len(group), mean_f1(group), sum(turn.is_exact for turn in group))
        for name, group in group_turns(turns, name_of)
    }


def group_turns(
    turns: Iterable[TurnScore], name_of: Callable[[TurnScore], str | int]
) -> Iterator[tuple[str, list[TurnScore]]]:
    """Yield the groups of turns in the order of their names, numbers by size; turns with an empty name are left out."""
    groups: dict[str | int, list[TurnScore]] = {}
    for turn in turns:
        if name := name_of(turn):
            groups.setdefault(name, []).append(turn)
    for name in sorted(groups, key=lambda name: (name, "") if isinstance(name, int) else (0, name)):
        yield str(name), groups[name]


def tied_ranks(scores: Sequence[float], length: int) -> tuple[int, ...]:
    """Return the rank of each of ``length`` answers, from 1, in their order.

    The order is the system's; a score that differs from the one before begins the next rank. Scores are ignored if
    there are not ``length`` of them.
    """
    if len(scores) != length:
        return tuple(range(1, length + 1))
    ranks: list[int] = []
    for index in range(length):
        is_next = index == 0 or scores[index] != scores[index - 1]
        ranks.append((ranks[-1] if ranks else 0) + is_next)
    return tuple(ranks)


def reciprocal_rank(rank: int | None) -> float:
    """Return 1 / rank of the first right answer; 0 if none is right."""
    return 1 / rank if rank else 0.0


def ndcg(gains: Sequence[float], ideal: Sequence[float]) -> float:
    """Return the normalized discounted cumulative gain of a ranking (Jarvelin and Kekalainen, 2002)."""
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def ndcg_of_positions(positions: Sequence[int | None], length: int) -> float:
    """Return the nDCG of an ordered answer from the index in gold of each of its elements (None: not in gold).

    The gain of gold's first element is ``length``, that of its last 1, so gold in reverse order scores less than 1. An
    element counts once.
    """
    seen: set[int] = set()
    gains: list[float] = []
    for position in positions:
        gains.append(0.0 if position is None or position in seen else float(length - position))
        seen |= {position} if position is not None else set()
    return ndcg(gains, [float(length - position) for position in range(length)])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(index + 2) for index, gain in enumerate(gains))


def trust_score(turn: TurnScore) -> int:
    """Return the trustworthiness of one turn: 1 if it is right, 0 if there is no answer, -1 if it is wrong."""
    if turn.is_exact:
        return 1
    return -1 if turn.is_answered else 0

"""The measures of answers against gold: pure functions from sets of elements to figures, and rates over turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from statistics import fmean
from typing import Literal

from chattyshared.dialogue import CertificateVerdict, StageSeconds
from chattyshared.model import Usage

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
    """A system's answer at one turn, best element first, and its cost.

    ``scores`` are parallel to ``elements``, if the system gives any; ``rows`` are whole solutions. ``states_links``
    tells whether the system states its links: ``vertices`` and ``predicates`` are IRIs; those that its linker
    proposed are None if it does not state them. ``candidate_queries`` is None if the system does not count them.
    ``remembered`` is an answer from a model's memory: none of the graph where there is gold, a false one elsewhere.
    """

    elements: tuple[AnswerElement, ...] = ()
    seconds: float = 0.0
    queries: int = 0
    usage: Usage = Usage()
    scores: tuple[float, ...] = ()
    rows: tuple[tuple[AnswerElement, ...], ...] = ()
    confidence: float = 0.0
    sparql: str = ""
    stages: StageSeconds = StageSeconds()
    states_links: bool = False
    vertices: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    proposed_vertices: frozenset[str] | None = None
    proposed_predicates: frozenset[str] | None = None
    candidate_queries: int | None = None
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


@dataclass(frozen=True, slots=True)
class Scores:
    """The headline figures of one run; the module's docstring defines them.

    ``questions`` is the number of scored turns: ``unanswerable`` of them have empty gold and are left out of the rates,
    ``missing`` have no answer line. Costs are over all turns that were asked (seconds, queries). Candidate queries are
    over the turns that state them; None if no turn does. ``remembered`` are the answers from a model's memory to turns
    with gold: they count as no answers above. To other turns they are false answers.
    """

    questions: int = 0
    unanswerable: int = 0
    missing: int = 0
    answered: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    f1_qald_macro: float = 0.0
    p_at_1: float = 0.0
    false_answers: float = 0.0
    seconds_per_question: float = 0.0
    seconds_p50: float = 0.0
    seconds_p95: float = 0.0
    queries_per_question: float = 0.0
    queries_p50: float = 0.0
    candidate_queries_per_question: float | None = None
    usage: Usage = Usage()
    by_form: Mapping[str, GroupScore] = field(default_factory=dict)
    by_link: Mapping[str, GroupScore] = field(default_factory=dict)
    by_turn: Mapping[str, GroupScore] = field(default_factory=dict)
    by_lang: Mapping[str, GroupScore] = field(default_factory=dict)
    false_answers_by_kind: Mapping[str, FalseAnswerRate] = field(default_factory=dict)
    remembered: GroupScore = GroupScore(0, 0.0)


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
    has_scores = answer is not None and len(answer.scores) == len(answer.elements)
    scores = [answer.scores[index] for index in indexes] if answer and has_scores else ()
    return TurnScore(
        gold, answer, precision, recall, harmonic_mean(precision, recall), bool(matches and matches[0]),
        next((rank for rank, hit in zip(tied_ranks(scores, len(matches)), matches, strict=True) if hit), None),
        hits, len(elements), gold_found, len(gold_elements),
    )  # fmt: skip


def score_run(pairs: Iterable[tuple[Gold, SystemAnswer | None]]) -> Scores:
    """Return the figures of a run from each turn that was asked and its answer (None: no answer line)."""
    all_pairs = tuple(pairs)
    turns = [score_turn(gold, answer) for gold, answer in all_pairs if gold.is_scored]
    answerable = [turn for turn in turns if turn.is_answerable]
    unanswerable = [turn for turn in turns if not turn.is_answerable]
    answers = [answer for _, answer in all_pairs if answer is not None]
    remembered = [
        score_turn(turn.gold, replace(turn.answer, elements=turn.answer.remembered))
        for turn in turns
        if turn.answer is not None and turn.answer.remembered
    ]
    candidates = [answer.candidate_queries for answer in answers if answer.candidate_queries is not None]
    return Scores(
        questions=len(turns),
        unanswerable=len(unanswerable),
        missing=sum(turn.answer is None for turn in turns),
        answered=mean(turn.is_answered for turn in answerable),
        precision=mean(turn.precision for turn in answerable),
        recall=mean(turn.recall for turn in answerable),
        f1=mean(turn.f1 for turn in answerable),
        f1_qald_macro=harmonic_mean(
            mean(turn.qald_precision for turn in answerable), mean(turn.recall for turn in answerable)
        ),
        p_at_1=mean(turn.is_first_right for turn in answerable),
        false_answers=mean(turn.is_answered for turn in unanswerable),
        seconds_per_question=mean(answer.seconds for answer in answers),
        seconds_p50=percentile([answer.seconds for answer in answers], 50),
        seconds_p95=percentile([answer.seconds for answer in answers], 95),
        queries_per_question=mean(answer.queries for answer in answers),
        queries_p50=percentile([answer.queries for answer in answers], 50),
        candidate_queries_per_question=mean(candidates) if candidates else None,
        usage=sum((answer.usage for answer in answers), Usage()),
        by_form=score_groups(answerable, lambda turn: turn.gold.form),
        by_link=score_groups(answerable, lambda turn: turn.gold.link),
        by_turn=score_groups(answerable, lambda turn: turn.gold.position),
        by_lang=score_groups(answerable, lambda turn: turn.gold.lang),
        false_answers_by_kind=_false_answers_by_kind(unanswerable),
        remembered=score_groups(remembered, lambda _: "memory").get("memory", GroupScore(0, 0.0)),
    )


def _false_answers_by_kind(turns: Iterable[TurnScore]) -> dict[str, FalseAnswerRate]:
    """Return the false answers to unanswerable turns by kind; turns without a kind are left out."""
    grouped: dict[str, list[bool]] = {}
    for turn in turns:
        if turn.gold.unanswerable:
            grouped.setdefault(turn.gold.unanswerable, []).append(turn.is_answered)
    return {kind: FalseAnswerRate(len(grouped[kind]), fmean(grouped[kind])) for kind in sorted(grouped)}


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


def score_groups(turns: Iterable[TurnScore], name_of: Callable[[TurnScore], str | int]) -> dict[str, GroupScore]:
    """Return the size and the mean F1 of each group of turns, by name; turns with an empty name are left out."""
    grouped: dict[str | int, list[float]] = {}
    for turn in turns:
        grouped.setdefault(name_of(turn), []).append(turn.f1)
    return {
        str(key): GroupScore(len(grouped[key]), fmean(grouped[key]), grouped[key].count(1.0))
        for key in sorted(grouped, key=_sort_key)
        if key
    }


def _sort_key(key: str | int) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (0, key)


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


@dataclass(frozen=True, slots=True)
class AggregateMetrics:
    """Rates over ``n`` turns.

    ``f1`` is the mean of F1. ``f1_qald_macro`` is the harmonic mean of QALD's mean precision and mean recall (see
    ``metrics``). The ``micro`` rates are over all elements of all turns together. ``exact`` is the share of turns with
    F1 = 1. ``p_at_1`` looks at the first answer only; in ``p_at_1_tied``, ``mrr`` and ``hit_at_5`` ties share a rank.
    ``trust`` is the answer trustworthiness score: the mean of +1 for F1 = 1, 0 for no answer, else -1 (-1 to 1).
    """

    n: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    f1_qald_macro: float = 0.0
    precision_micro: float = 0.0
    recall_micro: float = 0.0
    f1_micro: float = 0.0
    exact: float = 0.0
    p_at_1: float = 0.0
    p_at_1_tied: float = 0.0
    mrr: float = 0.0
    hit_at_5: float = 0.0
    trust: float = 0.0

    def __post_init__(self) -> None:
        """Assert that P@1 is at most Hit@5, which holds for every ranking."""
        assert self.p_at_1 <= self.p_at_1_tied + 1e-9 <= self.hit_at_5 + 2e-9, "P@1 above Hit@5"


def aggregate_turns(turns: Sequence[TurnScore]) -> AggregateMetrics:
    """Return the rates over some turns; all are 0 if there are no turns."""
    if not turns:
        return AggregateMetrics()
    recall = fmean(turn.recall for turn in turns)
    right, answered = sum(turn.right_count for turn in turns), sum(turn.answer_count for turn in turns)
    gold_found, gold = sum(turn.gold_found_count for turn in turns), sum(turn.gold_count for turn in turns)
    micro_precision, micro_recall = right / answered if answered else 0.0, gold_found / gold if gold else 0.0
    return AggregateMetrics(
        n=len(turns),
        precision=fmean(turn.precision for turn in turns),
        recall=recall,
        f1=fmean(turn.f1 for turn in turns),
        f1_qald_macro=harmonic_mean(fmean(turn.qald_precision for turn in turns), recall),
        precision_micro=micro_precision,
        recall_micro=micro_recall,
        f1_micro=harmonic_mean(micro_precision, micro_recall),
        exact=fmean(turn.is_exact for turn in turns),
        p_at_1=fmean(turn.is_first_right for turn in turns),
        p_at_1_tied=fmean(turn.first_right_rank == 1 for turn in turns),
        mrr=fmean(reciprocal_rank(turn.first_right_rank) for turn in turns),
        hit_at_5=fmean(turn.first_right_rank is not None and turn.first_right_rank <= HIT_RANK for turn in turns),
        trust=fmean(map(trust_score, turns)),
    )


def trust_score(turn: TurnScore) -> int:
    """Return the trustworthiness of one turn: 1 if it is right, 0 if there is no answer, -1 if it is wrong."""
    if turn.is_exact:
        return 1
    return -1 if turn.is_answered else 0


def select_answerable(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the turns of the headline: those with non-empty gold."""
    return [turn for turn in turns if turn.is_answerable]


def select_answered(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the answered turns with gold, the only ones that Chatty-KG's in-run score counts."""
    return [turn for turn in turns if turn.is_answerable and turn.is_answered]


def select_follow_ups(turns: Iterable[TurnScore]) -> list[TurnScore]:
    """Return the follow-up turns with gold, the only ones that ConvQuestions' scores count."""
    return [turn for turn in turns if turn.is_answerable and turn.gold.position > 1]

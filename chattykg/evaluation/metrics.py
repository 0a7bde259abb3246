"""The measures of answers against gold, pure: sets of elements in, figures out.

Per turn, over sets: precision, recall and F1 of what was said. Gold that is empty is right exactly if nothing is said
(1, 1, 1), else wrong (0, 0, 0). Where gold is not empty and nothing is said, all three are 0. A question that is
missing from the system's file has 0 in all, whatever its gold.

``f1`` is the mean of F1. ``f1_qald_macro`` is GERBIL's "Macro F1 QALD", the figure in the tables of QALD, KGQAn and
Chatty-KG: the harmonic mean of the mean precision and the mean recall, where (here alone) a system that says nothing
to a question with gold has precision 1 and recall 0.

The headline leaves turns with empty gold out; ``false_answers`` is about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from chattyshared.dialogue import StageSeconds
from chattyshared.model import Usage

from chattykg.evaluation.answer_matching import AnswerElement, distinct_elements, distinct_indexes
from chattykg.evaluation.ranking_metrics import tied_ranks


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right at one turn: its elements (none: only silence is right), and the groups that it counts in.

    ``scored`` is false for a turn that is asked only for the sake of the conversation, or whose gold is a table:
    ``rows``. ``position`` counts from 1. ``dialogue`` is empty where the turn stands alone. ``kind`` is what the
    answer is made of: resource, number, date, boolean or string; empty where there is none. ``sparql`` is the gold
    query, if there is one, and ``ordered`` whether the order of the answer matters.
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


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """What a system said at one turn, best first, and what it cost.

    ``scores`` run beside ``elements``, if the system gives any; ``rows`` are whole solutions. ``told`` is whether it
    says what it linked the question to: ``vertices`` and ``predicates`` are IRIs. ``candidate_queries`` is None where
    it does not count them.
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
    candidate_queries: int | None = None


@dataclass(frozen=True, slots=True)
class TurnScore:
    """The measures of one turn; ``said`` is None where the system has no answer line for it.

    ``right`` of the ``size`` distinct elements that were said are right, and ``found`` of gold's ``wanted`` are met.
    ``rank`` is that of the first right element, ties shared; None where none is right.
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
        """Whether all that is right was said and nothing else."""
        return self.f1 == 1.0

    @property
    def is_answerable(self) -> bool:
        """Whether there is gold."""
        return bool(self.gold.elements)

    @property
    def is_answered(self) -> bool:
        """Whether anything was said."""
        return self.answer is not None and bool(self.answer.elements)

    @property
    def qald_precision(self) -> float:
        """Precision by QALD's rule: silence is precise, absence is not."""
        silent = self.answer is not None and not self.answer.elements
        return 1.0 if silent and self.is_answerable else self.precision


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The number of turns in a group, and their mean F1."""

    n: int
    f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """All figures of one run; see the module for what they mean.

    ``questions`` are the turns scored, of which ``unanswerable`` have empty gold and stay out of the headline;
    ``missing`` have no answer line. What it cost counts all turns that were asked; candidate queries those that tell
    them, None where none does.
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


def score_turn(gold: Gold, answer: SystemAnswer | None) -> TurnScore:
    """Compare what was said with gold, as sets.

    A vertex that gold knows by its IRI is right for that element alone; any other element is right for every gold
    element that it meets (several vertices of one name, where gold tells only the name).
    """
    right = distinct_elements(gold.elements)
    kept = distinct_indexes(answer.elements) if answer else ()
    elements = [answer.elements[place] for place in kept] if answer else []
    if not right:
        silent = answer is not None and not elements
        rate = float(silent)
        return TurnScore(gold, answer, rate, rate, rate, silent, 1 if silent else None, answer_count=len(elements))
    known = {element.iri for element in right if element.iri}
    met = [frozenset(i for i, other in enumerate(right) if _same(element, other, known)) for element in elements]
    hits, found = sum(map(bool, met)), len(frozenset().union(*met))
    precision, recall = hits / len(elements) if elements else 0.0, found / len(right)
    scores = [answer.scores[place] for place in kept] if answer and len(answer.scores) == len(answer.elements) else ()
    return TurnScore(
        gold, answer, precision, recall, harmonic_mean(precision, recall), bool(met and met[0]),
        next((rank for rank, some in zip(tied_ranks(scores, len(met)), met, strict=True) if some), None),
        hits, len(elements), found, len(right),
    )  # fmt: skip


def score_run(pairs: Iterable[tuple[Gold, SystemAnswer | None]]) -> Scores:
    """Return the figures of a run: each turn that was asked with what was said to it, None where it is missing."""
    asked = tuple(pairs)
    turns = [score_turn(gold, said) for gold, said in asked if gold.is_scored]
    head = [turn for turn in turns if turn.is_answerable]
    rest = [turn for turn in turns if not turn.is_answerable]
    costs = [said for _, said in asked if said is not None]
    candidates = [said.candidate_queries for said in costs if said.candidate_queries is not None]
    return Scores(
        questions=len(turns),
        unanswerable=len(rest),
        missing=sum(turn.answer is None for turn in turns),
        answered=_mean(turn.is_answered for turn in head),
        precision=_mean(turn.precision for turn in head),
        recall=_mean(turn.recall for turn in head),
        f1=_mean(turn.f1 for turn in head),
        f1_qald_macro=harmonic_mean(_mean(turn.qald_precision for turn in head), _mean(turn.recall for turn in head)),
        p_at_1=_mean(turn.is_first_right for turn in head),
        false_answers=_mean(turn.is_answered for turn in rest),
        seconds_per_question=_mean(said.seconds for said in costs),
        seconds_p50=percentile([said.seconds for said in costs], 50),
        seconds_p95=percentile([said.seconds for said in costs], 95),
        queries_per_question=_mean(said.queries for said in costs),
        queries_p50=percentile([said.queries for said in costs], 50),
        candidate_queries_per_question=_mean(candidates) if candidates else None,
        usage=sum((said.usage for said in costs), Usage()),
        by_form=score_groups(head, lambda turn: turn.gold.form),
        by_link=score_groups(head, lambda turn: turn.gold.link),
        by_turn=score_groups(head, lambda turn: turn.gold.position),
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return the harmonic mean of two rates, 0 if both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile, linear between neighbours; 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _same(element: AnswerElement, right: AnswerElement, known: set[str]) -> bool:
    if element.iri in known:
        return element.iri == right.iri
    return element.matches(right)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0


def score_groups(turns: Iterable[TurnScore], name: Callable[[TurnScore], str | int]) -> dict[str, GroupScore]:
    """Return the size and the mean F1 of each group of turns, in the order of their names; an empty name is none."""
    grouped: dict[str | int, list[float]] = {}
    for turn in turns:
        grouped.setdefault(name(turn), []).append(turn.f1)
    return {str(key): GroupScore(len(grouped[key]), fmean(grouped[key])) for key in sorted(grouped, key=_order) if key}


def _order(key: str | int) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (0, key)

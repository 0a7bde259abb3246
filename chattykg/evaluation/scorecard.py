"""All figures of one system on one file of gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from chattyshared.dialogue import StageSeconds
from chattyshared.model import Usage
from chattyshared.sparql.analysis import parse_query_terms
from chattyshared.terms import iri_to_words

from chattykg.evaluation import external_metrics
from chattykg.evaluation.candidate_metrics import CandidateMetrics, CandidateRuns, measure_candidates
from chattykg.evaluation.error_analysis import LinkingRecall, count_failures, measure_linking
from chattykg.evaluation.metrics import (
    AggregateMetrics,
    Gold,
    GroupScore,
    Scores,
    SystemAnswer,
    TurnScore,
    aggregate_turns,
    mean,
    score_groups,
    score_run,
    score_turn,
    select_answerable,
    select_answered,
    select_follow_ups,
)
from chattykg.evaluation.reliability import Reliability, RiskCoverageCurve, compute_risk_coverage, measure_reliability
from chattykg.evaluation.significance import ConfidenceInterval, bootstrap_intervals
from chattykg.evaluation.system_runs import Answers
from chattykg.evaluation.table_matching import RowScore, score_rows
from chattykg.experience.query_kinds import kinds_of_question

GROUPINGS: tuple[tuple[str, Callable[[TurnScore], str | int]], ...] = (
    ("form", lambda turn: turn.gold.form),
    ("link", lambda turn: turn.gold.link),
    ("turn", lambda turn: turn.gold.position),
    ("answer_type", lambda turn: turn.gold.answer_type),
    ("question_type", lambda turn: _question_type(turn.gold)),
    ("length", lambda turn: _length_group(turn.gold.question)),
    ("triples", lambda turn: _triple_group(turn.gold)),
    ("lang", lambda turn: turn.gold.lang),
    ("kg", lambda turn: turn.gold.kg),
    ("seed_class", lambda turn: iri_to_words(turn.gold.seed_class) if turn.gold.seed_class else ""),
    ("seed_band", lambda turn: turn.gold.seed_band),
    ("predicate_band", lambda turn: turn.gold.predicate_band),
)
"""The groupings of turns, each with a function that names a turn's group (empty: in no group)."""

MAX_SHORT_WORDS, MAX_MEDIUM_WORDS = 6, 11
"""The most words of a short and of a medium question; the means in Chatty-KG's Table 8 are from 7 to 12 words."""

TIMED_STAGES = ("understanding", "linking", "selection", "execution")
"""The stages whose seconds an answers file states."""


@dataclass(frozen=True, slots=True)
class TableMetrics:
    """F1 of rows: means over the turns with gold, ``tables`` of them with several columns.

    ``exact`` and ``assigned`` as in ``table_matching``; ``tables_exact`` and ``tables_assigned`` only over the tables.
    """

    n: int = 0
    exact: float = 0.0
    assigned: float = 0.0
    tables: int = 0
    tables_exact: float = 0.0
    tables_assigned: float = 0.0


@dataclass(frozen=True, slots=True)
class RunCosts:
    """The costs of all turns with an answer line: totals, and mean seconds per question of each stage."""

    questions: int = 0
    usage: Usage = Usage()
    queries: int = 0
    seconds: float = 0.0
    stages: StageSeconds = StageSeconds()


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The figures of one system; ``turns`` are the scored turns in the order of the gold file.

    ``headline`` is over the turns with gold, ``with_empty_gold`` over all scored turns; ``answered_only`` and
    ``follow_ups_only`` are over parts of the headline. ``unknown_ids`` are ids of no question, ``failed_ids`` the ids
    of lines with an error.
    """

    name: str
    system: Answers
    scores: Scores
    turns: tuple[TurnScore, ...]
    headline: AggregateMetrics
    with_empty_gold: AggregateMetrics
    answered_only: AggregateMetrics
    follow_ups_only: AggregateMetrics
    table_metrics: TableMetrics
    text2sparql_official: external_metrics.Text2SparqlScore
    text2sparql_without_empty_gold: external_metrics.Text2SparqlScore
    text2sparql_corrected: external_metrics.Text2SparqlScore
    triad: external_metrics.TriadScore
    linking_recall: LinkingRecall
    failures: Mapping[str, int]
    intervals: Mapping[str, ConfidenceInterval]
    risk_coverage: RiskCoverageCurve | None
    reliability: Reliability | None
    costs: RunCosts
    groups: Mapping[str, Mapping[str, GroupScore]] = field(default_factory=dict)
    unknown_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()
    candidates: CandidateMetrics | None = None

    @property
    def headline_turns(self) -> list[TurnScore]:
        """The turns of the headline: those with gold."""
        return select_answerable(self.turns)


def score_system(
    name: str, gold: Sequence[Gold], system: Answers, *, seed: int = 0, runs: CandidateRuns | None = None
) -> Scorecard:
    """Score one system on all measures; ``seed`` is that of the bootstrap, ``runs`` are those of its candidates."""
    pairs = [(turn_gold, system.answer_to(turn_gold.id)) for turn_gold in gold]
    turns = tuple(score_turn(turn_gold, answer) for turn_gold, answer in pairs if turn_gold.is_scored)
    answerable = select_answerable(turns)
    question_ids = {turn_gold.id for turn_gold in gold}
    return Scorecard(
        name=name,
        system=system,
        scores=score_run(pairs),
        turns=turns,
        headline=aggregate_turns(answerable),
        with_empty_gold=aggregate_turns(turns),
        answered_only=aggregate_turns(select_answered(turns)),
        follow_ups_only=aggregate_turns(select_follow_ups(turns)),
        table_metrics=_table_metrics(pairs),
        text2sparql_official=external_metrics.score_text2sparql(turns),
        text2sparql_without_empty_gold=external_metrics.score_text2sparql(turns, with_empty_gold=False),
        text2sparql_corrected=external_metrics.score_text2sparql_corrected(turns),
        triad=external_metrics.score_triad(turns),
        linking_recall=measure_linking(turns, system.candidates),
        failures=count_failures(turns, system.failed_ids),
        intervals=bootstrap_intervals(answerable, seed=seed),
        risk_coverage=compute_risk_coverage(turns),
        reliability=measure_reliability(turns),
        costs=_run_costs([answer for _, answer in pairs if answer is not None]),
        groups={grouping: score_groups(answerable, name_of) for grouping, name_of in GROUPINGS},
        unknown_ids=tuple(id for id in system.lines if id not in question_ids),
        failed_ids=tuple(id for id, line in system.lines.items() if id in question_ids and line.error),
        candidates=None if runs is None else measure_candidates(gold, system.lines, runs),
    )


def _question_type(gold: Gold) -> str:
    """Return factoid, count or boolean, as Table 8 of Chatty-KG's paper tells questions apart.

    Without a gold query, a number is a count if the question asks for one in English.
    """
    if gold.answer_type == "boolean":
        return "boolean"
    terms = parse_query_terms(gold.sparql)
    asks_number = gold.answer_type == "number" and "count" in kinds_of_question(gold.question)
    is_count = terms.result_kind == "count" if terms else asks_number
    return "count" if is_count or gold.form == "count" else "factoid"


def _length_group(question: str) -> str:
    words = len(question.split())
    return "short" if words <= MAX_SHORT_WORDS else "medium" if words <= MAX_MEDIUM_WORDS else "long"


def _triple_group(gold: Gold) -> str:
    """Return the number of triple patterns of the gold query; four and more are one group."""
    terms = parse_query_terms(gold.sparql)
    if terms is None or not terms.triple_count:
        return ""
    return str(terms.triple_count) if terms.triple_count < 4 else "4+"


def _table_metrics(pairs: Iterable[tuple[Gold, SystemAnswer | None]]) -> TableMetrics:
    """Score rows; gold with one column has one row per element."""
    flat: list[RowScore] = []
    tables: list[RowScore] = []
    for gold, answer in pairs:
        gold_rows = gold.rows or tuple((element,) for element in gold.elements if gold.is_scored)
        if not gold_rows:
            continue
        answer_rows = (answer.rows or tuple((element,) for element in answer.elements)) if answer else ()
        (tables if gold.rows else flat).append(score_rows(gold_rows, answer_rows))
    scores = flat + tables
    return TableMetrics(
        len(scores), mean(score.exact for score in scores), mean(score.assigned for score in scores),
        len(tables), mean(score.exact for score in tables), mean(score.assigned for score in tables),
    )  # fmt: skip


def _run_costs(answers: Sequence[SystemAnswer]) -> RunCosts:
    if not answers:
        return RunCosts()
    stages = StageSeconds(
        **{stage: fmean(getattr(answer.stages, stage) for answer in answers) for stage in TIMED_STAGES}
    )
    usage = sum((answer.usage for answer in answers), Usage())
    queries, seconds = sum(answer.queries for answer in answers), sum(answer.seconds for answer in answers)
    return RunCosts(len(answers), usage, queries, seconds, stages)

"""All figures of one system on one file of gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from chattyshared.dialogue import StageSeconds
from chattyshared.model import Usage
from chattyshared.sparql.analysis import parse_query_terms

from chattykg.evaluation import external_metrics
from chattykg.evaluation.aggregate_metrics import (
    AggregateMetrics,
    aggregate_turns,
    select_answerable,
    select_answered,
    select_follow_ups,
)
from chattykg.evaluation.error_analysis import LinkingRecall, count_failures, measure_linking
from chattykg.evaluation.metrics import (
    Gold,
    GroupScore,
    Scores,
    SystemAnswer,
    TurnScore,
    score_groups,
    score_run,
    score_turn,
)
from chattykg.evaluation.risk_coverage import RiskCoverageCurve, compute_risk_coverage
from chattykg.evaluation.significance import ConfidenceInterval, bootstrap_intervals
from chattykg.evaluation.system_runs import SystemRun
from chattykg.evaluation.table_matching import RowScore, score_rows

GROUPINGS: tuple[tuple[str, Callable[[TurnScore], str | int]], ...] = (
    ("form", lambda turn: turn.gold.form),
    ("link", lambda turn: turn.gold.link),
    ("turn", lambda turn: turn.gold.position),
    ("answer_type", lambda turn: turn.gold.answer_type),
    ("triples", lambda turn: _triples(turn.gold)),
    ("lang", lambda turn: turn.gold.lang),
    ("kg", lambda turn: turn.gold.kg),
)
"""What turns are grouped by, and how the group of a turn is called; empty: it is in none."""

TIMED_STAGES = ("understanding", "linking", "selection", "execution")
"""The stages whose seconds an answers file tells."""


@dataclass(frozen=True, slots=True)
class TableMetrics:
    """F1 of rows: means over the turns with gold, ``tables`` of them with several columns.

    ``exact`` and ``assigned`` as in ``rows``; ``tables_exact`` and ``tables_assigned`` over the tables alone.
    """

    n: int = 0
    exact: float = 0.0
    assigned: float = 0.0
    tables: int = 0
    tables_exact: float = 0.0
    tables_assigned: float = 0.0


@dataclass(frozen=True, slots=True)
class RunCosts:
    """What all turns that have a line took: in all, and per question in each stage."""

    questions: int = 0
    usage: Usage = Usage()
    queries: int = 0
    seconds: float = 0.0
    stages: StageSeconds = StageSeconds()


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The figures of one system; ``turns`` are the scored turns in the order of the gold file.

    ``headline`` is over the turns with gold; ``whole`` over all scored turns, empty gold as well; ``answered`` and
    ``follow_ups`` are parts of the headline. ``unknown`` are ids that no question has, ``failed`` those of errors.
    """

    name: str
    system: SystemRun
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
    costs: RunCosts
    groups: Mapping[str, Mapping[str, GroupScore]] = field(default_factory=dict)
    unknown_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()

    @property
    def headline_turns(self) -> list[TurnScore]:
        """The turns of the headline: those with gold."""
        return select_answerable(self.turns)


def score_system(name: str, gold: Sequence[Gold], system: SystemRun, *, seed: int = 0) -> Scorecard:
    """Score one system on all measures; ``seed`` is that of the bootstrap."""
    pairs = [(right, system.answer_to(right.id)) for right in gold]
    turns = tuple(score_turn(right, said) for right, said in pairs if right.is_scored)
    head = select_answerable(turns)
    asked = {right.id for right in gold}
    return Scorecard(
        name=name,
        system=system,
        scores=score_run(pairs),
        turns=turns,
        headline=aggregate_turns(head),
        with_empty_gold=aggregate_turns(turns),
        answered_only=aggregate_turns(select_answered(turns)),
        follow_ups_only=aggregate_turns(select_follow_ups(turns)),
        table_metrics=_tables(pairs),
        text2sparql_official=external_metrics.score_text2sparql(turns),
        text2sparql_without_empty_gold=external_metrics.score_text2sparql(turns, with_empty_gold=False),
        text2sparql_corrected=external_metrics.score_text2sparql_corrected(turns),
        triad=external_metrics.score_triad(turns),
        linking_recall=measure_linking(turns, system.candidates),
        failures=count_failures(turns, system.failed_ids),
        intervals=bootstrap_intervals(head, seed=seed),
        risk_coverage=compute_risk_coverage(turns),
        costs=_costs([said for _, said in pairs if said is not None]),
        groups={by: score_groups(head, called) for by, called in GROUPINGS},
        unknown_ids=tuple(id for id in system.lines if id not in asked),
        failed_ids=tuple(id for id, line in system.lines.items() if id in asked and line.error),
    )


def _triples(gold: Gold) -> str:
    """Return the number of triple patterns of the gold query, from four on as one group."""
    named = parse_query_terms(gold.sparql)
    if named is None or not named.triple_count:
        return ""
    return str(named.triple_count) if named.triple_count < 4 else "4+"


def _tables(pairs: Iterable[tuple[Gold, SystemAnswer | None]]) -> TableMetrics:
    """Score rows; a turn whose gold is one column has as many rows as elements."""
    flat: list[RowScore] = []
    tables: list[RowScore] = []
    for gold, said in pairs:
        right = gold.rows or tuple((element,) for element in gold.elements if gold.is_scored)
        if not right:
            continue
        told = (said.rows or tuple((element,) for element in said.elements)) if said else ()
        (tables if gold.rows else flat).append(score_rows(right, told))
    every = flat + tables
    return TableMetrics(
        len(every), _mean(one.exact for one in every), _mean(one.assigned for one in every),
        len(tables), _mean(one.exact for one in tables), _mean(one.assigned for one in tables),
    )  # fmt: skip


def _costs(told: Sequence[SystemAnswer]) -> RunCosts:
    if not told:
        return RunCosts()
    stages = StageSeconds(**{stage: fmean(getattr(said.stages, stage) for said in told) for stage in TIMED_STAGES})
    usage = sum((said.usage for said in told), Usage())
    return RunCosts(len(told), usage, sum(said.queries for said in told), sum(said.seconds for said in told), stages)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0

"""All figures of one system on one file of gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from chattyshared.dialogue import Stages
from chattyshared.model import Usage

from chattykg.evaluation import external_metrics
from chattykg.evaluation.aggregate_metrics import Rates, answerable, follow_ups, processed, rates
from chattykg.evaluation.error_analysis import Linking, failures, linking
from chattykg.evaluation.metrics import Gold, Group, Said, Scores, TurnScore, groups, score, score_turn
from chattykg.evaluation.query_terms import named_in
from chattykg.evaluation.risk_coverage import Curve, curve
from chattykg.evaluation.significance import Interval, intervals
from chattykg.evaluation.system_runs import System
from chattykg.evaluation.table_matching import RowScore, score_rows

GROUPS: tuple[tuple[str, Callable[[TurnScore], str | int]], ...] = (
    ("form", lambda turn: turn.gold.form),
    ("link", lambda turn: turn.gold.link),
    ("turn", lambda turn: turn.gold.position),
    ("answer_type", lambda turn: turn.gold.kind),
    ("triples", lambda turn: _triples(turn.gold)),
    ("lang", lambda turn: turn.gold.lang),
    ("kg", lambda turn: turn.gold.kg),
)
"""What turns are grouped by, and how the group of a turn is called; empty: it is in none."""

WORK = ("understanding", "linking", "selection", "execution")
"""The stages whose seconds an answers file tells."""


@dataclass(frozen=True, slots=True)
class Tables:
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
class Costs:
    """What all turns that have a line took: in all, and per question in each stage."""

    questions: int = 0
    usage: Usage = Usage()
    queries: int = 0
    seconds: float = 0.0
    stages: Stages = Stages()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The figures of one system; ``turns`` are the scored turns in the order of the gold file.

    ``headline`` is over the turns with gold; ``whole`` over all scored turns, empty gold as well; ``answered`` and
    ``follow_ups`` are parts of the headline. ``unknown`` are ids that no question has, ``failed`` those of errors.
    """

    name: str
    system: System
    scores: Scores
    turns: tuple[TurnScore, ...]
    headline: Rates
    whole: Rates
    answered: Rates
    follow_ups: Rates
    tables: Tables
    official: external_metrics.SetScore
    official_today: external_metrics.SetScore
    corrected: external_metrics.SetScore
    triad: external_metrics.Triad
    linking: Linking
    failures: Mapping[str, int]
    intervals: Mapping[str, Interval]
    curve: Curve | None
    costs: Costs
    groups: Mapping[str, Mapping[str, Group]] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def head(self) -> list[TurnScore]:
        """The turns of the headline: those with gold."""
        return answerable(self.turns)


def sheet(name: str, gold: Sequence[Gold], system: System, *, seed: int = 0) -> Sheet:
    """Score one system on all measures; ``seed`` is that of the bootstrap."""
    pairs = [(right, system.said(right.id)) for right in gold]
    turns = tuple(score_turn(right, said) for right, said in pairs if right.scored)
    head = answerable(turns)
    asked = {right.id for right in gold}
    return Sheet(
        name=name,
        system=system,
        scores=score(pairs),
        turns=turns,
        headline=rates(head),
        whole=rates(turns),
        answered=rates(processed(turns)),
        follow_ups=rates(follow_ups(turns)),
        tables=_tables(pairs),
        official=external_metrics.text2sparql(turns),
        official_today=external_metrics.text2sparql(turns, empty_gold=False),
        corrected=external_metrics.text2sparql_corrected(turns),
        triad=external_metrics.triad(turns),
        linking=linking(turns, system.candidates),
        failures=failures(turns, system.errors),
        intervals=intervals(head, seed=seed),
        curve=curve(turns),
        costs=_costs([said for _, said in pairs if said is not None]),
        groups={by: groups(head, called) for by, called in GROUPS},
        unknown=tuple(id for id in system.lines if id not in asked),
        failed=tuple(id for id, line in system.lines.items() if id in asked and line.error),
    )


def _triples(gold: Gold) -> str:
    """Return the number of triple patterns of the gold query, from four on as one group."""
    named = named_in(gold.sparql)
    if named is None or not named.triples:
        return ""
    return str(named.triples) if named.triples < 4 else "4+"


def _tables(pairs: Iterable[tuple[Gold, Said | None]]) -> Tables:
    """Score rows; a turn whose gold is one column has as many rows as elements."""
    flat: list[RowScore] = []
    tables: list[RowScore] = []
    for gold, said in pairs:
        right = gold.rows or tuple((element,) for element in gold.elements if gold.scored)
        if not right:
            continue
        told = (said.rows or tuple((element,) for element in said.elements)) if said else ()
        (tables if gold.rows else flat).append(score_rows(right, told))
    every = flat + tables
    return Tables(
        len(every), _mean(one.exact for one in every), _mean(one.assigned for one in every),
        len(tables), _mean(one.exact for one in tables), _mean(one.assigned for one in tables),
    )  # fmt: skip


def _costs(told: Sequence[Said]) -> Costs:
    if not told:
        return Costs()
    stages = Stages(**{stage: fmean(getattr(said.stages, stage) for said in told) for stage in WORK})
    usage = sum((said.usage for said in told), Usage())
    return Costs(len(told), usage, sum(said.queries for said in told), sum(said.seconds for said in told), stages)


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fmean(listed) if listed else 0.0

"""Systems side by side: who is better and how surely, which questions were won and lost, what conditions cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import ConfidenceInterval, PairedTest, bootstrap_retention, run_paired_test


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two systems on the turns with gold: the test, and the turns that the second won and lost, widest first."""

    first: str
    second: str
    test: PairedTest
    wins: tuple[tuple[TurnScore, TurnScore], ...]
    losses: tuple[tuple[TurnScore, TurnScore], ...]

    @property
    def ties(self) -> int:
        """The number of turns with equal F1."""
        return self.test.n - len(self.wins) - len(self.losses)


@dataclass(frozen=True, slots=True)
class ConditionEffect:
    """What one condition costs: two runs that differ in it alone. ``kept`` is the percentage of F1 that is left.

    For the wording it is the retention of Chatty-KG's Table 5: 100 x F1 of follow-ups / F1 of standalone questions.
    It is a ratio of two measured means and may exceed 100: ``interval`` is its bootstrap interval, ``p`` the p-value
    of the paired test of the two means, ``better`` and ``worse`` count the turns on which the harder run is so.
    """

    condition: str
    easier: str
    harder: str
    f1_easier: float
    f1_harder: float
    interval: ConfidenceInterval | None
    p: float
    better: int
    worse: int

    @property
    def retained_percent(self) -> float | None:
        """The percentage; None where the easier run has no F1 to keep."""
        return 100 * self.f1_harder / self.f1_easier if self.f1_easier else None


_CONDITIONS = (
    ("follow-up language (retention)", "wording", "standalone", "follow-up"),
    ("error propagation (own history)", "history", "gold", "own"),
)


def compare_with_first(sheets: Sequence[Scorecard], *, seed: int = 0) -> tuple[PairedComparison, ...]:
    """Compare each later system with the first."""
    return tuple(_contest(sheets[0], other, seed) for other in sheets[1:])


def measure_condition_effects(sheets: Sequence[Scorecard], *, seed: int = 0) -> tuple[ConditionEffect, ...]:
    """Return what each condition costs, for every two runs whose manifests differ in that condition alone.

    A dialogue's first turns are the same under both wordings; they count, as in the published figure. Standalone
    questions are asked without a history: where no such run has the history of a follow-up run, any other stands in.
    """
    found = []
    for condition, key, easy, hard in _CONDITIONS:
        runs = [sheet for sheet in sheets if sheet.system.manifest.get(key) == easy]
        for harder in (sheet for sheet in sheets if sheet.system.manifest.get(key) == hard):
            same = [easier for easier in runs if _alike(easier, harder, {key})]
            near = [easier for easier in runs if key == "wording" and _alike(easier, harder, {key, "history"})]
            found += [_effect(condition, easier, harder, seed) for easier in same or near]
    return tuple(found)


def _effect(condition: str, easier: Scorecard, harder: Scorecard, seed: int) -> ConditionEffect:
    contest = _contest(easier, harder, seed)
    return ConditionEffect(
        condition, easier.name, harder.name, easier.headline.f1, harder.headline.f1,
        interval=bootstrap_retention(easier.headline_turns, harder.headline_turns, seed=seed), p=contest.test.p,
        better=len(contest.wins), worse=len(contest.losses),
    )  # fmt: skip


def _alike(one: Scorecard, other: Scorecard, keys: set[str]) -> bool:
    """Tell whether two manifests say the same but for some keys, and for the versions of programs and prompts."""
    loose = {*keys, "prompts", "versions"}
    left = {name: part for name, part in one.system.manifest.items() if name not in loose}
    return left == {name: part for name, part in other.system.manifest.items() if name not in loose}


def _contest(first: Scorecard, second: Scorecard, seed: int) -> PairedComparison:
    pairs = list(zip(first.headline_turns, second.headline_turns, strict=True))
    gaps = sorted(pairs, key=lambda pair: -abs(pair[1].f1 - pair[0].f1))
    return PairedComparison(
        first.name,
        second.name,
        run_paired_test(first.headline_turns, second.headline_turns, seed=seed),
        tuple(_apart(gaps, 1)),
        tuple(_apart(gaps, -1)),
    )


def _apart(gaps: Sequence[tuple[TurnScore, TurnScore]], sign: int) -> Iterator[tuple[TurnScore, TurnScore]]:
    return (pair for pair in gaps if sign * (pair[1].f1 - pair[0].f1) > 1e-9)

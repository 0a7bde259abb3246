"""Compares systems: paired tests, questions won and lost, and the cost of conditions (wording, history)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chattyshared.formats import gold as formats

from chattykg.evaluation.memorization import Memorization
from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import ConfidenceInterval, PairedTest, bootstrap_retention, run_paired_test


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two systems on the turns with gold: the test, and the turns that the second won and lost, largest gap first."""

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
    """The cost of one condition, from two runs that differ only in it.

    ``interval`` is the bootstrap interval of ``retained_percent``, ``p`` the p-value of the paired test of the two
    means. ``better`` and ``worse`` are the numbers of turns on which the harder run has a higher or a lower F1.
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
        """The percentage of F1 that is left in the harder run; None if the easier run has an F1 of 0.

        For the wording it is the retention of Chatty-KG's Table 5: 100 x F1 of follow-ups / F1 of standalone
        questions. It is a ratio of two measured means and may exceed 100.
        """
        return 100 * self.f1_harder / self.f1_easier if self.f1_easier else None


_CONDITIONS = (
    ("follow-up language (retention)", "wording", "standalone", "follow-up"),
    ("error propagation (own history)", "history", "gold", "own"),
)


def compare_with_first(scorecards: Sequence[Scorecard], *, seed: int = 0) -> tuple[PairedComparison, ...]:
    """Compare each other system with the first; ``seed`` is that of the resampling."""
    return tuple(_compare(scorecards[0], other, seed) for other in scorecards[1:])


def measure_condition_effects(scorecards: Sequence[Scorecard], *, seed: int = 0) -> tuple[ConditionEffect, ...]:
    """Return the cost of each condition, for every two runs whose manifests differ only in that condition.

    The first turns of dialogues are the same under both wordings; they count, as in the published figure. Standalone
    questions are asked without a history, so if no standalone run has the history of a follow-up run, one with another
    history is used.
    """
    effects = []
    for condition, key, easy, hard in _CONDITIONS:
        easier_runs = [card for card in scorecards if card.system.manifest.get(key) == easy]
        for harder in (card for card in scorecards if card.system.manifest.get(key) == hard):
            exact = [easier for easier in easier_runs if _same_setup(easier, harder, {key})]
            near = [
                easier for easier in easier_runs if key == "wording" and _same_setup(easier, harder, {key, "history"})
            ]
            effects += [_effect(condition, easier, harder, seed) for easier in exact or near]
    return tuple(effects)


def _effect(condition: str, easier: Scorecard, harder: Scorecard, seed: int) -> ConditionEffect:
    comparison = _compare(easier, harder, seed)
    return ConditionEffect(
        condition, easier.name, harder.name, easier.headline.f1, harder.headline.f1,
        interval=bootstrap_retention(easier.headline_turns, harder.headline_turns, seed=seed), p=comparison.test.p,
        better=len(comparison.wins), worse=len(comparison.losses),
    )  # fmt: skip


def _same_setup(one: Scorecard, other: Scorecard, keys: set[str]) -> bool:
    """Tell whether two manifests differ at most in ``keys`` and in the versions of programs and prompts."""
    ignored = {*keys, "prompts", "versions"}
    setup = {name: value for name, value in one.system.manifest.items() if name not in ignored}
    return setup == {name: value for name, value in other.system.manifest.items() if name not in ignored}


def _compare(first: Scorecard, second: Scorecard, seed: int) -> PairedComparison:
    pairs = list(zip(first.headline_turns, second.headline_turns, strict=True))
    by_gap = sorted(pairs, key=lambda pair: -abs(pair[1].f1 - pair[0].f1))
    return PairedComparison(
        first.name,
        second.name,
        run_paired_test(first.headline_turns, second.headline_turns, seed=seed),
        tuple(_pairs_with_gap(by_gap, 1)),
        tuple(_pairs_with_gap(by_gap, -1)),
    )


def _pairs_with_gap(pairs: Sequence[tuple[TurnScore, TurnScore]], sign: int) -> Iterator[tuple[TurnScore, TurnScore]]:
    return (pair for pair in pairs if sign * (pair[1].f1 - pair[0].f1) > 1e-9)


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """All systems on one file of gold.

    ``comparisons`` compare each other system with the first. ``effects`` are the costs of conditions that manifests
    state. ``mismatched_systems`` are the names of systems whose manifest states another question file. ``notes`` are
    what reading the gold repaired or left out. ``gold_file`` is the gold as it was read. ``memorization`` compares the
    first system with its answers on a twin.
    """

    gold: Path
    scorecards: tuple[Scorecard, ...]
    comparisons: tuple[PairedComparison, ...] = ()
    effects: tuple[ConditionEffect, ...] = ()
    mismatched_systems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    gold_file: formats.GoldFile | None = None
    memorization: Memorization | None = None

"""Compares systems: paired tests, questions won and lost, and the cost of conditions (wording, history)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattyshared.figures import Values
from chattyshared.formats import gold as formats

from chattykg.evaluation.metrics import TurnScore, mean_f1
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.significance import (
    SIGNIFICANCE_LEVEL,
    ConfidenceInterval,
    PairedTest,
    bootstrap_retention,
    run_paired_test,
)


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

    def describe(self) -> str:
        """Return which system is better, with the interval and the p-value."""
        low, high = self.test.interval
        turns = f"won {len(self.wins)}, lost {len(self.losses)}, even {self.ties} of {self.test.n}"
        gain = f"F1 {self.test.difference:+.3f} [{low:+.3f}, {high:+.3f}]"
        return f"{self.second} against {self.first}: {gain}, {self.test.describe_p()}; {turns}"


@dataclass(frozen=True, slots=True)
class ConditionEffect:
    """The cost of one condition, from two runs that differ only in it.

    ``comparison`` is that of the harder run against the easier one, ``interval`` the bootstrap interval of
    ``retained_percent``.
    """

    condition: str
    comparison: PairedComparison
    f1_easier: float
    f1_harder: float
    interval: ConfidenceInterval | None

    @property
    def retained_percent(self) -> float | None:
        """The percentage of F1 that is left in the harder run; None if the easier run has an F1 of 0.

        For the wording it is the retention of Chatty-KG's Table 5: 100 x F1 of follow-ups / F1 of standalone
        questions. It is a ratio of two measured means and may exceed 100.
        """
        return 100 * self.f1_harder / self.f1_easier if self.f1_easier else None

    def describe(self) -> str:
        """Return the cost with its interval and p-value, and what a percentage does not show: chance, or a gain."""
        easier, harder, test = self.comparison.first, self.comparison.second, self.comparison.test
        kept = "-" if self.retained_percent is None else f"{self.retained_percent:.1f} %"
        spread = f" [{self.interval.low:.1f}, {self.interval.high:.1f}]" if self.interval else ""
        verdict = ""
        if test.p >= SIGNIFICANCE_LEVEL:
            verdict = ": no difference beyond chance"
        elif self.retained_percent is not None and self.retained_percent > 100:
            verdict = ": the run that should be harder is better, so this is no cost; see the turns that differ"
        return (
            f"{self.condition}: F1 {self.f1_easier:.3f} ({easier}) -> {self.f1_harder:.3f} ({harder}), {kept} kept"
            f"{spread}, better on {len(self.comparison.wins)} turns, worse on {len(self.comparison.losses)}, "
            f"{test.describe_p()}{verdict}"
        )


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
    interval = bootstrap_retention(easier.answerable, harder.answerable, seed=seed)
    return ConditionEffect(condition, comparison, mean_f1(easier.answerable), mean_f1(harder.answerable), interval)


def _same_setup(one: Scorecard, other: Scorecard, keys: set[str]) -> bool:
    """Tell whether two manifests differ at most in ``keys`` and in the versions of programs and prompts."""
    ignored = {*keys, "prompts", "versions"}
    setup = {name: value for name, value in one.system.manifest.items() if name not in ignored}
    return setup == {name: value for name, value in other.system.manifest.items() if name not in ignored}


def _compare(first: Scorecard, second: Scorecard, seed: int) -> PairedComparison:
    pairs = list(zip(first.answerable, second.answerable, strict=True))
    by_gap = sorted(pairs, key=lambda pair: -abs(pair[1].f1 - pair[0].f1))
    return PairedComparison(
        first.name,
        second.name,
        run_paired_test(first.answerable, second.answerable, seed=seed),
        tuple(_pairs_with_gap(by_gap, 1)),
        tuple(_pairs_with_gap(by_gap, -1)),
    )


def _pairs_with_gap(pairs: Sequence[tuple[TurnScore, TurnScore]], sign: int) -> Iterator[tuple[TurnScore, TurnScore]]:
    return (pair for pair in pairs if sign * (pair[1].f1 - pair[0].f1) > 1e-9)


MISMATCH = "by their manifests these answers are to another file, or another state of it"


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationSet:
    """All systems on one file of gold.

    ``comparisons`` compare each other system with the first. ``effects`` are the costs of conditions that manifests
    state. ``mismatched_systems`` are the names of systems whose manifest states another question file. ``notes`` are
    what reading the gold repaired or left out. ``twin`` has the figures of the first system on a twin.
    """

    gold: formats.GoldFile
    scorecards: tuple[Scorecard, ...]
    comparisons: tuple[PairedComparison, ...] = ()
    effects: tuple[ConditionEffect, ...] = ()
    mismatched_systems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    twin: Values | None = None

    def warnings(self) -> Iterator[str]:
        """Yield sentences about the gold, answers that do not count, questions without a line, and other files."""
        path = self.gold.path
        yield from (f"{path}: {note}" for note in self.notes)
        for card in self.scorecards:
            unknown, failed, answers = card.unknown_ids, card.failed_ids, card.system.path
            missing = sum(turn.answer is None for turn in card.turns) - len(failed)
            if unknown:
                yield f"{len(unknown)} answers are to no question of {path} and are not counted: {_first_ids(unknown)}"
            if failed:
                yield f"{len(failed)} lines of {answers} hold errors and count as wrong: {_first_ids(failed)}"
            if missing > 0:
                yield f"{missing} questions have no line in {answers} and count as wrong"
        if self.mismatched_systems:
            yield f"{MISMATCH}: {_first_ids(self.mismatched_systems)}"


def _first_ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")

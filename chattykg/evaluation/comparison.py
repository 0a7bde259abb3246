"""Systems side by side: who is better and how surely, which questions were won and lost, what conditions cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattykg.evaluation.metrics import TurnScore
from chattykg.evaluation.scorecard import Sheet
from chattykg.evaluation.significance import Interval, Paired, kept, paired


@dataclass(frozen=True, slots=True)
class Contest:
    """Two systems on the turns with gold: the test, and the turns that the second won and lost, widest first."""

    first: str
    second: str
    test: Paired
    won: tuple[tuple[TurnScore, TurnScore], ...]
    lost: tuple[tuple[TurnScore, TurnScore], ...]

    @property
    def even(self) -> int:
        """The number of turns with equal F1."""
        return self.test.n - len(self.won) - len(self.lost)


@dataclass(frozen=True, slots=True)
class Effect:
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
    interval: Interval | None
    p: float
    better: int
    worse: int

    @property
    def kept(self) -> float | None:
        """The percentage; None where the easier run has no F1 to keep."""
        return 100 * self.f1_harder / self.f1_easier if self.f1_easier else None


_CONDITIONS = (
    ("follow-up language (retention)", "wording", "standalone", "follow-up"),
    ("error propagation (own history)", "history", "gold", "own"),
)


def contests(sheets: Sequence[Sheet], *, seed: int = 0) -> tuple[Contest, ...]:
    """Compare each later system with the first."""
    return tuple(_contest(sheets[0], other, seed) for other in sheets[1:])


def effects(sheets: Sequence[Sheet], *, seed: int = 0) -> tuple[Effect, ...]:
    """Return what each condition costs, for every two runs whose manifests differ in that condition alone.

    A dialogue's first turns are the same under both wordings; they count, as in the published figure. Standalone
    questions are asked without a history: where no such run has the history of a follow-up run, any other stands in.
    """
    found = []
    for condition, key, easy, hard in _CONDITIONS:
        runs = [sheet for sheet in sheets if sheet.system.made.get(key) == easy]
        for harder in (sheet for sheet in sheets if sheet.system.made.get(key) == hard):
            same = [easier for easier in runs if _alike(easier, harder, {key})]
            near = [easier for easier in runs if key == "wording" and _alike(easier, harder, {key, "history"})]
            found += [_effect(condition, easier, harder, seed) for easier in same or near]
    return tuple(found)


def _effect(condition: str, easier: Sheet, harder: Sheet, seed: int) -> Effect:
    contest = _contest(easier, harder, seed)
    return Effect(
        condition, easier.name, harder.name, easier.headline.f1, harder.headline.f1,
        interval=kept(easier.head, harder.head, seed=seed), p=contest.test.p,
        better=len(contest.won), worse=len(contest.lost),
    )  # fmt: skip


def _alike(one: Sheet, other: Sheet, keys: set[str]) -> bool:
    """Tell whether two manifests say the same but for some keys, and for the versions of programs and prompts."""
    loose = {*keys, "prompts", "versions"}
    left = {name: part for name, part in one.system.made.items() if name not in loose}
    return left == {name: part for name, part in other.system.made.items() if name not in loose}


def _contest(first: Sheet, second: Sheet, seed: int) -> Contest:
    pairs = list(zip(first.head, second.head, strict=True))
    gaps = sorted(pairs, key=lambda pair: -abs(pair[1].f1 - pair[0].f1))
    return Contest(
        first.name,
        second.name,
        paired(first.head, second.head, seed=seed),
        tuple(_apart(gaps, 1)),
        tuple(_apart(gaps, -1)),
    )


def _apart(gaps: Sequence[tuple[TurnScore, TurnScore]], sign: int) -> Iterator[tuple[TurnScore, TurnScore]]:
    return (pair for pair in gaps if sign * (pair[1].f1 - pair[0].f1) > 1e-9)

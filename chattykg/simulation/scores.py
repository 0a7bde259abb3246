"""The scores of simulated conversations: pure functions from the lines of their file to figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chattykg.evaluation.metrics import Gold, TurnScore, mean
from chattykg.evaluation.significance import bootstrap_intervals

Line = Mapping[str, Any]
_BASES = ("right", "wrong", "none")


def score_conversations(lines: Sequence[Line], *, seed: int = 0) -> dict[str, Any]:
    """Return the figures of conversations; rates are shares of goals (0 to 1); None: there is nothing to count."""
    goals = [goal for line in lines for goal in line["goals"]]
    asked = [goal for goal in goals if goal["turns"]]
    hung = {basis: [goal for goal in goals if goal["basis"] == basis] for basis in _BASES}
    reached = [goal for goal in goals if goal["reached"]]
    return {
        "conversations": len(lines),
        "statuses": dict(sorted(Counter(line["status"] for line in lines).items())),
        "goals": len(goals),
        "asked": len(asked),
        "reached": _mean_of(goals, lambda goal: goal["reached"]),
        "reached_interval": _interval(lines, seed),
        "reached_answerable": _mean_of([g for g in goals if g["answerable"]], lambda goal: goal["reached"]),
        "reached_unanswerable": _mean_of([g for g in goals if not g["answerable"]], lambda goal: goal["reached"]),
        "first_right": _mean_of(goals, lambda goal: goal["first_right"]),
        "turns_per_goal": _mean_of(asked, lambda goal: goal["turns"]),
        "turns_per_reached_goal": _mean_of(reached, lambda goal: goal["turns"]),
        "clarifications": {name: sum(goal[name] for goal in goals) for name in ("asked_back", "clarified", "resolved")},
        "refusals_overcome": _counts([g for g in goals if g["refused_at_first"] and g["answerable"]], "reached"),
        "errors": _counts([goal for goal in goals if goal["erred"]], "noticed", "recovered"),
        "right_answers_doubted": sum(goal["doubted"] for goal in goals),
        "error_propagation": {
            basis: {"goals": len(group), "failed": _mean_of(group, lambda goal: not goal["reached"])}
            for basis, group in hung.items()
        },
        "given_up": sum(goal["status"] == "given-up" for goal in goals),
        "skipped": sum(goal["status"] == "skipped" for goal in goals),
        "not_asked": sum(goal["status"] == "not-asked" for goal in goals),
        "model_calls": sum(line["usage"]["calls"] for line in lines),
    }


def _mean_of(goals: Sequence[Line], count: Callable[[Line], float]) -> float | None:
    return round(mean(map(count, goals)), 6) if goals else None


def _counts(goals: Sequence[Line], *names: str) -> dict[str, int]:
    return {"goals": len(goals)} | {name: sum(goal[name] for goal in goals) for name in names}


def _interval(lines: Sequence[Line], seed: int) -> list[float] | None:
    """Return the bootstrap interval of the share of goals that are reached, over whole conversations."""
    scores = []
    for line in lines:
        for goal in line["goals"]:
            rate = float(goal["reached"])
            scores.append(TurnScore(Gold("", dialogue=line["id"]), None, rate, rate, rate, goal["reached"]))
    interval = bootstrap_intervals(scores, seed=seed).get("f1")
    return [round(interval.low, 6), round(interval.high, 6)] if interval else None

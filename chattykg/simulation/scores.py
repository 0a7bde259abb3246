"""Simulated conversations as scores, as the table of these, and as people read them: all from the lines of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from chattyshared.text import Column, render_rows

from chattykg.evaluation.metrics import mean
from chattykg.evaluation.significance import bootstrap_means

Line = Mapping[str, Any]
_SHOWN_CHARACTERS = 300
"""Characters of a message that are shown."""
_BASES = {
    "right": "fail after a right answer", "wrong": "fail after an unnoticed error", "none": "fail after no answer",
}  # fmt: skip
_FAILURES = {
    "accepted": "the user believes a wrong answer", "given-up": "the user gave up",
    "cut-off": "the conversation ended meanwhile",
}  # fmt: skip
_ERRORS = {
    "kind": "this cannot be an answer to the question", "entity": "it is about something else",
    "note": "the notes say that it is about something else", "contradiction": "it contradicts an earlier answer",
}  # fmt: skip


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
    rows = [(line["id"], (float(goal["reached"]),)) for line in lines for goal in line["goals"]]
    if not rows:
        return None
    (interval,) = bootstrap_means(rows, seed=seed)
    return [round(interval.low, 6), round(interval.high, 6)]


def render_scores(figures: Mapping[str, Any]) -> str:
    """Return the figures as a table."""
    return "\n".join(render_rows((Column(min_width=30), Column(right=True), Column()), list(_rows(figures))))


def _rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    low, high = map(_percent, figures["reached_interval"] or (None, None))
    back, errors, refusals = figures["clarifications"], figures["errors"], figures["refusals_overcome"]
    statuses = ", ".join(f"{count} {status}" for status, count in figures["statuses"].items())
    yield "conversations", str(figures["conversations"]), statuses
    yield "goals", str(figures["goals"]), f"{figures['asked']} asked, {figures['skipped']} skipped"
    yield "goals reached", _percent(figures["reached"]), f"95 % interval {low} to {high}"
    yield "  with an answer", _percent(figures["reached_answerable"]), ""
    yield "  that cannot be answered", _percent(figures["reached_unanswerable"]), "the system says so"
    yield "goals right at first", _percent(figures["first_right"]), ""
    per_reached = f"{_number(figures['turns_per_reached_goal'])} per reached goal"
    yield "turns per goal", _number(figures["turns_per_goal"]), per_reached
    yield "clarifications asked", str(back["asked_back"]), f"{back['clarified']} answered, {back['resolved']} resolved"
    yield "refused at first", str(refusals["goals"]), f"{refusals['reached']} reached in other words"
    noticed = f"{errors['noticed']} noticed, {errors['recovered']} recovered"
    yield "goals with a wrong answer", str(errors["goals"]), noticed
    yield "right answers doubted", str(figures["right_answers_doubted"]), ""
    for basis, name in _BASES.items():
        group = figures["error_propagation"][basis]
        yield name, _percent(group["failed"]), f"of {group['goals']} goals that hang on one"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def render_conversation(line: Line) -> str:
    """Return a conversation as people read it: each goal with its talk, and what became of it."""
    reason = f" ({line['reason'][:_SHOWN_CHARACTERS]})" if line.get("reason") else ""
    lines = [f"{line['id']}: {line['status']}{reason}"]
    for goal in line["goals"]:
        lines += [f"  goal {goal['goal']}: {_verdict(goal)}"]
        lines += [f"    {text}" for turn in line["turns"] if turn["goal"] == goal["goal"] for text in _talk(turn)]
    return "\n".join(lines)


def _verdict(goal: Line) -> str:
    """Return whether a goal is reached, and why not."""
    if goal["reached"]:
        return "reached" if goal["answerable"] else "reached: the system says that it does not know"
    return f"not reached: {goal.get('reason') or _FAILURES[goal['status']]}"


def _talk(turn: Line) -> Iterator[str]:
    """Yield the lines of a message; a reply has its verdict and what the user saw."""
    text = " ".join(turn["text"].split())[:_SHOWN_CHARACTERS]
    if turn["role"] == "user":
        act = "" if turn["act"] == "ask" else f"[{turn['act']}] "
        yield f"user    {act}{text}".rstrip() if turn["act"] != "give-up" else "        (the user asks no further)"
        return
    text = f"(no answer: {text})" if turn["status"] == "error" else text
    yield f"system  {text}{'' if turn['status'] != 'answered' or turn['right'] else '  (wrong)'}"
    options = turn.get("clarification", {}).get("options", ()) if turn["status"] != "answered" else ()
    yield from (f"          {number}. {option['label']}" for number, option in enumerate(options, 1))
    if turn.get("visible_error"):
        yield f"        (the user sees: {_ERRORS[turn['visible_error']]})"

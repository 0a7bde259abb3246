"""Files of conversations: what a line holds, resumption, and when an unreachable system stops the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Value
from chattyshared.errors import BenchmarkInvalid, BudgetSpent, ConfigError, ModelUnavailable
from ship_talk import (
    ANN,
    BIRTH,
    BOB,
    CAPTAIN,
    COUNTRY,
    GERMANY,
    KIEL,
    LUND,
    REFUSAL,
    SCRAPPED,
    TALK,
    ScriptedEngine,
    converse,
    plan_of,
    told,
)

from chattykg.runs.answer_run import RunOptions
from chattykg.simulation.conversation_file import (
    conversation_to_json,
    read_conversations,
    render_conversation,
    render_scores,
    score_conversations,
    simulate_to_file,
)
from chattykg.simulation.goals import GoalPlan
from chattykg.simulation.simulated_user import UserSettings

SETTINGS = UserSettings()


def plans(count: int) -> list[GoalPlan]:
    return [GoalPlan(f"d{number}", plan_of(CAPTAIN, BIRTH).goals) for number in range(count)]


def run(path: Path, engine: Any, count: int = 2, **options: Any) -> list[str]:
    simulate_to_file(path, plans(count), SETTINGS, lambda _: engine, {"conversations": {}}, RunOptions(**options))
    return [line["status"] for line in read_conversations(path)]


def test_a_line_holds_the_talk_and_what_became_of_each_goal() -> None:
    engine = ScriptedEngine(told(BOB, about="Borealis", notes=("a note",)), told(ANN), told(LUND), REFUSAL)
    line = conversation_to_json(converse(plan_of(CAPTAIN, BIRTH, COUNTRY), engine))
    asked, reply = line["turns"][:2]
    assert asked == {"role": "user", "goal": 1, "act": "ask", "text": CAPTAIN.question}
    assert reply == {
        "role": "system", "goal": 1, "text": "Bob Ray", "status": "answered", "answers": [BOB.value],
        "labels": ["Bob Ray"], "notes": ["a note"], "right": False, "visible_error": "entity",
    }  # fmt: skip
    captain, birth, country = line["goals"]
    expected = {"reached": True, "first_right": False, "turns": 2, "noticed": True, "recovered": True}
    assert expected.items() <= captain.items()
    assert (birth["status"], birth["erred"], birth["noticed"], birth["hangs_on"]) == ("accepted", True, False, [1])
    assert (country["status"], country["basis"], country["refused_at_first"]) == ("given-up", "wrong", True)
    assert line["turns"][-1] == {"role": "user", "goal": 3, "act": "give-up", "text": ""}
    many = told(*(Value(f"v{number}", "literal") for number in range(500)))
    reply = conversation_to_json(converse(plan_of(CAPTAIN), ScriptedEngine(many)))["turns"][1]
    assert len(reply["answers"]) == len(reply["labels"]) == 100  # long answers are kept in part
    empty = conversation_to_json(converse(plan_of(CAPTAIN), ScriptedEngine(Answer(without_values="empty"))))
    assert empty["turns"][1]["status"] == "empty" and empty["goals"][0]["reached"] is False


def test_a_run_is_resumed_and_workers_change_nothing(tmp_path: Path) -> None:
    def answer() -> ScriptedEngine:
        return ScriptedEngine(told(ANN))

    whole, stopped = tmp_path / "whole.jsonl", tmp_path / "stopped.jsonl"
    assert run(whole, answer(), 3) == ["done"] * 3
    with pytest.raises(BudgetSpent):
        run(stopped, ScriptedEngine(told(ANN), told(ANN), BudgetSpent("spent")), 3)
    assert stopped.read_text().count("\n") == 1
    assert run(stopped, answer(), 3, workers=3) == ["done"] * 3
    assert stopped.read_bytes() == whole.read_bytes()
    silent = ScriptedEngine(told(ANN))
    run(stopped, silent, 3)
    assert silent.asked == []


def test_conversations_that_ended_in_an_error_are_held_again(tmp_path: Path) -> None:
    path, late = tmp_path / "c.jsonl", ModelUnavailable("late", reason="late")
    assert run(path, ScriptedEngine(told(ANN), told(KIEL), late)) == ["done", "error"]
    engine = ScriptedEngine(told(ANN), told(KIEL))
    assert run(path, engine) == ["done", "done"] and len(engine.asked) == 2


@pytest.mark.parametrize(("reason", "calls"), [("lost", 3), ("closed", 1), ("late", 5), ("garbled", 5)])
def test_a_run_goes_on_with_a_slow_system_and_stops_without_one(reason: Any, calls: int, tmp_path: Path) -> None:
    engine = ScriptedEngine(ModelUnavailable("no reply", reason=reason))
    if calls < 5:
        with pytest.raises(ConfigError, match="no reply"):
            run(tmp_path / "c.jsonl", engine, 5)
    else:
        assert run(tmp_path / "c.jsonl", engine, 5) == ["error"] * 5
    assert len(engine.asked) == calls
    later = ScriptedEngine(told(ANN), told(KIEL), ModelUnavailable("gone", reason="lost"))
    with pytest.raises(ModelUnavailable):  # it is lost later: the run can be resumed
        run(tmp_path / "later.jsonl", later, 5)


def test_a_bug_ends_one_conversation_and_is_counted(tmp_path: Path) -> None:
    engine = ScriptedEngine(ZeroDivisionError("a bug"), told(ANN))
    path = tmp_path / "c.jsonl"
    unexpected = simulate_to_file(path, plans(2), SETTINGS, lambda _: engine, {}, RunOptions())
    assert unexpected.total() == 1
    assert [line["status"] for line in read_conversations(path)] == ["error", "done"]
    assert "ZeroDivisionError" in (tmp_path / "c.jsonl.trace.jsonl").read_text()


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "d", "status": "bored", "turns": [], "goals": [], "usage": {"calls": 0}}))
    with pytest.raises(BenchmarkInvalid, match="line 1, \\$.status"):
        read_conversations(path)


def line_of(*replies: Any, turns: Any = (CAPTAIN, BIRTH, COUNTRY)) -> dict[str, Any]:
    return conversation_to_json(converse(plan_of(*turns), ScriptedEngine(*replies)))


def test_shares_are_over_all_goals_of_all_plans() -> None:
    right = line_of(told(ANN), told(KIEL), told(GERMANY), REFUSAL, turns=TALK.turns)
    refused = line_of(REFUSAL, turns=TALK.turns) | {"id": "d0002"}
    figures = score_conversations([right, refused])
    assert (figures["goals"], figures["asked"], figures["skipped"]) == (8, 6, 2)
    assert figures["reached"] == 5 / 8 and figures["reached_answerable"] == 0.5
    assert figures["reached_unanswerable"] == 1.0
    assert figures["turns_per_goal"] == round(7 / 6, 6)
    assert figures["statuses"] == {"done": 2}
    low, high = figures["reached_interval"]
    assert 0.25 <= low < 5 / 8 < high <= 1.0


def test_error_propagation_compares_goals_by_what_they_hang_on() -> None:
    sweden = told(Value("Sweden", "literal"))
    figures = score_conversations(
        [line_of(told(ANN), told(KIEL), told(GERMANY)), line_of(told(ANN), told(LUND), sweden)]
    )
    assert figures["error_propagation"] == {
        "right": {"goals": 3, "failed": round(1 / 3, 6)}, "wrong": {"goals": 1, "failed": 1.0},
        "none": {"goals": 0, "failed": None},
    }  # fmt: skip
    assert figures["errors"] == {"goals": 2, "noticed": 0, "recovered": 0}


def test_refusals_that_other_words_overcome_are_counted() -> None:
    figures = score_conversations([line_of(told(ANN), REFUSAL, told(KIEL), turns=(CAPTAIN, BIRTH))])
    assert figures["refusals_overcome"] == {"goals": 1, "reached": 1}
    assert (figures["first_right"], figures["reached"]) == (0.5, 1.0)


def test_nothing_gives_no_rates() -> None:
    figures = score_conversations([])
    assert (figures["reached"], figures["reached_interval"], figures["turns_per_goal"]) == (None, None, None)


REPLIES = (told(BOB, about="Borealis"), told(ANN), told(LUND), REFUSAL)
LINE = conversation_to_json(converse(plan_of(CAPTAIN, BIRTH, SCRAPPED), ScriptedEngine(*REPLIES)))


def test_a_conversation_shows_what_was_said_and_what_came_of_it() -> None:
    assert render_conversation(LINE).splitlines() == [
        "d0001: done",
        "  goal 1: reached",
        "    user    Who is the captain of Aurora?",
        "    system  Bob Ray  (wrong)",
        "            (the user sees: it is about something else)",
        "    user    [correct] No, I meant Aurora. Who is the captain of Aurora?",
        "    system  Ann Lee",
        "  goal 2: not reached: the user believes a wrong answer",
        "    user    Where was she born?",
        "    system  Lund Port  (wrong)",
        "  goal 4: reached: the system says that it does not know",
        "    user    When was the ship scrapped?",
        "    system  I do not know.",
        "    user    [rephrase] When was Aurora scrapped?",
        "    system  I do not know.",
        "            (the user asks no further)",
    ]


def test_the_table_says_each_figure_once() -> None:
    table = render_scores(score_conversations([LINE]))
    rows = {row[:30].strip(): row[30:].strip() for row in table.splitlines()}
    assert rows["goals with a wrong answer"].split() == ["2", "1", "noticed,", "1", "recovered"]
    assert rows["goals reached"].startswith("66.7 %")
    assert "nan" not in table and len(rows) == len(table.splitlines())
    assert "-" in render_scores(score_conversations([]))

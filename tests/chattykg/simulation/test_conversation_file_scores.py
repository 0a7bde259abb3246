"""The scores of conversations, counted by hand; conversations and scores as people read them."""

from __future__ import annotations

from typing import Any

from chattyshared.dialogue import Value
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

from chattykg.simulation.conversation_file import (
    conversation_to_json,
    render_conversation,
    render_scores,
    score_conversations,
)


def line(*replies: Any, turns: Any = (CAPTAIN, BIRTH, COUNTRY)) -> dict[str, Any]:
    return conversation_to_json(converse(plan_of(*turns), ScriptedEngine(*replies)))


def test_shares_are_over_all_goals_of_all_plans() -> None:
    right = line(told(ANN), told(KIEL), told(GERMANY), REFUSAL, turns=TALK.turns)
    refused = line(REFUSAL, turns=TALK.turns) | {"id": "d0002"}
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
    figures = score_conversations([line(told(ANN), told(KIEL), told(GERMANY)), line(told(ANN), told(LUND), sweden)])
    assert figures["error_propagation"] == {
        "right": {"goals": 3, "failed": round(1 / 3, 6)}, "wrong": {"goals": 1, "failed": 1.0},
        "none": {"goals": 0, "failed": None},
    }  # fmt: skip
    assert figures["errors"] == {"goals": 2, "noticed": 0, "recovered": 0}


def test_refusals_that_other_words_overcome_are_counted() -> None:
    figures = score_conversations([line(told(ANN), REFUSAL, told(KIEL), turns=(CAPTAIN, BIRTH))])
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

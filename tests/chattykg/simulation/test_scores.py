"""The scores of conversations, counted by hand."""

from __future__ import annotations

from typing import Any

from chattyshared.dialogue import Value
from ship_talk import (
    ANN,
    BIRTH,
    CAPTAIN,
    COUNTRY,
    GERMANY,
    KIEL,
    LUND,
    REFUSAL,
    TALK,
    ScriptedEngine,
    converse,
    plan_of,
    told,
)

from chattykg.simulation.conversation_file import conversation_to_json
from chattykg.simulation.scores import score_conversations


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

"""Conversations and scores as people read them."""

from __future__ import annotations

from ship_talk import ANN, BIRTH, BOB, CAPTAIN, LUND, REFUSAL, SCRAPPED, ScriptedEngine, converse, plan_of, told

from chattykg.simulation.conversation_file import conversation_to_json
from chattykg.simulation.scores import score_conversations
from chattykg.simulation.text_report import render_conversation, render_scores

REPLIES = (told(BOB, about="Borealis"), told(ANN), told(LUND), REFUSAL)
LINE = conversation_to_json(converse(plan_of(CAPTAIN, BIRTH, SCRAPPED), ScriptedEngine(*REPLIES)))


def test_a_conversation_shows_what_was_said_and_what_came_of_it() -> None:
    assert render_conversation(LINE).splitlines() == [
        "d0001: done",
        "  goal 1: reached",
        "    user    Who is the captain of Aurora?",
        "    system  Bob Ray.  (wrong)",
        "            (the user sees: it is about something else)",
        "    user    [correct] No, I meant Aurora. Who is the captain of Aurora?",
        "    system  Ann Lee.",
        "  goal 2: not reached: the user believes a wrong answer",
        "    user    Where was she born?",
        "    system  Lund Port.  (wrong)",
        "  goal 4: reached: the system says that it does not know",
        "    user    When was the ship scrapped?",
        "    system  I do not know.",
        "    user    [rephrase] When was Aurora scrapped?",
        "    system  I do not know.",
        "            (the user gives up)",
    ]


def test_the_table_says_each_figure_once() -> None:
    table = render_scores(score_conversations([LINE]))
    rows = {row[:30].strip(): row[30:].strip() for row in table.splitlines()}
    assert rows["goals with a wrong answer"].split() == ["2", "1", "noticed,", "1", "recovered"]
    assert rows["goals reached"].startswith("66.7 %")
    assert "nan" not in table and len(rows) == len(table.splitlines())
    assert "-" in render_scores(score_conversations([]))

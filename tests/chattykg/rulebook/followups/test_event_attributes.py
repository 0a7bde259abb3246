"""Attributes of the event that states the last answer."""

from __future__ import annotations

import pytest

from chattykg.conversation.referents import Property, Referent
from chattykg.rulebook.followups.event_attributes import ask_attribute, is_attribute_fragment

_CONTRACT = Referent(
    "contract 4", "http://lab.example/4", 1, "event",
    properties=(
        Property("start date", measure="date"), Property("end date", measure="date"),
        Property("weekly wage (euro)", measure="number"), Property("desk number", measure="number"),
        Property("agent", far_class_labels=("person",)),
    ),
)  # fmt: skip
_SEASON = Referent(
    "Spring 2021", "http://lab.example/s", 1, "topic", properties=(Property("visitors of the fair", measure="number"),)
)


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("Since when?", "What is the start date of contract 4?"),
        ("and until when exactly?", "What is the end date of contract 4?"),
        ("from when to when?", "What is the start date and the end date of contract 4?"),
        ("When did that happen?", "What is the start date of contract 4?"),
        ("since which year?", "In which year was the start date of contract 4?"),
        ("for how much?", "What is the weekly wage of contract 4?"),
        ("who was the agent?", "What is the agent of contract 4?"),
        ("with how many visitors?", "What is the visitors of the fair of Spring 2021?"),
        ("in which castle?", ""),
        ("how many are there?", ""),
    ],
)
def test_a_fragment_asks_the_event_of_the_last_answer(question: str, standalone: str) -> None:
    assert ask_attribute(question, (_SEASON, _CONTRACT)) == standalone


@pytest.mark.parametrize(
    ("question", "standalone"),
    [
        ("since when?", "What is the start date of Old Mill?"),
        ("at what time?", "What is the closing time of Old Mill?"),
    ],
)
def test_a_thing_itself_may_begin_and_have_times(question: str, standalone: str) -> None:
    dates = (Property("start date", measure="date"), Property("closing time"))
    assert (
        ask_attribute(question, (Referent("Old Mill", "http://lab.example/m", 1, "topic", properties=dates),))
        == standalone
    )


def test_of_several_events_none_is_meant() -> None:
    assert ask_attribute("since when?", (_CONTRACT, _CONTRACT)) == ""


def test_a_question_with_a_subject_is_no_fragment() -> None:
    assert is_attribute_fragment("until when?") and not is_attribute_fragment("How much does Ann earn?")

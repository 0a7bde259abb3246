"""Answers over numbers that are written as texts, and over durations: less sure, and with a note."""

from __future__ import annotations

import pytest
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK


@pytest.fixture(scope="module")
def engine() -> ChattyEngine:
    return ChattyEngine(open_graph("talks/units"), RuleModel(RULEBOOK))


def test_a_threshold_says_its_unit(engine: ChattyEngine) -> None:
    answer = engine.answer("Which films have a duration of more than 2 hours?")
    assert answer.notes == ("Compared in seconds.",)


def test_values_that_are_left_out_are_counted_and_make_unsure(engine: ChattyEngine) -> None:
    answer = engine.answer("Which film has the highest gross?")
    assert [value.label for value in answer.values] == ["Bravo"]
    assert answer.confidence < 0.5 and "1 of 3 numbers" in answer.notes[0]

"""Long turns: what reads them takes time in proportion to their length, and none is read beyond the limit."""

import time

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.conversation.input import split_questions
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK


@pytest.mark.parametrize("unit", [" ", ", ", " ,", "“"])
def test_a_turn_is_split_in_linear_time(unit):
    begun = time.process_time()
    split_questions("Who is it?" + unit * 20_000 + "x")
    assert time.process_time() - begun < 1


def test_a_question_is_folded_and_measured_before_it_is_read():
    engine = ChattyEngine(open_kg(["demo"]), RuleModel(RULEBOOK))
    assert engine.answer("Who directed" + " " * 9_000 + "Titanic?").values
    begun = time.process_time()
    answer = engine.answer("Who directed Titanic and " * 400)
    assert "too long" in answer.reason.text and len(answer.standalone) == engine.settings.question_limit
    assert time.process_time() - begun < 0.5

"""The rule model's reply to ``answer/qir``: the grammar parses the question with the vocabulary card."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.conversation.unstated_questions import find_unstated
from chattykg.qir import QIR, QuestionReading, readings_to_json, to_json
from chattykg.rulebook.grammar.parser import parse


def represent_question(request: Request) -> Any:
    """Reply with the readings of the question as JSON; with an empty one where there is none or no graph answers."""
    question, card = str(request.variables["question"]), request.variables["card"]
    parses = () if find_unstated(question, card) else parse(question, card)
    readings = [QuestionReading(each.qir, each.score, each.unused) for each in parses]
    return readings_to_json(readings) if readings else to_json(QIR("list", ""))

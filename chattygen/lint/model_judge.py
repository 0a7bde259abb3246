"""The judgement of a language model: one call a dialogue, whose defects join those of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.agent import THETA, load_agent
from chattyshared.check import Finding, Problem, list_first
from chattyshared.judging.judge import render_turns
from chattyshared.model import LanguageModel

from chattygen.lint.dialogue_view import DialogueView

MAX_SHOWN = 8
"""Answers of a turn that the model reads; set by hand."""


def check_turn_numbers(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Each defect is of a turn that the dialogue has."""
    for defect in reply["defects"]:
        if defect["turn"] > variables["number"]:
            yield Problem("turn", f"there is no turn {defect['turn']}: the last is {variables['number']}")


_AGENT = load_agent("judge/dialogue_lint", check_turn_numbers)


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A language model as a reader; ``theta`` attempts (1 or more) at each reply."""

    model: LanguageModel
    theta: int = THETA

    def find_defects(self, dialogue: DialogueView) -> list[Finding]:
        """Return the defects that the model names in a dialogue.

        Raises:
            ModelError: the model could not be asked, or no reply was usable.
        """
        turns = [
            (turn.question, list_first((answer.text for answer in turn.answers), MAX_SHOWN) if turn.answers else "")
            for turn in dialogue.turns
        ]
        variables = {"turns": render_turns(turns), "number": len(turns), "topic": dialogue.seed.label or "unknown"}
        reply = _AGENT(self.model, variables, theta=self.theta).value
        return [
            Finding(each["kind"], f'{each["why"]}: "{dialogue.turns[each["turn"] - 1].question}"', turn=each["turn"])
            for each in reply["defects"]
        ]

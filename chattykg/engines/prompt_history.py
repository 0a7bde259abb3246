"""The conversation as a prompt shows it, and the values of answers that are texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from chattyshared.answers import parse_value
from chattyshared.dialogue import Exchange, History, Value
from chattyshared.literals import parse_yes_no
from chattyshared.option_specs import SHOWN_ANSWERS

HistoryView = Literal["none", "questions", "answers"]
"""What a model sees of the earlier turns: nothing, the questions, or questions and answers."""


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """The earlier turns, reduced to ``view``, with the first ``limit`` answers of each."""

    history: History
    view: HistoryView
    limit: int = SHOWN_ANSWERS

    def as_prompt_text(self) -> str:
        """Return the turns as lines ``Q1: ...`` and ``A1: ...``, or ``(nothing)``."""
        lines = []
        for number, exchange in enumerate(() if self.view == "none" else self.history, 1):
            lines.append(f"Q{number}: {exchange.question}")
            if self.view == "answers":
                lines.append(f"A{number}: {render_answers(exchange, self.limit)}")
        return "\n".join(lines) or "(nothing)"


def render_answers(exchange: Exchange, limit: int) -> str:
    """Return the first ``limit`` answers of a turn as one text, or ``(not known)``."""
    values = exchange.answer.values
    more = f" (and {len(values) - limit} more)" if len(values) > limit else ""
    return "; ".join(answer_names(exchange, limit)) + more if values else "(not known)"


def answer_names(exchange: Exchange, limit: int) -> list[str]:
    """Return the names of the first ``limit`` answers of a turn."""
    return [value.text for value in exchange.answer.values[:limit]]


def parse_values(texts: Iterable[str]) -> tuple[Value, ...]:
    """Return the distinct texts as the values of an answer; a single yes or no is a boolean."""
    distinct = list(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))
    if len(distinct) == 1 and parse_yes_no(distinct[0]):
        return (Value(parse_yes_no(distinct[0]), "boolean"),)
    return tuple(map(parse_value, distinct))

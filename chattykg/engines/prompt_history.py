"""What these engines have in common: the conversation as a prompt shows it, and answers that are texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from chattyshared.dialogue import Exchange, History, Value
from chattyshared.option_specs import SHOWN_ANSWERS

HistoryView = Literal["none", "questions", "answers"]
"""What a model is shown of the turns before: nothing, the questions, or questions and answers."""
HISTORY_VIEWS: tuple[str, ...] = get_args(HistoryView)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_IRI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://|urn:)\S+")
_TRUTH = {"yes": "true", "no": "false", "true": "true", "false": "false"}


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """The turns before, as far as ``context`` lets them be seen, with the first ``limit`` answers of each."""

    history: History
    view: HistoryView
    limit: int = SHOWN_ANSWERS

    def as_prompt_text(self) -> str:
        """Return them as they stand in a prompt: questions as they were asked."""
        lines = []
        for number, exchange in enumerate(() if self.view == "none" else self.history, 1):
            lines.append(f"Q{number}: {exchange.question}")
            if self.view == "answers":
                lines.append(f"A{number}: {render_answers(exchange, self.limit)}")
        return "\n".join(lines) or "(nothing)"


def render_answers(exchange: Exchange, limit: int) -> str:
    """Return the first answers of a turn as words."""
    found = exchange.answer.values
    more = f" (and {len(found) - limit} more)" if len(found) > limit else ""
    return "; ".join(answer_names(exchange, limit)) + more if found else "(not known)"


def answer_names(exchange: Exchange, limit: int) -> list[str]:
    """Return the first answers of a turn by their names."""
    return [_name(one) for one in exchange.answer.values[:limit]]


def _name(one: Value) -> str:
    return {"true": "yes", "false": "no"}.get(one.value, one.value) if one.kind == "boolean" else one.label or one.value


def parse_values(texts: Iterable[str]) -> tuple[Value, ...]:
    """Return texts as the values of an answer, each once; a single yes or no is a boolean, an IRI an IRI."""
    kept = list(dict.fromkeys(filter(None, (" ".join(text.split()) for text in texts))))
    if len(kept) == 1 and kept[0].casefold() in _TRUTH:
        return (Value(_TRUTH[kept[0].casefold()], "boolean"),)
    return tuple(map(parse_value, kept))


def is_iri(text: str) -> bool:
    """Tell whether a text is an IRI."""
    return _IRI.fullmatch(text) is not None


def parse_value(text: str) -> Value:
    """Return one text as a value."""
    if is_iri(text):
        return Value(text, "iri")
    return Value(text, "number" if _NUMBER.fullmatch(text) else "literal")

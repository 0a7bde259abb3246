"""The conversation context C_q that the classifier, the rephraser and the translator read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chattyshared.dialogue import Exchange, History
from chattyshared.kg import KnowledgeGraph
from chattyshared.option_specs import SHOWN_ANSWERS

ANSWERS_PER_TURN = 3
"""Answers of a turn that the context shows; the referents show the others."""

MAX_CHARACTERS = 8_000
"""Most characters of a context in a prompt, about 2,000 tokens; one question and its answer always fit."""
MAX_ANSWER_CHARACTERS = 160
"""Characters of an answer that are shown: longer texts are not names."""


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """C_q: the standalone questions so far, with the first answers of each."""

    history: History
    shown_answers: int = SHOWN_ANSWERS

    def as_prompt_text(self) -> str:
        """Return the text in a prompt; a long conversation keeps its latest turns."""
        turns = [self._turn(number, exchange) for number, exchange in enumerate(self.history, 1)]
        room, first = MAX_CHARACTERS, len(turns)
        while first and room >= len(turns[first - 1]) + 1:
            first -= 1
            room -= len(turns[first]) + 1
        omitted = [f"({first} earlier turns left out)"] if first else []
        return "\n".join((*omitted, *turns[first:])) or "(nothing yet)"

    def _turn(self, number: int, exchange: Exchange) -> str:
        values = exchange.answer.values[: min(self.shown_answers, ANSWERS_PER_TURN)]
        answers = "; ".join((value.label or value.value)[:MAX_ANSWER_CHARACTERS] for value in values) or "(no answer)"
        unshown_count = len(exchange.answer.values) - len(values)
        question = exchange.answer.standalone or exchange.question
        return f"Q{number}: {question}\nA{number}: {answers}" + (
            f" (and {unshown_count} more)" if unshown_count > 0 else ""
        )


def with_class_labels(history: History, kg: KnowledgeGraph) -> History:
    """Return a conversation whose entities have class labels instead of class IRIs as types."""
    classes = kg.vocabulary.classes

    def with_labels(exchange: Exchange) -> Exchange:
        entities = tuple(
            replace(linked, type=classes[linked.type].label) if linked.type in classes else linked
            for linked in exchange.answer.entities
        )
        return replace(exchange, answer=replace(exchange.answer, entities=entities))

    return tuple(with_labels(exchange) for exchange in history)

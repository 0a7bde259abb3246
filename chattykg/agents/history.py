"""The conversation as the classifier and the rephraser read it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chattyshared.dialogue import Exchange, History
from chattyshared.kg import KnowledgeGraph

SHOWN_ANSWERS = 100
"""L: the first L answers of each turn are kept (Chatty-KG, section 4.2)."""


@dataclass(frozen=True, slots=True)
class Context:
    """C_q: the questions so far as understood, with the first answers of each."""

    history: History
    limit: int = SHOWN_ANSWERS

    def shown(self) -> str:
        """Return the conversation as it stands in a prompt."""
        lines = []
        for number, exchange in enumerate(self.history, 1):
            values = exchange.answer.values[: self.limit]
            said = "; ".join(value.label or value.value for value in values) or "(no answer)"
            more = len(exchange.answer.values) - len(values)
            lines.append(f"Q{number}: {exchange.answer.standalone or exchange.question}")
            lines.append(f"A{number}: {said}" + (f" (and {more} more)" if more > 0 else ""))
        return "\n".join(lines) or "(nothing yet)"


def with_nouns(history: History, kg: KnowledgeGraph) -> History:
    """Return a conversation whose entities have the labels of their classes in place of the IRIs, for their nouns."""
    classes = kg.vocabulary.classes

    def told(exchange: Exchange) -> Exchange:
        named = tuple(
            replace(linked, type=classes[linked.type].label) if linked.type in classes else linked
            for linked in exchange.answer.entities
        )
        return replace(exchange, answer=replace(exchange.answer, entities=named))

    return tuple(told(exchange) for exchange in history)

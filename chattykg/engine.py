"""What an engine is: a question and the conversation so far go in, an answer comes out."""

from __future__ import annotations

from typing import Protocol

from chattyshared.dialogue import Answer, History


class Engine(Protocol):
    """Answers questions over one KG; safe to call from several threads at once."""

    def answer(self, question: str, history: History = ()) -> Answer:
        """Answer one question.

        Raises:
            EndpointError, ModelError: the world failed; a question that cannot be answered is an empty ``Answer``.
        """

"""A turn of a staged dialogue before it is rewritten, as prompts show it."""

from __future__ import annotations

from dataclasses import dataclass

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import ANSWER_LINKS

from chattygen.context.facts import Entity


@dataclass(frozen=True, slots=True)
class DraftTurn:
    """A turn before it is rewritten: its independent question, its entity, and its link to the others.

    ``confusable_classes`` are labels of classes that the turn before mentions: a plain pronoun could refer to them too.
    """

    number: int
    question: str
    entity: Entity
    link: LinkName
    confusable_classes: tuple[str, ...] = ()

    @property
    def is_about_answer(self) -> bool:
        """Whether its entity is the answer of an earlier turn."""
        return self.link == "answer"

    def as_prompt_text(self) -> str:
        """Return the turn in one line."""
        about = f"about {self.entity.as_prompt_text()}"
        if self.link in ANSWER_LINKS:
            about += ", an earlier answer"
        if self.confusable_classes:
            about += f"; not to be confused with the {', '.join(self.confusable_classes)} just spoken of"
        return f"{self.number}. {self.question}   [{about}]"

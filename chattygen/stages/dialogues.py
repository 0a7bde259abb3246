"""Stage 3, dialogue generation: independent questions become a dialogue, with references in the later turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import LinkName
from chattyshared.model import LanguageModel, Usage

from chattygen.checks import ENGLISH, check_answers_hidden, check_rewriting
from chattygen.dialogue_language import DialogueLanguage
from chattygen.subgraph.facts import Entity

REWRITE = load_agent("generate/dialogue", check_rewriting)


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
        if self.is_about_answer:
            about += ", an earlier answer"
        if self.confusable_classes:
            about += f"; not to be confused with the {', '.join(self.confusable_classes)} just spoken of"
        return f"{self.number}. {self.question}   [{about}]"


def rewrite_dialogue(
    model: LanguageModel,
    drafts: Sequence[DraftTurn],
    answers: Sequence[Sequence[str]],
    *,
    theta: int,
    language: DialogueLanguage = ENGLISH,
) -> tuple[tuple[str, ...], Usage]:
    """Return the questions of a dialogue: the first unchanged, the later ones with references instead of names.

    ``answers`` are the texts of the answers of each turn: no prompt shows them, and no question may contain its own.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model fails.
    """
    first = drafts[0].question
    if len(drafts) == 1:
        return (first,), Usage()

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        answers_by_turn = {draft.number: texts for draft, texts in zip(drafts, answers, strict=True)}
        for turn in reply["turns"]:
            yield from check_answers_hidden(turn["question"], answers_by_turn.get(turn["turn"], ()))

    later_turns = f"2 to {len(drafts)}" if len(drafts) > 2 else "2"
    variables: dict[str, Any] = {"turns": tuple(drafts), "later": later_turns, "language": language}
    reply = Agent(REWRITE.prompt, (*REWRITE.checks, check_answers))(model, variables, theta=theta)
    later = tuple(" ".join(turn["question"].split()) for turn in reply.value["turns"])
    return (first, *later), reply.usage

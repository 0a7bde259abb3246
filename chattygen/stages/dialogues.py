"""The last of the three stages: independent questions become a dialogue, by references in the later turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import LinkName
from chattyshared.model import LanguageModel, Usage

from chattygen.checks import check_answers_hidden, check_rewriting
from chattygen.subgraph.facts import Entity

REWRITE = load_agent("generate/dialogue", check_rewriting)


@dataclass(frozen=True, slots=True)
class DraftTurn:
    """A turn before it is rewritten: its independent question, what it is about, and how it hangs on the others.

    ``unlike`` are the kinds of thing that the turn before has brought up and that a plain pronoun could mean as well.
    """

    number: int
    question: str
    entity: Entity
    link: LinkName
    confusable_classes: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Say the turn in one line, as prompts show it."""
        about = f"about {self.entity.as_prompt_text()}"
        if self.link == "answer":
            about += ", an earlier answer"
        if self.confusable_classes:
            about += f"; not to be confused with the {', '.join(self.confusable_classes)} just spoken of"
        return f"{self.number}. {self.question}   [{about}]"


def rewrite_dialogue(
    model: LanguageModel, drafts: Sequence[DraftTurn], answers: Sequence[Sequence[str]], *, theta: int
) -> tuple[tuple[str, ...], Usage]:
    """Return the questions of a dialogue: the first as it stands, the later ones with references for names.

    ``answers`` are those of each turn, as they would be said: they stand in no prompt, and not in their own question.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model cannot be asked.
    """
    first = drafts[0].question
    if len(drafts) == 1:
        return (first,), Usage()

    def keeps(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        by_turn = {draft.number: told for draft, told in zip(drafts, answers, strict=True)}
        for turn in reply["turns"]:
            yield from check_answers_hidden(turn["question"], by_turn.get(turn["turn"], ()))

    variables: dict[str, Any] = {"turns": tuple(drafts), "later": f"2 to {len(drafts)}" if len(drafts) > 2 else "2"}
    reply = Agent(REWRITE.prompt, (*REWRITE.checks, keeps))(model, variables, theta=theta)
    later = tuple(" ".join(turn["question"].split()) for turn in reply.value["turns"])
    return (first, *later), reply.usage

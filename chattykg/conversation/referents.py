"""Discourse referents: the entities and answers of a conversation that later questions may refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

LONGEST = 160
"""Characters of a label that are shown: longer texts are not names."""
CHARACTERS = 16_000
"""Most characters of all referents in a prompt, about 4,000 tokens."""


@dataclass(frozen=True, slots=True)
class Property:
    """A predicate at a vertex: its label, whether the vertex is its subject, the class labels at its far end."""

    label: str
    is_outward: bool = True
    far_class_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Referent:
    """A vertex or value of the conversation: its turn (from 1), role, and position in that turn's answer (from 1).

    ``topic``: named in the question; ``answer``: one of its answers; ``event``: a node that states the last answer and
    that nobody named. ``types`` are class labels, most specific first;
    ``gender`` is what the KG states (``female``, ``male`` or ""). ``answer_count`` counts the answers of that turn.
    ``properties`` are the predicates at it; empty if they were not looked up.
    """

    label: str
    iri: str
    turn: int
    role: Literal["topic", "answer", "event"]
    position: int = 1
    answer_count: int = 1
    types: tuple[str, ...] = ()
    gender: str = ""
    properties: tuple[Property, ...] = ()

    def as_prompt_text(self) -> str:
        """Return the line that stands in a prompt."""
        answer = f"answer {self.position} of {self.answer_count}"
        role = {"topic": "asked about", "event": "states the answer"}.get(self.role, answer)
        return f"turn {self.turn}, {role}: {self.label[:LONGEST]}{self.kind}"

    @property
    def kind(self) -> str:
        """Types and gender in brackets, as a prompt shows them behind a name."""
        known = ", ".join((*self.types[:2], *([self.gender] if self.gender else [])))
        return f" ({known})"[:LONGEST] if self.types else ""


class Referents(tuple[Referent, ...]):
    """The referents of a conversation, in its order; a prompt shows the answers of one turn in one line."""

    __slots__ = ()

    def as_prompt_text(self) -> str:
        """Return the text in a prompt: a line for each topic, and for each run of answers of one kind.

        A single answer is left out if the context already shows all that is known of it; a topic is shown at its latest
        turn.
        """
        latest = {one.label + one.kind: one.turn for one in self if one.role == "topic"}
        telling = (
            one
            for one in self
            if (one.kind or one.role != "answer" or one.answer_count > 1)
            and (one.role != "topic" or one.turn == latest[one.label + one.kind])
        )
        return "\n".join(_line(list(run)) for _, run in groupby(telling, _line_key)) or "(nothing else)"


def _line_key(referent: Referent) -> tuple[object, ...]:
    """Return the key that referents of one line share; each topic has a line of its own."""
    return referent.turn, referent.role, referent.kind, "" if referent.role == "answer" else referent.label


def _line(run: Sequence[Referent]) -> str:
    if len(run) == 1:
        return run[0].as_prompt_text()
    first, last = run[0], run[-1]
    names = "; ".join(one.label[:LONGEST] for one in run)
    positions = f"{first.position} to {last.position} of {first.answer_count}"
    return f"turn {first.turn}, answers {positions}{first.kind}: {names}"


def truncate_referents(referents: Sequence[Referent], max_characters: int = CHARACTERS) -> Referents:
    """Return the referents that fit into ``max_characters``: latest turns first, then first positions."""
    kept: set[int] = set()
    for index in sorted(range(len(referents)), key=lambda index: (-referents[index].turn, index)):
        max_characters -= len(referents[index].as_prompt_text()) + 1
        if max_characters < 0:
            break
        kept.add(index)
    return Referents(referent for index, referent in enumerate(referents) if index in kept)

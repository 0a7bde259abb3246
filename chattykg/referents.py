"""What later questions may refer to: the entities and answers of a conversation so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LONGEST = 160
"""Characters of a label that are shown: longer texts are not names."""
CHARACTERS = 16_000
"""The most that referents fill of a prompt: about 4,000 tokens."""


@dataclass(frozen=True, slots=True)
class Property:
    """A predicate at a vertex: its label, whether the vertex is its subject, the class labels at its far end."""

    label: str
    outward: bool = True
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Referent:
    """A vertex or value of the conversation: in which turn (from 1), as what, its place in that turn's answer (from 1).

    ``topic``: named in the question; ``answer``: one of its answers. ``types`` are class labels, most specific first;
    ``gender`` is what the KG states (``female``, ``male`` or ""). ``of`` counts the answers of that turn.
    ``properties`` is what the KG says about it at all; empty where that was not looked up.
    """

    label: str
    iri: str
    turn: int
    role: Literal["topic", "answer"]
    place: int = 1
    of: int = 1
    types: tuple[str, ...] = ()
    gender: str = ""
    properties: tuple[Property, ...] = ()

    def shown(self) -> str:
        """Return the line that stands in a prompt."""
        kind = f" ({', '.join((*self.types[:2], *([self.gender] if self.gender else [])))})" if self.types else ""
        role = "asked about" if self.role == "topic" else f"answer {self.place} of {self.of}"
        return f"turn {self.turn}, {role}: {self.label[:LONGEST]}{kind[:LONGEST]}"


def within(found: Sequence[Referent], room: int = CHARACTERS) -> tuple[Referent, ...]:
    """Return the referents that fit into so many characters: those of the latest turns, of each turn the first ones."""
    kept: set[int] = set()
    for place in sorted(range(len(found)), key=lambda place: (-found[place].turn, place)):
        room -= len(found[place].shown()) + 1
        if room < 0:
            break
        kept.add(place)
    return tuple(referent for place, referent in enumerate(found) if place in kept)

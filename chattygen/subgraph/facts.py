"""Entities and facts as a prompt shows them: what can be asked about an entity, with the answers hidden."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Literal

from chattyshared.terms import Term, Triple
from rdflib import URIRef

Shape = Literal["entity", "text", "date", "number"]
Gender = Literal["", "female", "male"]

LONGEST_NOTE = 90
"""Characters of a predicate's comment that a prompt shows."""
_SMALL = frozenset("a an the of".split())


@dataclass(frozen=True, slots=True)
class Entity:
    """What questions are about.

    ``noun`` is the label of its class; ``kinds`` the labels of this class and of its superclasses, nearest first.
    ``gender`` is empty unless the KG states it.
    """

    iri: URIRef
    label: str
    type: str
    noun: str
    kinds: tuple[str, ...] = ()
    gender: Gender = ""

    def shown(self) -> str:
        """Say the entity in one line."""
        kinds = " < ".join(self.kinds) or "no type stated"
        return f"{self.label} ({kinds}){f', {self.gender}' if self.gender else ''}"


@dataclass(frozen=True, slots=True)
class Step:
    """One predicate walked in one direction: ``out`` from subject to object."""

    predicate: str
    label: str
    direction: Literal["out", "in"] = "out"
    comment: str = ""

    def note(self) -> str:
        """Return the comment in brackets as prompts show it: cut at a word; nothing where it only repeats the label."""
        words = set(re.findall(r"\w+", self.comment.casefold())) - _SMALL
        if words <= set(re.findall(r"\w+", self.label.casefold())):
            return ""
        return f" ({textwrap.shorten(self.comment, LONGEST_NOTE, placeholder=' ...')})"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the KG states about an entity, with its objects hidden.

    ``steps`` has two elements for what is stated about the (only) neighbor behind the first step; ``via`` are then the
    labels of that neighbor's classes. ``kinds`` are the
    labels of the class that all hidden ends share, and of its superclasses; ``count`` is the number of hidden ends;
    ``forms`` are the kinds of question that it can carry; ``offer`` is a value to ask a yes-no question about.
    ``values`` say the ends where the context is full, and nothing is hidden from the prompt.
    """

    number: int
    steps: tuple[Step, ...]
    shape: Shape
    datatype: str = ""
    kinds: tuple[str, ...] = ()
    count: int = 1
    forms: tuple[str, ...] = ()
    offer: str = ""
    via: tuple[str, ...] = ()
    values: tuple[str, ...] = ()

    @property
    def last(self) -> Step:
        """The step that leads to the hidden ends."""
        return self.steps[-1]

    def shown(self) -> str:
        """Say the fact in one line, as prompts show it."""
        path = "THIS"
        for place, step in enumerate(self.steps, 1):
            goal = "; ".join(f'"{value}"' for value in self.values) or "?"
            end = goal if place == len(self.steps) else f"({self.via[0] if self.via else 'one thing'})"
            path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
        what = " < ".join(self.kinds) if self.shape == "entity" else self.datatype or self.shape
        line = f"{self.number}. {path}   [{what or 'entity'}; {self.count} value{'s'[: self.count != 1]}"
        line += f"; {', '.join(self.forms)}]"
        line += self.last.note()
        return f'{line} yes-no value: "{self.offer}"' if self.offer else line


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a fact hides from the prompt: its ends, the triples that lead there, the offered value and its truth.

    ``cut`` says that the KG states more ends than are listed here. ``langs`` are the languages that its query keeps.
    """

    ends: tuple[Term, ...]
    triples: tuple[Triple, ...]
    cut: bool = False
    langs: tuple[str, ...] = ()
    offer: Term | None = None
    truth: bool = True


@dataclass(frozen=True, slots=True)
class Summary:
    """An entity with its facts, and, side by side, what each of them hides."""

    entity: Entity
    facts: tuple[Fact, ...]
    hidden: tuple[Hidden, ...]

    def fact(self, number: int) -> tuple[Fact, Hidden]:
        """Return one fact by its number, with what it hides."""
        place = next(place for place, fact in enumerate(self.facts) if fact.number == number)
        return self.facts[place], self.hidden[place]


@dataclass(frozen=True, slots=True)
class Wish:
    """A question that is wanted: its form, and (not 0) the number of the fact that it shall ask."""

    form: str
    fact: int = 0

    def shown(self) -> str:
        """Say the wish in one line."""
        return f"- {self.form}, about fact {self.fact}" if self.fact else f"- {self.form}"

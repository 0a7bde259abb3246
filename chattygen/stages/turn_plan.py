"""What the turns of a plan ask: values that a model finds words for and that a query is compiled from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from chattyshared.dialogue import Link

from chattygen.subgraph.facts import Entity, Fact, Shape, Step

Pick = Literal["most", "least", "over", "under", "with", "without", "lacks", "rising", "falling"]
"""``most`` and ``least``: the member whose value is greatest, smallest (a date: latest, earliest); ``over`` and
``under``: those whose value is beyond a bound (strictly); ``with`` and ``without``: those that state, or do not state,
a given value; ``lacks``: those that state no value at all; ``rising`` and ``falling``: all of them, in that order."""

_PICKS: Mapping[str, str] = {
    "most": "the one with the most", "least": "the one with the least", "over": "those over the bound in",
    "under": "those under the bound in", "with": "those with", "without": "those without", "lacks": "those with no",
    "rising": "all, in rising order of", "falling": "all, in falling order of",
}  # fmt: skip
_BY_VALUE = ("with", "without", "lacks")


@dataclass(frozen=True, slots=True)
class Condition:
    """What picks among the members of a set, by something that the KG states about each member.

    ``step`` leads from a member to its value, ``shape`` and ``datatype`` are those of the values, ``value`` is the
    bound or the given value as it is said (empty where none is needed), ``kinds`` are the labels of the class of a
    given entity and of its superclasses.
    """

    pick: Pick
    step: Step
    shape: Shape
    datatype: str = ""
    value: str = ""
    kinds: tuple[str, ...] = ()

    def shown(self) -> str:
        """Say the condition in one line, as prompts show it."""
        what = self.kinds[0] if self.kinds else self.datatype or self.shape
        told = f'{_PICKS[self.pick]} "{self.step.label}" [{what}]'
        note = self.step.note() if self.pick not in _BY_VALUE else ""
        return told + note + (f': "{self.value}"' if self.value else "")


@dataclass(frozen=True, slots=True)
class Ask:
    """One turn of a plan: what it asks, of what, and how it hangs on an earlier turn (``of``; 0: only on the topic).

    Without a ``condition`` it asks ``fact`` of ``entity`` in the given form, as in multi-stage. With one, the hidden
    ends of ``fact`` are a set, and the condition picks from it (forms superlative, filter, conjunction, negation;
    count: how many it picks; list: its members in order). In a comparison, ``entity`` and ``other`` are the set,
    ``fact`` leads to what is compared, and the condition says which of the two is asked for; ``polar``: whether it is
    ``entity``.

    Links: ``topic``: the entity was spoken of before; ``answer``: it is the answer of turn ``of``; ``among``: the set
    are the answers of turn ``of``; ``position``: it is the answer number ``position`` (-1: the last) of turn ``of``,
    or the first or second thing named there; ``shift``: it asks of another entity what turn ``of`` asked.
    """

    number: int
    form: str
    link: Link
    entity: Entity
    fact: Fact
    condition: Condition | None = None
    other: Entity | None = None
    polar: bool = False
    position: int = 0
    of: int = 0

    def shown(self) -> str:
        """Say the turn in one line, as prompts show it."""
        hangs = self.link if not self.of else f"{self.link} of turn {self.of}"
        if self.position:
            hangs = f"number {self.position} of turn {self.of}" if self.position > 0 else f"last of turn {self.of}"
        told = f"{self.number}. {hangs} | {'yes-no ' * self.polar}{self.form} | {_named(self.entity)}"
        if self.other is not None and self.condition is not None:
            return f"{told} or {_named(self.other)} | {self.condition.shown()}"
        told += f" | {_path(self.fact)}"
        if self.condition is not None:
            return f"{told} | {self.condition.shown()}"
        return f'{told} yes-no value: "{self.fact.offer}"' if self.form == "boolean" else told


def _named(entity: Entity) -> str:
    kinds = " < ".join(entity.kinds[:2]) or "thing"
    return f'"{entity.label}" ({kinds}{", " + entity.gender if entity.gender else ""})'


def _path(fact: Fact) -> str:
    """Say what leads from the entity to what is asked for."""
    path = "THIS"
    for place, step in enumerate(fact.steps, 1):
        end = "?" if place == len(fact.steps) else f"({fact.via[0] if fact.via else 'one thing'})"
        path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
    what = " < ".join(fact.kinds[:2]) if fact.shape == "entity" else fact.datatype or fact.shape
    note = fact.last.note()
    return f"{path} [{what or 'thing'}; {fact.count} value{'s'[: fact.count != 1]}]{note}"

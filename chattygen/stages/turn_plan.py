"""What the turns of a plan ask: values that a model finds words for and that a query is compiled from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from chattyshared.dialogue import LinkName

from chattygen.subgraph.facts import Entity, Fact, Shape, Step

ConditionKind = Literal["most", "least", "over", "under", "with", "without", "lacks", "rising", "falling"]
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

    kind: ConditionKind
    step: Step
    shape: Shape
    datatype: str = ""
    value: str = ""
    class_labels: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Say the condition in one line, as prompts show it."""
        what = self.class_labels[0] if self.class_labels else self.datatype or self.shape
        told = f'{_PICKS[self.kind]} "{self.step.label}" [{what}]'
        note = self.step.render_comment() if self.kind not in _BY_VALUE else ""
        return told + note + (f': "{self.value}"' if self.value else "")


@dataclass(frozen=True, slots=True)
class TurnPlan:
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
    link: LinkName
    entity: Entity
    fact: Fact
    condition: Condition | None = None
    other_entity: Entity | None = None
    is_yes_no: bool = False
    position: int = 0
    antecedent_turn: int = 0

    def as_prompt_text(self) -> str:
        """Say the turn in one line, as prompts show it."""
        hangs = self.link if not self.antecedent_turn else f"{self.link} of turn {self.antecedent_turn}"
        if self.position:
            hangs = (
                f"number {self.position} of turn {self.antecedent_turn}"
                if self.position > 0
                else f"last of turn {self.antecedent_turn}"
            )
        told = f"{self.number}. {hangs} | {'yes-no ' * self.is_yes_no}{self.form} | {_named(self.entity)}"
        if self.other_entity is not None and self.condition is not None:
            return f"{told} or {_named(self.other_entity)} | {self.condition.as_prompt_text()}"
        told += f" | {_path(self.fact)}"
        if self.condition is not None:
            return f"{told} | {self.condition.as_prompt_text()}"
        return f'{told} yes-no value: "{self.fact.offered_value}"' if self.form == "boolean" else told


def _named(entity: Entity) -> str:
    kinds = " < ".join(entity.class_labels[:2]) or "thing"
    return f'"{entity.label}" ({kinds}{", " + entity.gender if entity.gender else ""})'


def _path(fact: Fact) -> str:
    """Say what leads from the entity to what is asked for."""
    path = "THIS"
    for place, step in enumerate(fact.steps, 1):
        end = (
            "?"
            if place == len(fact.steps)
            else f"({fact.via_class_labels[0] if fact.via_class_labels else 'one thing'})"
        )
        path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
    what = " < ".join(fact.class_labels[:2]) if fact.shape == "entity" else fact.datatype or fact.shape
    note = fact.last_step.render_comment()
    return f"{path} [{what or 'thing'}; {fact.count} value{'s'[: fact.count != 1]}]{note}"

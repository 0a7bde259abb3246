"""Turn plans: what the turns of a plan ask, as values that a model words and that a query is compiled from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import class_noun, denote_persons

from chattygen.subgraph.facts import Entity, Fact, Shape, Step

ConditionKind = Literal["most", "least", "over", "under", "with", "without", "rising", "falling"]
"""``most`` and ``least``: the member with the greatest or smallest value (of dates: the latest or earliest);
``over`` and ``under``: those with a value strictly above or below a bound; ``with`` and ``without``: those with, or
without, a given value; ``rising`` and ``falling``: all members, in that order."""

_KIND_TEXTS: Mapping[str, str] = {
    "most": "the one with the most", "least": "the one with the least", "over": "those over the bound in",
    "under": "those under the bound in", "with": "those with", "without": "those without",
    "rising": "all, in rising order of", "falling": "all, in falling order of",
}  # fmt: skip
_VALUE_KINDS = ("with", "without")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on the members of a set, by a value that the KG states about each member.

    ``step`` leads from a member to its value, ``shape`` and ``datatype`` are those of the values, ``value`` is the text
    of the bound or of the given value (empty: none is needed), ``class_labels`` are those of the class of a given
    entity and of its superclasses.
    """

    kind: ConditionKind
    step: Step
    shape: Shape
    datatype: str = ""
    value: str = ""
    class_labels: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Return the condition in one line."""
        what = self.class_labels[0] if self.class_labels else self.datatype or self.shape
        text = f'{_KIND_TEXTS[self.kind]} "{self.step.label}" [{what}]'
        note = self.step.render_comment() if self.kind not in _VALUE_KINDS else ""
        return text + note + (f': "{self.value}"' if self.value else "")


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """One turn of a plan: what it asks about an entity, and its link to an earlier turn (``antecedent_turn``; 0: none).

    Without a ``condition`` it asks ``fact`` of ``entity`` in the given form, as in multi-stage. With one, the hidden
    ends of ``fact`` are a set, and the condition selects from it (forms superlative, filter, conjunction, negation;
    count: the number of selected members; list: its members in order). In a comparison, ``entity`` and
    ``other_entity`` are the set, ``fact`` leads to the compared values, and the condition says which of the two is
    asked for; with ``is_yes_no``, whether it is ``entity``.

    Links: ``topic``: the entity was mentioned before; ``answer``: it is the answer of the antecedent; ``among``: the
    set are the answers of the antecedent; ``position``: it is the answer number ``position`` (-1: the last) of the
    antecedent, or of two compared there the other one, which the answer did not name; ``shift``: the question of the
    antecedent, about another entity.
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

    def with_kinds_before_names(self) -> TurnPlan:
        """Return the plan with entities that are named by kind and name."""
        other = self.other_entity and name_by_kind(self.other_entity)
        return replace(self, entity=name_by_kind(self.entity), other_entity=other)

    def as_prompt_text(self) -> str:
        """Return the turn in one line."""
        link = self.link if not self.antecedent_turn else f"{self.link} of turn {self.antecedent_turn}"
        if self.position:
            link = (
                f"number {self.position} of turn {self.antecedent_turn}"
                if self.position > 0
                else f"last of turn {self.antecedent_turn}"
            )
        text = f"{self.number}. {link} | {'yes-no ' * self.is_yes_no}{self.form} | {_entity_text(self.entity)}"
        if self.other_entity is not None and self.condition is not None:
            return f"{text} or {_entity_text(self.other_entity)} | {self.condition.as_prompt_text()}"
        text += f" | {_path_text(self.fact)}"
        if self.entity.is_invented:
            return f"{text} | another thing, by this name"
        if self.condition is not None:
            return f"{text} | {self.condition.as_prompt_text()}"
        return f'{text} yes-no value: "{self.fact.offered_value}"' if self.form == "boolean" else text


def name_by_kind(entity: Entity) -> Entity:
    """Return an entity whose kind stands before its name, if its label has the kind in brackets behind: ``the album
    Help!`` for ``Help! (album)``."""
    match = _KIND_BEHIND.fullmatch(entity.label)
    if match is None:
        return entity
    kind, nouns = match["kind"].casefold(), {class_noun(label).casefold() for label in entity.class_labels}
    is_kind = kind in nouns or (denote_persons((kind,)) and denote_persons(entity.class_labels))
    return replace(entity, label=f"the {kind} {match['name']}") if is_kind else entity


_KIND_BEHIND = re.compile(r"(?P<name>\W*\w.*) \((?P<kind>[^()]+)\)")


def _entity_text(entity: Entity) -> str:
    notes = ", ".join(filter(None, (*entity.class_labels[:1], entity.gender)))
    return f'"{entity.label}"' + (f" ({notes})" if notes else "")


def _path_text(fact: Fact) -> str:
    """Return the path from the entity to the hidden ends, as text."""
    path = "THIS"
    for number, step in enumerate(fact.steps, 1):
        end = (
            "?"
            if number == len(fact.steps)
            else f"({fact.via_class_labels[0] if fact.via_class_labels else 'one thing'})"
        )
        path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
    what = "".join(fact.class_labels[:1]) if fact.shape == "entity" else fact.datatype or fact.shape
    size = "1 or more" if fact.count == 1 and fact.asks_several else str(fact.count)
    kind = "; ".join(filter(None, (what, size)))
    return f"{path} [{kind}]{fact.last_step.render_comment(*fact.class_labels[:1])}"

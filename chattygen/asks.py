"""What the turns of a plan ask: values that a model finds words for and that a query is compiled from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chattyshared.dialogue import Link

from chattygen.facts import Entity, Fact, Shape, Step

Pick = Literal["most", "least", "over", "under", "with", "without", "lacks", "rising", "falling"]
"""``most`` and ``least``: the member whose value is greatest, smallest (a date: latest, earliest); ``over`` and
``under``: those whose value is beyond a bound (strictly); ``with`` and ``without``: those that state, or do not state,
a given value; ``lacks``: those that state no value at all; ``rising`` and ``falling``: all of them, in that order."""


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

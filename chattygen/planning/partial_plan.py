"""A plan under construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from chattygen.planning import coherence
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.turn_groups import TurnGroup
from chattygen.planning.turn_options import TurnOptions
from chattygen.subgraph.facts import Summary
from chattygen.turns import QuestionKey, TurnSpec


@dataclass(slots=True)
class PartialPlan:
    """A plan under construction: its groups of turns, what they ask, and the requests that are still pending."""

    turn_options: TurnOptions
    target_turns: int
    requests: list[TurnRequest]
    rng: Random
    groups: list[TurnGroup] = field(default_factory=list)
    asked_keys: set[QuestionKey] = field(default_factory=set)

    @property
    def context(self) -> PlanContext:
        """What the plan is sampled from."""
        return self.turn_options.context

    @property
    def turn_count(self) -> int:
        """How many turns there are."""
        return sum(len(group.turns) for group in self.groups)

    @property
    def turns_left(self) -> int:
        """How many turns can be added; one is reserved for an opening question if no group so far can open."""
        reserved = bool(self.groups) and not any(map(self.can_open, self.groups))
        return self.target_turns - self.turn_count - reserved

    @property
    def is_topic_ended(self) -> bool:
        """Whether a group ends the topic; there is at most one, and it comes last."""
        return any(group.ends_topic for group in self.groups)

    def pending_requests(self, *forms: str) -> list[TurnRequest]:
        """Return the pending requests for these forms."""
        return [request for request in self.requests if request.form in forms]

    def can_open(self, group: TurnGroup) -> bool:
        """Tell whether a dialogue can begin with a group; a dialogue of one turn asks anything that has an answer."""
        first = group.turns[0]
        if self.target_turns == 1:
            return first.link == "topic" and first.answerable
        return not group.ends_topic and coherence.can_open(first)

    def is_prepared(self, turn: TurnSpec, others: Iterable[TurnSpec] = ()) -> bool:
        """Tell whether the plan (not only at its end), or one of ``others``, asks what must come before a turn."""
        earlier_turns = (*turns_of(group for group in self.groups if not group.ends_topic), *others)
        return self.target_turns == 1 or coherence.is_prepared(turn, earlier_turns)

    def is_new(self, turn: TurnSpec, others: Iterable[TurnSpec] = ()) -> bool:
        """Tell whether a turn asks nothing that the plan, or one of ``others``, already asks."""
        keys = turn.exclusive_keys - {(form,) for form in self.turn_options.repeated_forms}
        return not keys & self.asked_keys and not any(keys & other.exclusive_keys for other in others)

    def shuffled(self, turns: Iterable[TurnSpec]) -> list[TurnSpec]:
        """Return turns in random order, interesting ones more often at the front."""
        interest = self.turn_options.interest
        return sorted(turns, key=lambda turn: self.rng.random() ** (1 / interest(turn)), reverse=True)

    def find_yes_no_turn(self, summary: Summary, earlier: Sequence[TurnSpec]) -> TurnSpec | None:
        """Return a requested yes-no question about an answer; None if there is none."""
        for request in self.pending_requests("boolean")[:1]:
            candidates = self.shuffled(self.turn_options.simple_turns(request, summary, "answer"))
            return next((turn for turn in candidates if self.is_new(turn, earlier)), None)
        return None

    def add(self, *turns: TurnSpec, ends_topic: bool = False, granted_requests: Iterable[TurnRequest] = ()) -> None:
        """Add a group of turns to the plan."""
        self.groups.append(TurnGroup(turns, ends_topic))
        self.asked_keys.update(*(turn.exclusive_keys for turn in turns))
        for request in granted_requests:
            self.requests.remove(request)

    def add_last(self, turn: TurnSpec, granted_requests: Iterable[TurnRequest]) -> None:
        """Add a turn that leaves the topic and that nothing depends on: to the group that ends the topic, or as one."""
        index = next((index for index, group in enumerate(self.groups) if group.ends_topic), len(self.groups))
        turns = self.groups[index].turns if index < len(self.groups) else ()
        self.groups[index : index + 1] = [TurnGroup((*turns, turn), ends_topic=True)]
        self.asked_keys.update(turn.exclusive_keys)
        for request in granted_requests:
            self.requests.remove(request)


def turns_of(groups: Iterable[TurnGroup]) -> Iterator[TurnSpec]:
    """Return the turns of some groups."""
    return (turn for group in groups for turn in group.turns)

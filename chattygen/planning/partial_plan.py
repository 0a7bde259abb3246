"""A plan in the making."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.planned_turn import PlannedTurn, QuestionKey
from chattygen.planning.turn_groups import TurnGroup
from chattygen.planning.turn_options import TurnOptions


@dataclass(slots=True)
class PartialPlan:
    """A plan in the making: its blocks, what they ask, and which wants are not granted yet."""

    turn_options: TurnOptions
    target_turns: int
    requests: list[TurnRequest]
    rng: Random
    groups: list[TurnGroup] = field(default_factory=list)
    asked_keys: set[QuestionKey] = field(default_factory=set)

    @property
    def context(self) -> PlanContext:
        """What the plan is drawn from."""
        return self.turn_options.context

    @property
    def turn_count(self) -> int:
        """How many turns there are."""
        return sum(len(block.turns) for block in self.groups)

    @property
    def turns_left(self) -> int:
        """How many turns are left; one is kept for a question that opens, where no block that there is can."""
        kept = bool(self.groups) and not any(block.can_open for block in self.groups if not block.ends_topic)
        return self.target_turns - self.turn_count - kept

    @property
    def is_topic_ended(self) -> bool:
        """Whether some block is closing: there is one at most, and it comes last."""
        return any(block.ends_topic for block in self.groups)

    def pending_requests(self, *forms: str) -> list[TurnRequest]:
        """Return the wants of these forms that are not granted yet."""
        return [want for want in self.requests if want.form in forms]

    def is_new(self, turn: PlannedTurn, beside: Iterable[PlannedTurn] = ()) -> bool:
        """Tell whether a turn asks nothing that another asks already."""
        return not turn.question_keys & self.asked_keys and not any(
            turn.question_keys & other.question_keys for other in beside
        )

    def shuffled(self, turns: Iterable[PlannedTurn]) -> list[PlannedTurn]:
        """Return some turns in an order by chance."""
        found = list(turns)
        self.rng.shuffle(found)
        return found

    def add(self, *turns: PlannedTurn, ends_topic: bool = False, granted_requests: Iterable[TurnRequest] = ()) -> None:
        """Take a block into the plan."""
        self.groups.append(TurnGroup(turns, ends_topic))
        self.asked_keys.update(*(piece.question_keys for piece in turns))
        for want in granted_requests:
            self.requests.remove(want)


def turns_of(groups: Iterable[TurnGroup]) -> Iterator[PlannedTurn]:
    """Return the turns of some blocks."""
    return (piece for block in groups for piece in block.turns)

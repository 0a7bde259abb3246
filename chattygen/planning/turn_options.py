"""All that a ground can give, found once, so that many drafts of a plan can be drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import SET_FORMS, SINGLE_ENTITY_FORMS, UNANSWERABLE
from rdflib import URIRef

from chattygen.planning.conditions import SelectedMembers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.plan_context import PlanContext, summary_of_other
from chattygen.planning.planned_turn import PlannedTurn
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.turn_construction import question_key, set_turn
from chattygen.planning.turn_groups import (
    comparison_turns,
    count_turns,
    leaks_answer,
    lookup_turns,
    set_conditions,
    two_hop_turns,
    unanswerable_turns,
    yes_no_turns,
)
from chattygen.run import RunContext
from chattygen.subgraph.facts import Summary

CachedItem = TypeVar("CachedItem")


class TurnOptions:
    """The turns that a ground can give, by what they are about; each kind is made when it is first asked for.

    What it holds depends on the ground alone, not on the order of asking.
    """

    def __init__(self, run: RunContext, context: PlanContext) -> None:
        self.run, self.context = run, context
        self._kept: dict[tuple[Any, ...], Any] = {}

    def lookup_turns(self, summary: Summary, link: LinkName = "topic") -> tuple[PlannedTurn, ...]:
        """Return the plain questions about a thing."""
        key = ("lookups", summary.entity.iri, link)
        return self._once(key, lambda _: self._silent(lookup_turns(summary, link=link, antecedent_index=_back(link))))

    def simple_turns(self, request: TurnRequest, summary: Summary, link: LinkName = "topic") -> tuple[PlannedTurn, ...]:
        """Return the turns of a form that needs one thing only: count, boolean, two hops, unanswerable."""
        if request.form == "boolean":
            return self._once(
                ("boolean", request.truth, summary.entity.iri, link),
                lambda _: [piece for piece in self._yes_no(summary, link) if piece.expected is request.truth],
            )
        return self._once((request.form, summary.entity.iri, link), lambda _: self._simple(request.form, summary, link))

    def _yes_no(self, summary: Summary, link: LinkName) -> tuple[PlannedTurn, ...]:
        return self._once(
            ("boolean", summary.entity.iri, link),
            lambda chance: yes_no_turns(self.context, summary, chance, link=link, antecedent_index=_back(link)),
        )

    def _simple(self, form: str, summary: Summary, link: LinkName) -> Iterable[PlannedTurn]:
        if form == "count":
            return count_turns(summary, link=link, antecedent_index=_back(link))
        if form == "unanswerable":
            return unanswerable_turns(self.context, summary, link=link, antecedent_index=_back(link))
        return self._silent(two_hop_turns(self.context)) if form == "two-hop" and summary is self.context.seed else ()

    def comparison_turns(self, request: TurnRequest) -> tuple[PlannedTurn, ...]:
        """Return the comparisons of the seed with others of its kind."""
        key = ("comparison", request.is_yes_no, request.is_yes_no and request.truth)
        return self._once(key, lambda chance: comparison_turns(self.context, request, chance))

    def set_conditions(self, answer_set: AnswerSet, form: str) -> tuple[SelectedMembers, ...]:
        """Return the conditions that a set offers for a form (``list``: its orders)."""
        key = ("picks", form, question_key(answer_set.owner, answer_set.fact))
        return self._once(key, lambda chance: set_conditions(self.run, self.context, answer_set, form, chance))

    def set_turns(self, answer_set: AnswerSet, form: str, link: LinkName = "topic") -> tuple[PlannedTurn, ...]:
        """Return the turns of a form that pick from a set."""

        def made(_: Random) -> Iterator[PlannedTurn]:
            return self._silent(
                set_turn(answer_set, one, form, link=link) for one in self.set_conditions(answer_set, form)
            )

        return self._once(("picked", form, question_key(answer_set.owner, answer_set.fact), link), made)

    def summary_of_other(self, iri: URIRef) -> Summary | None:
        """Return what can be asked about a thing that a question may name; None if there is nothing."""

        def made(_: Random) -> Iterator[Summary | None]:
            yield summary_of_other(self.run, self.context, iri) if self.context.names.name_of(iri) else None

        return self._once(("beyond", iri), made)[0]

    def available_forms(self) -> tuple[str, ...]:
        """Return the forms (and ``answer``, ``shift``, ``position``) that the ground can give."""
        return self._once(("able",), lambda _: self._able())

    def _able(self) -> Iterator[str]:
        ground = self.context
        told = [bridge.summary for bridge in ground.bridges if ground.names.name_of(bridge.summary.entity.iri)]
        yield from (
            form for form in SET_FORMS if any(self.set_conditions(members, form) for members in ground.answer_sets)
        )
        for form in (*SINGLE_ENTITY_FORMS, UNANSWERABLE):
            if any(self.simple_turns(TurnRequest(form), one, link) for one, link in self._about(told)) or (
                form == "count" and any(self.set_conditions(members, form) for members in ground.answer_sets)
            ):
                yield form
        if self.comparison_turns(TurnRequest("comparison")):
            yield "comparison"
        if told:
            yield "answer"
        if self.comparison_turns(TurnRequest("comparison")) or any(
            self.set_conditions(members, "list") for members in ground.answer_sets
        ):
            yield "position"
        forms = {(piece.fact.last_step.predicate, piece.form) for piece in self.lookup_turns(ground.seed)}
        if any(
            (p.fact.last_step.predicate, p.form) in forms
            for one in ground.siblings
            for p in self.lookup_turns(one, "shift")
        ):
            yield "shift"

    def _about(self, told: Iterable[Summary]) -> Iterator[tuple[Summary, LinkName]]:
        yield self.context.seed, "topic"
        yield from ((one, "answer") for one in told)

    def _silent(self, pieces: Iterable[PlannedTurn]) -> Iterator[PlannedTurn]:
        """Leave out what would tell its own answer."""
        return (piece for piece in pieces if not leaks_answer(self.context, piece))

    def _once(self, key: tuple[Any, ...], make: Callable[[Random], Iterable[CachedItem]]) -> tuple[CachedItem, ...]:
        if key not in self._kept:
            place = f"{self.run.options.seed}/menu/{self.context.seed.entity.iri}/{key}"
            self._kept[key] = tuple(make(Random(place)))
        found: tuple[CachedItem, ...] = self._kept[key]
        return found


def _back(link: LinkName) -> int:
    """Return the place of the turn that a turn of a link hangs on, within its block, unless it is another one."""
    return -1 if link == "topic" else 0

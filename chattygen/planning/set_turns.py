"""Lists and what is picked from them: the turns of a plan that need a set.

"Them" is the list that was given last. So what picks one thing from it comes before what picks several or counts some,
and after this nobody picks from the list again, unless the question says the set in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import NARROWING_FORMS

from chattygen.planning.conditions import SelectedMembers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.partial_plan import PartialPlan
from chattygen.planning.planned_turn import PlannedTurn
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.turn_construction import set_turn, single_fact_turn
from chattygen.planning.turn_groups import ends_topic

POSITIONS = (1, 2, 2, 3, -1)


def add_set_group(plan: PartialPlan) -> None:
    """Ask for a list, and then pick from it what was dealt; the list tells its order where a place is wanted."""
    best: tuple[list[PlannedTurn], list[TurnRequest]] = ([], [])
    ground = plan.context
    for members in plan.rng.sample(ground.answer_sets, len(ground.answer_sets)):
        pieces, granted = _set_block(plan, members)
        if len(granted) > len(best[1]):
            best = pieces, granted
    if best[1]:
        pieces, granted = best
        strays = any(piece.entity != ground.seed.entity for piece in pieces)
        plan.add(
            *pieces, ends_topic=strays or any(ends_topic(ground, piece) for piece in pieces), granted_requests=granted
        )


def _set_block(sketch: PartialPlan, members: AnswerSet) -> tuple[list[PlannedTurn], list[TurnRequest]]:
    """Return the turns that ask for a set and pick from it, with the wants that they grant."""
    led, link, back = _led_to(sketch, members)
    if members.fact.forms[0] not in ("list", "subject") or sketch.turns_left < len(led) + 2:
        return [], []
    if sketch.is_topic_ended and (led or sketch.pending_requests("position")):
        return [], []
    if sketch.pending_requests("position"):
        pieces, granted = _by_place(sketch, members, led, link, back)
        if granted:
            return pieces, granted
    given = single_fact_turn(
        members.owner, members.fact, members.hidden, members.fact.forms[0], link=link, antecedent_index=back
    )
    if not all(sketch.is_new(piece) for piece in (*led, given)) or (
        sketch.is_topic_ended and ends_topic(sketch.context, given)
    ):
        return [], []
    return _picked(sketch, members, [*led, given])


def _led_to(sketch: PartialPlan, members: AnswerSet) -> tuple[list[PlannedTurn], LinkName, int]:
    """Return the turn that leads to the owner of a set, where that is an answer, and how the list hangs on it."""
    if not members.seed_fact_number:
        return [], "topic", -1
    fact, hidden = sketch.context.seed.fact_by_number(members.seed_fact_number)
    return [single_fact_turn(sketch.context.seed.entity, fact, hidden, fact.forms[0])], "answer", 0


def _by_place(
    sketch: PartialPlan, members: AnswerSet, led: list[PlannedTurn], link: LinkName, back: int
) -> tuple[list[PlannedTurn], list[TurnRequest]]:
    """Ask for a set in order, and then about things at places of it."""
    orders = sketch.turn_options.set_conditions(members, "list")
    if not orders:
        return [], []
    picked = sketch.rng.choice(orders)
    pieces = [*led, set_turn(members, picked, "list", link=link, antecedent_index=back)]
    granted: list[TurnRequest] = []
    if not all(sketch.is_new(piece) for piece in pieces):
        return [], []
    for want, place in zip(
        sketch.pending_requests("position"), sketch.rng.sample(POSITIONS, len(POSITIONS)), strict=False
    ):
        found = sketch.shuffled(_placed(sketch, picked, place, pieces[len(led)], len(led)))
        piece = next((one for one in found if sketch.is_new(one, pieces)), None)
        if piece is not None and len(pieces) < sketch.turns_left:
            pieces.append(piece)
            granted.append(want)
    return pieces, granted


def _placed(
    sketch: PartialPlan, picked: SelectedMembers, place: int, given: PlannedTurn, back: int
) -> Iterator[PlannedTurn]:
    """Yield questions about the member at a place (1 is the first, -1 the last) of the ordered list just given."""
    iri = picked.members[place - 1 if place > 0 else place]
    found = sketch.turn_options.summary_of_other(iri) if iri != sketch.context.seed.entity.iri else None
    known = (picked.condition.step.predicate, given.fact.last_step.predicate)
    for piece in sketch.turn_options.lookup_turns(found, "position") if found is not None else ():
        if piece.form != "list" and piece.fact.last_step.predicate not in known:
            yield replace(piece, position=place, antecedent_index=back)


def _picked(
    sketch: PartialPlan, members: AnswerSet, pieces: list[PlannedTurn]
) -> tuple[list[PlannedTurn], list[TurnRequest]]:
    """Pick from a list: one thing first, then several once, or talk about the thing."""
    granted: list[TurnRequest] = []
    back, room = len(pieces) - 1, sketch.turns_left
    single = sketch.pending_requests("superlative")
    several = [
        want for want in sketch.pending_requests(*NARROWING_FORMS) if want.form != "count" or sketch.rng.random() < 0.5
    ]
    for want in (*single, *several):
        piece = _from_list(sketch, members, want, back, pieces) if len(pieces) < room else None
        if piece is not None and not (sketch.is_topic_ended and ends_topic(sketch.context, piece)):
            pieces.append(piece)
            granted.append(want)
            if want.form in NARROWING_FORMS:
                return pieces, granted
    if granted and pieces[-1].form == "superlative" and not sketch.is_topic_ended:
        _about_the_one(sketch, pieces, granted)
    return pieces, granted


def _from_list(
    sketch: PartialPlan, members: AnswerSet, want: TurnRequest, back: int, beside: list[PlannedTurn]
) -> PlannedTurn | None:
    """Return a turn that picks from the list just given, or counts what a condition picks."""
    found = sketch.shuffled(sketch.turn_options.set_turns(members, want.form, "among"))
    piece = next((one for one in found if sketch.is_new(one, beside)), None)
    return None if piece is None else replace(piece, antecedent_index=back)


def _about_the_one(sketch: PartialPlan, pieces: list[PlannedTurn], granted: list[TurnRequest]) -> None:
    """Go on about the thing that was picked last, as often as turns about an answer are wanted."""
    last = pieces[-1]
    assert isinstance(last.expected, tuple) and last.condition is not None
    found = sketch.turn_options.summary_of_other(last.expected[0])  # type: ignore[arg-type]
    back = len(pieces) - 1
    able = sketch.shuffled(sketch.turn_options.lookup_turns(found, "answer")) if found is not None else []
    known = (last.condition.step.predicate, last.fact.last_step.predicate)
    for want in sketch.pending_requests("answer"):
        fresh = (one for one in able if one.fact.last_step.predicate not in known)
        piece = next((one for one in fresh if sketch.is_new(one, pieces)), None)
        if piece is not None and len(pieces) < sketch.turns_left:
            pieces.append(replace(piece, antecedent_index=back))
            granted.append(want)


def standalone_set_turns(plan: PartialPlan, request: TurnRequest) -> Iterator[PlannedTurn]:
    """Yield turns that pick from a set which they say in full: ``Which of his films ...?``"""
    for members in plan.context.answer_sets:
        if members.owner == plan.context.seed.entity:
            for piece in plan.turn_options.set_turns(members, request.form):
                if not (plan.is_topic_ended and ends_topic(plan.context, piece)):
                    yield piece

"""Draw a plan: blocks of turns that grant what is wanted, as far as the ground can give it, in an order that reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from chattyshared.question_forms import SET_FORMS, SINGLE_ENTITY_FORMS, UNANSWERABLE

from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.partial_plan import PartialPlan, turns_of
from chattygen.planning.planned_turn import PlannedTurn
from chattygen.planning.set_turns import add_set_group, standalone_set_turns
from chattygen.planning.turn_construction import single_fact_turn
from chattygen.planning.turn_groups import TurnGroup, ends_topic
from chattygen.planning.turn_options import TurnOptions
from chattygen.stages.turn_plan import TurnPlan
from chattygen.subgraph.bridge_entities import Bridge


def sample_plan(
    turn_options: TurnOptions, requests: Sequence[TurnRequest], turns: int, rng: Random
) -> tuple[tuple[TurnPlan, PlannedTurn], ...]:
    """Return the turns of a dialogue in order, each as it is asked and as it is answered; fewer where the ground does
    not suffice. Wants that come first are granted first."""
    sketch = PartialPlan(turn_options, turns, list(requests), rng)
    for want in requests:
        if want in sketch.requests and sketch.turns_left > 0:
            _STEPS.get(want.form, _later)(sketch)
    _ask_simply(sketch)
    fill_plan(sketch)
    for want in (TurnRequest("answer"), TurnRequest("comparison"), TurnRequest("shift")):
        _stretch(sketch, want)
    return tuple(_numbered(_ordered(sketch)))


def _stretch(sketch: PartialPlan, want: TurnRequest) -> None:
    """Go on about an answer or about others of the seed's kind, where that is all there is."""
    if sketch.turn_count < sketch.target_turns and not sketch.is_topic_ended:
        sketch.requests = [
            want,
            *[TurnRequest("answer" if want.form == "answer" else "position")] * sketch.target_turns,
        ]
        _STEPS[want.form](sketch)
        fill_plan(sketch)


def _later(_: PartialPlan) -> None:
    """Leave a want for the questions that need no others around them."""


def _pick(sketch: PartialPlan) -> None:
    """Pick from a list, if none was picked from yet."""
    if not any(piece.link in ("among", "position") for piece in turns_of(sketch.groups)):
        add_set_group(sketch)


def _place(sketch: PartialPlan) -> None:
    """Ask for a place in an order, or for the former or the latter of two things."""
    if sketch.rng.random() < 0.5:
        _pick(sketch)
    if sketch.pending_requests("position") and not sketch.is_topic_ended:
        _compare(sketch, TurnRequest("comparison"))


def _compare(sketch: PartialPlan, granted: TurnRequest | None = None) -> None:
    """Compare the seed with another of its kind; that comes last, with questions about the former or the latter."""
    want = granted or next(iter(sketch.pending_requests("comparison")), None)
    if want is None or sketch.is_topic_ended or sketch.turns_left < 1:
        return
    for piece in sketch.shuffled(sketch.turn_options.comparison_turns(want)):
        if sketch.is_new(piece):
            after = [] if want.is_yes_no else _former_or_latter(sketch, piece)
            if granted is None or after:
                sketch.add(piece, *after, ends_topic=True)
                for one in (
                    *sketch.pending_requests("comparison")[:1],
                    *sketch.pending_requests("position")[: len(after)],
                ):
                    sketch.requests.remove(one)
                return


def _former_or_latter(sketch: PartialPlan, compared: PlannedTurn) -> list[PlannedTurn]:
    """Return questions about two things that were compared, as many as are wanted."""
    assert compared.other_entity is not None
    found: list[PlannedTurn] = []
    sides = [(1, sketch.context.seed), (2, sketch.turn_options.summary_of_other(compared.other_entity.iri))]
    able = [
        replace(piece, position=place)
        for place, side in sides
        if side is not None
        for piece in sketch.turn_options.lookup_turns(side, "position")
    ]
    for piece in sketch.shuffled(able):
        if len(found) < min(len(sketch.pending_requests("position")), sketch.turns_left - 1) and sketch.is_new(
            piece, [compared, *found]
        ):
            found.append(piece)
    return found


def _shift(sketch: PartialPlan) -> None:
    """Ask something of the seed, and the same of another of its kind."""
    if sketch.is_topic_ended or sketch.turns_left < 2:
        return
    ground = sketch.context
    for rival in sketch.rng.sample(ground.siblings, len(ground.siblings)):
        if not ground.names.name_of(rival.entity.iri):
            continue
        theirs = {(p.fact.last_step.predicate, p.form): p for p in sketch.turn_options.lookup_turns(rival, "shift")}
        mine = [
            p for p in sketch.turn_options.lookup_turns(ground.seed) if (p.fact.last_step.predicate, p.form) in theirs
        ]
        for piece in sketch.shuffled(p for p in mine if sketch.is_new(p)):
            other = theirs[piece.fact.last_step.predicate, piece.form]
            if other.expected != piece.expected:
                sketch.add(piece, other, ends_topic=True, granted_requests=sketch.pending_requests("shift")[:1])
                return


def _go_on_about_an_answer(sketch: PartialPlan) -> None:
    """Ask for one thing, and then about that thing, as often as turns shall hang on an answer."""
    wanted = len(sketch.pending_requests("answer"))
    if wanted < 1 or sketch.is_topic_ended or sketch.turns_left < 2:
        return
    ground = sketch.context
    for bridge in sketch.rng.sample(ground.bridges, len(ground.bridges)):
        first = single_fact_turn(ground.seed.entity, bridge.fact, bridge.hidden, bridge.form)
        if ground.names.name_of(bridge.summary.entity.iri) and sketch.is_new(first):
            later, granted = _about(sketch, bridge, first, wanted)
            if later:
                sketch.add(first, *later, ends_topic=True, granted_requests=granted)
                return


def _about(
    sketch: PartialPlan, bridge: Bridge, first: PlannedTurn, wanted: int
) -> tuple[list[PlannedTurn], list[TurnRequest]]:
    """Return turns about an answer, those that grant other wants among them; the first one is a plain question."""
    pieces: list[PlannedTurn] = []
    granted: list[TurnRequest] = []
    plains = sketch.shuffled(sketch.turn_options.lookup_turns(bridge.summary, "answer"))
    others = sketch.pending_requests("count", "boolean", "unanswerable")
    for want in sketch.pending_requests("answer")[: min(wanted, sketch.turns_left - 1)]:
        found: list[PlannedTurn] = []
        for other in others if pieces or sketch.rng.random() < 0.4 else ():
            if other not in granted and not found:
                able = sketch.shuffled(sketch.turn_options.simple_turns(other, bridge.summary, "answer"))
                found = [piece for piece in able if sketch.is_new(piece, [first, *pieces])][:1]
                granted += [other] * len(found)
        found = found or [piece for piece in plains if sketch.is_new(piece, [first, *pieces])][:1]
        pieces += found
        granted += [want] * len(found)
    return pieces, granted


def _ask_simply(sketch: PartialPlan) -> None:
    """Grant what is left of the wants by questions about the seed, a set without its list included."""
    for want in list(sketch.requests):
        if sketch.turns_left < 1:
            return
        if want.form in (*SET_FORMS, *SIMPLE_FORMS):
            alone = list(standalone_set_turns(sketch, want)) if want.form in (*SET_FORMS, "count") else []
            found = sketch.shuffled((*alone, *simple_turns(sketch, want)))
            piece = next((one for one in found if sketch.is_new(one)), None)
            if piece is not None:
                sketch.add(piece, ends_topic=ends_topic(sketch.context, piece), granted_requests=[want])


_STEPS = {
    **dict.fromkeys(SET_FORMS, _pick),
    "position": _place,
    "comparison": _compare,
    "shift": _shift,
    "answer": _go_on_about_an_answer,
}


def _ordered(sketch: PartialPlan) -> list[TurnGroup]:
    """Order the blocks: one that can open comes first, a closing one last, the others as chance wants."""
    blocks = sketch.rng.sample(sketch.groups, len(sketch.groups))
    last = [block for block in blocks if block.ends_topic]
    blocks = [block for block in blocks if not block.ends_topic]
    first = next((block for block in blocks if block.can_open), None)
    if first is None:
        return last if not blocks else []
    blocks.remove(first)
    return [first, *blocks, *last]


def _numbered(blocks: Iterable[TurnGroup]) -> Iterator[tuple[TurnPlan, PlannedTurn]]:
    number = 0
    for block in blocks:
        start = number
        for piece in block.turns:
            number += 1
            link = "opens" if number == 1 else piece.link
            of = start + piece.antecedent_index + 1 if piece.antecedent_index >= 0 else 0
            yield (
                TurnPlan(
                    number,
                    piece.form,
                    link,
                    piece.entity,
                    piece.fact,
                    piece.condition,
                    piece.other_entity,
                    piece.is_yes_no,
                    piece.position,
                    of,
                ),
                piece,
            )


SIMPLE_FORMS = (*SINGLE_ENTITY_FORMS, UNANSWERABLE)
"""Forms that need no list and no other thing."""


def simple_turns(plan: PartialPlan, request: TurnRequest) -> Iterator[PlannedTurn]:
    """Yield questions of such a form about the seed, none that would make its pronoun unclear to later turns."""
    if request.form in SIMPLE_FORMS:
        for piece in plan.turn_options.simple_turns(request, plan.context.seed):
            if not (plan.is_topic_ended and ends_topic(plan.context, piece)):
                yield piece


def fill_plan(plan: PartialPlan) -> None:
    """Fill up with plain questions about the seed, forms not had yet first; then with what else there is."""
    ground = plan.context
    able = plan.shuffled(plan.turn_options.lookup_turns(ground.seed))
    while plan.turn_count < plan.target_turns:
        had = {piece.form for piece in turns_of(plan.groups)}
        able = [p for p in able if plan.is_new(p) and not (plan.is_topic_ended and ends_topic(ground, p))]
        if not able:
            break
        best = min(able, key=lambda piece: (ends_topic(ground, piece), piece.form in had))
        plan.add(best, ends_topic=ends_topic(ground, best))
    for want in (TurnRequest("count"), TurnRequest("two-hop"), TurnRequest("boolean", plan.rng.random() < 0.5)):
        piece = next((p for p in plan.shuffled(simple_turns(plan, want)) if plan.is_new(p)), None)
        if piece is not None and plan.turn_count < plan.target_turns:
            plan.add(piece, ends_topic=ends_topic(ground, piece))
    for place, block in enumerate(plan.groups):
        if block.ends_topic:
            more = _more(plan, block.turns[-1])[: max(0, plan.target_turns - plan.turn_count)]
            plan.asked_keys.update(*(piece.question_keys for piece in more))
            plan.groups[place] = TurnGroup((*block.turns, *more), ends_topic=True)


def _more(sketch: PartialPlan, last: PlannedTurn) -> list[PlannedTurn]:
    """Return turns that can follow the last one of a dialogue: about the same answer, or the same of yet another."""
    found: list[PlannedTurn] = []
    if last.link == "answer":
        summary = next((b.summary for b in sketch.context.bridges if b.summary.entity == last.entity), None)
        able = list(sketch.turn_options.lookup_turns(summary, "answer")) if summary is not None else []
        found = [replace(piece, antecedent_index=last.antecedent_index) for piece in sketch.shuffled(able)]
    elif last.link == "shift":
        same = (last.fact.last_step.predicate, last.form)
        able = [
            piece
            for rival in sketch.context.siblings
            if sketch.context.names.name_of(rival.entity.iri)
            for piece in sketch.turn_options.lookup_turns(rival, "shift")
            if (piece.fact.last_step.predicate, piece.form) == same
        ]
        found = [replace(piece, antecedent_index=last.antecedent_index) for piece in sketch.shuffled(able)][:1]
    return [piece for piece in found if sketch.is_new(piece)]

"""Sample a plan: groups of turns that meet the requests as far as the context allows, in a coherent order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random

from chattyshared.question_forms import OPERATION_FORMS, SET_FORMS, SINGLE_ENTITY_FORMS, UNANSWERABLE
from rdflib import URIRef

from chattygen.planning import coherence
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.partial_plan import PartialPlan, turns_of
from chattygen.planning.set_turns import add_set_group
from chattygen.planning.turn_groups import TurnGroup, ends_topic
from chattygen.planning.turn_options import TurnOptions
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.turns import TurnSpec

SIMPLE_FORMS = (*SINGLE_ENTITY_FORMS, UNANSWERABLE)
"""Forms that need no list and no other entity."""
SET_POSITION_ODDS = 0.5
"""Probability that a position is asked of a list first, before one of two compared entities is; set by hand."""
OTHER_FORM_ODDS = 0.4
"""Probability that the first turn about an answer takes another requested form than a lookup; set by hand."""
CHAIN_ODDS = 0.6
"""Probability that turns about an answer lead on to another entity, and that the next turn is about that; set by
hand."""
TURNS_UP_TO_YES_NO = 3
"""Turns about the topic up to a yes-no question, this included: it does not come second; set by hand."""
WINNER_TURNS = (1, 2)
"""Turns about the winner of a comparison, at most; either number is equally likely; set by hand."""
TRUE_ODDS = 0.5
"""Probability that a yes-no question which fills up a plan is true."""


def sample_plan(
    turn_options: TurnOptions, requests: Sequence[TurnRequest], turns: int, rng: Random
) -> tuple[TurnSpec, ...]:
    """Return the turns of a dialogue in order, each as it is asked and as it is answered; fewer if the context does not
    suffice. Requests that come first are met first."""
    plan = PartialPlan(turn_options, turns, list(requests), rng)
    for request in requests:
        if request in plan.requests and plan.turns_left > 0:
            if request.form in _GROUP_BUILDERS:  # the others are left to the questions that need no other turns
                _GROUP_BUILDERS[request.form](plan)
    _add_simple_turns(plan)
    fill_plan(plan)
    for request in (TurnRequest("answer"), TurnRequest("comparison"), TurnRequest("shift")):
        _extend(plan, request)
    return tuple(_number_turns(_order_groups(plan)))


def _extend(plan: PartialPlan, request: TurnRequest) -> None:
    """Continue with an answer or with siblings, if the plan is still too short."""
    if plan.turn_count < plan.target_turns and not plan.is_topic_ended:
        plan.requests = [
            request,
            *[TurnRequest("answer")] * plan.target_turns,
        ]
        _GROUP_BUILDERS[request.form](plan)
        fill_plan(plan)


def _add_set(plan: PartialPlan) -> None:
    """Add a list and a selection from it, if the plan has none yet."""
    if not any(turn.link in ("among", "position") for turn in turns_of(plan.groups)):
        add_set_group(plan)


def _add_position(plan: PartialPlan) -> None:
    """Ask for a position in an ordered list, or for the other one of two compared entities."""
    if plan.rng.random() < SET_POSITION_ODDS:
        _add_set(plan)
    if plan.pending_requests("position") and not plan.is_topic_ended:
        _add_comparison(plan, TurnRequest("comparison"))


def _add_comparison(plan: PartialPlan, forced: TurnRequest | None = None) -> None:
    """Compare the seed with a sibling; this comes last, with questions about the one that the answer names, and about
    the other one if a position is requested."""
    request = forced or next(iter(plan.pending_requests("comparison")), None)
    if request is None or plan.is_topic_ended or plan.turns_left < 1:
        return
    for turn in plan.shuffled(plan.turn_options.comparison_turns(request)):
        if plan.is_new(turn):
            follow_ups = [] if request.is_yes_no else _turns_about_compared(plan, turn)
            if forced is None or any(follow_up.link == "position" for follow_up in follow_ups):
                plan.add(turn, *follow_ups, ends_topic=True)
                yes_no_forms = ("boolean" for follow_up in follow_ups if isinstance(follow_up.expected, bool))
                for form in ("comparison", *(follow_up.link for follow_up in follow_ups), *yes_no_forms):
                    for granted in plan.pending_requests(form)[:1]:
                        plan.requests.remove(granted)
                return


def _turns_about_compared(plan: PartialPlan, compared: TurnSpec) -> list[TurnSpec]:
    """Return questions about the winner of a comparison, as many as continue an answer; or, if a position is requested,
    one about the winner and the same about the other entity, or else one about the other. No question is about the
    winner where the facts of the seed are wanted alone."""
    assert compared.other_entity is not None and isinstance(compared.expected, tuple)
    seed, other = plan.context.seed, plan.turn_options.summary_of_other(compared.other_entity.iri)
    if other is None:
        return []
    winner, loser = (seed, other) if compared.expected == (seed.entity.iri,) else (other, seed)
    follows_winner = plan.turn_options.run.options.allows_two_hops
    lookups = plan.turn_options.lookup_turns
    about_winner = [turn for turn in plan.shuffled(lookups(winner, "answer")) if plan.is_new(turn, [compared])]
    about_loser = [turn for turn in lookups(loser, "position")
                   if turn.expected != (winner.entity.iri,) and plan.is_new(turn, [compared])]  # fmt: skip
    if plan.pending_requests("position"):
        about_loser = [replace(turn, position=2 if loser is other else 1) for turn in about_loser]
        for turn, same in product(about_winner, about_loser) if follows_winner and plan.turns_left > 2 else ():
            if (turn.fact.last_step, turn.form) == (same.fact.last_step, same.form) and turn.expected != same.expected:
                return [turn, same]
        if plan.turns_left > 1 and about_loser:
            return plan.shuffled(about_loser)[:1]
    chosen: list[TurnSpec] = []
    max_turns = min(plan.rng.choice(WINNER_TURNS), plan.turns_left - 1)
    for turn in about_winner if follows_winner else ():
        if len(chosen) < min(max(1, len(plan.pending_requests("answer"))), max_turns):
            chosen += [turn] if turn.expected != (loser.entity.iri,) and plan.is_new(turn, chosen) else []
    asked = plan.find_yes_no_turn(winner, [compared, *chosen]) if chosen else None
    has_room = len(chosen) < max_turns
    return [*(chosen if has_room or asked is None else chosen[:-1]), *([asked] if asked is not None else ())]


def _add_shift(plan: PartialPlan) -> None:
    """Ask something of the seed, and the same of a sibling."""
    if plan.is_topic_ended or plan.turns_left < 2:
        return
    context = plan.context
    for sibling in plan.rng.sample(context.siblings, len(context.siblings)):
        if not context.names.name_of(sibling.entity.iri):
            continue
        sibling_turns = {
            (p.fact.last_step.predicate, p.form): p for p in plan.turn_options.lookup_turns(sibling, "shift")
        }
        seed_turns = [
            p
            for p in plan.turn_options.lookup_turns(context.seed)
            if (p.fact.last_step.predicate, p.form) in sibling_turns
        ]
        for turn in plan.shuffled(p for p in seed_turns if plan.is_new(p)):
            sibling_turn = sibling_turns[turn.fact.last_step.predicate, turn.form]
            if sibling_turn.expected != turn.expected:
                plan.add(turn, sibling_turn, ends_topic=True, granted_requests=plan.pending_requests("shift")[:1])
                return


def _add_answer_turns(plan: PartialPlan) -> None:
    """Ask for one entity, then about that entity, as often as requested."""
    if plan.is_topic_ended or plan.turns_left < 2 or not plan.pending_requests("answer"):
        return
    # A yes-no question about the topic comes after the opening and one more turn.
    reserved_turns = TURNS_UP_TO_YES_NO if plan.pending_requests("boolean") else 0
    max_turns = max(1, min(len(plan.pending_requests("answer")), plan.turns_left - 1 - reserved_turns))
    context = plan.context
    for bridge in plan.rng.sample(context.bridges, len(context.bridges)):
        first = TurnSpec(0, bridge.form, "topic", context.seed.entity, bridge.fact, hidden=bridge.hidden)
        if context.names.name_of(bridge.summary.entity.iri) and plan.is_new(first):
            answer_turns, granted = _turns_about_answer(plan, bridge, first, max_turns)
            if answer_turns:
                plan.add(first, *answer_turns, ends_topic=True, granted_requests=granted)
                return


def _turns_about_answer(
    plan: PartialPlan, bridge: Bridge, first: TurnSpec, max_turns: int
) -> tuple[list[TurnSpec], list[TurnRequest]]:
    """Return turns about an answer, some of them for other requests, and the requests that they meet."""
    turns: list[TurnSpec] = []
    granted: list[TurnRequest] = []
    lookups = plan.shuffled(plan.turn_options.lookup_turns(bridge.summary, "answer"))
    if max_turns > 1 and plan.rng.random() < CHAIN_ODDS:
        lookups.sort(key=lambda turn: not set(plan.context.farther_answers).issuperset(turn.expected))  # type: ignore[arg-type]
    other_requests = plan.pending_requests(*OPERATION_FORMS, UNANSWERABLE)
    for request in plan.pending_requests("answer")[: min(max_turns, plan.turns_left - 1)]:
        chained = _chained_turn(plan, first, turns)
        if chained is not None and (turns[-1].entity != bridge.summary.entity or plan.rng.random() < CHAIN_ODDS):
            turns.append(chained)
            granted.append(request)
            continue
        if turns and turns[-1].entity != bridge.summary.entity:
            break
        chosen: list[TurnSpec] = []
        for other_request in other_requests if turns or plan.rng.random() < OTHER_FORM_ODDS else ():
            if other_request not in granted and not chosen:
                candidates = plan.shuffled(plan.turn_options.simple_turns(other_request, bridge.summary, "answer"))
                earlier = [first, *turns]
                chosen = [turn for turn in candidates if plan.is_new(turn, earlier) and plan.is_prepared(turn, earlier)]
                chosen = chosen[:1]
                granted += [other_request] * len(chosen)
        chosen = chosen or [turn for turn in lookups if plan.is_new(turn, [first, *turns])][:1]
        turns += chosen
        granted += [request] * len(chosen)
    return turns, granted


def _chained_turn(plan: PartialPlan, first: TurnSpec, turns: Sequence[TurnSpec]) -> TurnSpec | None:
    """Return a lookup about the one entity that the last turn has asked for, or one more about the entity of such a
    lookup; None if a pronoun for it could mean another entity."""
    last = turns[-1] if turns else None
    if last is None or not last.answerable or not isinstance(last.expected, tuple):
        return None
    is_chained = last.antecedent_turn > 1
    iri = last.entity.iri if is_chained else last.expected[0] if len(last.expected) == 1 else None
    summary = plan.turn_options.summary_of_other(iri) if isinstance(iri, URIRef) else None
    mentioned = (first.entity, turns[0].entity)
    if summary is None or any(map(summary.entity.is_confusable_with, mentioned)):
        return None
    candidates = plan.shuffled(plan.turn_options.lookup_turns(summary, "answer"))
    fresh = (
        turn for turn in candidates if turn.expected != (turns[0].entity.iri,) and plan.is_new(turn, [first, *turns])
    )
    turn = next(fresh, None)
    return replace(turn, antecedent_turn=last.antecedent_turn if is_chained else len(turns) + 1) if turn else None


def _add_two_hop(plan: PartialPlan) -> None:
    """Ask a two-hop question, and before it for its bridge."""
    request = plan.pending_requests("two-hop")[0]
    turn = next((turn for turn in plan.shuffled(simple_turns(plan, request)) if is_addable(plan, turn)), None)
    if turn is not None:
        add_prepared(plan, turn, [request])


def _add_simple_turns(plan: PartialPlan) -> None:
    """Meet the remaining requests with questions about the seed."""
    for request in list(plan.requests):
        if plan.turns_left < 1:
            return
        if request.form in SIMPLE_FORMS:
            candidates = plan.shuffled(simple_turns(plan, request))
            turn = next((candidate for candidate in candidates if is_addable(plan, candidate)), None)
            if turn is not None and turn.leaves_topic:
                plan.add_last(turn, [request])
            elif turn is not None:
                add_prepared(plan, turn, [request])


def is_addable(plan: PartialPlan, turn: TurnSpec) -> bool:
    """Tell whether a turn is new, and the plan asks what must come before it or has room to."""
    return plan.is_new(turn) and (plan.is_prepared(turn) or _bridge_turn(plan, turn) is not None)


def _bridge_turn(plan: PartialPlan, turn: TurnSpec) -> TurnSpec | None:
    """Return the lookup of the bridge that a two-hop question needs; None if it cannot be added."""
    if turn.form != "two-hop" or plan.turns_left < 2:
        return None
    needed = coherence.needed_question(turn)
    for candidate in plan.turn_options.lookup_turns(plan.context.seed):
        if needed in candidate.question_keys:
            is_open = plan.is_new(candidate, [turn]) and not ends_topic(plan.context, candidate)
            return candidate if is_open else None
    return None


def add_prepared(plan: PartialPlan, turn: TurnSpec, granted_requests: Iterable[TurnRequest] = ()) -> None:
    """Add a turn, and before it the lookup of its bridge if the plan lacks that."""
    if not plan.is_prepared(turn):
        bridge_turn = _bridge_turn(plan, turn)
        if bridge_turn is not None:
            plan.add(bridge_turn)
    plan.add(turn, ends_topic=ends_topic(plan.context, turn), granted_requests=granted_requests)


_GROUP_BUILDERS = {
    **dict.fromkeys(SET_FORMS, _add_set),
    "position": _add_position,
    "comparison": _add_comparison,
    "shift": _add_shift,
    "answer": _add_answer_turns,
    "two-hop": _add_two_hop,
}


def _order_groups(plan: PartialPlan) -> list[TurnGroup]:
    """Order the groups: the best opening comes first, what a group needs before it, one that ends the topic last, the
    others at random; none if no group can open."""
    groups = plan.rng.sample(plan.groups, len(plan.groups))
    closing = [group for group in groups if group.ends_topic]
    groups = [group for group in groups if not group.ends_topic]
    openings = [group for group in groups if plan.can_open(group)]
    if not openings:
        return closing if not groups and closing and coherence.can_open(closing[0].turns[0]) else []
    ordered = [max(openings, key=lambda group: coherence.opening_interest(plan.turn_options.run.kg, group.turns[0]))]
    groups.remove(ordered[0])
    while groups:
        ready = [group for group in groups if coherence.is_prepared(group.turns[0], turns_of(ordered))]
        if not ready:
            return []
        # What a turn needs comes early and the turn itself late: there is another turn in between.
        ordered.append(min(ready, key=lambda group: _lateness(group.turns[0])))
        if coherence.repeats_bridge(ordered[-1].turns[0], ordered[-2].turns[-1]):
            return []
        groups.remove(ordered[-1])
    return [*ordered, *closing]


def _lateness(turn: TurnSpec) -> tuple[bool, bool]:
    """Return how late a turn about the topic comes: a yes-no question after others, what needs another turn last."""
    return coherence.needed_question(turn) is not None, turn.form == "boolean"


def _number_turns(groups: Iterable[TurnGroup]) -> Iterator[TurnSpec]:
    number = 0
    for group in groups:
        start = number
        for turn in group.turns:
            number += 1
            antecedent = start + turn.antecedent_turn if turn.antecedent_turn else 0
            yield replace(turn, number=number, link="opens" if number == 1 else turn.link, antecedent_turn=antecedent)


def simple_turns(plan: PartialPlan, request: TurnRequest) -> Iterator[TurnSpec]:
    """Yield questions of a simple form about the seed, none that makes a later pronoun ambiguous."""
    if request.form in SIMPLE_FORMS:
        for turn in plan.turn_options.simple_turns(request, plan.context.seed):
            if not (plan.is_topic_ended and ends_topic(plan.context, turn)) or turn.leaves_topic:
                yield turn


def fill_plan(plan: PartialPlan) -> None:
    """Fill up with lookups about the seed, unused forms first; then with other forms that the context offers."""
    context = plan.context
    candidates = plan.shuffled(plan.turn_options.lookup_turns(context.seed))
    while plan.turn_count < plan.target_turns:
        used_forms = {turn.form for turn in turns_of(plan.groups)}
        candidates = [p for p in candidates if plan.is_new(p) and not (plan.is_topic_ended and ends_topic(context, p))]
        if not candidates:
            break
        best = min(candidates, key=lambda turn: (ends_topic(context, turn), turn.form in used_forms))
        plan.add(best, ends_topic=ends_topic(context, best))
    for request in (
        TurnRequest("count"),
        TurnRequest("two-hop"),
        TurnRequest("boolean", plan.rng.random() < TRUE_ODDS),
    ):
        turn = next((p for p in plan.shuffled(simple_turns(plan, request)) if is_addable(plan, p)), None)
        if turn is not None and plan.turn_count < plan.target_turns:
            add_prepared(plan, turn)
    for index, group in enumerate(plan.groups):
        if group.ends_topic:
            follow_ups = _follow_ups(plan, group.turns[-1])[: max(0, plan.target_turns - plan.turn_count)]
            plan.asked_keys.update(*(turn.question_keys for turn in follow_ups))
            plan.groups[index] = TurnGroup((*group.turns, *follow_ups), ends_topic=True)


def _follow_ups(plan: PartialPlan, last: TurnSpec) -> list[TurnSpec]:
    """Return turns that can follow the last one: about the same answer, or about the sibling that it brought in."""
    turns: list[TurnSpec] = []
    if last.unanswerable:
        return []
    if last.link == "answer":
        summary = next((b.summary for b in plan.context.bridges if b.summary.entity == last.entity), None)
        candidates = list(plan.turn_options.lookup_turns(summary, "answer")) if summary is not None else []
        turns = [replace(turn, antecedent_turn=last.antecedent_turn) for turn in plan.shuffled(candidates)]
    elif last.link == "shift":
        summary = next((sibling for sibling in plan.context.siblings if sibling.entity == last.entity), None)
        turns = plan.shuffled(plan.turn_options.lookup_turns(summary)) if summary is not None else []
    return [turn for turn in turns if plan.is_new(turn)]

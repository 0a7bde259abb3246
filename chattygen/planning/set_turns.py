"""Lists and selections from them: the turns of a plan that need a set.

"Them" means the list that was given last. So one turn selects from it: after that, the dialogue goes on with what it
selects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import NARROWING_FORMS

from chattygen.planning.conditions import SelectedMembers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.partial_plan import PartialPlan
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.turn_groups import ends_topic
from chattygen.turns import TurnSpec

POSITIONS = (1, 2, 2, 3, -1)
"""Positions in an ordered list that are asked for, each equally likely (1: the first, -1: the last); set by hand."""
COUNT_ODDS = 0.5
"""Probability that a requested count is made of members of the list; set by hand."""


def add_set_group(plan: PartialPlan) -> None:
    """Add a list and the requested selections from it; the list is ordered if a position is requested."""
    best: tuple[list[TurnSpec], list[TurnRequest]] = ([], [])
    context = plan.context
    for answer_set in plan.rng.sample(context.answer_sets, len(context.answer_sets)):
        turns, granted_requests = _set_group(plan, answer_set)
        if len(granted_requests) > len(best[1]):
            best = turns, granted_requests
    if best[1]:
        turns, granted_requests = best
        leaves_seed = any(turn.entity != context.seed.entity for turn in turns)
        plan.add(
            *turns,
            ends_topic=leaves_seed or any(ends_topic(context, turn) for turn in turns),
            granted_requests=granted_requests,
        )


def _set_group(plan: PartialPlan, answer_set: AnswerSet) -> tuple[list[TurnSpec], list[TurnRequest]]:
    """Return the turns that list a set and select from it, with the requests that they meet."""
    lead, link, antecedent_turn = _lead_turns(plan, answer_set)
    if answer_set.fact.forms[0] not in ("list", "subject") or plan.turns_left < len(lead) + 2:
        return [], []
    if plan.is_topic_ended and (lead or plan.pending_requests("position")):
        return [], []
    if plan.pending_requests("position"):
        turns, granted_requests = _ordered_list_turns(plan, answer_set, lead, link, antecedent_turn)
        if granted_requests:
            return turns, granted_requests
    list_turn = TurnSpec(
        0, answer_set.fact.forms[0], link, answer_set.owner, answer_set.fact, antecedent_turn=antecedent_turn,
        hidden=answer_set.hidden,
    )  # fmt: skip
    if not all(plan.is_new(turn) for turn in (*lead, list_turn)) or (
        plan.is_topic_ended and ends_topic(plan.context, list_turn)
    ):
        return [], []
    return _narrowing_turns(plan, answer_set, [*lead, list_turn])


def _lead_turns(plan: PartialPlan, answer_set: AnswerSet) -> tuple[list[TurnSpec], LinkName, int]:
    """Return the turn that leads to a set's owner, if the owner is an answer, and how the list depends on it."""
    if not answer_set.seed_fact_number:
        return [], "topic", 0
    fact, hidden = plan.context.seed.fact_by_number(answer_set.seed_fact_number)
    return [TurnSpec(0, fact.forms[0], "topic", plan.context.seed.entity, fact, hidden=hidden)], "answer", 1


def _ordered_list_turns(
    plan: PartialPlan, answer_set: AnswerSet, lead: list[TurnSpec], link: LinkName, antecedent_turn: int
) -> tuple[list[TurnSpec], list[TurnRequest]]:
    """Ask for a set in order, then about members at positions of it."""
    orders = plan.turn_options.set_conditions(answer_set, "list")
    if not orders:
        return [], []
    selection = plan.rng.choice(orders)
    turns = [*lead, selection.turn(answer_set, "list", link=link, antecedent_turn=antecedent_turn)]
    granted_requests: list[TurnRequest] = []
    if not all(plan.is_new(turn) for turn in turns):
        return [], []
    for request, position in zip(
        plan.pending_requests("position"), plan.rng.sample(POSITIONS, len(POSITIONS)), strict=False
    ):
        candidates = plan.shuffled(_position_turns(plan, selection, position, turns[len(lead)], len(lead) + 1))
        turn = next((candidate for candidate in candidates if plan.is_new(candidate, turns)), None)
        if turn is not None and len(turns) < plan.turns_left:
            turns.append(turn)
            granted_requests.append(request)
    return turns, granted_requests


def _position_turns(
    plan: PartialPlan, selection: SelectedMembers, position: int, list_turn: TurnSpec, antecedent_turn: int
) -> Iterator[TurnSpec]:
    """Yield questions about the member at a position (1: first, -1: last) of the ordered list just given."""
    iri = selection.members[position - 1 if position > 0 else position]
    summary = plan.turn_options.summary_of_other(iri) if iri != plan.context.seed.entity.iri else None
    known_predicates = (selection.condition.step.predicate, list_turn.fact.last_step.predicate)
    for turn in plan.turn_options.lookup_turns(summary, "position") if summary is not None else ():
        is_known = turn.fact.last_step.predicate in known_predicates or turn.expected == (list_turn.entity.iri,)
        if turn.form != "list" and not is_known:
            yield replace(turn, position=position, antecedent_turn=antecedent_turn)


def _narrowing_turns(
    plan: PartialPlan, answer_set: AnswerSet, turns: list[TurnSpec]
) -> tuple[list[TurnSpec], list[TurnRequest]]:
    """Select from a list once: one member, to continue with it, or several."""
    granted_requests: list[TurnRequest] = []
    antecedent_turn, max_turns = len(turns), plan.turns_left
    requests = [
        request
        for request in plan.pending_requests("superlative", *NARROWING_FORMS)
        if request.form != "count" or plan.rng.random() < COUNT_ODDS
    ]
    for request in plan.rng.sample(requests, len(requests)):
        turn = _narrowing_turn(plan, answer_set, request, antecedent_turn, turns) if len(turns) < max_turns else None
        if turn is None or (plan.is_topic_ended and ends_topic(plan.context, turn)):
            continue
        turns.append(turn)
        granted_requests.append(request)
        if request.form == "superlative" and not plan.is_topic_ended:
            _add_turns_about_selected(plan, turns, granted_requests)
        break
    return turns, granted_requests


def _narrowing_turn(
    plan: PartialPlan, answer_set: AnswerSet, request: TurnRequest, antecedent_turn: int, planned: list[TurnSpec]
) -> TurnSpec | None:
    """Return a turn that selects from the list just given, or counts what a condition selects; None if there is
    none."""
    candidates = plan.shuffled(plan.turn_options.set_turns(answer_set, request.form, "among"))
    turn = next((candidate for candidate in candidates if plan.is_new(candidate, planned)), None)
    return None if turn is None else replace(turn, antecedent_turn=antecedent_turn)


def _add_turns_about_selected(plan: PartialPlan, turns: list[TurnSpec], granted_requests: list[TurnRequest]) -> None:
    """Continue with the member that was selected last, as often as turns about an answer are requested, and once at
    least."""
    last = turns[-1]
    assert isinstance(last.expected, tuple) and last.condition is not None
    summary = plan.turn_options.summary_of_other(last.expected[0])  # type: ignore[arg-type]
    antecedent_turn = len(turns)
    candidates = plan.shuffled(plan.turn_options.lookup_turns(summary, "answer")) if summary is not None else []
    known_predicates = (last.condition.step.predicate, last.fact.last_step.predicate)
    requests = plan.pending_requests("answer")
    for number in range(max(1, len(requests))):
        fresh = (
            candidate
            for candidate in candidates
            if candidate.fact.last_step.predicate not in known_predicates and candidate.expected != (last.entity.iri,)
        )
        turn = next((candidate for candidate in fresh if plan.is_new(candidate, turns)), None)
        if turn is not None and len(turns) < plan.turns_left:
            turns.append(replace(turn, antecedent_turn=antecedent_turn))
            granted_requests += requests[number : number + 1]
    asked = plan.find_yes_no_turn(summary, turns) if summary is not None and len(turns) < plan.turns_left else None
    if asked is not None:
        turns.append(replace(asked, antecedent_turn=antecedent_turn))
        granted_requests += plan.pending_requests("boolean")[:1]

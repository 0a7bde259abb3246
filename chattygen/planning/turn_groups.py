"""Blocks: turns that belong together, and what a ground can give of each form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import COMPARABLE_FORMS, LOOKUP_FORMS
from rdflib import Literal

from chattygen.checks import contains_label
from chattygen.planning.conditions import (
    SelectedMembers,
    absence_conditions,
    bound_conditions,
    comparable_predicates,
    order_conditions,
    superlative_conditions,
    value_conditions,
)
from chattygen.planning.distractors import true_and_false_offers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.plan_context import PlanContext, same_kind
from chattygen.planning.planned_turn import PlannedTurn
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.turn_construction import comparison_turn, first_wins, single_fact_turn, unanswerable_turn
from chattygen.planning.unanswerable import word_stems
from chattygen.run import RunContext
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary


@dataclass(frozen=True, slots=True)
class TurnGroup:
    """Turns in order; after a block that is ``closing`` no pronoun can mean the seed any more."""

    turns: tuple[PlannedTurn, ...]
    ends_topic: bool = False

    @property
    def can_open(self) -> bool:
        """Whether a dialogue can begin with it: with a question that names the seed and has an answer."""
        return self.turns[0].link == "topic" and self.turns[0].answerable


def ends_topic(context: PlanContext, turn: PlannedTurn) -> bool:
    """Tell whether a turn brings up something that a pronoun for the seed could mean as well."""
    return same_kind(turn.mentioned_class_labels, context.seed.entity.class_labels) and not _told_apart(context, turn)


def _told_apart(ground: PlanContext, piece: PlannedTurn) -> bool:
    """Tell whether the only thing that a turn brings up is of the other gender."""
    for bridge in ground.bridges:
        if bridge.fact.last_step == piece.fact.last_step and len(piece.fact.steps) == 1:
            one, other = bridge.summary.entity.gender, ground.seed.entity.gender
            return bool(one and other and one != other)
    return False


def leaks_answer(context: PlanContext, turn: PlannedTurn) -> bool:
    """Tell whether a question would say its own answer, in a name, a value or a predicate."""
    if not isinstance(turn.expected, tuple) or turn.form == "comparison":
        return False
    value = turn.condition.value if turn.condition is not None else ""
    heard = " ; ".join((turn.entity.label, value, *(step.label for step in turn.fact.steps))).casefold()
    for end in turn.expected:
        name = term_text(end, context.neighbourhoods.labels.get(end, ""))
        if name and name.casefold() in heard and contains_label(heard, name.casefold()):
            return True
    return False


def facts_with_ends(summary: Summary) -> list[tuple[Fact, HiddenEnds]]:
    """Return facts with what they hide."""
    return list(zip(summary.facts, summary.hidden, strict=True))


def lookup_turns(summary: Summary, *, link: LinkName = "topic", antecedent_index: int = -1) -> Iterator[PlannedTurn]:
    """Yield plain questions about a thing, one per fact that can carry one."""
    for fact, hidden in facts_with_ends(summary):
        if fact.forms and fact.forms[0] in LOOKUP_FORMS:
            yield single_fact_turn(
                summary.entity, fact, hidden, fact.forms[0], link=link, antecedent_index=antecedent_index
            )


def count_turns(summary: Summary, *, link: LinkName, antecedent_index: int) -> Iterator[PlannedTurn]:
    """Yield questions for the number of things that a thing leads to, where no number of theirs is stated."""
    for fact, hidden in facts_with_ends(summary):
        if "count" in fact.forms and not _is_counted(summary, fact):
            yield single_fact_turn(summary.entity, fact, hidden, "count", link=link, antecedent_index=antecedent_index)


def _is_counted(summary: Summary, fact: Fact) -> bool:
    """Tell whether a number that the KG states may be the same count: one named after the same thing."""
    told = word_stems(fact.last_step.label, *fact.class_labels[:1])
    return any(other.shape == "number" and told & word_stems(other.last_step.label) for other in summary.facts)


def yes_no_turns(
    context: PlanContext, summary: Summary, rng: Random, *, link: LinkName, antecedent_index: int
) -> Iterator[PlannedTurn]:
    """Yield yes-no questions, each once with a true and once with a false value."""
    for fact, hidden in facts_with_ends(summary):
        if "boolean" in fact.forms and not hidden.is_truncated:
            for made in true_and_false_offers(context, summary, fact, hidden, rng):
                yield single_fact_turn(summary.entity, *made, "boolean", link=link, antecedent_index=antecedent_index)


def two_hop_turns(context: PlanContext) -> Iterator[PlannedTurn]:
    """Yield questions for what the KG states once about an answer."""
    for bridge in context.bridges:
        if bridge.fact.last_step.direction == "out":
            for far, behind in facts_with_ends(bridge.summary):
                if far.last_step.direction == "out" and far.forms[0] in LOOKUP_FORMS and not behind.langs:
                    yield _two_hop(context, bridge, far, behind)


def _two_hop(ground: PlanContext, bridge: Bridge, far: Fact, behind: HiddenEnds) -> PlannedTurn:
    steps = (bridge.fact.last_step, far.last_step)
    fact = replace(far, steps=steps, forms=("two-hop",), offered_value="", via_class_labels=bridge.fact.class_labels)
    hidden = replace(behind, triples=(*bridge.hidden.triples, *behind.triples))
    made = single_fact_turn(ground.seed.entity, fact, hidden, "two-hop")
    return replace(made, question_keys=made.question_keys | {(str(bridge.summary.entity.iri), far.last_step.predicate)})


def unanswerable_turns(
    context: PlanContext, summary: Summary, *, link: LinkName, antecedent_index: int
) -> Iterator[PlannedTurn]:
    """Yield questions that the KG cannot answer, though it answers them of most things of that kind."""
    for fact in context.missing_facts.get(summary.entity.iri, ()):
        yield replace(unanswerable_turn(summary.entity, fact), link=link, antecedent_index=antecedent_index)


def comparison_turns(context: PlanContext, request: TurnRequest, rng: Random) -> Iterator[PlannedTurn]:
    """Yield comparisons of the seed with others of its kind, by numbers or dates."""
    own = {
        f.last_step.predicate: (f, h.ends[0])
        for f, h in facts_with_ends(context.seed)
        if f.forms[0] in COMPARABLE_FORMS
    }
    for rival in context.siblings:
        if not context.names.name_of(rival.entity.iri):
            continue
        theirs = {f.last_step.predicate: h.ends[0] for f, h in facts_with_ends(rival) if f.forms[0] in COMPARABLE_FORMS}
        for predicate in comparable_predicates({predicate: end for predicate, (_, end) in own.items()}, theirs):
            fact, value = own[predicate]
            other = theirs[predicate]
            assert isinstance(value, Literal) and isinstance(other, Literal)
            ends = (value, other)
            pick = rng.choice(("most", "least"))
            if request.is_yes_no and first_wins(ends, pick) is not request.truth:
                pick = "least" if pick == "most" else "most"
            condition = Condition(pick, fact.last_step, fact.shape, fact.datatype)  # type: ignore[arg-type]
            yield comparison_turn(context.seed.entity, rival.entity, fact, ends, condition, is_yes_no=request.is_yes_no)


def set_conditions(
    run: RunContext, context: PlanContext, answer_set: AnswerSet, form: str, rng: Random
) -> Iterator[SelectedMembers]:
    """Yield the conditions that a set offers for a form; for a list, its orders."""
    named = (run.kg, context.neighbourhoods, context.names, answer_set)
    if form == "superlative":
        for pick in ("most", "least"):
            found = superlative_conditions(answer_set, pick)
            yield from (one for one in found if one.members[0] != context.seed.entity.iri)
    if form in ("filter", "count"):
        for pick in ("over", "under"):
            yield from bound_conditions(answer_set, pick, rng)  # type: ignore[arg-type]
    if form in ("conjunction", "count"):
        yield from value_conditions(*named, "with")
    if form == "negation":
        yield from value_conditions(*named, "without")
        yield from absence_conditions(run.kg, answer_set)
    if form == "list":
        for pick in ("rising", "falling"):
            yield from order_conditions(answer_set, pick)  # type: ignore[arg-type]

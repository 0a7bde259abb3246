"""Groups of turns that belong together, and the turns of each form that a context offers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import denote_places, head_noun, plain_label
from chattyshared.language.scripts import contains_name
from chattyshared.question_forms import COMPARABLE_FORMS, LOOKUP_FORMS

from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.planning.coherence import tells
from chattygen.planning.conditions import (
    SelectedMembers,
    bound_conditions,
    comparable_predicates,
    has_adjective,
    is_gradable,
    is_obscure,
    order_conditions,
    superlative_conditions,
    value_conditions,
)
from chattygen.planning.distractors import are_near, true_and_false_offers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.missing_facts import word_stems
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.set_attributes import AnswerSet
from chattygen.rulebook.question_realizer import realize_intermediate
from chattygen.rulebook.referring_expressions import IT
from chattygen.run import RunContext
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Fact, HiddenEnds, Step, Summary, same_kind
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.predicate_use import MIN_COUNTED, are_things, is_worldwide
from chattygen.turns import Condition, TurnSpec, first_wins


@dataclass(frozen=True, slots=True)
class TurnGroup:
    """Turns in order; after a group that ``ends_topic``, no pronoun can mean the seed any more."""

    turns: tuple[TurnSpec, ...]
    ends_topic: bool = False


def ends_topic(context: PlanContext, turn: TurnSpec) -> bool:
    """Tell whether a turn mentions an entity that a pronoun for the seed could mean as well."""
    if turn.leaves_topic:
        return True
    return same_kind(turn.mentioned_class_labels, context.seed.entity.class_labels) and not _differs_in_gender(
        context, turn
    )


def _differs_in_gender(context: PlanContext, turn: TurnSpec) -> bool:
    """Tell whether the only entity that a turn mentions has another gender than the seed."""
    for bridge in context.bridges:
        if bridge.fact.last_step == turn.fact.last_step and len(turn.fact.steps) == 1:
            return bridge.summary.entity.differs_in_gender(context.seed.entity)
    return False


def leaks_answer(context: PlanContext, turn: TurnSpec) -> bool:
    """Tell whether a question contains its own answer, in a name, a value or a predicate."""
    if not isinstance(turn.expected, tuple) or turn.form == "comparison":
        return False
    value = turn.condition.value if turn.condition is not None else ""
    question_text = " ; ".join((turn.entity.label, value, *(step.label for step in turn.fact.steps))).casefold()
    for end in turn.expected:
        name = term_text(end, context.neighbourhoods.labels.get(end, ""))
        if name and name.casefold() in question_text and contains_name(question_text, name.casefold()):
            return True
    return False


def lookup_turns(summary: Summary, *, link: LinkName = "topic", antecedent_turn: int = 0) -> Iterator[TurnSpec]:
    """Yield lookups about an entity, one per fact that allows one."""
    for fact, hidden in summary.facts_with_ends:
        if fact.forms and fact.forms[0] in LOOKUP_FORMS and not _is_obscure(fact):
            form = fact.forms[0]
            yield TurnSpec(0, form, link, summary.entity, fact, antecedent_turn=antecedent_turn, hidden=hidden)


def _is_obscure(fact: Fact) -> bool:
    step = fact.last_step
    if fact.shape == "number" and not lexicalize_predicate(step.label, step.comment, fact.shape).can_tell_number:
        return True
    return fact.shape in ("number", "text") and is_obscure(step.label)


def count_turns(summary: Summary, *, link: LinkName, antecedent_turn: int) -> Iterator[TurnSpec]:
    """Yield questions for the number of an entity's values, unless the KG states that number."""
    for fact, hidden in summary.facts_with_ends:
        if "count" in fact.forms and not _is_counted(summary, fact):
            yield TurnSpec(0, "count", link, summary.entity, fact, antecedent_turn=antecedent_turn, hidden=hidden)


def _is_counted(summary: Summary, fact: Fact) -> bool:
    """Tell whether a number that the KG states may be the same count: a predicate named after the same thing."""
    stems = word_stems(fact.last_step.label, *fact.class_labels[:1])
    return any(other.shape == "number" and stems & word_stems(other.last_step.label) for other in summary.facts)


def yes_no_turns(
    context: PlanContext, summary: Summary, rng: Random, *, link: LinkName, antecedent_turn: int
) -> Iterator[TurnSpec]:
    """Yield yes-no questions, each once with a true and once with a false value."""
    for fact, hidden in summary.facts_with_ends:
        if "boolean" in fact.forms and not hidden.is_truncated:
            for offer, ends in true_and_false_offers(context, summary, fact, hidden, rng):
                yield TurnSpec(0, "boolean", link, summary.entity, offer, antecedent_turn=antecedent_turn, hidden=ends)


def two_hop_turns(context: PlanContext) -> Iterator[TurnSpec]:
    """Yield questions for what the KG states about an answer of the seed."""
    for bridge in context.bridges:
        ends = (context.seed.entity.class_labels, bridge.fact.class_labels)
        if bridge.fact.last_step.direction == "out" and _has_short_phrase(bridge.fact.last_step, *ends):
            for end_fact, end_hidden in bridge.summary.facts_with_ends:
                if (
                    end_fact.last_step.direction == "out"
                    and end_fact.forms[0] in LOOKUP_FORMS
                    and not (end_hidden.langs or _is_obscure(end_fact))
                    and not (_leads_away(context, bridge, end_fact) or _is_told(context, bridge, end_hidden))
                ):
                    yield _two_hop(context, bridge, end_fact, end_hidden)


def _has_short_phrase(step: Step, kinds: tuple[str, ...], end_kinds: tuple[str, ...]) -> bool:
    """Tell whether a phrase without a clause says the entity behind a step: *its owner*, not *the person who found it*.

    ``kinds`` are the class labels of the thing, ``end_kinds`` those of the entity.
    """
    return _CLAUSE.search(realize_intermediate(step, IT, kinds, end_kinds)) is None


_CLAUSE = re.compile(r" (?:who|that|where|whose) ")


def _leads_away(context: PlanContext, bridge: Bridge, end_fact: Fact) -> bool:
    """Tell whether a fact is about the country of a person or work, or about a place they are in, but not where that
    is."""
    if denote_places(context.seed.entity.class_labels):
        return False
    step = end_fact.last_step
    clauses = lexicalize_predicate(step.label, step.comment, end_fact.shape).clauses
    is_in = denote_places([head_noun(plain_label(step.label))]) or any(clause.preposition == "in" for clause in clauses)
    tells_where = end_fact.shape in ("entity", "text") and is_in
    return is_worldwide(bridge.fact) or (denote_places(bridge.fact.class_labels) and not tells_where)


def _is_told(context: PlanContext, bridge: Bridge, end_hidden: HiddenEnds) -> bool:
    """Tell whether the name of an answer of the seed tells what the KG states about it."""
    labels = context.neighbourhoods.labels
    names = f"{bridge.summary.entity.label} {labels.get(bridge.summary.entity.iri, '')}"
    return any(tells(names, term_text(end, labels.get(end, ""))) for end in end_hidden.ends)


def _two_hop(context: PlanContext, bridge: Bridge, end_fact: Fact, end_hidden: HiddenEnds) -> TurnSpec:
    steps = (bridge.fact.last_step, end_fact.last_step)
    fact = replace(
        end_fact, steps=steps, forms=("two-hop",), offered_value="", via_class_labels=bridge.fact.class_labels
    )
    hidden = replace(end_hidden, triples=(*bridge.hidden.triples, *end_hidden.triples))
    told = frozenset({(str(bridge.summary.entity.iri), end_fact.last_step.predicate)})
    return TurnSpec(0, "two-hop", "topic", context.seed.entity, fact, hidden=hidden, told_keys=told)


def comparison_turns(context: PlanContext, request: TurnRequest, rng: Random) -> Iterator[TurnSpec]:
    """Yield comparisons of the seed with near siblings, by numbers or dates that an adjective,
    a verb or counted things compare; as yes-no questions only by what has an adjective."""
    can_compare = has_adjective if request.is_yes_no else is_gradable
    seed_facts = _comparable_facts(context.seed)
    for sibling in context.siblings:
        if not context.names.name_of(sibling.entity.iri) or not are_near(context.seed, sibling):
            continue
        sibling_facts = _comparable_facts(sibling)
        for relation in comparable_predicates(
            {name: hidden.ends[0] for name, (_, hidden) in seed_facts.items()},
            {name: hidden.ends[0] for name, (_, hidden) in sibling_facts.items()},
        ):
            fact, hidden = seed_facts[relation]
            if not can_compare(fact.last_step, fact.shape, fact.datatype, context.seed.entity.class_labels):
                continue
            other_hidden = sibling_facts[relation][1]
            kind = rng.choice(("most", "least"))
            if request.is_yes_no and first_wins(hidden, other_hidden, kind) is not request.truth:
                kind = "least" if kind == "most" else "most"
            condition = Condition(kind, fact.last_step, fact.shape, fact.datatype)  # type: ignore[arg-type]
            yield TurnSpec(
                0, "comparison", "topic", context.seed.entity, fact, condition, sibling.entity, request.is_yes_no,
                hidden=hidden, other_hidden=other_hidden,
            )  # fmt: skip


def _comparable_facts(summary: Summary) -> dict[str, tuple[Fact, HiddenEnds]]:
    """Return the facts with one number or date by relation, values of another unit apart."""
    return {
        f"{fact.last_step.predicate} {fact.last_step.label}": (fact, hidden)
        for fact, hidden in summary.facts_with_ends
        if fact.forms[0] in COMPARABLE_FORMS
    }


def set_conditions(
    run: RunContext, context: PlanContext, answer_set: AnswerSet, form: str, rng: Random
) -> Iterator[SelectedMembers]:
    """Yield the conditions that a set offers for a form; for ``list``, its orders. A count is of several things. What
    the names of the members tell is no condition."""
    if form == "count" and not are_things(run.kg, answer_set.fact):
        return
    for selection in _set_conditions(run, context, answer_set, form, rng):
        is_enough = form != "count" or len(selection.members) >= MIN_COUNTED
        if is_enough and not _is_told_by_names(context, selection):
            yield selection


def _is_told_by_names(context: PlanContext, selection: SelectedMembers) -> bool:
    """Tell whether the names of most members tell what a condition is about: their year, the entrant of an entry."""
    labels, condition = context.neighbourhoods.labels, selection.condition
    if condition.shape == "number":
        return False
    values = selection.attribute.values
    if condition.shape == "date":
        told = [any(str(end)[:4] in labels.get(member, "") for end in ends) for member, ends in values.items()]
    else:
        told = [repeats_label(condition.value, labels.get(member, ""))
                for member, ends in values.items() if selection.condition.term in ends]  # fmt: skip
    return 2 * sum(told) > len(told)


def _set_conditions(
    run: RunContext, context: PlanContext, answer_set: AnswerSet, form: str, rng: Random
) -> Iterator[SelectedMembers]:
    value_arguments = (run.kg, context.neighbourhoods, context.names, answer_set)
    if form == "superlative":
        for kind in ("most", "least"):
            conditions = superlative_conditions(answer_set, kind)
            yield from (condition for condition in conditions if condition.members[0] != context.seed.entity.iri)
    if form in ("filter", "count"):
        for kind in ("over", "under"):
            yield from bound_conditions(answer_set, kind, rng)  # type: ignore[arg-type]
    if form in ("conjunction", "count"):
        yield from value_conditions(*value_arguments, "with")
    if form == "negation":
        yield from value_conditions(*value_arguments, "without")
    if form == "list":
        for kind in ("rising", "falling"):
            yield from order_conditions(answer_set, kind)  # type: ignore[arg-type]

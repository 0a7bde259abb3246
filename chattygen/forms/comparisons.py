"""Comparisons: which of two things has the greater or smaller value, or whether the first has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import COMPARABLE_FORMS, FORM_BY_NAME

from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Fact, HiddenEnds, Summary
from chattygen.form_registry import Form, register
from chattygen.planning.conditions import comparable_predicates, has_adjective, is_gradable
from chattygen.rulebook.set_questions import realize_comparison
from chattygen.run import RunContext
from chattygen.turns import Condition, ConditionKind, Expected, TurnSpec, compile_comparison_query, first_wins


def offer(run: RunContext, context: Context, topic: Any, link: LinkName, rng: Random) -> Iterator[TurnSpec]:
    """Yield comparisons of the seed with near siblings, by numbers or dates that an adjective, a verb or counted things
    compare; as yes-no questions only by what has an adjective."""
    seed = context.seed
    seed_facts, labels = _comparable_facts(seed), seed.entity.class_labels
    for sibling in topic if isinstance(topic, tuple) else ():
        sibling_facts = _comparable_facts(sibling)
        for relation in comparable_predicates(
            {name: hidden.ends[0] for name, (_, hidden) in seed_facts.items()},
            {name: hidden.ends[0] for name, (_, hidden) in sibling_facts.items()},
        ):
            (fact, hidden), other_hidden = seed_facts[relation], sibling_facts[relation][1]
            measure = (fact.last_step, fact.shape, fact.datatype)
            kinds: list[ConditionKind] = ["most", "least"]
            rng.shuffle(kinds)
            turns = (
                TurnSpec(
                    0, "comparison", link, seed.entity, fact, Condition(kind, *measure), sibling.entity,
                    hidden=hidden, other_hidden=other_hidden,
                ) for kind in kinds
            )  # fmt: skip
            if is_gradable(*measure, labels):
                yield next(turns)
            if has_adjective(*measure, labels):
                yield from (replace(turn, is_yes_no=True) for turn in turns)


def _comparable_facts(summary: Summary) -> dict[str, tuple[Fact, HiddenEnds]]:
    """Return the facts with one number or date by relation, values of another unit apart."""
    return {
        f"{fact.last_step.predicate} {fact.last_step.label}": (fact, hidden)
        for fact, hidden in summary.facts_with_ends
        if fact.forms[0] in COMPARABLE_FORMS
    }


def compile_query(turn: TurnSpec) -> str:
    """Write the query for one of two things, or for the truth of a comparison.

    Raises:
        ValueError: the turn compares nothing, or a term cannot be written into a query.
    """
    if turn.condition is None or turn.other_entity is None:
        raise ValueError("a comparison needs a condition and two things")
    return compile_comparison_query(turn.entity.iri, turn.other_entity.iri, turn.condition, is_yes_no=turn.is_yes_no)


def expect(turn: TurnSpec) -> Expected:
    """Return the one of two things that the condition is true of, or whether it is the first."""
    assert turn.condition is not None and turn.other_entity is not None
    is_first = first_wins(turn.hidden, turn.other_hidden, turn.condition.kind)
    return is_first if turn.is_yes_no else ((turn.entity if is_first else turn.other_entity).iri,)


register(Form(FORM_BY_NAME["comparison"], offer, compile_query, expect, realize_comparison))

"""Selections: one member of a set, or those that a condition is true of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from random import Random
from typing import Any

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import FORM_BY_NAME

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.dialogue_context import Context
from chattygen.form_registry import Form, register
from chattygen.forms.lookups import compile_query
from chattygen.planning.conditions import (
    SelectedMembers,
    bound_conditions,
    select_turns,
    superlative_conditions,
    value_conditions,
)
from chattygen.rulebook.set_questions import word_turn
from chattygen.run import RunContext
from chattygen.turns import Expected, TurnSpec

ConditionFinder = Callable[[RunContext, Context, AnswerSet, Random], Iterable[SelectedMembers]]


def extremes(run: RunContext, context: Context, answer_set: AnswerSet, rng: Random) -> Iterator[SelectedMembers]:
    """Yield the superlatives of a set."""
    yield from superlative_conditions(answer_set, "most")
    yield from superlative_conditions(answer_set, "least")


def bounds(run: RunContext, context: Context, answer_set: AnswerSet, rng: Random) -> Iterator[SelectedMembers]:
    """Yield the members above a bound, and those below one."""
    yield from bound_conditions(answer_set, "over", rng)
    yield from bound_conditions(answer_set, "under", rng)


def holders(run: RunContext, context: Context, answer_set: AnswerSet, rng: Random) -> Iterator[SelectedMembers]:
    """Yield the members with a given value."""
    return value_conditions(run, context, answer_set, "with")


def others(run: RunContext, context: Context, answer_set: AnswerSet, rng: Random) -> Iterator[SelectedMembers]:
    """Yield the members without a given value."""
    return value_conditions(run, context, answer_set, "without")


def offer(
    form: str,
    find: ConditionFinder,
    run: RunContext,
    context: Context,
    topic: Any,
    link: LinkName,
    rng: Random,
) -> Iterator[TurnSpec]:
    """Yield the turns of a form that select from a set by the conditions that a function finds."""
    if isinstance(topic, AnswerSet):
        yield from select_turns(context, topic, form, link, find(run, context, topic, rng))


def expect(turn: TurnSpec) -> Expected:
    """Return the selected members."""
    return turn.members


for _name, _find in (("superlative", extremes), ("filter", bounds), ("conjunction", holders), ("negation", others)):
    register(Form(FORM_BY_NAME[_name], partial(offer, _name, _find), compile_query, expect, word_turn))

"""Lookups: what the graph states of an entity by one relation; of a set, all of it in an order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import FORM_BY_NAME, LOOKUP_FORMS

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Fact, Summary
from chattygen.form_registry import Form, register
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.planning.conditions import is_obscure, order_conditions, select_turns
from chattygen.rulebook.set_questions import word_turn
from chattygen.run import RunContext
from chattygen.turns import Expected, TurnSpec, compile_fact_query, compile_set_query


def offer(form: str, run: RunContext, context: Context, topic: Any, link: LinkName, rng: Random) -> Iterator[TurnSpec]:
    """Yield the lookups of a form: of an entity one for each fact, of a set its lists in order."""
    if isinstance(topic, AnswerSet) and form == "list":
        orders = (*order_conditions(topic, "rising"), *order_conditions(topic, "falling"))
        yield from select_turns(context, topic, form, link, orders)
    for fact, hidden in topic.facts_with_ends if isinstance(topic, Summary) else ():
        if fact.forms[:1] == (form,) and not is_unclear(fact):
            yield TurnSpec(0, form, link, topic.entity, fact, hidden=hidden)


def is_unclear(fact: Fact) -> bool:
    """Tell whether only the owner of the data understands what a number or a text says."""
    step = fact.last_step
    if fact.shape == "number" and not lexicalize_predicate(step.label, step.comment, fact.shape).can_tell_number:
        return True
    return fact.shape in ("number", "text") and is_obscure(step.label)


def compile_query(turn: TurnSpec) -> str:
    """Write the query for the ends of a fact, in order if a condition says so."""
    if turn.condition is not None:
        return compile_set_query(turn.entity.iri, turn.fact, turn.condition)
    return compile_fact_query(turn.entity, turn.fact, turn.hidden, turn.form)


def expect(turn: TurnSpec) -> Expected:
    """Return the ends of the fact; of a list in order, its members."""
    return turn.hidden.ends if turn.condition is None else turn.members


for _name in LOOKUP_FORMS:
    register(Form(FORM_BY_NAME[_name], partial(offer, _name), compile_query, expect, word_turn))

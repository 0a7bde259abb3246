"""Counts: how many things a relation leads to, or how many of them a condition selects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from chattyshared.check import Problem
from chattyshared.dialogue import LinkName
from chattyshared.question_forms import FORM_BY_NAME

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Summary
from chattygen.context.missing_facts import word_stems
from chattygen.context.predicate_use import MIN_COUNTED, are_things
from chattygen.form_registry import Form, register
from chattygen.planning.conditions import bound_conditions, select_turns, value_conditions
from chattygen.rulebook.set_questions import word_turn
from chattygen.run import RunContext
from chattygen.turns import Expected, TurnSpec, compile_fact_query, compile_set_query

_HOW_MANY = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b", re.IGNORECASE)


def offer(run: RunContext, context: Context, topic: Any, link: LinkName, rng: Random) -> Iterator[TurnSpec]:
    """Yield counts: of an entity's values, unless the KG may state the same number; of a set's members that a condition
    selects, unless these are categories or too few."""
    for fact, hidden in topic.facts_with_ends if isinstance(topic, Summary) else ():
        stems = word_stems(fact.last_step.label, *fact.class_labels[:1])
        is_stated = any(each.shape == "number" and stems & word_stems(each.last_step.label) for each in topic.facts)
        if "count" in fact.forms and not is_stated:
            yield TurnSpec(0, "count", link, topic.entity, fact, hidden=hidden)
    if isinstance(topic, AnswerSet) and are_things(run.kg, topic.fact):
        conditions = (
            *bound_conditions(topic, "over", rng),
            *bound_conditions(topic, "under", rng),
            *value_conditions(run, context, topic, "with"),
        )
        enough = (each for each in conditions if len(each.members) >= MIN_COUNTED)
        yield from select_turns(context, topic, "count", link, enough)


def compile_query(turn: TurnSpec) -> str:
    """Write the query for a number of things."""
    if turn.condition is not None:
        return compile_set_query(turn.entity.iri, turn.fact, turn.condition, is_count=True)
    return compile_fact_query(turn.entity, turn.fact, turn.hidden, turn.form)


def expect(turn: TurnSpec) -> Expected:
    """Return how many things there are."""
    return turn.fact.count if turn.condition is None else len(turn.members)


def check(turn: TurnSpec, text: str) -> Iterator[Problem]:
    """A count asks for a number of things."""
    if not _HOW_MANY.search(text):
        yield Problem("asks-count", f'turn {turn.number}: ask how many: "{text}"')


register(Form(FORM_BY_NAME["count"], offer, compile_query, expect, word_turn, check))

"""Yes-no questions: whether the graph states a given value of an entity."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from chattyshared.dialogue import LinkName
from chattyshared.question_forms import FORM_BY_NAME

from chattygen.context.dialogue_context import Context
from chattygen.context.distractors import true_and_false_offers
from chattygen.context.facts import Summary
from chattygen.form_registry import Form, register
from chattygen.rulebook.set_questions import word_turn
from chattygen.run import RunContext
from chattygen.turns import Expected, TurnSpec, compile_fact_query


def offer(run: RunContext, context: Context, topic: Any, link: LinkName, rng: Random) -> Iterator[TurnSpec]:
    """Yield yes-no questions about an entity, each once with a true and once with a false value."""
    for fact, hidden in topic.facts_with_ends if isinstance(topic, Summary) else ():
        if "boolean" in fact.forms and not hidden.is_truncated:
            for offered, ends in true_and_false_offers(run.kg, context, topic, fact, hidden, rng):
                yield TurnSpec(0, "boolean", link, topic.entity, offered, hidden=ends)


def compile_query(turn: TurnSpec) -> str:
    """Write the query for the truth of a statement."""
    return compile_fact_query(turn.entity, turn.fact, turn.hidden, turn.form)


def expect(turn: TurnSpec) -> Expected:
    """Return whether the offered value is stated."""
    return turn.hidden.is_offer_true


register(Form(FORM_BY_NAME["boolean"], offer, compile_query, expect, word_turn))

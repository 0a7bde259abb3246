"""Aggregates: the sum or the average of a number of the members of a set. No mix asks for them unless it names them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from random import Random

from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import word_set
from chattyshared.question_forms import QuestionForm

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.dialogue_context import Context
from chattygen.form_registry import Form, register
from chattygen.forms.selections import offer
from chattygen.lexicalization.rows import texts_of_rows
from chattygen.planning.conditions import MIN_COMPARED, SelectedMembers, comparable_values, measured_attributes, select
from chattygen.rulebook.condition_phrases import lexicalize_measure
from chattygen.rulebook.fact_questions import ask_of_record
from chattygen.rulebook.referring_expressions import ReferringExpression
from chattygen.rulebook.set_questions import lexicalize_plan_set
from chattygen.run import RunContext
from chattygen.turns import ConditionKind, Expected, TurnSpec, comparable_value, compile_aggregate_query

_NOT_ADDITIVE = word_set("relation_labels", "not_additive")


def measures(
    kind: ConditionKind, run: RunContext, context: Context, answer_set: AnswerSet, rng: Random
) -> Iterator[SelectedMembers]:
    """Yield the numbers that each member states once, to be taken together; no sum of what does not add up."""
    for attribute in measured_attributes(answer_set):
        is_summed = kind == "mean" or _NOT_ADDITIVE.isdisjoint(attribute.step.label.lower().split())
        if attribute.shape == "number" and is_summed and len(comparable_values(attribute)) >= MIN_COMPARED:
            yield select(kind, attribute, answer_set.members)


def compile_query(function: str, turn: TurnSpec) -> str:
    """Write the query for a sum (``SUM``) or an average (``AVG``)."""
    assert turn.condition is not None
    return compile_aggregate_query(turn.entity.iri, turn.fact, turn.condition, function)


def expect(kind: ConditionKind, turn: TurnSpec) -> Expected:
    """Return the sum or the average of what the graph states of the members."""
    values = [comparable_value(end) for _, _, end in turn.stated]
    total = sum((value for value in values if isinstance(value, Decimal)), Decimal(0))
    return total if kind == "total" else total / len(values)


def word(turn: TurnSpec, reference: ReferringExpression | None) -> Iterator[str]:
    """Yield English questions by the rows ``aggregate`` of ``questions.toml``."""
    assert turn.condition is not None
    noun = lexicalize_measure(turn.condition, turn.fact.class_labels).noun
    sets = lexicalize_plan_set(turn, reference) if reference is not None else ()
    for members in [each.whole_phrase() for each in sets] or [""]:
        traits = {"pick": turn.condition.kind, "noun": noun, "head": head_noun(noun), "members": members}
        texts = texts_of_rows("questions", "aggregate" if members else "aggregate_of_them", traits)
        yield from map(ask_of_record, texts) if turn.is_of_class else texts


for _name, _kind, _function in (("sum", "total", "SUM"), ("average", "mean", "AVG")):
    _question = QuestionForm(
        _name, "selection", "number", "hard", ("opens", "topic", "among"),
        "a set of 3 to 12 named things around a named thing, and a number of each",
    )  # fmt: skip
    register(
        Form(
            _question,
            partial(offer, _name, partial(measures, _kind)),
            partial(compile_query, _function),
            partial(expect, _kind),
            word,
        )
    )

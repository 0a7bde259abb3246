"""Wordings of one turn: about a fact, or about the members of a set."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.question_realizer import realize_fact_question
from chattygen.rulebook.referring_expressions import ReferringExpression, refer_by_name
from chattygen.rulebook.set_questions import realize_set_follow_up, realize_set_question
from chattygen.turns import TurnSpec


def word_turn(turn: TurnSpec, reference: ReferringExpression | None) -> Iterator[str]:
    """Yield English questions of a turn, the most natural first; ``reference`` refers to its entity (None: it is about
    the answers of an earlier turn)."""
    if turn.condition is not None:
        yield from realize_set_follow_up(turn) if reference is None else realize_set_question(turn, reference)
        return
    is_name = reference is None or reference == refer_by_name(turn.entity)
    for text in realize_fact_question(turn.entity, turn.fact, turn.form):
        yield text if is_name or reference is None else replace_name(text, turn.entity.label, reference)

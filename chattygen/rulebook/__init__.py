"""The rule model of the generator: one function per agent, with English surface forms for any KG."""

from chattyshared.model.rules import Rule

from chattygen.rulebook.agent_rules import (
    bind_question,
    select_label_predicate,
    write_query,
    write_questions,
    write_questions_only,
    write_single_shot,
)
from chattygen.rulebook.dialogue_rewriting import rewrite_dialogue
from chattygen.rulebook.plan_realizer import realize_plan

RULEBOOK: dict[str, Rule] = {
    "generate/label": select_label_predicate,
    "generate/questions": write_questions,
    "generate/questions_only": write_questions_only,
    "generate/binding": bind_question,
    "generate/single_shot": write_single_shot,
    "generate/query": write_query,
    "generate/dialogue": rewrite_dialogue,
    "generate/plan_verbalization": realize_plan,
}
"""The rule of each agent of the generator, by prompt name."""

__all__ = ["RULEBOOK"]

"""The embedded rule model's side of the generator: one plain function per agent, English surface forms for any KG."""

from chattyshared.model.rules import Rule

from chattygen.rulebook.agent_rules import binding, in_one, label, query, questions_only
from chattygen.rulebook.dialogue_rewriting import dialogue
from chattygen.rulebook.plan_realizer import words
from chattygen.rulebook.question_realizer import questions

RULEBOOK: dict[str, Rule] = {
    "generate/label": label,
    "generate/questions": questions,
    "generate/questions_only": questions_only,
    "generate/binding": binding,
    "generate/in_one": in_one,
    "generate/query": query,
    "generate/dialogue": dialogue,
    "generate/words": words,
}
"""What ``Rules(RULEBOOK)`` replies for each agent of the generator."""

__all__ = ["RULEBOOK"]

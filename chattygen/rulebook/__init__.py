"""The embedded rule model's side of the generator: one plain function per agent, English surface forms for any KG."""

from chattyshared.model.rules import Rule

from chattygen.rulebook.asking import questions
from chattygen.rulebook.naming import label, query
from chattygen.rulebook.retelling import dialogue

RULEBOOK: dict[str, Rule] = {
    "generate/label": label,
    "generate/questions": questions,
    "generate/query": query,
    "generate/dialogue": dialogue,
}
"""What ``Rules(RULEBOOK)`` replies for each agent of the generator."""

__all__ = ["RULEBOOK"]

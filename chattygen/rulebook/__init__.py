"""The embedded rule model's side of the generator: one plain function per agent, English surface forms for any KG."""

from chattyshared.model.rules import Rule

from chattygen.rulebook.asking import questions
from chattygen.rulebook.authoring import query
from chattygen.rulebook.binding import binding, questions_only
from chattygen.rulebook.in_one import in_one
from chattygen.rulebook.naming import label
from chattygen.rulebook.retelling import dialogue
from chattygen.rulebook.wording import words

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

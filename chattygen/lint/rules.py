"""The table of the kinds of defects: what each means, and the rule that finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from chattygen.lint.dialogue_view import TurnView
from chattygen.lint.lint_context import LintContext

Find = Callable[[LintContext, TurnView], Iterator[str]]
"""Yields why a turn has a defect; it raises what an endpoint raises."""


@dataclass(frozen=True, slots=True)
class DefectRule:
    """What a kind of defect means, and what finds it; whether only a KG shows it, and whether only English has it."""

    meaning: str
    find: Find
    by_graph: bool = False
    is_english: bool = False


RULES: dict[str, DefectRule] = {}
"""The rules by kind, in the order of the table; the modules of rules fill it."""
KINDS_BY_MODEL: Mapping[str, str] = {
    "pointless": "a question that nobody would ask (with --model)",
    "unnatural": "a turn that does not fit into the conversation (with --model)",
}
"""The kinds that only a model shows."""
NOT_JUDGED = "not-judged"


def defect(kind: str, meaning: str, *, by_graph: bool = False, is_english: bool = False) -> Callable[[Find], Find]:
    """Return a decorator that enters a function into the table as the rule for a kind of defect."""

    def enter(find: Find) -> Find:
        RULES[kind] = DefectRule(f"{meaning} (with --kg)" if by_graph else meaning, find, by_graph, is_english)
        return find

    return enter


def defect_kinds() -> dict[str, str]:
    """Return every kind of defect with what it means, in the order of the table."""
    kinds = {kind: rule.meaning for kind, rule in RULES.items()}
    return {
        **kinds,
        **KINDS_BY_MODEL,
        NOT_JUDGED: "graph or model did not answer, or an unexpected error occurred",
    }

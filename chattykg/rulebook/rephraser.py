"""What the rule model says to ``answer/rephraser``: the question with the conversation put into it."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.rulebook.followups.rewriting import rewrite_follow_up


def rule(request: Request) -> Any:
    """Return the request's question in words that need no conversation."""
    variables = request.variables
    question = str(variables["question"])
    return {"question": rewrite_follow_up(question, variables["history"], tuple(variables["referents"]))}

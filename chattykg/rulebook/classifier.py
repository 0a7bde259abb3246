"""What the rule model says to ``answer/classifier``: does the question lean on the conversation?"""

from __future__ import annotations

from typing import Any

from chattykg.rulebook.references import leans
from chattyshared.model import Request


def rule(request: Request) -> Any:
    """Return whether the request's question is a follow-up, given its history."""
    history = request.variables["history"]
    return {"follow_up": bool(history.history) and leans(str(request.variables["question"]), history)}

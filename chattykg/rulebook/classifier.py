"""What the rule model says to ``answer/classifier``: does the question lean on the conversation?"""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.rulebook.followups.detection import is_context_dependent


def rule(request: Request) -> Any:
    """Return whether the request's question is a follow-up, given its history."""
    history = request.variables["history"].history
    follows = bool(history) and is_context_dependent(str(request.variables["question"]), history)
    return {"kind": "follow-up" if follows else "self-contained"}

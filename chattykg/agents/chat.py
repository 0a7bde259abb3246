"""The chat agent: takes the question in, sends it on its way, and hands the answer back."""

from __future__ import annotations

import unicodedata

from chattykg.state import AgentState, Desk, unanswered

_JOINERS = frozenset("\u200c\u200d")


def chat(state: AgentState, desk: Desk) -> AgentState:
    """Open a turn, or close it when there is an answer; the route goes to the classifier only if there is a history."""
    if "answer" in state:
        return {"route": "end"}
    question = clean(state["question"])
    if not any(mark.isalnum() for mark in question):
        return {"route": "end", "standalone": "", "answer": unanswered("question", "there is no question.")}
    limit = desk.settings.question_limit
    if len(question) > limit:
        said = f"the question is too long: {len(question)} characters, and at most {limit} are read."
        return {"route": "end", "standalone": question[:limit], "answer": unanswered("question", said)}
    in_conversation = state.get("system_mode") == "multi" and bool(state.get("history"))
    return {"question": question, "standalone": question, "route": "classifier" if in_conversation else "card"}


def clean(question: str) -> str:
    """Return a question on one line, without control characters and invisible marks."""
    kept = (
        mark if mark in _JOINERS or unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Co", "Cn") else
        " " if mark.isspace() else ""
        for mark in question
    )  # fmt: skip
    return " ".join("".join(kept).split())

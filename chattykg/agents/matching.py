"""The matching agent: mentions become vertices, classes and values; the vertex validator keeps it to what was shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from chattyshared.agent import Agent, Cut, agent
from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.linking.candidates import Candidate, Mention, Mentions
from chattykg.linking.entity_linking import anchors, retrieve
from chattykg.query.grounding import unlinked
from chattykg.state import AgentState, Desk, unanswered


def is_shown(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that every number is one that was shown (the vertex validator's membership rule)."""
    mentions: Mentions = variables["mentions"]
    for choice in reply["choices"]:
        if not 1 <= choice["mention"] <= len(mentions.items):
            yield Problem("membership", f"There is no mention {choice['mention']}.")
            continue
        known = len(mentions.items[choice["mention"] - 1].candidates)
        for number in choice["candidates"]:
            if not 1 <= number <= known:
                yield Problem("membership", f"Mention {choice['mention']} has no candidate {number}.")


@lru_cache(maxsize=1)
def prompted() -> Agent:
    """Return the agent of ``answer/matching`` with its validator."""
    return agent("answer/matching", is_shown, cuts=(Cut("mentions"),))


def matching(state: AgentState, desk: Desk) -> AgentState:
    """Link all mentions of the QIR, those that leave a choice in one call; a mention that is nowhere ends the turn."""
    with desk.timed("linking"):
        mentions = retrieve(desk.kg, state["qir"], state["card"], desk.similarity, desk.settings.vertex_limit)
        missing = unlinked(state["qir"], {m.text: anchors(m, m.candidates[:1]) for m in mentions if m.candidates})
        if missing:
            named = ", ".join(f'"{text[:80]}"' for text in missing)
            return {"route": "chat", "answer": unanswered("unknown-name", f"nothing is known of {named}.")}
        chosen = _choose(state["standalone"], mentions, desk)
        linked = {m.text: anchors(m, chosen[m.text]) for m in mentions if m.candidates}
    return {"route": "planning", "linked": linked}


def _choose(question: str, mentions: Sequence[Mention], desk: Desk) -> Mapping[str, Sequence[Candidate]]:
    chosen: dict[str, Sequence[Candidate]] = {m.text: m.settled() for m in mentions}
    left = tuple(m for m in mentions if m.candidates and not m.is_settled)
    if not left:
        return chosen
    try:
        reply = desk.ask(prompted(), {"question": question, "mentions": Mentions(left)})
    except (ReplyInvalid, ModelRefused, ContextTooLong):
        return chosen | {m.text: m.candidates[:3] for m in left}
    for choice in reply.value["choices"]:
        mention = left[choice["mention"] - 1]
        picked = [mention.candidates[number - 1] for number in choice["candidates"]]
        chosen[mention.text] = picked or mention.candidates[:1]
    return chosen

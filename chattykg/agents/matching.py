"""The matching agent: links mentions to vertices, classes and values; its validator admits shown candidates only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid

from chattykg.linking.candidates import EntityCandidate, MentionBatch, MentionCandidates
from chattykg.linking.entity_linking import group_links, retrieve_candidates
from chattykg.query.grounding import unlinked_mentions
from chattykg.state import AgentContext, AgentState, make_refusal


def check_choices(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that every number is one that was shown (the vertex validator's membership rule)."""
    mentions: MentionBatch = variables["mentions"]
    for choice in reply["choices"]:
        if not 1 <= choice["mention"] <= len(mentions.mentions):
            yield Problem("membership", f"There is no mention {choice['mention']}.")
            continue
        candidate_count = len(mentions.mentions[choice["mention"] - 1].candidates)
        for number in choice["candidates"]:
            if not 1 <= number <= candidate_count:
                yield Problem("membership", f"Mention {choice['mention']} has no candidate {number}.")


AGENT = load_agent("answer/matching", check_choices, truncatable=(TruncatableVariable("mentions"),))


def matching(state: AgentState, context: AgentContext) -> AgentState:
    """Link all mentions of the QIR, the ambiguous ones in one call; refuse if a mention has no candidate."""
    with context.measure_time("linking"):
        mentions = retrieve_candidates(
            context.kg, state["qir"], state["card"], context.similarity, context.settings.vertex_limit
        )
        missing = unlinked_mentions(
            state["qir"], {m.text: group_links(m, m.candidates[:1]) for m in mentions if m.candidates}
        )
        if missing:
            names = ", ".join(f'"{text[:80]}"' for text in missing)
            return {"answer": make_refusal("unknown-name", f"nothing is known of {names}.")}
        chosen = _choose_candidates(state["standalone"], mentions, context)
        linked = {m.text: group_links(m, chosen[m.text]) for m in mentions if m.candidates}
    return {"linked": linked}


def _choose_candidates(
    question: str, mentions: Sequence[MentionCandidates], context: AgentContext
) -> Mapping[str, Sequence[EntityCandidate]]:
    chosen: dict[str, Sequence[EntityCandidate]] = {m.text: m.select_unambiguous() for m in mentions}
    ambiguous = tuple(m for m in mentions if m.candidates and not m.is_unambiguous)
    if not ambiguous:
        return chosen
    try:
        reply = context.request_reply(AGENT, {"question": question, "mentions": MentionBatch(ambiguous)})
    except (ReplyInvalid, ModelRefused, ContextTooLong):
        return chosen | {m.text: m.candidates[:3] for m in ambiguous}
    for choice in reply.value["choices"]:
        mention = ambiguous[choice["mention"] - 1]
        candidates = [mention.candidates[number - 1] for number in choice["candidates"]]
        chosen[mention.text] = candidates or mention.candidates[:1]
    return chosen

"""The matching agent: links mentions to vertices, classes and values; its validator admits shown candidates only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.kg.direct_view import find_anchored
from chattyshared.language.morphology import lemma_of
from rdflib import URIRef

from chattykg.agents.outcomes import known_vertices
from chattykg.agents.readings import refuse
from chattykg.conversation.clarification import content_words, describe, most_telling
from chattykg.linking.candidates import EntityCandidate, MentionBatch, MentionCandidates
from chattykg.linking.coverage import unknown_words
from chattykg.linking.entity_linking import group_links, retrieve_candidates
from chattykg.query.grounding import unlinked_mentions
from chattykg.query.judgement import Refusal
from chattykg.state import AgentContext, AgentState


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
    """Link all mentions of the QIR, the ambiguous ones in one call; refuse if a mention has no candidate that fits."""
    with context.measure_time("linking"):
        mentions = retrieve_candidates(
            context.kg, state["qir"], state["card"], context.similarity, context.settings.vertex_limit
        )
        mentions = tuple(narrow_mention(mention, state, context) for mention in mentions)
        missing = unlinked_mentions(
            state["qir"], {m.text: group_links(m, m.candidates[:1]) for m in mentions if m.candidates}
        )
        if missing:
            return {"answer": refuse(Refusal("unknown-name", (*missing, *_unknown_others(state, missing))))}
        chosen = _choose_candidates(state["standalone"], mentions, context)
        linked = {m.text: group_links(m, chosen[m.text]) for m in mentions if chosen[m.text]}
        if unfit := unlinked_mentions(state["qir"], linked):
            return {"answer": refuse(Refusal("not-meant", unfit))}
    namesakes = {m.text: m.namesakes() for m in mentions}
    known = known_vertices(state)
    return {
        "linked": linked,
        "namesakes": {
            text: listed for text, listed in namesakes.items() if any(str(c.term) not in known for c in listed)
        },
    }


def _unknown_others(state: AgentState, missing: Sequence[str]) -> Iterator[str]:
    """Yield the words of the reading, names that have no candidate apart, that nothing of the graph is called by."""
    qir = state["qir"]
    phrases = (*qir.relations(), *(name for _, name in qir.classes), *qir.unknowns(), *qir.entities())
    read = {word for phrase in phrases for word in phrase.lower().strip("?").replace("_", " ").split()}
    named = {word for name in missing for word in name.lower().split()}
    words = unknown_words(state["standalone"], state["card"])
    yield from (word for word in words if {word.lower(), lemma_of(word.lower())} & read and word.lower() not in named)


def narrow_mention(mention: MentionCandidates, state: AgentState, context: AgentContext) -> MentionCandidates:
    """Leave out what the user did not mean; of namesakes keep the one that question or conversation tells of.

    What a question refers to by a pronoun is what the conversation tells of, whatever the question says of it.
    """
    rejected, before = state.get("rejected", frozenset()), known_vertices(state)
    kept = tuple(
        replace(candidate, term=URIRef(find_anchored(candidate.term, before)))
        if isinstance(candidate.term, URIRef)
        else candidate
        for candidate in mention.candidates
        if str(candidate.term) not in rejected
    )
    mention = replace(mention, candidates=kept)
    namesakes = frozenset(str(candidate.term) for candidate in mention.namesakes())
    if not namesakes:
        return mention
    known = namesakes & before
    is_referred = bool(known) and mention.text.casefold() not in state["question"].casefold()  # "Is it in Texas?"
    described = "" if is_referred else _described_namesake(mention.text, namesakes, state, context)
    meant = frozenset((described,)) if described else known
    others = namesakes - meant if meant else frozenset()
    return replace(mention, candidates=tuple(c for c in kept if str(c.term) not in others))


def _described_namesake(text: str, namesakes: frozenset[str], state: AgentState, context: AgentContext) -> str:
    """Return the namesake that the rest of the question describes ("Luna the cat"); "" if it describes none."""
    qir = state["qir"]
    used = (text, *qir.relations(), *(name for _, name in qir.classes), *qir.unknowns())
    spent = {word for phrase in used for word in content_words(phrase.replace("_", " "))}
    words = [word for word in content_words(state["standalone"]) if word not in spent]
    return most_telling(words, describe(sorted(namesakes), context.kg)) if words else ""


def _choose_candidates(
    question: str, mentions: Sequence[MentionCandidates], context: AgentContext
) -> Mapping[str, Sequence[EntityCandidate]]:
    chosen: dict[str, Sequence[EntityCandidate]] = {m.text: m.select_unambiguous() for m in mentions}
    labels = {iri: entry.label.casefold() for iri, entry in context.kg.vocabulary.predicates.items()}
    fitting = {m.text: m.select_fitting(labels) for m in mentions if not m.is_unambiguous}
    chosen |= {text: candidates for text, candidates in fitting.items() if len(candidates) == 1}
    ambiguous = tuple(m for m in mentions if m.candidates and not m.is_unambiguous and len(fitting[m.text]) != 1)
    if not ambiguous:
        return chosen
    reply = context.try_reply(AGENT, {"question": question, "mentions": MentionBatch(ambiguous)})
    if reply is None:
        return chosen | {m.text: m.candidates[:3] for m in ambiguous}
    numbered = dict(enumerate(ambiguous, 1))
    for choice in reply["choices"]:
        if mention := numbered.get(choice["mention"]):  # without validators a number may be none that was shown
            listed = dict(enumerate(mention.candidates, 1))
            chosen[mention.text] = [listed[number] for number in choice["candidates"] if number in listed]
    return chosen

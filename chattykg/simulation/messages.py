"""The messages of a simulated user: what it says next by the rules, and a model that words it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, ClarificationOption
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel, Usage

from chattykg.simulation.goals import Goal, occurs, phrase, tell_apart
from chattykg.simulation.visible_errors import VisibleError, topic_text

Act = Literal["ask", "clarify", "rephrase", "correct"]
PROMPT = "simulation/user"
_NUMBER = re.compile(r"\d+")
_SHOWN_LINES = 20
"""The last messages of a conversation that the model is shown."""


def word_message(
    model: LanguageModel, act: Act, draft: str, goal: Goal, talk: Sequence[str], *, theta: int = 3
) -> tuple[str, Usage]:
    """Return a draft as a model words it, and the usage; the draft stands if no reply of the model is usable.

    ``talk`` are the lines of the conversation. The model sees neither the gold nor the query.

    Raises:
        ModelError: the model cannot be reached.
    """
    shown = talk[-_SHOWN_LINES:]
    variables = {
        "goal": goal.turn.standalone,
        "conversation": tuple(shown) or ("(nothing)",),
        "act": act,
        "draft": draft,
    }
    try:
        reply = _guarded_agent(goal, shown)(model, variables, theta=theta)
    except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
        return draft, error.usage or Usage()
    return " ".join(str(reply.value["message"]).split()), reply.usage


def _guarded_agent(goal: Goal, talk: Sequence[str]) -> Agent:
    """Return the agent whose replies keep the names of the draft, and tell nothing of the gold."""

    def check_message(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        known = " ".join((variables["draft"], goal.turn.standalone, *talk))
        for value in goal.turn.answers:
            if value.kind != "boolean" and occurs(value.text, reply["message"]) and not occurs(value.text, known):
                yield Problem("gold", f'Leave out "{value.text}": the person does not know it.')
        kept = [one.label for one in goal.things if occurs(one.label, variables["draft"])]
        kept += [variables["draft"]] if variables["act"] == "clarify" else _NUMBER.findall(variables["draft"])
        for text in kept:
            if text.casefold() not in reply["message"].casefold():
                yield Problem("names", f'Say "{text}", as it stands in the draft.')

    return replace(load_agent(PROMPT), checks=(check_message,))


def draft_correction(goal: Goal, answer: Answer, error: VisibleError, lang: str, kg: KnowledgeGraph | None) -> str:
    """Return what the user says about an answer that is visibly wrong: the thing that is meant, and the question.

    Raises:
        EndpointError: the KG could not be asked.
    """
    name = ""
    if error in ("entity", "note") and goal.names:
        missing = [one for one in goal.names if not occurs(one.label, topic_text(answer))]
        thing = next(iter(missing or goal.names))
        alike = sorted(link.iri for link in answer.entities if link.label == thing.label)
        name = tell_apart(thing, alike, kg, hidden=goal.hidden)
    key = "correction" if name else "objection"
    return phrase(key, lang, name=name, question=goal.turn.standalone) or goal.turn.standalone


def draft_clarification(goal: Goal, answer: Answer, lang: str, referent: str) -> str:
    """Return the true reply to what a system asks back, or to a refusal that names options.

    It is the option of something in the gold query, by IRI or by label. Without such an option the user names what it
    means; to an open clarification it says the ``referent``, what the question refers to ("": the question again, so
    that it stands alone).
    """
    options = answer.clarification.options if answer.clarification else ()
    if not options:
        return referent or goal.turn.standalone
    chosen = _choose_meant(goal, options)
    if chosen is not None:
        return chosen.label
    name = next(
        (one.label for one in goal.things if answer.clarification and occurs(one.label, answer.clarification.question)),
        "",
    )
    name = name or referent
    return (name and phrase("none_of_these", lang, name=name)) or name or goal.turn.standalone


def _choose_meant(goal: Goal, options: Sequence[ClarificationOption]) -> ClarificationOption | None:
    """Return the option that is meant: by IRI, else the only one with the label of something that is meant."""
    iris = {one.iri for one in (*goal.things, *goal.terms) if one.iri}
    by_iri = [option for option in options if option.iri in iris]
    if by_iri:
        return by_iri[0]
    labels = {one.label.casefold() for one in (*goal.things, *goal.terms)}
    named = [option for option in options if not option.iri and option.label.casefold() in labels]
    return named[0] if len(named) == 1 else None

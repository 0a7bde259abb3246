"""What the user sees in a reply, and what it says next by the rules, or as a model words it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Answer, ClarificationOption, Value
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel, Usage
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, local_name

from chattykg.evaluation.answer_matching import AnswerElement
from chattykg.evaluation.gold import answer_type_of
from chattykg.simulation.goals import Goal, occurs, phrase, tell_apart

Act = Literal["ask", "clarify", "rephrase", "correct"]
PROMPT = "simulation/user"
_NUMBER = re.compile(r"\d+")
_SHOWN_LINES = 20
"""The last messages of a conversation that the model is shown."""
VisibleError = Literal["", "kind", "entity", "note"]
"""Why a user does not believe an answer: it cannot be one to this question, or it is about another thing by what it
says or by its notes; empty: nothing speaks against it."""
MAX_SINGLE_VALUES = 3
"""Values of an answer to a question for a number or a date beyond which a person sees that it is about other things."""
_NUMERIC = frozenset(map(local_name, map(str, NUMERIC_DATATYPES))) | {"number"}
_DATES = frozenset(map(local_name, map(str, DATE_DATATYPES)))
_FITTING = {
    "boolean": ("boolean",), "number": ("number", "string"), "date": ("date", "number", "string"),
    "thing": ("resource", "string"),
}  # fmt: skip
"""Kinds of answers that may be right, by the kind that is asked for; a text may name a thing, a number or a date."""


def find_visible_error(
    goal: Goal, answer: Answer, elements: Sequence[AnswerElement], built_on: Sequence[Value] = ()
) -> VisibleError:
    """Return what a user sees to be wrong with an answer to a goal; the gold plays no part.

    ``elements`` are those of the answer; ``built_on`` are the values of the believed answers that the goal hangs on.
    """
    if not _is_fitting(goal, answer, elements):
        return "kind"
    # A reply that says what it answers names each thing that the user means, or the earlier answers in its place.
    shown = topic_text(answer)
    says_topic = answer.sentence or any(not occurs(one.label, goal.turn.standalone) for one in answer.entities)
    is_missing = any(not occurs(one.label, shown) for one in goal.names)
    if says_topic and is_missing and not any(occurs(value.text, shown) for value in built_on):
        return "entity"
    meant = {one.iri for one in goal.things}
    taken = (
        link.label for link in answer.entities if link.iri not in meant and occurs(link.label, goal.turn.standalone)
    )
    return "note" if answer.unused or any(occurs(label, note) for label in taken for note in answer.notes) else ""


def topic_text(answer: Answer) -> str:
    """Return what a reply says that it is about: the question as it was understood, the query in words, the things."""
    return " ".join((answer.standalone, answer.sentence, *(link.label for link in answer.entities)))


def asked_kind(answer_type: str) -> str:
    """Return the kind of answer that a question asks for, from the class or datatype of its gold; "" for any text."""
    if answer_type in ("boolean", *_NUMERIC):
        return "boolean" if answer_type == "boolean" else "number"
    return "date" if answer_type in _DATES else "" if answer_type in ("string", "langString", "entity") else "thing"


def _is_fitting(goal: Goal, answer: Answer, elements: Sequence[AnswerElement]) -> bool:
    kind = asked_kind(goal.turn.answer_type)
    if not kind:
        return True
    if kind in ("number", "date"):
        has_digits = any(letter.isdigit() for value in answer.values for letter in value.text)
        if not has_digits or (len(answer.values) > MAX_SINGLE_VALUES and goal.turn.form != "list"):
            return False
    return answer_type_of(elements) in _FITTING[kind]


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

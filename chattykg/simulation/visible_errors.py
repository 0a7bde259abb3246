"""What a person can see of a wrong answer: its kind, the things it speaks of, its notes, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from chattyshared.dialogue import Answer, Value
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, local_name

from chattykg.evaluation.answer_matching import AnswerElement
from chattykg.evaluation.gold import answer_type_of
from chattykg.simulation.goals import Goal, occurs

VisibleError = Literal["", "kind", "entity", "note", "contradiction"]
"""Why a user does not believe an answer: it cannot be one to this question, it is about another thing by what it says
or by its notes, or it contradicts an earlier answer; empty: nothing speaks against it."""
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
    goal: Goal, answer: Answer, elements: Sequence[AnswerElement], accepted: Sequence[tuple[Goal, Answer]]
) -> VisibleError:
    """Return what a user sees to be wrong with an answer to a goal; the gold plays no part.

    ``elements`` are those of the answer; ``accepted`` are the earlier goals with the answers that the user believes.
    """
    built_on = [value for each, told in accepted if each.number in goal.hangs_on for value in told.values]
    if not _is_fitting(goal, answer, elements) or _is_outside_choice(goal, answer, built_on):
        return "kind"
    if _names_other_thing(goal, answer, built_on):
        return "entity"
    if answer.unused or _notes_other_thing(goal, answer):
        return "note"
    is_denied = any(_deny((goal, answer), each) or _deny(each, (goal, answer)) for each in accepted)
    return "contradiction" if is_denied else ""


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


def _is_outside_choice(goal: Goal, answer: Answer, built_on: Sequence[Value]) -> bool:
    """Tell whether the question offers a choice, of two names or of an earlier answer, and the reply takes another."""
    if asked_kind(goal.turn.answer_type) != "thing":
        return False
    texts: list[str] = []
    if goal.turn.form == "comparison" and len(goal.names) > 1:
        texts = [text for one in goal.names for text in (one.label, one.iri)]
    elif goal.turn.link == "among":
        texts = [text for value in built_on for text in (value.text, value.value)]
    offered = {text.casefold() for text in texts}
    return bool(offered) and not all(
        {value.text.casefold(), value.value.casefold()} & offered for value in answer.values
    )


def _names_other_thing(goal: Goal, answer: Answer, built_on: Sequence[Value]) -> bool:
    """Tell whether a reply that says what it answers leaves out a thing that the user means.

    It may name the earlier answers that the question is about in its place.
    """
    shown = topic_text(answer)
    says_topic = answer.sentence or any(not occurs(one.label, goal.turn.standalone) for one in answer.entities)
    is_missing = any(not occurs(one.label, shown) for one in goal.names)
    return bool(says_topic) and is_missing and not any(occurs(value.text, shown) for value in built_on)


def _notes_other_thing(goal: Goal, answer: Answer) -> bool:
    """Tell whether a note speaks of a name that the user means, and the reply is about another thing of that name."""
    meant = {one.iri for one in goal.things}
    taken = [link.label for link in answer.entities if link.iri not in meant]
    return any(occurs(label, note) and occurs(label, goal.turn.standalone) for label in taken for note in answer.notes)


def _deny(one: tuple[Goal, Answer], other: tuple[Goal, Answer]) -> bool:
    """Tell whether a yes or no and a list of values say different things of the same subject and predicate."""
    (claim, verdict), (question, listed) = one, other
    if len(claim.turn.triples) != 1 or len(question.turn.triples) != 1 or claim.turn.form != "boolean":
        return False
    (*topic, stated), (*other_topic, asked) = claim.turn.triples[0], question.turn.triples[0]
    if topic != other_topic or not asked.startswith("?"):
        return False
    is_listed = stated in {value.value for value in listed.values}
    return any(value.value != str(is_listed).lower() for value in verdict.values)

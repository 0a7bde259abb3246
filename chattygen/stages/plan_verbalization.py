"""The words of a planned dialogue: one call for all turns, each alone and as it is asked in the talk."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.model import LanguageModel, Usage

from chattygen.checks import (
    UNNATURAL_REFERENCE,
    asks_yes_no,
    check_answers_hidden,
    check_reference,
    check_well_formed,
    contains_label,
    says_value,
)
from chattygen.stages.turn_plan import TurnPlan

_MANY = re.compile(r"\b(?:them|those|these|they|their|theirs|ones)\b", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:of|among|out of) (?:all|the|his|her|its|their|this|that)\b|\bhow many (?!of\b)|\w's\b", re.IGNORECASE
)
_PLACE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|last|final|former|latter|\d+(?:st|nd|rd|th))\b", re.IGNORECASE
)
_OF_THEM = re.compile(r"\bof (?:them|those|these)\b", re.IGNORECASE)
_COUNT = re.compile(r"\bhow many\b|\bnumber of\b|\bcount\b", re.IGNORECASE)


def check_verbalization(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The rules for the words of a plan: every turn once, alone and in the talk, each asking what its line says."""
    asks: dict[int, TurnPlan] = {ask.number: ask for ask in variables["turns"]}
    numbers = [turn["turn"] for turn in reply["turns"]]
    if numbers != list(asks):
        yield Problem("turns", f"word the turns 1 to {len(asks)}, each once and in order; got {numbers}")
    for turn in reply["turns"]:
        ask = asks.get(turn["turn"])
        if ask is not None:
            yield from _alone(ask, turn["standalone"])
            yield from _in_talk(ask, turn["question"], turn["standalone"])
    for text, times in Counter(turn["question"].casefold() for turn in reply["turns"]).items():
        if times > 1:
            yield Problem("repeated", f'two turns read the same: "{text}"')


def _alone(ask: TurnPlan, text: str) -> Iterator[Problem]:
    """A standalone question names all that it is about, says its value, and is of the right kind."""
    yield from check_well_formed(text)
    for entity in (ask.entity, *((ask.other_entity,) if ask.other_entity else ())):
        if not contains_label(text, entity.label):
            yield Problem("names-entity", f'turn {ask.number}: name "{entity.label}" in: "{text}"')
    yield from _says(ask, text)


def _says(ask: TurnPlan, text: str) -> Iterator[Problem]:
    """A question says the value that it asks about, counts where it shall, and asks yes or no where it shall."""
    if ask.form == "boolean" and not says_value(text, ask.fact):
        yield Problem(
            "offered-value", f'turn {ask.number}: ask about the value "{ask.fact.offered_value}" in: "{text}"'
        )
    value = ask.condition.value if ask.condition is not None else ""
    if value and not (contains_label(text, value) or contains_label(text.replace(",", ""), value)):
        yield Problem("says-value", f'turn {ask.number}: say "{value}" in: "{text}"')
    if ask.form == "count" and not _COUNT.search(text):
        yield Problem("asks-count", f'turn {ask.number}: ask how many: "{text}"')
    wanted = ask.form == "boolean" or ask.is_yes_no
    if asks_yes_no(text) != wanted:
        kind = "a yes-no question" if wanted else "no yes-no question"
        yield Problem("ends-agree", f'turn {ask.number}: this must be {kind}: "{text}"')


def _from_which(ask: TurnPlan, text: str) -> Iterator[Problem]:
    """A question about a list given before refers to it; one that says its set in full does not, lest it be taken for
    fewer things that an earlier turn has picked."""
    if ask.link == "among":
        if not _MANY.search(text) and not _WHOLE.search(text):
            yield Problem("reference", f'turn {ask.number}: say "which of them" or the like: "{text}"')
    elif ask.condition is not None and ask.other_entity is None and _OF_THEM.search(text):
        yield Problem("reference", f'turn {ask.number}: say what they are, not only "of them": "{text}"')


def _in_talk(ask: TurnPlan, text: str, standalone: str) -> Iterator[Problem]:
    """A later question refers as its link says, and says what the standalone one says."""
    if ask.link == "opens":
        if text != standalone:
            yield Problem("opens", f'turn 1: write the same text twice, not "{text}"')
        return
    yield from check_well_formed(text)
    if ask.link == "shift":
        if not contains_label(text, ask.entity.label):
            yield Problem("names-entity", f'turn {ask.number}: name "{ask.entity.label}" in: "{text}"')
        return
    yield from _says(ask, text)
    if ask.other_entity is not None and ask.link != "among" and not contains_label(text, ask.other_entity.label):
        yield Problem("names-entity", f'turn {ask.number}: name "{ask.other_entity.label}" in: "{text}"')
    yield from _from_which(ask, text)
    if ask.link == "position":
        if not _PLACE.search(text):
            yield Problem("reference", f'turn {ask.number}: say which one by its place ("the second one"): "{text}"')
    elif ask.link != "among":
        yield from check_reference(text, standalone, ask.entity)
        return
    if contains_label(text, ask.entity.label):
        yield Problem("hides-entity", f'turn {ask.number}: do not name "{ask.entity.label}": "{text}"')
    if UNNATURAL_REFERENCE.search(_OF_THEM.sub(" ", text)):
        yield Problem("stiff", f'turn {ask.number}: write this naturally: "{text}"')


VERBALIZE = load_agent("generate/plan_verbalization", check_verbalization)


def verbalize_plan(
    model: LanguageModel, plans: Sequence[TurnPlan], answers: Sequence[Sequence[str]], *, theta: int
) -> tuple[tuple[tuple[str, str], ...], Usage]:
    """Return, per turn, the standalone question and the question in the talk.

    ``answers`` are, per turn, the answers as they would be said: no prompt shows them, but a question that tells one
    is sent back.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model cannot be asked.
    """

    def keeps(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        for turn, hidden in zip(reply["turns"], answers, strict=False):
            for text in dict.fromkeys((turn["standalone"], turn["question"])):
                yield from check_answers_hidden(text, hidden)

    later = f"2 to {len(plans)}" if len(plans) > 2 else str(len(plans))
    variables: dict[str, Any] = {"turns": tuple(plans), "later": later}
    reply = Agent(VERBALIZE.prompt, (*VERBALIZE.checks, keeps))(model, variables, theta=theta)
    texts = tuple((_tidy(turn["standalone"]), _tidy(turn["question"])) for turn in reply.value["turns"])
    return texts, reply.usage


def _tidy(text: str) -> str:
    return " ".join(text.split())

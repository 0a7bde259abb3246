"""Plan verbalization: one call words all turns of a plan, each standalone and in the dialogue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chattyshared.agent import Agent, load_agent
from chattyshared.check import Problem
from chattyshared.language.inflection import pluralize
from chattyshared.literals import parse_number
from chattyshared.model import LanguageModel, Usage

from chattygen.checks import (
    ENGLISH,
    UNNATURAL_REFERENCE,
    asks_yes_no,
    check_answers_hidden,
    check_reference,
    check_well_formed,
    says_value,
)
from chattygen.dialogue_language import DialogueLanguage, numbers_in
from chattygen.form_registry import form_of
from chattygen.stages.questions import collapse_whitespace
from chattygen.stages.wording_check import SchemaNames, check_wording
from chattygen.turns import TurnSpec

_PLURAL = re.compile(r"\b(?:them|those|these|they|their|theirs|ones)\b", re.IGNORECASE)
_FULL_SET = re.compile(
    r"\b(?:of|among|out of) (?:all|the|his|her|its|their|this|that)\b|\bhow many (?!of\b)|\w's\b", re.IGNORECASE
)
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|last|final|other|\d+(?:st|nd|rd|th))\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\bof (?:them|those|these)\b", re.IGNORECASE)


def check_verbalization(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check the words of a plan: every turn once, standalone and in the dialogue, as its line in the prompt says."""
    plans: dict[int, TurnSpec] = {plan.number: plan for plan in variables["turns"]}
    language: DialogueLanguage = variables.get("language", ENGLISH)
    numbers = [turn["turn"] for turn in reply["turns"]]
    if numbers != list(plans):
        yield Problem("turns", f"word the turns 1 to {len(plans)}, each once and in order; got {numbers}")
    for turn in reply["turns"]:
        plan = plans.get(turn["turn"])
        if plan is not None:
            yield from _check_standalone(plan, turn["standalone"], language)
            yield from _check_question(plan, turn["question"], turn["standalone"], language, plans)
    for text, times in Counter(turn["question"].casefold() for turn in reply["turns"]).items():
        if times > 1:
            yield Problem("repeated", f'two turns read the same: "{text}"')


def _check_standalone(plan: TurnSpec, text: str, language: DialogueLanguage) -> Iterator[Problem]:
    """A standalone question names its entities, states its value, and has the right form."""
    yield from check_well_formed(text, language)
    named = (plan.entity, *((plan.other_entity,) if plan.other_entity else ()))
    for entity in named:
        wordings = (entity.label, pluralize(entity.label)) if language.is_english else (entity.label,)
        if not any(language.contains_name(text, name) for name in wordings):
            yield Problem("names-entity", f'turn {plan.number}: name "{entity.label}" in: "{text}"')
    yield from _check_content(plan, text, language)


def _check_content(
    plan: TurnSpec, text: str, language: DialogueLanguage, *, may_translate: bool = False
) -> Iterator[Problem]:
    """A question states the value that it asks about, and in English it is a count or a yes-no question as planned.

    With ``may_translate``, a value that is a name may be said as the language does.
    """
    is_name = may_translate and plan.fact.shape in ("entity", "text")
    if plan.kind.is_yes_no and not (is_name or says_value(text, plan.fact, language)):
        yield Problem(
            "offered-value", f'turn {plan.number}: ask about the value "{plan.fact.offered_value}" in: "{text}"'
        )
    value = plan.condition.value if plan.condition is not None else ""
    number = parse_number(value)
    wordings = (value, pluralize(value)) if value and language.is_english else (value,)
    if may_translate and number is None:
        value = ""
    if value and number not in numbers_in(text) and not any(language.contains_name(text, name) for name in wordings):
        in_digits = " in digits" if number is not None else ""
        yield Problem("says-value", f'turn {plan.number}: say "{value}"{in_digits} in: "{text}"')
    if not language.is_english:
        return
    yield from form_of(plan).check(plan, text)
    is_yes_no = plan.kind.is_yes_no or plan.is_yes_no
    if asks_yes_no(text) != is_yes_no:
        kind = "a yes-no question" if is_yes_no else "no yes-no question"
        yield Problem("ends-agree", f'turn {plan.number}: this must be {kind}: "{text}"')


def _check_set_reference(plan: TurnSpec, text: str) -> Iterator[Problem]:
    """A question about an earlier list refers to it; one that states its set in full does not.

    Otherwise the set could be taken for a part of it that an earlier turn has selected.
    """
    if plan.link == "among":
        if not _PLURAL.search(text) and not _FULL_SET.search(text):
            yield Problem("reference", f'turn {plan.number}: say "which of them" or the like: "{text}"')
    elif plan.condition is not None and plan.other_entity is None and _OF_THEM.search(text):
        yield Problem("reference", f'turn {plan.number}: say what they are, not only "of them": "{text}"')


def _check_question(
    plan: TurnSpec, text: str, standalone: str, language: DialogueLanguage, plans: Mapping[int, TurnSpec]
) -> Iterator[Problem]:
    """A later question refers to the entity as its link says, and has the content of the standalone one."""
    if plan.link == "opens":
        if text != standalone:
            yield Problem("opens", f'turn {plan.number}: write the same text twice, not "{text}"')
        return
    yield from check_well_formed(text, language)
    if plan.link == "shift":
        if not language.contains_name(text, plan.entity.label):
            yield Problem("names-entity", f'turn {plan.number}: name "{plan.entity.label}" in: "{text}"')
        return
    yield from _check_content(plan, text, language, may_translate=not language.is_english)
    other = plan.other_entity if plan.link != "among" else None
    if other is not None and not language.contains_name(text, other.label):
        yield Problem("names-entity", f'turn {plan.number}: name "{other.label}" in: "{text}"')
    is_named = _may_be_named(plan, plans) and language.contains_name(text, plan.entity.label)
    if language.is_english:
        yield from _check_set_reference(plan, text) if is_named else _check_english_reference(plan, text, standalone)
    is_hidden = not language.is_english or plan.link in ("among", "position")
    if is_hidden and not is_named and language.contains_name(text, plan.entity.label):
        yield Problem("hides-entity", f'turn {plan.number}: do not name "{plan.entity.label}": "{text}"')


def _may_be_named(plan: TurnSpec, plans: Mapping[int, TurnSpec]) -> bool:
    """Tell whether a pronoun could be misunderstood: after a comparison, or when the last turn is about another thing
    too."""
    antecedent, last = plans.get(plan.antecedent_turn), plans.get(plan.number - 1)
    if plan.link not in ("topic", "answer") or last is None:
        return False
    if antecedent is not None and antecedent.other_entity is not None:
        return True
    return antecedent is not last and (
        last.other_entity is not None or last.fact.shape == "entity" or len(last.fact.steps) > 1
    )


def _check_english_reference(plan: TurnSpec, text: str, standalone: str) -> Iterator[Problem]:
    """A later question in English refers by the words that its link asks for, in natural phrases."""
    yield from _check_set_reference(plan, text)
    if plan.link not in ("among", "position"):
        yield from check_reference(text, standalone, plan.entity)
        return
    if plan.link == "position" and not _ORDINAL.search(text):
        yield Problem("reference", f'turn {plan.number}: say which one by its place ("the second one"): "{text}"')
    if UNNATURAL_REFERENCE.search(_OF_THEM.sub(" ", text)):
        yield Problem("stiff", f'turn {plan.number}: write this naturally: "{text}"')


VERBALIZE = load_agent("generate/plan_verbalization", check_verbalization)


def verbalize_plan(
    model: LanguageModel,
    plans: Sequence[TurnSpec],
    answers: Sequence[Sequence[str]],
    *,
    theta: int,
    names: SchemaNames,
    language: DialogueLanguage = ENGLISH,
) -> tuple[tuple[tuple[str, str], ...], Usage]:
    """Return, per turn, the standalone question and the question in the dialogue, in a language.

    ``answers`` are the texts of the answers per turn: no prompt shows them, and no question may contain its own.
    ``names`` are those of the KG: no question may ask for other relations and classes than its plan.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model fails.
    """

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        for turn, hidden in zip(reply["turns"], answers, strict=False):
            for text in dict.fromkeys((turn["standalone"], turn["question"])):
                yield from check_answers_hidden(text, hidden)

    def check_words(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        for turn, plan in zip(reply["turns"], plans, strict=False) if language.is_english else ():
            for text in dict.fromkeys((turn["standalone"], turn["question"])):
                yield from check_wording(plan, text, names)

    variables: dict[str, Any] = {"turns": tuple(plans), "language": language}
    reply = Agent(VERBALIZE.prompt, (*VERBALIZE.checks, check_answers, check_words))(model, variables, theta=theta)
    texts = tuple(
        (collapse_whitespace(turn["standalone"]), collapse_whitespace(turn["question"]))
        for turn in reply.value["turns"]
    )
    return texts, reply.usage

"""The first of the three stages: independent questions about an entity, each with the fact that supports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.model import LanguageModel, Usage
from chattyshared.question_forms import LOOKUP_FORMS

from chattygen.checks import check_answers_hidden, check_questions
from chattygen.options import DEFAULT_MIX
from chattygen.subgraph.facts import Fact, QuestionRequest, Summary

FACTS_CUT = TruncatableVariable(
    "facts", must_keep=lambda fact, said: fact.number in {wish.fact_number for wish in said["wanted"]}
)
"""Facts that no wish names may be left out of a prompt that is too long."""
PROPOSE = load_agent("generate/questions", check_questions, truncatable=(FACTS_CUT,))
AnswerTexts = Callable[[int, str], tuple[str, ...]]
"""From a fact's number and a form to the answers as they would be said; it never reaches a prompt."""


@dataclass(frozen=True, slots=True)
class ProposedQuestion:
    """One independent question, its form, and the number of its fact."""

    question: str
    form: str
    fact_number: int


def propose_questions(
    model: LanguageModel, summary: Summary, requests: Sequence[QuestionRequest], answers: AnswerTexts, *, theta: int
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Ask for questions about an entity, one for each wish; no answer may stand in its own question.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model cannot be asked.
    """

    def keeps(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        known = {fact.number for fact in summary.facts}
        for item in reply["questions"]:
            if item["facts"][0] in known:
                yield from check_answers_hidden(item["question"], answers(item["facts"][0], item["form"]))

    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(requests)), "wanted": tuple(requests), "facts": summary.facts,
    }  # fmt: skip
    reply = Agent(PROPOSE.prompt, (*PROPOSE.checks, keeps), PROPOSE.truncatable)(model, variables, theta=theta)
    items = reply.value["questions"]
    return tuple(
        ProposedQuestion(collapse_whitespace(i["question"]), i["form"], i["facts"][0]) for i in items
    ), reply.usage


def collapse_whitespace(text: str) -> str:
    """Return a text with single spaces for all white space."""
    return " ".join(text.split())


def draw_requests(
    facts: Sequence[Fact],
    number: int,
    rng: Random,
    *,
    required: Sequence[QuestionRequest] = (),
    mix: Sequence[tuple[str, float]] = DEFAULT_MIX,
) -> tuple[QuestionRequest, ...]:
    """Draw which forms are wanted, by the mix, so that facts of different predicates can carry all of them.

    Fewer than ``number`` come back where the facts do not suffice. ``must`` is granted first.
    """
    shares = _plain_shares(mix)
    asked = {fact.last_step.predicate for fact in facts if fact.number in {wish.fact_number for wish in required}}
    free = {fact.number: fact for fact in facts if fact.last_step.predicate not in asked}
    drawn = list(required)
    while len(drawn) < number and free:
        form = _draw_form(tuple(free.values()), {wish.form for wish in drawn}, shares, rng)
        able = [fact for fact in free.values() if form in fact.forms]
        fact = able[rng.randrange(len(able))]
        free = {n: other for n, other in free.items() if other.last_step.predicate != fact.last_step.predicate}
        drawn.append(QuestionRequest(form, fact.number))
    return tuple(drawn)


def _plain_shares(mix: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the shares by form; those of single plain forms (``date``) are added to ``lookup``."""
    shares = dict(mix)
    shares["lookup"] = shares.get("lookup", 0.0) + sum(shares.pop(form, 0.0) for form in LOOKUP_FORMS)
    return shares


def _draw_form(facts: Sequence[Fact], had: set[str], mix: Mapping[str, float], chance: Random) -> str:
    """Draw a form that some fact can carry; among plain lookups those that were not had yet come first."""
    able = {form for fact in facts for form in fact.forms}
    shares = {
        form: share
        for form, share in mix.items()
        if form != "lookup" and share and form in able and (form not in had or not able - had)
    }
    plain = sorted(able & set(LOOKUP_FORMS))
    if plain and mix["lookup"]:
        shares["lookup"] = mix["lookup"]
    if not shares:
        return sorted(able)[0]
    form = chance.choices(list(shares), weights=list(shares.values()))[0]
    if form != "lookup":
        return form
    fresh = [name for name in plain if name not in had] or plain
    return fresh[chance.randrange(len(fresh))]

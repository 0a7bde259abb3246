"""Stage 1, question generation: independent questions about an entity, each with the fact that supports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from chattyshared.agent import Agent, TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.model import LanguageModel, Usage
from chattyshared.question_forms import LOOKUP_FORMS

from chattygen.checks import ENGLISH, check_answers_hidden, check_questions
from chattygen.context.facts import Fact, QuestionRequest, Summary
from chattygen.dialogue_language import DialogueLanguage
from chattygen.options import DEFAULT_MIX

FACTS_CUT = TruncatableVariable(
    "facts", must_keep=lambda fact, variables: fact.number in {request.fact_number for request in variables["wanted"]}
)
"""Facts that no request names can be left out of a prompt that is too long."""
PROPOSE = load_agent("generate/questions", check_questions, truncatable=(FACTS_CUT,))
AnswerTexts = Callable[[int, str], tuple[str, ...]]
"""From the number of a fact and a form to the texts of the answers, which no prompt shows."""


@dataclass(frozen=True, slots=True)
class ProposedQuestion:
    """One independent question, its form, and the number of its fact."""

    question: str
    form: str
    fact_number: int


def propose_questions(
    model: LanguageModel,
    summary: Summary,
    requests: Sequence[QuestionRequest],
    answers: AnswerTexts,
    *,
    theta: int,
    language: DialogueLanguage = ENGLISH,
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Have a model ask questions about an entity, one for each request; no question may contain its own answer.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model fails.
    """

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        numbers = {fact.number for fact in summary.facts}
        for item in reply["questions"]:
            if item["facts"][0] in numbers:
                yield from check_answers_hidden(item["question"], answers(item["facts"][0], item["form"]))

    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(requests)), "wanted": tuple(requests), "facts": summary.facts,
        "language": language,
    }  # fmt: skip
    reply = Agent(PROPOSE.prompt, (*PROPOSE.checks, check_answers), PROPOSE.truncatable)(model, variables, theta=theta)
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
    """Draw requests for questions by the mix of forms, each on a fact with another predicate.

    ``required`` come first. There are fewer than ``number`` if the facts do not suffice.
    """
    shares = _shares_by_form(mix)
    asked = {fact.last_step.predicate for fact in facts if fact.number in {request.fact_number for request in required}}
    free = {fact.number: fact for fact in facts if fact.last_step.predicate not in asked}
    drawn = list(required)
    while len(drawn) < number and free:
        form = _draw_form(tuple(free.values()), {request.form for request in drawn}, shares, rng)
        candidates = [fact for fact in free.values() if form in fact.forms]
        fact = candidates[rng.randrange(len(candidates))]
        free = {n: other for n, other in free.items() if other.last_step.predicate != fact.last_step.predicate}
        drawn.append(QuestionRequest(form, fact.number))
    return tuple(drawn)


def _shares_by_form(mix: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Return the shares by form; those of single lookup forms (``date``) are added to ``lookup``."""
    shares = dict(mix)
    shares["lookup"] = shares.get("lookup", 0.0) + sum(shares.pop(form, 0.0) for form in LOOKUP_FORMS)
    return shares


def _draw_form(facts: Sequence[Fact], drawn_forms: set[str], mix: Mapping[str, float], rng: Random) -> str:
    """Draw a form that some fact can carry; new lookup forms come before those that are already drawn."""
    available = {form for fact in facts for form in fact.forms}
    shares = {
        form: share
        for form, share in mix.items()
        if form != "lookup" and share and form in available and (form not in drawn_forms or not available - drawn_forms)
    }
    lookups = sorted(available & set(LOOKUP_FORMS))
    if lookups and mix["lookup"]:
        shares["lookup"] = mix["lookup"]
    if not shares:
        return sorted(available)[0]
    form = rng.choices(list(shares), weights=list(shares.values()))[0]
    if form != "lookup":
        return form
    new_forms = [name for name in lookups if name not in drawn_forms] or lookups
    return new_forms[rng.randrange(len(new_forms))]

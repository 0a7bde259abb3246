"""The first of the three stages: independent questions about an entity, each with the fact that supports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from chattyshared.agent import agent
from chattyshared.model import LanguageModel, Usage

from chattygen.checks import questions
from chattygen.facts import Fact, Summary, Wish
from chattygen.options import MIX

PROPOSE = agent("generate/questions", questions)
LOOKUPS = ("object", "subject", "list", "literal", "date", "number")


@dataclass(frozen=True, slots=True)
class Proposed:
    """One independent question, its form, and the number of its fact."""

    question: str
    form: str
    fact: int


def propose(
    model: LanguageModel, summary: Summary, wanted: Sequence[Wish], *, theta: int
) -> tuple[tuple[Proposed, ...], Usage]:
    """Ask for questions about an entity, one for each wish; the facts' objects are hidden from the model.

    Raises:
        ReplyInvalid: no reply passed the checks.
        ModelError: the model cannot be asked.
    """
    variables: dict[str, Any] = {
        "entity": summary.entity, "number": str(len(wanted)), "wanted": tuple(wanted), "facts": summary.facts,
    }  # fmt: skip
    reply = PROPOSE(model, variables, theta=theta)
    items = reply.value["questions"]
    return tuple(Proposed(" ".join(i["question"].split()), i["form"], i["facts"][0]) for i in items), reply.usage


def wishes(facts: Sequence[Fact], number: int, chance: Random, *, must: Sequence[Wish] = ()) -> tuple[Wish, ...]:
    """Draw which forms are wanted, by the mix, so that facts of different predicates can carry all of them.

    Fewer than ``number`` come back where the facts do not suffice. ``must`` is granted first.
    """
    asked = {fact.last.predicate for fact in facts if fact.number in {wish.fact for wish in must}}
    free = {fact.number: fact for fact in facts if fact.last.predicate not in asked}
    drawn = list(must)
    while len(drawn) < number and free:
        form = _draw_form(tuple(free.values()), {wish.form for wish in drawn}, chance)
        able = [fact for fact in free.values() if form in fact.forms]
        fact = able[chance.randrange(len(able))]
        free = {n: other for n, other in free.items() if other.last.predicate != fact.last.predicate}
        drawn.append(Wish(form, fact.number))
    return tuple(drawn)


def _draw_form(facts: Sequence[Fact], had: set[str], chance: Random) -> str:
    """Draw a form that some fact can carry; among plain lookups those that were not had yet come first."""
    able = {form for fact in facts for form in fact.forms}
    shares = {
        form: share for form, share in MIX if form != "lookup" and form in able and (form not in had or not able - had)
    }
    plain = sorted(able & set(LOOKUPS))
    if plain:
        shares["lookup"] = dict(MIX)["lookup"]
    if not shares:
        return sorted(able)[0]
    form = chance.choices(list(shares), weights=list(shares.values()))[0]
    if form != "lookup":
        return form
    fresh = [name for name in plain if name not in had] or plain
    return fresh[chance.randrange(len(fresh))]

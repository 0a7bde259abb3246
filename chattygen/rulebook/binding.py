"""The rule model's answers to ``generate/questions_only`` and ``generate/binding``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.model import Request

from chattygen.checks import asks_yes_no, says_value
from chattygen.facts import Entity, Fact, Wish
from chattygen.rulebook.asking import questions, tidy, wordings


def questions_only(request: Request) -> dict[str, Any]:
    """Write one question for each wish, in their order, and nothing else."""
    wanted = tuple(shared_out(request.variables["wanted"], request.variables["facts"]))
    items = questions(replace(request, variables={**request.variables, "wanted": wanted}))["questions"]
    return {"questions": [item["question"] for item in items]}


def shared_out(wanted: Sequence[Wish], facts: Sequence[Fact]) -> Iterator[Wish]:
    """Give each wish that names no fact one of its own, so that as many as possible are granted (a matching by
    augmenting paths)."""
    able = [[f.number for f in facts if wish.form in f.forms and wish.fact in (0, f.number)] for wish in wanted]
    owner: dict[int, int] = {}

    def given(place: int, tried: set[int]) -> bool:
        for number in able[place]:
            if number not in tried:
                tried.add(number)
                if number not in owner or given(owner[number], tried):
                    owner[number] = place
                    return True
        return False

    for place in range(len(wanted)):
        given(place, set())
    numbers = {place: number for number, place in owner.items()}
    for place, wish in enumerate(wanted):
        yield Wish(wish.form, numbers.get(place, wish.fact))


def binding(request: Request) -> dict[str, Any]:
    """Find the fact of a question: the one that would be asked in these very words, else the one most like it."""
    question, entity = str(request.variables["question"]), request.variables["entity"]
    able = list(_able(question, request.variables["facts"]))
    for fact, form in able:
        if question in tidy(wordings(entity, fact, form)):
            return {"facts": [fact.number], "form": form}
    fact, form = max(able, key=lambda one: (_alike(question, entity, one[0]), -one[0].number))
    return {"facts": [fact.number], "form": form}


def _able(question: str, facts: tuple[Fact, ...]) -> Iterator[tuple[Fact, str]]:
    """Yield the facts with the forms in which a question of this manner could ask them; all of them, if none can."""
    polar = asks_yes_no(question)
    fitting = [
        (fact, form)
        for fact in facts
        for form in fact.forms
        if (form == "boolean") == polar and (not polar or (fact.offer and says_value(question, fact)))
    ]
    yield from fitting or [(fact, form) for fact in facts for form in fact.forms]


def _alike(question: str, entity: Entity, fact: Fact) -> float:
    """Return which share of a fact's words the question says."""
    said = _stems(question.replace(entity.label, " "))
    words = _stems(" ".join([*(step.label for step in fact.steps), *fact.kinds[:1]]))
    return len(words & said) / max(1, len(words))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.casefold())}

"""The rule model's answer to ``generate/questions``: for each wish one wording, by chance, of those that fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from chattyshared.model import Request

from chattygen.facts import Entity, Fact, Step, Wish
from chattygen.rulebook.lookups import Topic, of_objects
from chattygen.rulebook.pointing import counting, of_subjects
from chattygen.rulebook.polar import whether
from chattygen.rulebook.relation import Relation, relation
from chattygen.rulebook.words import mean_person, mean_place, past, plain, singular, third, with_the


def questions(request: Request) -> dict[str, Any]:
    """Write one question for each wish; the facts that the wishes leave open are taken in order."""
    entity: Entity = request.variables["entity"]
    facts: dict[int, Fact] = {fact.number: fact for fact in request.variables["facts"]}
    wanted: tuple[Wish, ...] = request.variables["wanted"]
    free = [number for number in facts if number not in {wish.fact for wish in wanted}]
    items, begun = [], set[str]()
    for wish in wanted:
        number = wish.fact or next((n for n in free if wish.form in facts[n].forms), 0)
        if number in free:
            free.remove(number)
        if number not in facts:
            continue
        chance = Random(f"{request.digest()}/{number}")
        question = _choose(tidy(wordings(entity, facts[number], wish.form)), begun, chance)
        begun.add(_beginning(question))
        items.append({"question": question, "facts": [number], "form": wish.form})
    return {"questions": items}


def wordings(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    topic = Topic(with_the(entity.label, entity.kinds), entity.kinds)
    if len(fact.steps) == 2:
        topic = Topic(_between(fact.steps[0], entity, fact.via), fact.via, is_name=False)
    found = _relation(fact.last, fact.shape, topic.kinds)
    if form == "boolean":
        yield from whether(topic, fact, found)
    elif form == "count":
        yield from counting(topic, fact, found)
    elif fact.last.direction == "in":
        yield from of_subjects(topic, fact, found)
    else:
        yield from of_objects(topic, fact, found)


def _relation(step: Step, shape: str, kinds: tuple[str, ...]) -> Relation:
    """Read a predicate; what it says of its own subject's class (``field of the award``) is left out."""
    label = step.label
    owner = re.search(r" of (?:the|an?) ([\w ]+)$", label)
    if owner and owner[1].casefold() in {plain(kind).casefold() for kind in kinds}:
        label = label[: owner.start()]
    found = relation(label, step.comment, shape)
    return found if found.noun or found.clauses else replace(found, noun=plain(step.label))


def _between(step: Step, entity: Entity, via: tuple[str, ...]) -> str:
    """Name the thing behind the first step: ``the director of X``, ``the company that published X``."""
    found = _relation(step, "entity", entity.kinds)
    name = with_the(entity.label, entity.kinds)
    if found.noun and not found.done:
        return f"the {found.noun} of {name}"
    kind = singular(plain(via[0])) if via else "thing"
    who = "who" if mean_person(via) else "that"
    for clause in found.clauses:
        if clause.flipped and clause.verb != "be":
            verb = _finite(clause.verb, clause.tense)
            return f"the {kind} {who} {verb} {name}"
    clause = found.clauses[0]
    if clause.verb == "be":
        be = "was" if clause.tense == "past" else "is"
        if clause.prep in ("in", "at") and mean_place(via):
            return " ".join(filter(None, (f"the {kind} where {name}", be, clause.said)))
        return " ".join(filter(None, (f"the {kind} that {name}", be, clause.said, clause.prep)))
    verb = _finite(clause.verb, clause.tense)
    return " ".join(filter(None, (f"the {kind} that {name}", verb, clause.said, clause.prep)))


def _finite(verb: str, tense: str) -> str:
    return past(verb) if tense == "past" else third(verb)


def _choose(options: list[str], begun: set[str], chance: Random) -> str:
    """Choose a wording: early ones more often, and rather one that begins unlike those before it."""
    weights = [(0.4 if _beginning(text) in begun else 1.0) / (place + 1.5) for place, text in enumerate(options)]
    return chance.choices(options, weights=weights)[0]


def tidy(options: Iterable[str]) -> list[str]:
    """Return wordings without doubles; a name that ends with a question mark keeps that one."""
    return list(dict.fromkeys(re.sub(r"\?+$", "?", text) for text in options))


def _beginning(question: str) -> str:
    return " ".join(question.split()[:2]).casefold()

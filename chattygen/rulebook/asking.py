"""The rule model's answer to ``generate/questions``: one wording for each wish, chosen by chance among those that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from chattygen.facts import Entity, Fact, Step, Wish
from chattygen.rulebook.lookups import Topic, counting, of_objects, of_subjects
from chattygen.rulebook.polar import whether
from chattygen.rulebook.relation import Relation, relation
from chattygen.rulebook.words import mean_person, past, plain, singular, third
from chattyshared.model import Request


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
        question = _choose(list(dict.fromkeys(wordings(entity, facts[number], wish.form))), begun, chance)
        begun.add(_beginning(question))
        items.append({"question": question, "facts": [number], "form": wish.form})
    return {"questions": items}


def wordings(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    topic = Topic(entity.label, entity.kinds)
    if len(fact.steps) == 2:
        topic = Topic(_between(fact.steps[0], entity, fact.via), fact.via, is_name=False)
    found = _relation(fact.last, fact.shape)
    if form == "boolean":
        yield from whether(topic, fact, found)
    elif form == "count":
        yield from counting(topic, fact, found)
    elif fact.last.direction == "in":
        yield from of_subjects(topic, fact, found)
    else:
        yield from of_objects(topic, fact, found)


def _relation(step: Step, shape: str) -> Relation:
    found = relation(step.label, step.comment, shape)
    return found if found.noun or found.clauses else replace(found, noun=plain(step.label))


def _between(step: Step, entity: Entity, via: tuple[str, ...]) -> str:
    """Name the thing behind the first step: ``the director of X``, ``the company that published X``."""
    found = _relation(step, "entity")
    if found.noun and not found.done:
        return f"the {found.noun} of {entity.label}"
    kind = singular(plain(via[0])) if via else "thing"
    who = "who" if mean_person(via) else "that"
    for clause in found.clauses:
        if clause.flipped and clause.verb != "be":
            verb = _finite(clause.verb, clause.tense)
            return f"the {kind} {who} {verb} {entity.label}"
    clause = found.clauses[0]
    if clause.verb == "be":
        be = "was" if clause.tense == "past" else "is"
        return " ".join(filter(None, (f"the {kind} that {entity.label}", be, clause.said, clause.prep)))
    verb = _finite(clause.verb, clause.tense)
    return " ".join(filter(None, (f"the {kind} that {entity.label}", verb, clause.said, clause.prep)))


def _finite(verb: str, tense: str) -> str:
    return past(verb) if tense == "past" else third(verb)


def _choose(options: list[str], begun: set[str], chance: Random) -> str:
    """Choose a wording: early ones more often, and rather one that begins unlike those before it."""
    fresh = [text for text in options if _beginning(text) not in begun] or options
    weights = [1 / (place + 1.5) for place in range(len(fresh))]
    return chance.choices(fresh, weights=weights)[0]


def _beginning(question: str) -> str:
    return " ".join(question.split()[:2]).casefold()

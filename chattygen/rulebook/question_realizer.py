"""The rule model's answer to ``generate/questions``: for each wish one wording, by chance, of those that fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from chattyshared.model import Request

from chattygen.rulebook.clause_questions import be
from chattygen.rulebook.condition_phrases import joined
from chattygen.rulebook.inverse_questions import counting, of_subjects
from chattygen.rulebook.lexicon import AGENTS, PREPOSITIONS
from chattygen.rulebook.lookup_questions import Topic, of_objects
from chattygen.rulebook.predicate_frames import TITLES, Relation, adapted
from chattygen.rulebook.predicate_lexicalization import relation
from chattygen.rulebook.referring_expressions import Reference, named
from chattygen.rulebook.words import class_noun, mean_person, mean_place, past, plain, third
from chattygen.rulebook.yes_no_questions import whether
from chattygen.subgraph.facts import Entity, Fact, Step, Wish


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
        question = choose(tidy(wordings(entity, facts[number], wish.form)), begun, chance)
        begun.add(beginning(question))
        items.append({"question": question, "facts": [number], "form": wish.form})
    return {"questions": items}


def wordings(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    name = named(entity)
    topic = Topic(name.subject, entity.kinds, several=name.several)
    if len(fact.steps) == 2:
        topic = Topic(between(fact.steps[0], named(entity), entity.kinds, fact.via), fact.via, is_name=False)
    found = read_step(fact.last, fact.shape, topic.kinds, fact.kinds)
    texts = _formed(topic, fact, form, found)
    clause = not topic.is_name and re.search(r" (?:who|that|where) ", topic.text)
    yield from _fronted(tuple(texts), topic.text) if clause else texts


def _formed(topic: Topic, fact: Fact, form: str, found: Relation) -> Iterator[str]:
    if form == "boolean":
        return whether(topic, fact, found)
    if form == "count":
        return counting(topic, fact, found)
    return of_subjects(topic, fact, found) if fact.last.direction == "in" else of_objects(topic, fact, found)


def _fronted(texts: tuple[str, ...], phrase: str) -> Iterator[str]:
    """Leave out a preposition right behind a relative clause: *Which city is the guest who ordered it in?*"""
    better = [text for text in texts if text.rstrip("?").rpartition(f"{phrase} ")[2] not in PREPOSITIONS]
    yield from better or texts


def read_step(step: Step, shape: str, kinds: tuple[str, ...], ends: tuple[str, ...] = ()) -> Relation:
    """Read a predicate that leads from things of some kinds to things of others (``ends``).

    What it says of its own subject's class (``field of the award``) is left out.
    """
    label = step.label
    subjects, objects = (kinds, ends) if step.direction == "out" else (ends, kinds)
    owner = re.search(r" (?:of (?:the |an? )|in )([\w ]+)$", plain(label))
    if owner and not TITLES.search(label) and owner[1].casefold() in {plain(kind).casefold() for kind in subjects}:
        label = plain(label)[: owner.start()]
    found = adapted(relation(label, step.comment, shape), subjects, objects)
    return found if found.noun or found.clauses else replace(found, noun=plain(step.label))


def between(step: Step, owner: Reference, kinds: tuple[str, ...], via: tuple[str, ...]) -> str:
    """Name the thing behind the first step: ``the director of X``, ``his school``, ``the company that published X``.

    ``kinds`` are those of the owner, ``via`` those of the thing behind.
    """
    found = read_step(step, "entity", kinds, via)
    if found.noun and not found.done and step.direction == "out" and found.noun != "nationality":
        return f"the {found.noun} of {owner.object}" if owner.is_long else f"{owner.owner} {found.noun}"
    kind = class_noun(via[0]) if via else "thing"
    who = "who" if mean_person(via) else "that"
    inward = step.direction == "in"
    for clause in found.clauses:
        if clause.flipped != inward:
            if AGENTS.get(kind, ("",))[0] == clause.verb and not clause.said:  # the conductor who conducted it
                return f"the {kind} of {owner.object}" if owner.is_long else f"{owner.owner} {kind}"
            said = clause.said if clause.verb != "be" else joined(be(clause.tense, False), clause.said)
            verb = "" if clause.verb == "be" else _finite(clause.verb, clause.tense)
            return joined(f"the {kind} {who}", verb, said, clause.prep, owner.object)
    if not found.clauses:
        return f"the {kind} whose {found.noun} is {owner.object}"
    clause = found.clauses[0]
    many = owner.several
    if clause.verb == "be":
        if clause.prep in ("in", "at") and mean_place(via):
            return joined(f"the {kind} where {owner.subject}", be(clause.tense, many), clause.said)
        return joined(f"the {kind} that {owner.subject}", be(clause.tense, many), clause.predicate(many), clause.prep)
    verb = clause.verb if many and clause.tense == "present" else _finite(clause.verb, clause.tense)
    if clause.prep in ("in", "at", "on") and mean_place(via):
        return joined(f"the {kind} where {owner.subject}", verb, clause.said)
    return joined(f"the {kind} that {owner.subject}", verb, clause.said, clause.prep)


def _finite(verb: str, tense: str) -> str:
    return past(verb) if tense == "past" else third(verb)


def question_word_lowered(text: str) -> str:
    """Begin a question with ``and``."""
    first = text.split()[0].lower().split("'")[0]
    return f"And {text[:1].lower()}{text[1:]}" if first in _QUESTION_WORDS else text


_QUESTION_WORDS = frozenset(
    """what who which when where how whose in on of at by for to from is are was were do does did has have""".split()
)


def choose(options: list[str], begun: set[str], chance: Random) -> str:
    """Choose a wording: early ones more often, and rather one that begins unlike those before it."""
    alike = Counter(beginning(text) for text in options)
    weights = [
        (0.3 if beginning(text) in begun else 1.0) / (place + 1.5) / alike[beginning(text)]
        for place, text in enumerate(options)
    ]
    return chance.choices(options, weights=weights)[0]


def tidy(options: Iterable[str]) -> list[str]:
    """Return wordings without doubles; a name that ends with a question mark ends the question, too."""
    texts = (re.sub(r'^([^"]*)"([^"]+\?)"\?$', r"\1\2", re.sub(r"\?+$", "?", text)) for text in options)
    return list(dict.fromkeys(texts))


def beginning(question: str) -> str:
    """Return the first two words, by which questions are told apart."""
    return " ".join(question.split()[:2]).casefold()

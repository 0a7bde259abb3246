"""Wordings for questions about what points to the topic, and for counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.facts import Fact
from chattygen.rulebook.clauses import Wanted, asks_object, asks_subject
from chattygen.rulebook.lexicon import MANIFOLD, REALMS
from chattygen.rulebook.lookups import Topic
from chattygen.rulebook.readings import Relation
from chattygen.rulebook.words import (
    head,
    indefinite,
    is_mass,
    mean_person,
    mean_place,
    participle,
    plain,
    plural,
    singular,
)


def of_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask for what points to the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    wanted = Wanted(fact.kinds or ("thing",), fact.count > 1)
    for clause in found.clauses:
        if clause.flipped:
            yield from asks_object(clause, wanted, topic.text, many=topic.several)
        else:
            yield from asks_subject(clause, wanted, topic.text)
            if found.done:
                yield from asks_subject(clause, Wanted(wanted.kinds, False), topic.text)
    if not found.noun or found.clauses:
        return
    same = found.noun.lower() in {plain(kind).lower() for kind in topic.kinds}
    shared = found.noun.lower() in MANIFOLD
    one = f"the {found.noun}" if not shared else "part" if found.noun == "part" else indefinite(found.noun)
    if topic.several and not one.startswith("the "):
        one = plural(found.noun)
    is_role = mean_person(topic.kinds) or mean_person([head(found.noun)]) or found.noun.lower() in _ROLES
    if not one.startswith("the ") or (is_role and not same):
        yield from _in_role(topic, wanted, one, found.of)
        if found.noun.lower() == "part":
            return
    if found.noun in REALMS and mean_place(topic.kinds):
        be_ = "are" if wanted.agrees else "is"
        yield f"Which {wanted.noun} {be_} {'in' if wanted.is_place else 'from'} {topic.text}?"
    yield from _holding(topic, wanted, found)
    if not is_role and not same and not wanted.is_person:
        yield f"For which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"
        yield f"Of which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"


def _in_role(topic: Topic, wanted: Wanted, role: str, of: str) -> Iterator[str]:
    """Ask what the topic is something of: ``Which band is X a member of?``"""
    yield f"Which {wanted.noun} {topic.be} {topic.text} {role} {of}?"
    yield f"{of.capitalize()} which {wanted.noun} {topic.be} {topic.text} {role}?"
    yield f"What {wanted.noun} {topic.be} {topic.text} {role} {of}?"


def _holding(topic: Topic, wanted: Wanted, found: Relation) -> Iterator[str]:
    """Ask what has the topic: ``Which films have X as their genre?``"""
    have, their = ("have", "their") if wanted.several else ("has", "their" if wanted.is_person else "its")
    if is_mass(wanted.noun):
        have, their = "has", "its"
    if wanted.is_person:
        yield f"Whose {found.noun} {topic.be} {topic.text}?"
        yield f"Who has {topic.text} as their {found.noun}?"
    yield f"Which {wanted.noun} {have} {topic.text} as {their} {found.noun}?"
    yield f"What {wanted.noun} {have} {topic.text} as {their} {found.noun}?"


def counting(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask how many there are, at the object end or pointing to the topic."""
    if fact.last.direction == "out":
        yield from _count_objects(topic, fact, found)
    else:
        yield from _count_subjects(topic, fact, found)


def _count_objects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    several = _countable(fact.kinds or ((found.noun,) if found.noun else ("thing",)))
    for clause in found.clauses:
        if found.done:
            helper = "did" if clause.tense == "past" else topic.do
            yield f"How many {plural(found.noun)} {helper} {topic.text} {clause.verb}?"
            yield f"How many {plural(found.noun)} {topic.have} {topic.text} {participle(clause.verb)}?"
        elif clause.flipped and several.kinds:
            people = "people" if several.is_person else several.noun
            yield from (
                q.replace("Which ", "How many ", 1)
                for q in asks_subject(clause, Wanted((people,), True), topic.text)
                if q.startswith("Which ")
            )
        elif not clause.flipped and clause.prep != "by":
            yield from _how_many(asks_object(clause, several, topic.text, many=topic.several, fronted=False))
    if found.noun and not found.done:
        noun = plural(found.noun)
        yield f"How many {noun} {topic.do} {topic.text} have?"
        yield f"How many different {noun} {topic.do} {topic.text} have?"
        yield f"How many {noun} {topic.have} {topic.text} got?"
        yield f"Exactly how many {noun} {topic.do} {topic.text} have?"
    elif not found.noun and not found.clauses:
        yield f"How many {several.noun} {topic.do} {topic.text} have?"


def _count_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    some = _countable(fact.kinds or ("thing",))
    people = some.noun
    for clause in found.clauses:
        asked = asks_object if clause.flipped else asks_subject
        yield from _how_many(asked(clause, some, topic.text))
        if not clause.flipped and clause.verb == "be" and clause.many:
            yield f"How many {clause.many} {topic.do} {topic.text} have?"
    if found.noun and not found.clauses:
        if mean_person(topic.kinds):
            yield f"How many {people} {topic.be} {topic.text} the {found.noun} of?"
        yield f"How many {people} have {topic.text} as their {found.noun}?"
        yield f"For how many {people} {topic.be} {topic.text} the {found.noun}?"


def _countable(kinds: tuple[str, ...]) -> Wanted:
    """Return what is counted; of what has no plural one counts pieces."""
    noun = singular(plain(kinds[0]))
    return Wanted((f"piece of {noun}", *kinds[1:]) if is_mass(noun) else kinds, True)


def _how_many(asked: Iterator[str]) -> Iterator[str]:
    for question in asked:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)


_ROLES = ("capital", "successor")

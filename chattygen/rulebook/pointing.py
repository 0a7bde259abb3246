"""Wordings for questions about what points to the topic, and for counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.facts import Fact
from chattygen.rulebook.clauses import Wanted, asks_object, asks_subject
from chattygen.rulebook.lookups import Topic
from chattygen.rulebook.relation import Relation
from chattygen.rulebook.words import head, is_mass, mean_person, participle, plain, plural, singular


def of_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask for what points to the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    wanted = Wanted(fact.kinds or ("thing",), fact.count > 1)
    for clause in found.clauses:
        if clause.flipped:
            yield from asks_object(clause, wanted, topic.text)
        else:
            yield from asks_subject(clause, wanted, topic.text)
            if found.done:
                yield from asks_subject(clause, Wanted(wanted.kinds, False), topic.text)
    if not found.noun or found.clauses:
        return
    role = mean_person(topic.kinds) or mean_person([head(found.noun)]) or found.noun.lower() in ("capital", "successor")
    have, their = ("have", "their") if wanted.several else ("has", "their" if wanted.is_person else "its")
    if is_mass(some := wanted.noun):
        have, their = "has", "its"
    same = found.noun.lower() in {plain(kind).lower() for kind in topic.kinds}
    if role and not same:
        yield f"Which {some} is {topic.text} the {found.noun} of?"
        yield f"Of which {some} is {topic.text} the {found.noun}?"
        yield f"What {some} is {topic.text} the {found.noun} of?"
        if wanted.is_person:
            yield f"Whose {found.noun} is {topic.text}?"
    if wanted.is_person:
        yield f"Who has {topic.text} as their {found.noun}?"
    yield f"Which {some} {have} {topic.text} as {their} {found.noun}?"
    if not role or same:
        yield f"What {some} {have} {topic.text} as {their} {found.noun}?"
    if not role and not same and not wanted.is_person:
        yield f"For which {some} is {topic.text} the {found.noun}?"
        yield f"Of which {some} is {topic.text} the {found.noun}?"
        if wanted.agrees:
            yield f"Which of the {some} have {topic.text} as {their} {found.noun}?"


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
            helper = "did" if clause.tense == "past" else "does"
            yield f"How many {plural(found.noun)} {helper} {topic.text} {clause.verb}?"
            yield f"How many {plural(found.noun)} has {topic.text} {participle(clause.verb)}?"
        elif clause.flipped and several.kinds:
            people = "people" if several.is_person else several.noun
            yield from (
                q.replace("Which ", "How many ", 1)
                for q in asks_subject(clause, Wanted((people,), True), topic.text)
                if q.startswith("Which ")
            )
        elif not clause.flipped and clause.prep != "by":
            yield from _how_many(asks_object(clause, several, topic.text, fronted=False))
    if found.noun and not found.done:
        noun = plural(found.noun)
        yield f"How many {noun} does {topic.text} have?"
        yield f"How many different {noun} does {topic.text} have?"
        yield f"What number of {noun} does {topic.text} have?"
        yield f"How many {noun} in all does {topic.text} have?"
        yield f"How many {noun} has {topic.text} got?"
    elif not found.noun and not found.clauses:
        yield f"How many {several.noun} does {topic.text} have?"


def _count_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    some = _countable(fact.kinds or ("thing",))
    people = some.noun
    for clause in found.clauses:
        asked = asks_object if clause.flipped else asks_subject
        yield from _how_many(asked(clause, some, topic.text))
        if not clause.flipped and clause.verb == "be" and clause.many:
            yield f"How many {clause.many} does {topic.text} have?"
    if found.noun and not found.clauses:
        if mean_person(topic.kinds):
            yield f"How many {people} is {topic.text} the {found.noun} of?"
        yield f"How many {people} have {topic.text} as their {found.noun}?"
        yield f"What number of {people} have {topic.text} as their {found.noun}?"
        yield f"For how many {people} is {topic.text} the {found.noun}?"
        yield f"How many of the {people} have {topic.text} as their {found.noun}?"


def _countable(kinds: tuple[str, ...]) -> Wanted:
    """Return what is counted; of what has no plural one counts pieces."""
    noun = singular(plain(kinds[0]))
    return Wanted((f"piece of {noun}", *kinds[1:]) if is_mass(noun) else kinds, True)


def _how_many(asked: Iterator[str]) -> Iterator[str]:
    for question in asked:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)
            yield question.replace("Which ", "What number of ", 1)

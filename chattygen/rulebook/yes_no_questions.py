"""Wordings for yes-no questions about an offered value."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.rulebook.amounts import amount, spelled
from chattygen.rulebook.clause_questions import asks_whether
from chattygen.rulebook.condition_phrases import does, member_of
from chattygen.rulebook.lexicon import EVENTS, FRACTIONS, HAD_BY_NOBODY, MEASURES, REALMS
from chattygen.rulebook.lookup_questions import Topic
from chattygen.rulebook.predicate_frames import Relation
from chattygen.rulebook.words import (
    called,
    head,
    indefinite,
    is_plural,
    mean_person,
    mean_place,
    plural,
    singular,
    spoken_date,
)
from chattygen.subgraph.facts import Fact


def whether(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask whether the offered value is (one of) what the fact hides."""
    value = spoken_date(fact.offer) if fact.shape == "date" else called(fact.offer, fact.kinds)
    if fact.last.direction == "in":
        yield from _pointing(topic, fact, found, value)
        return
    several = fact.count > 1
    if fact.shape == "number":
        for clause in found.clauses if "year" in found.noun.lower().split() else ():
            prep = "from" if clause.prep == "from" else "in"
            yield asks_whether(clause, topic.text, value, many=topic.several, prep=prep)
        yield from _number(topic, fact, found, spelled(value, "" if found.counts else found.noun))
        return
    if found.article and value[:1].islower():
        value = f"{found.article} {value}"
    for clause in found.clauses:
        if fact.shape == "date":
            prep = "on" if fact.datatype in ("date", "dateTime") else "in"
            yield asks_whether(clause, topic.text, value, many=topic.several, prep=prep)
        elif clause.flipped:
            yield asks_whether(clause, value, topic.text)
        else:
            yield asks_whether(clause, topic.text, value, many=topic.several)
    if found.noun and not found.done and not (fact.shape == "date" and found.clauses):
        yield from _noun(topic, fact, found, value, several)


def _noun(topic: Topic, fact: Fact, found: Relation, value: str, several: bool) -> Iterator[str]:
    if fact.shape == "date":
        yield from _date(topic, fact, found, value)
    elif several:
        yield from _one_of(topic, fact, found, value)
    else:
        yield from _the_one(topic, fact, found, value)


def _date(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    if found.clauses or head(found.noun) not in EVENTS:
        yield f"Is the {found.noun} {found.of} {topic.text} {value}?"
        if not found.clauses:
            yield f"Is {value} the {found.noun} {found.of} {topic.text}?"
        return
    prep = "on" if fact.datatype in ("date", "dateTime") else "in"
    yield f"Was the {found.noun} {found.of} {topic.text} {prep} {value}?"
    yield from (f"Was {own} {found.noun} {prep} {value}?" for own in topic.owns)


def _one_of(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    nouns = plural(found.noun)
    if does(found.noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {indefinite(value)}?"
        yield f"Does {topic.text} work as {indefinite(value)}?"
        return
    if member_of(value, found.noun):
        yield f"{topic.do.capitalize()} {topic.text} belong to {member_of(value, found.noun)}?"
    yield f"Is {value} one of the {nouns} {found.of} {topic.text}?"
    yield from (f"Is {value} one of {own} {nouns}?" for own in topic.owns)
    yield f"Is {value} among the {nouns} {found.of} {topic.text}?"
    if fact.shape == "entity" and not mean_person(fact.kinds):
        yield f"{topic.do.capitalize()} {topic.text} have {value} as {indefinite(found.noun)}?"


def _the_one(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    """Ask whether a value is it; one begins with a name, but not with a number or a common word."""
    noun = found.noun
    if does(noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {indefinite(value)}?"
        yield f"Does {topic.text} work as {indefinite(value)}?"
        return
    if member_of(value, noun):
        yield f"{topic.do.capitalize()} {topic.text} belong to {member_of(value, noun)}?"
    is_name = value[:1].isupper() and (fact.shape == "entity" or not any(mark.isdigit() for mark in value))
    if noun in REALMS and is_name and not found.clauses:
        yield f"{topic.be.capitalize()} {topic.text} {'in' if mean_place(topic.kinds) else 'from'} {value}?"
    be = "Are" if is_plural(noun) else "Is"
    owns = topic.owns if len(topic.text.split()) < 3 or not is_name else ()
    if is_name:
        yield f"Is {value} the {noun} {found.of} {topic.text}?"
        yield from (f"Is {value} {own} {noun}?" for own in owns)
    yield from (f"{be} {own} {noun} {value}?" for own in owns)
    if not is_name:
        yield f"{be} the {noun} {found.of} {topic.text} {value}?"
    if (
        not mean_person(fact.kinds)
        and not value[:1].isdigit()
        and not found.clauses
        and head(noun) not in HAD_BY_NOBODY
    ):
        yield f"{topic.do.capitalize()} {topic.text} have the {noun} {value}?"


def _number(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    value = amount(value, found.unit)
    if found.counts and (found.unit or fact.datatype in FRACTIONS) and not found.done:
        yield f"Are the {found.counts} of {topic.text} {value}?"
        for own in topic.owns:
            yield f"Are {own} {found.counts} {value}?"
        return
    if found.counts:
        pieces = singular(found.counts) if value == "1" else found.counts
        helper, verb = ("Did", found.done) if found.done else (topic.do.capitalize(), "have")
        yield f"{helper} {topic.text} {verb} {value} {pieces}?"
        yield f"{helper} {topic.text} {verb} exactly {value} {pieces}?"
        return
    noun = found.noun or "value"
    adjective = MEASURES.get(noun.lower(), "")
    if (
        adjective
        and found.unit
        and adjective not in ("heavy", "large")
        and noun.lower() not in ("elevation", "altitude")
    ):
        yield f"{topic.be.capitalize()} {topic.text} {value} {adjective}?"
    if noun.lower() == "age" and mean_person(topic.kinds):
        yield f"{topic.be.capitalize()} {topic.text} {value} years old?"
    for own in topic.owns:
        yield f"Is {own} {noun} {value}?"
    yield f"Is the {noun} {found.of} {topic.text} {value}?"
    if head(noun) not in HAD_BY_NOBODY:
        yield f"{topic.do.capitalize()} {topic.text} have {indefinite(noun)} of {value}?"


def _pointing(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    for clause in found.clauses:
        if clause.flipped:
            yield asks_whether(clause, topic.text, value, many=topic.several)
        else:
            yield asks_whether(clause, value, topic.text)
    if found.noun and not found.clauses:
        their = "their" if mean_person(fact.kinds) else "its"
        yield f"{topic.be.capitalize()} {topic.text} the {found.noun} of {value}?"
        yield f"Does {value} have {topic.text} as {their} {found.noun}?"
        if len(value.split()) <= 3:
            yield (
                f"{topic.be.capitalize()} {topic.text} {value}'s {found.noun}?"
                if not value.endswith("s")
                else (f"{topic.be.capitalize()} {topic.text} {value}' {found.noun}?")
            )

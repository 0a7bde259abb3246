"""Wordings for yes-no questions about an offered value."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.facts import Fact
from chattygen.rulebook.clauses import asks_whether
from chattygen.rulebook.lexicon import MEASURES
from chattygen.rulebook.lookups import Topic
from chattygen.rulebook.relation import Relation
from chattygen.rulebook.words import indefinite, mean_person, plural, spoken_date, with_the


def whether(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask whether the offered value is (one of) what the fact hides."""
    value = spoken_date(fact.offer) if fact.shape == "date" else with_the(fact.offer, fact.kinds)
    if fact.last.direction == "in":
        yield from _pointing(topic, fact, found, value)
        return
    several = fact.count > 1
    if fact.shape == "number":
        yield from _number(topic, found, value)
        return
    for clause in found.clauses:
        if fact.shape == "date":
            prep = "on" if fact.datatype in ("date", "dateTime") else "in"
            yield asks_whether(clause, topic.text, value, prep=prep)
        elif clause.flipped:
            yield asks_whether(clause, value, topic.text)
        else:
            yield asks_whether(clause, topic.text, value)
    if found.noun and not found.done:
        yield from _noun(topic, fact, found, value, several)


def _noun(topic: Topic, fact: Fact, found: Relation, value: str, several: bool) -> Iterator[str]:
    if fact.shape == "date":
        yield f"Is {value} the {found.noun} of {topic.text}?"
        yield f"Is the {found.noun} of {topic.text} {value}?"
        return
    if several:
        yield f"Is {value} one of the {plural(found.noun)} of {topic.text}?"
        for own in topic.owns:
            yield f"Is {value} one of {own} {plural(found.noun)}?"
        yield f"Is {value} among the {plural(found.noun)} of {topic.text}?"
        if fact.shape == "entity" and not mean_person(fact.kinds):
            yield f"Does {topic.text} have {value} as {indefinite(found.noun)}?"
        return
    yield f"Is {value} the {found.noun} of {topic.text}?"
    for own in topic.owns:
        yield f"Is {value} {own} {found.noun}?"
    yield f"Is the {found.noun} of {topic.text} {value}?"
    if not mean_person(fact.kinds) and not found.clauses:
        yield f"Does {topic.text} have the {found.noun} {value}?"


def _number(topic: Topic, found: Relation, value: str) -> Iterator[str]:
    unit = f" {found.unit}" if found.unit else ""
    if found.counts:
        helper, verb = ("Did", found.done) if found.done else ("Does", "have")
        yield f"{helper} {topic.text} {verb} {value} {found.counts}?"
        yield f"{helper} {topic.text} {verb} exactly {value} {found.counts}?"
        return
    noun = found.noun or "value"
    adjective = MEASURES.get(noun.lower(), "")
    if adjective and unit and adjective != "heavy":
        yield f"Is {topic.text} {value}{unit} {adjective}?"
    yield f"Is the {noun} of {topic.text} {value}{unit}?"
    yield f"Does {topic.text} have {indefinite(noun)} of {value}{unit}?"
    yield f"Is {value}{unit} the {noun} of {topic.text}?"
    for own in topic.owns:
        yield f"Is {own} {noun} {value}{unit}?"


def _pointing(topic: Topic, fact: Fact, found: Relation, value: str) -> Iterator[str]:
    for clause in found.clauses:
        if clause.flipped:
            yield asks_whether(clause, topic.text, value)
        else:
            yield asks_whether(clause, value, topic.text)
    if found.noun and not found.clauses:
        their = "their" if mean_person(fact.kinds) else "its"
        yield f"Is {topic.text} the {found.noun} of {value}?"
        yield f"Does {value} have {topic.text} as {their} {found.noun}?"
        if len(value.split()) <= 3:
            yield (
                f"Is {topic.text} {value}'s {found.noun}?"
                if not value.endswith("s")
                else (f"Is {topic.text} {value}' {found.noun}?")
            )

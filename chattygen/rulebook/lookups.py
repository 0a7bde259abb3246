"""Wordings for plain questions: what, who, where, when, how much, which ones; five or more per kind of question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.facts import Fact
from chattygen.rulebook.clauses import Wanted, asks_object, asks_subject, asks_time
from chattygen.rulebook.lexicon import MEASURES, SPOTS
from chattygen.rulebook.relation import Relation
from chattygen.rulebook.words import head, mean_person, mean_place, participle, plural, possessive, singular


@dataclass(frozen=True, slots=True)
class Topic:
    """The noun phrase that a question is about, the labels of its class, and whether it is a bare name."""

    text: str
    kinds: tuple[str, ...]
    is_name: bool = True

    @property
    def owns(self) -> tuple[str, ...]:
        """The possessive, where the phrase is short enough to take one."""
        return (possessive(self.text),) if self.is_name else ()


def of_objects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask for what stands at the object end: things, texts, dates, numbers, one or several."""
    if fact.shape == "date":
        yield from _date(topic, fact, found)
    elif fact.shape == "number":
        yield from _number(topic, found)
    else:
        yield from _things(topic, fact, found)


def _things(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    wanted = _wanted(fact, found)
    for clause in found.clauses:
        if found.done:
            noun = plural(found.noun) if wanted.several else found.noun
            yield from asks_object(clause, Wanted((noun,), wanted.several), topic.text)
        elif clause.flipped:
            yield from asks_subject(clause, wanted, topic.text)
        else:
            yield from asks_object(clause, wanted, topic.text)
    if not found.noun or found.done or (found.clauses and not found.clauses[0].flipped and wanted.is_place):
        return
    noun = plural(found.noun) if wanted.several else found.noun
    be = "are" if wanted.several else "is"
    who = "Who" if wanted.is_person else "What"
    yield f"{who} {be} the {noun} of {topic.text}?"
    for own in topic.owns:
        yield f"{who} {be} {own} {noun}?"
    if wanted.is_person:
        yield f"Who {'were' if wanted.several else 'was'} the {noun} of {topic.text}?"
        yield (
            f"Which {wanted.noun or noun} {be} the {noun} of {topic.text}?"
            if _differs(wanted, found)
            else (f"Who {be} named as the {noun} of {topic.text}?")
        )
    else:
        yield f"Which {noun} does {topic.text} have?"
        yield f"What {noun} does {topic.text} have?"
        if _differs(wanted, found):
            yield f"Which {wanted.noun} {be} the {noun} of {topic.text}?"
        yield f"Which {be} the {noun} of {topic.text}?" if wanted.several else f"What {noun} is given for {topic.text}?"


def _wanted(fact: Fact, found: Relation) -> Wanted:
    """Return what is asked for; a text under a noun for persons or places is one."""
    kinds = fact.kinds
    if not kinds and found.noun and (mean_person([head(found.noun)]) or head(found.noun) in SPOTS):
        kinds = (head(found.noun),)
    return Wanted(kinds, fact.count > 1)


def _differs(wanted: Wanted, found: Relation) -> bool:
    return (
        bool(wanted.noun)
        and singular(wanted.noun) not in found.noun
        and wanted.noun.lower() not in ("person", "people")
    )


def _date(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    for clause in found.clauses:
        yield from asks_time(clause, topic.text, fact.datatype)
    if found.noun:
        yield f"What is the {found.noun} of {topic.text}?"
        for own in topic.owns:
            yield f"What is {own} {found.noun}?"
        if not found.clauses:
            yield f"What {found.noun} does {topic.text} have?"
            yield f"Which {found.noun} does {topic.text} have?"
            yield f"What is given as the {found.noun} of {topic.text}?"


def _number(topic: Topic, found: Relation) -> Iterator[str]:
    if found.counts:
        if found.done:
            yield f"How many {found.counts} did {topic.text} {found.done}?"
            yield f"How many {found.counts} has {topic.text} {participle(found.done)}?"
        else:
            yield f"How many {found.counts} does {topic.text} have?"
            yield (
                f"How many {found.counts} are there in {topic.text}?"
                if mean_place(topic.kinds)
                else (f"What number of {found.counts} does {topic.text} have?")
            )
        yield (
            f"What is the {found.noun} of {topic.text}?"
            if not found.done
            else (f"What number of {found.counts} did {topic.text} {found.done}?")
        )
        return
    noun, unit = found.noun or "value", f" in {found.unit}" if found.unit else ""
    adjective = MEASURES.get(noun.lower(), "")
    if adjective:
        if not (adjective == "tall" and mean_place(topic.kinds)):
            yield f"How {adjective} is {topic.text}{unit}?"
        if noun.lower() in ("weight", "mass"):
            yield f"How much does {topic.text} weigh{unit}?"
    if noun.lower() == "population":
        yield f"How many people live in {topic.text}?"
        yield f"How large is the population of {topic.text}?"
    if noun.lower() in ("price", "cost"):
        yield f"How much does {topic.text} cost{unit}?"
    yield f"What is the {noun} of {topic.text}{unit}?"
    for own in topic.owns:
        yield f"What is {own} {noun}{unit}?"
    if not adjective:
        yield f"What {noun} does {topic.text} have{unit}?"
        yield f"Which {noun} does {topic.text} have{unit}?"
        yield (
            f"What is the value of the {noun} of {topic.text}{unit}?"
            if not topic.is_name
            else (
                f"How much is the {noun} of {topic.text}{unit}?"
                if noun.lower().endswith(_SUMS)
                else f"What {noun} is given for {topic.text}{unit}?"
            )
        )


_SUMS = ("budget", "revenue", "salary", "income", "cost", "price", "fee", "turnover", "profit", "amount", "gross")


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
    some = wanted.noun
    if role:
        yield f"Which {some} is {topic.text} the {found.noun} of?"
        yield f"Of which {some} is {topic.text} the {found.noun}?"
        yield f"What {some} is {topic.text} the {found.noun} of?"
        if wanted.is_person:
            yield f"Whose {found.noun} is {topic.text}?"
    if wanted.is_person:
        yield f"Who has {topic.text} as their {found.noun}?"
    yield f"Which {some} {have} {topic.text} as {their} {found.noun}?"
    if not role:
        yield f"What {some} {have} {topic.text} as {their} {found.noun}?"
        yield f"Which {some} {have} the {found.noun} {topic.text}?"
        yield f"What {some} {have} the {found.noun} {topic.text}?"
        yield f"Which {some} {'list' if wanted.several else 'lists'} {topic.text} as {their} {found.noun}?"


def counting(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask how many there are, at the object end or pointing to the topic."""
    if fact.last.direction == "out":
        yield from _count_objects(topic, fact, found)
    else:
        yield from _count_subjects(topic, fact, found)


def _count_objects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    several = Wanted(fact.kinds or ((found.noun,) if found.noun else ("thing",)), True)
    many = f"many {several.noun}"
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
        elif not clause.flipped:
            yield from _how_many(asks_object(clause, several, topic.text, fronted=False))
    if found.noun and not found.done:
        noun = plural(found.noun)
        yield f"How many {noun} does {topic.text} have?"
        yield (
            f"How many {noun} are there for {topic.text}?"
            if not several.is_person
            else (f"What is the number of {noun} of {topic.text}?")
        )
        yield f"What number of {noun} does {topic.text} have?"
        yield f"How many different {noun} does {topic.text} have?"
    elif not found.noun and not found.clauses:
        yield f"How {many} does {topic.text} have?"


def _count_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    some = Wanted(fact.kinds or ("thing",), True)
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
        yield (
            f"How many {people} have the {found.noun} {topic.text}?"
            if not mean_person(topic.kinds)
            else (f"What number of {people} have {topic.text} as their {found.noun}?")
        )
        yield f"For how many {people} is {topic.text} the {found.noun}?"
        yield f"How many {people} list {topic.text} as their {found.noun}?"


def _how_many(asked: Iterator[str]) -> Iterator[str]:
    for question in asked:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)
            yield question.replace("Which ", "What number of ", 1)

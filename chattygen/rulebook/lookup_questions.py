"""Wordings for plain questions: what, who, where, when, how much, which ones; five or more per kind of question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattygen.rulebook.clause_questions import Wanted, asks_object, asks_subject, asks_time
from chattygen.rulebook.condition_phrases import is_whole
from chattygen.rulebook.lexicon import (
    AGENTS,
    EVENTS,
    FRACTIONS,
    HAD_BY_NOBODY,
    MANIFOLD,
    MEASURES,
    OCCUPATIONS,
    PREPOSITIONS,
    REALMS,
    SINGLE_OUT,
    SPOTS,
)
from chattygen.rulebook.predicate_frames import Relation
from chattygen.rulebook.referring_expressions import is_short
from chattygen.rulebook.words import (
    head,
    is_plural,
    mean_person,
    mean_place,
    participle,
    plural,
    possessive,
    singular,
)
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class Topic:
    """The noun phrase that a question is about, the labels of its class, and whether it is a bare name."""

    text: str
    kinds: tuple[str, ...]
    is_name: bool = True
    several: bool = False

    @property
    def be(self) -> str:
        """The form of ``be`` in the present that goes with it."""
        return "are" if self.several else "is"

    @property
    def do(self) -> str:
        """The form of ``do`` in the present that goes with it."""
        return "do" if self.several else "does"

    @property
    def have(self) -> str:
        """The form of ``have`` in the present that goes with it."""
        return "have" if self.several else "has"

    @property
    def owns(self) -> tuple[str, ...]:
        """The possessive, where the phrase is short enough to take one."""
        return (possessive(self.text),) if self.is_name and is_short(self.text) else ()

    @property
    def be_short(self) -> bool:
        """Whether a contraction goes well with it."""
        return is_short(self.text)


def of_objects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask for what stands at the object end: things, texts, dates, numbers, one or several."""
    if fact.shape == "date":
        yield from _date(topic, fact, found)
    elif fact.shape == "text" and found.clauses and head(found.noun) in ("time", "date", "day"):
        yield from asks_time(found.clauses[0], topic.text, head(found.noun), many=topic.several)
    elif fact.shape == "number":
        yield from _number(topic, fact, found)
    else:
        yield from _things(topic, fact, found)


def _things(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    wanted = _wanted(fact, found)
    for clause in found.clauses:
        if found.done:
            noun = plural(found.noun) if wanted.several else found.noun
            yield from asks_object(clause, Wanted((noun,), wanted.several), topic.text, many=topic.several)
        elif clause.flipped:
            yield from asks_subject(clause, wanted, topic.text)
        else:
            yield from asks_object(clause, wanted, topic.text, many=topic.several)
    if not found.noun or found.done or (found.clauses and not found.clauses[0].flipped and wanted.is_place):
        return
    if head(found.noun) in REALMS and mean_place(topic.kinds) and not wanted.several and not found.clauses:
        yield f"Which {found.noun} {topic.be} {topic.text} in?"
        yield f"In which {found.noun} is {topic.text}?"
        yield f"What {found.noun} {topic.be} {topic.text} in?"
        yield f"In what {found.noun} {topic.do} {topic.text} lie?"
        yield f"What is the {found.noun} {found.of} {topic.text}?"
        return
    if head(found.noun) in REALMS and len(found.noun.split()) == 1 and not wanted.several and not found.clauses:
        yield f"Which {found.noun} {topic.be} {topic.text} from?"
        yield f"What {found.noun} {topic.be} {topic.text} from?"
    yield from _several(topic, wanted, found) if wanted.several else _single(topic, wanted, found)


def _single(topic: Topic, wanted: Wanted, found: Relation) -> Iterator[str]:
    """Ask for the one thing that is called by a noun."""
    who, noun = _who(wanted, found), found.noun
    if is_whole(noun):
        yield f"Which {noun} {topic.do} {topic.text} belong to?"
        yield f"What {noun} {topic.do} {topic.text} belong to?"
        yield f"To which {noun} {topic.do} {topic.text} belong?"
    sort = re.match(r"(?:type|kind|form) of (\w+)$", noun)
    if sort and who == "What":
        yield f"What {noun} {topic.be} {topic.text}?"
    for be in (f"{who} are",) if is_plural(noun) else (f"{who} is", f"{who}'s") if topic.be_short else (f"{who} is",):
        yield f"{be} the {noun} {found.of} {topic.text}?"
        for own in topic.owns:
            yield f"{be} {own} {noun}?"
    if _differs(wanted, found):
        yield f"Which {wanted.noun} is the {noun} {found.of} {topic.text}?"
    if (
        who == "What"
        and not is_whole(noun)
        and not set(noun.lower().split()[:-1]) & SINGLE_OUT
        and head(noun) not in HAD_BY_NOBODY
    ):
        yield f"What {noun} {topic.do} {topic.text} have?"


def _who(wanted: Wanted, found: Relation) -> str:
    """Return ``Who`` for persons, and for what does something as persons do (a supplier, an owner)."""
    acts = wanted.kinds and (mean_person([head(found.noun)]) or head(found.noun) in AGENTS)
    return "Who" if wanted.is_person or acts else "What"


def _several(topic: Topic, wanted: Wanted, found: Relation) -> Iterator[str]:
    """Ask for all things that are called by a noun."""
    who, nouns = _who(wanted, found), plural(found.noun)
    if is_whole(found.noun):
        yield f"Which {nouns} {topic.do} {topic.text} belong to?"
        yield f"What {nouns} {topic.do} {topic.text} belong to?"
    yield f"{who} are the {nouns} {found.of} {topic.text}?"
    for own in topic.owns:
        yield f"{who} are {own} {nouns}?"
    if who == "What":
        yield f"Which {nouns} {topic.do} {topic.text} have?"
        yield f"What {nouns} {topic.do} {topic.text} have?"


def _wanted(fact: Fact, found: Relation) -> Wanted:
    """Return what is asked for; a text under a noun for persons or places is one."""
    kinds = fact.kinds
    by = any(clause.flipped or clause.prep == "by" for clause in found.clauses)
    if not kinds and found.noun and (mean_person([head(found.noun)]) or head(found.noun) in SPOTS):
        kinds = (head(found.noun),)
    if not kinds and (found.gap or found.noun.lower() == "year"):
        kinds = (found.gap or found.noun,)
    return Wanted(kinds, fact.count > 1, "Who" if by else "What")


def _differs(wanted: Wanted, found: Relation) -> bool:
    return (
        bool(wanted.noun)
        and singular(wanted.noun) not in found.noun
        and head(wanted.noun) != head(found.noun)
        and not wanted.is_person
        and not mean_person([head(found.noun)])
        and head(found.noun) not in MANIFOLD | OCCUPATIONS
    )


def _date(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    for clause in found.clauses:
        yield from asks_time(clause, topic.text, fact.datatype, many=topic.several)
    if found.noun:
        if not found.clauses and head(found.noun) in EVENTS:
            yield f"When was the {found.noun} {found.of} {topic.text}?"
            yield from (f"When was {own} {found.noun}?" for own in topic.owns)
        if not found.clauses or found.noun.startswith("date "):
            yield f"What is the {found.noun} {found.of} {topic.text}?"
            for own in topic.owns:
                yield f"What is {own} {found.noun}?"
        if not found.clauses and topic.be_short:
            yield f"What's the {found.noun} {found.of} {topic.text}?"
            for own in topic.owns:
                yield f"What's {own} {found.noun}?"
            if head(found.noun) != "date":
                yield f"Which date is the {found.noun} {found.of} {topic.text}?"


def _number(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    if "year" in found.noun.lower().split():
        for clause in found.clauses:
            if clause.prep == "from":
                yield from asks_object(clause, Wanted(("year",), False), topic.text, many=topic.several)
                continue
            yield from asks_time(clause, topic.text, "gYear", many=topic.several)
    noun, unit = found.noun or "value", f" in {found.unit}" if found.unit else ""
    if topic.text.split()[-1] in PREPOSITIONS:  # the city that X lives in: "in meters" would not follow well
        unit = ""
    if found.counts and (found.unit or fact.datatype in FRACTIONS) and not found.done:
        yield f"What are the {found.counts} of {topic.text}{unit}?"
        for own in topic.owns:
            yield f"What are {own} {found.counts}{unit}?"
        yield f"How high are the {found.counts} of {topic.text}{unit}?"
        return
    if found.counts:
        yield from _counted(topic, found)
        return
    yield from _measured(topic, noun.lower(), unit)
    yield f"What is the {noun} {found.of} {topic.text}{unit}?"
    for own in topic.owns:
        yield f"What is {own} {noun}{unit}?"
        yield f"What's {own} {noun}{unit}?"
    if topic.be_short:
        yield f"What's the {noun} {found.of} {topic.text}{unit}?"
    if noun.lower().endswith(_SUMS):
        yield f"How much is the {noun} {found.of} {topic.text}{unit}?"
    if noun.lower() not in MEASURES and head(noun) not in HAD_BY_NOBODY:
        yield f"What {noun} {topic.do} {topic.text} have{unit}?"


def _counted(topic: Topic, found: Relation) -> Iterator[str]:
    """Ask for a number that the KG holds: ``How many pages does X have?``."""
    if found.done:
        yield f"How many {found.counts} did {topic.text} {found.done}?"
        yield f"How many {found.counts} {topic.have} {topic.text} {participle(found.done)}?"
        yield f"What number of {found.counts} did {topic.text} {found.done}?"
        return
    yield f"How many {found.counts} {topic.do} {topic.text} have?"
    if mean_place(topic.kinds):
        yield f"How many {found.counts} are there in {topic.text}?"
    yield f"How many {found.counts} {topic.have} {topic.text} got?"
    yield f"Exactly how many {found.counts} {topic.do} {topic.text} have?"


def _measured(topic: Topic, noun: str, unit: str) -> Iterator[str]:
    """Ask for a measure by its adjective or verb: ``How deep is X?``, ``How much does X cost?``."""
    adjective = MEASURES.get(noun, "")
    if adjective and not (adjective == "tall" and mean_place(topic.kinds)):
        yield f"How {adjective} is {topic.text}{unit}?"
    if noun in ("weight", "mass"):
        yield f"How much {topic.do} {topic.text} weigh{unit}?"
    if noun == "population":
        yield f"How many people live in {topic.text}?"
        yield f"How large is the population of {topic.text}?"
    if noun in ("price", "cost"):
        yield f"How much {topic.do} {topic.text} cost{unit}?"


_SUMS = ("budget", "revenue", "salary", "income", "cost", "price", "fee", "turnover", "profit", "amount", "gross")

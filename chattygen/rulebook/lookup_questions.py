"""Wordings for plain questions: what, who, where, when, how much, which ones; five or more per kind of question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.inflection import (
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    past_participle,
    pluralize,
    possessive_form,
    singularize,
)
from chattyshared.language.lexicon import word_list

from chattygen.rulebook.clause_questions import QuestionTarget, ask_for_object, ask_for_subject, ask_for_time
from chattygen.rulebook.condition_phrases import is_membership_noun
from chattygen.rulebook.lexicon import (
    AGENT_NOUNS,
    COUNTRY_NOUNS,
    EVENT_NOUNS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
    NOT_HAD_NOUNS,
    OCCUPATION_NOUNS,
    PLACE_NOUNS,
    PREPOSITIONS,
    SHARED_ROLES,
    UNIQUE_MODIFIERS,
)
from chattygen.rulebook.predicate_frames import PredicateFrame
from chattygen.rulebook.referring_expressions import is_short
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class TopicPhrase:
    """The noun phrase that a question is about, the labels of its class, and whether it is a bare name."""

    text: str
    kinds: tuple[str, ...]
    is_name: bool = True
    is_plural: bool = False

    @property
    def be(self) -> str:
        """The form of ``be`` in the present that goes with it."""
        return "are" if self.is_plural else "is"

    @property
    def do(self) -> str:
        """The form of ``do`` in the present that goes with it."""
        return "do" if self.is_plural else "does"

    @property
    def have(self) -> str:
        """The form of ``have`` in the present that goes with it."""
        return "have" if self.is_plural else "has"

    @property
    def possessives(self) -> tuple[str, ...]:
        """The possessive, where the phrase is short enough to take one."""
        return (possessive_form(self.text),) if self.is_name and is_short(self.text) else ()

    @property
    def allows_contraction(self) -> bool:
        """Whether a contraction goes well with it."""
        return is_short(self.text)


def realize_object_question(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    """Ask for what stands at the object end: things, texts, dates, numbers, one or several."""
    if fact.shape == "date":
        yield from _date(topic, fact, found)
    elif fact.shape == "text" and found.clauses and head_noun(found.noun) in ("time", "date", "day"):
        yield from ask_for_time(found.clauses[0], topic.text, head_noun(found.noun), has_plural_subject=topic.is_plural)
    elif fact.shape == "number":
        yield from _number(topic, fact, found)
    else:
        yield from _things(topic, fact, found)


def _things(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    wanted = _wanted(fact, found)
    for clause in found.clauses:
        if found.event_verb:
            noun = pluralize(found.noun) if wanted.is_plural else found.noun
            yield from ask_for_object(
                clause, QuestionTarget((noun,), wanted.is_plural), topic.text, has_plural_subject=topic.is_plural
            )
        elif clause.is_inverse:
            yield from ask_for_subject(clause, wanted, topic.text)
        else:
            yield from ask_for_object(clause, wanted, topic.text, has_plural_subject=topic.is_plural)
    if not found.noun or found.event_verb or (found.clauses and not found.clauses[0].is_inverse and wanted.is_place):
        return
    if (
        head_noun(found.noun) in COUNTRY_NOUNS
        and denote_places(topic.kinds)
        and not wanted.is_plural
        and not found.clauses
    ):
        yield f"Which {found.noun} {topic.be} {topic.text} in?"
        yield f"In which {found.noun} is {topic.text}?"
        yield f"What {found.noun} {topic.be} {topic.text} in?"
        yield f"In what {found.noun} {topic.do} {topic.text} lie?"
        yield f"What is the {found.noun} {found.preposition} {topic.text}?"
        return
    if (
        head_noun(found.noun) in COUNTRY_NOUNS
        and len(found.noun.split()) == 1
        and not wanted.is_plural
        and not found.clauses
    ):
        yield f"Which {found.noun} {topic.be} {topic.text} from?"
        yield f"What {found.noun} {topic.be} {topic.text} from?"
    yield from _several(topic, wanted, found) if wanted.is_plural else _single(topic, wanted, found)


def _single(topic: TopicPhrase, wanted: QuestionTarget, found: PredicateFrame) -> Iterator[str]:
    """Ask for the one thing that is called by a noun."""
    who, noun = _who(wanted, found), found.noun
    if is_membership_noun(noun):
        yield f"Which {noun} {topic.do} {topic.text} belong to?"
        yield f"What {noun} {topic.do} {topic.text} belong to?"
        yield f"To which {noun} {topic.do} {topic.text} belong?"
    sort = re.match(r"(?:type|kind|form) of (\w+)$", noun)
    if sort and who == "What":
        yield f"What {noun} {topic.be} {topic.text}?"
    for be in (
        (f"{who} are",)
        if is_plural(noun)
        else (f"{who} is", f"{who}'s")
        if topic.allows_contraction
        else (f"{who} is",)
    ):
        yield f"{be} the {noun} {found.preposition} {topic.text}?"
        for own in topic.possessives:
            yield f"{be} {own} {noun}?"
    if _differs(wanted, found):
        yield f"Which {wanted.noun} is the {noun} {found.preposition} {topic.text}?"
    if (
        who == "What"
        and not is_membership_noun(noun)
        and not set(noun.lower().split()[:-1]) & UNIQUE_MODIFIERS
        and head_noun(noun) not in NOT_HAD_NOUNS
    ):
        yield f"What {noun} {topic.do} {topic.text} have?"


def _who(wanted: QuestionTarget, found: PredicateFrame) -> str:
    """Return ``Who`` for persons, and for what does something as persons do (a supplier, an owner)."""
    acts = wanted.kinds and (denote_persons([head_noun(found.noun)]) or head_noun(found.noun) in AGENT_NOUNS)
    return "Who" if wanted.is_person or acts else "What"


def _several(topic: TopicPhrase, wanted: QuestionTarget, found: PredicateFrame) -> Iterator[str]:
    """Ask for all things that are called by a noun."""
    who, nouns = _who(wanted, found), pluralize(found.noun)
    if is_membership_noun(found.noun):
        yield f"Which {nouns} {topic.do} {topic.text} belong to?"
        yield f"What {nouns} {topic.do} {topic.text} belong to?"
    yield f"{who} are the {nouns} {found.preposition} {topic.text}?"
    for own in topic.possessives:
        yield f"{who} are {own} {nouns}?"
    if who == "What":
        yield f"Which {nouns} {topic.do} {topic.text} have?"
        yield f"What {nouns} {topic.do} {topic.text} have?"


def _wanted(fact: Fact, found: PredicateFrame) -> QuestionTarget:
    """Return what is asked for; a text under a noun for persons or places is one."""
    kinds = fact.class_labels
    by = any(clause.is_inverse or clause.preposition == "by" for clause in found.clauses)
    if not kinds and found.noun and (denote_persons([head_noun(found.noun)]) or head_noun(found.noun) in PLACE_NOUNS):
        kinds = (head_noun(found.noun),)
    if not kinds and (found.object_noun or found.noun.lower() == "year"):
        kinds = (found.object_noun or found.noun,)
    return QuestionTarget(kinds, fact.count > 1, "Who" if by else "What")


def _differs(wanted: QuestionTarget, found: PredicateFrame) -> bool:
    return (
        bool(wanted.noun)
        and singularize(wanted.noun) not in found.noun
        and head_noun(wanted.noun) != head_noun(found.noun)
        and not wanted.is_person
        and not denote_persons([head_noun(found.noun)])
        and head_noun(found.noun) not in SHARED_ROLES | OCCUPATION_NOUNS
    )


def _date(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    for clause in found.clauses:
        yield from ask_for_time(clause, topic.text, fact.datatype, has_plural_subject=topic.is_plural)
    if found.noun:
        if not found.clauses and head_noun(found.noun) in EVENT_NOUNS:
            yield f"When was the {found.noun} {found.preposition} {topic.text}?"
            yield from (f"When was {own} {found.noun}?" for own in topic.possessives)
        if not found.clauses or found.noun.startswith("date "):
            yield f"What is the {found.noun} {found.preposition} {topic.text}?"
            for own in topic.possessives:
                yield f"What is {own} {found.noun}?"
        if not found.clauses and topic.allows_contraction:
            yield f"What's the {found.noun} {found.preposition} {topic.text}?"
            for own in topic.possessives:
                yield f"What's {own} {found.noun}?"
            if head_noun(found.noun) != "date":
                yield f"Which date is the {found.noun} {found.preposition} {topic.text}?"


def _number(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    if "year" in found.noun.lower().split():
        for clause in found.clauses:
            if clause.preposition == "from":
                yield from ask_for_object(
                    clause, QuestionTarget(("year",), False), topic.text, has_plural_subject=topic.is_plural
                )
                continue
            yield from ask_for_time(clause, topic.text, "gYear", has_plural_subject=topic.is_plural)
    noun, unit = found.noun or "value", f" in {found.unit}" if found.unit else ""
    if topic.text.split()[-1] in PREPOSITIONS:  # the city that X lives in: "in meters" would not follow well
        unit = ""
    if found.counted_noun and (found.unit or fact.datatype in FRACTIONAL_DATATYPES) and not found.event_verb:
        yield f"What are the {found.counted_noun} of {topic.text}{unit}?"
        for own in topic.possessives:
            yield f"What are {own} {found.counted_noun}{unit}?"
        yield f"How high are the {found.counted_noun} of {topic.text}{unit}?"
        return
    if found.counted_noun:
        yield from _counted(topic, found)
        return
    yield from _measured(topic, noun.lower(), unit)
    yield f"What is the {noun} {found.preposition} {topic.text}{unit}?"
    for own in topic.possessives:
        yield f"What is {own} {noun}{unit}?"
        yield f"What's {own} {noun}{unit}?"
    if topic.allows_contraction:
        yield f"What's the {noun} {found.preposition} {topic.text}{unit}?"
    if noun.lower().endswith(_SUMS):
        yield f"How much is the {noun} {found.preposition} {topic.text}{unit}?"
    if noun.lower() not in MEASURE_ADJECTIVES and head_noun(noun) not in NOT_HAD_NOUNS:
        yield f"What {noun} {topic.do} {topic.text} have{unit}?"


def _counted(topic: TopicPhrase, found: PredicateFrame) -> Iterator[str]:
    """Ask for a number that the KG holds: ``How many pages does X have?``."""
    if found.event_verb:
        yield f"How many {found.counted_noun} did {topic.text} {found.event_verb}?"
        yield f"How many {found.counted_noun} {topic.have} {topic.text} {past_participle(found.event_verb)}?"
        yield f"What number of {found.counted_noun} did {topic.text} {found.event_verb}?"
        return
    yield f"How many {found.counted_noun} {topic.do} {topic.text} have?"
    if denote_places(topic.kinds):
        yield f"How many {found.counted_noun} are there in {topic.text}?"
    yield f"How many {found.counted_noun} {topic.have} {topic.text} got?"
    yield f"Exactly how many {found.counted_noun} {topic.do} {topic.text} have?"


def _measured(topic: TopicPhrase, noun: str, unit: str) -> Iterator[str]:
    """Ask for a measure by its adjective or verb: ``How deep is X?``, ``How much does X cost?``."""
    adjective = MEASURE_ADJECTIVES.get(noun, "")
    if adjective and not (adjective == "tall" and denote_places(topic.kinds)):
        yield f"How {adjective} is {topic.text}{unit}?"
    if noun in ("weight", "mass"):
        yield f"How much {topic.do} {topic.text} weigh{unit}?"
    if noun == "population":
        yield f"How many people live in {topic.text}?"
        yield f"How large is the population of {topic.text}?"
    if noun in ("price", "cost"):
        yield f"How much {topic.do} {topic.text} cost{unit}?"


_SUMS = word_list("nouns", "money_nouns")

"""Wordings of lookup questions: what, who, where, when, how much, which ones; at least five for each kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from chattyshared.language.inflection import (
    class_noun,
    denote_grounds,
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    plain_label,
    pluralize,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds

from chattygen.lexicalization.lexicon import (
    AGENT_NOUNS,
    CATEGORY_NOUNS,
    COUNTRY_NOUNS,
    EVENT_NOUNS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
    NOT_HAD_NOUNS,
    PLACE_NOUNS,
    PREPOSITIONS,
    SHARED_ROLES,
)
from chattygen.lexicalization.predicate_frames import PredicateFrame
from chattygen.lexicalization.step_lexicalization import is_above, is_membership_noun
from chattygen.lexicalization.word_forms import is_participle, past_participle, possessive_form
from chattygen.rulebook.clause_questions import QuestionTarget, ask_for_object, ask_for_subject, ask_for_time
from chattygen.rulebook.referring_expressions import is_short
from chattygen.subgraph.facts import Fact


@dataclass(frozen=True, slots=True)
class TopicPhrase:
    """The noun phrase that a question is about.

    Attributes:
        text: The phrase.
        kinds: The labels of its class, nearest first.
        is_name: Whether it is a bare name.
        is_plural: Whether it takes a verb in the plural.
    """

    text: str
    kinds: tuple[str, ...]
    is_name: bool = True
    is_plural: bool = False

    @property
    def has_clause(self) -> bool:
        """Whether it has a relative clause, so that no preposition should end the question: *the town where X is*."""
        return not self.is_name and bool(re.search(r" (?:who|that|where) ", self.text))

    @property
    def be(self) -> str:
        """The form of ``be`` in the present."""
        return "are" if self.is_plural else "is"

    @property
    def do(self) -> str:
        """The form of ``do`` in the present."""
        return "do" if self.is_plural else "does"

    @property
    def have(self) -> str:
        """The form of ``have`` in the present."""
        return "have" if self.is_plural else "has"

    @property
    def possessives(self) -> tuple[str, ...]:
        """The possessive, where the phrase is short enough to take one."""
        return (possessive_form(self.text),) if self.is_name and is_short(self.text) else ()

    @property
    def allows_contraction(self) -> bool:
        """Whether a contraction (``what's``) may stand before the phrase."""
        return is_short(self.text)


def realize_object_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the objects of a fact: entities, texts, dates, numbers, one or several."""
    if fact.shape == "date":
        yield from _date_questions(topic, fact, frame)
    elif fact.shape == "text" and frame.clauses and head_noun(frame.noun) in ("time", "date", "day"):
        yield from ask_for_time(frame.clauses[0], topic.text, head_noun(frame.noun), has_plural_subject=topic.is_plural)
    elif fact.shape == "number":
        yield from _number_questions(topic, fact, frame)
    else:
        yield from _entity_questions(topic, fact, frame)


def _entity_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    target = _question_target(fact, frame)
    for clause in frame.clauses:
        if frame.event_verb:
            noun = pluralize(frame.noun) if target.is_plural else frame.noun
            yield from ask_for_object(
                clause, QuestionTarget((noun,), target.is_plural), topic.text, has_plural_subject=topic.is_plural
            )
        elif clause.is_inverse:
            yield from ask_for_subject(clause, target, topic.text)
        else:
            yield from ask_for_object(clause, target, topic.text, has_plural_subject=topic.is_plural)
    if not frame.noun or frame.event_verb or (frame.clauses and not frame.clauses[0].is_inverse and target.is_place):
        return
    if contains_topic(topic, fact, frame):
        yield from _place_questions(topic, pluralize(frame.noun) if target.is_plural else frame.noun, frame.noun)
        return
    is_own_kind = bool(target.kinds) and frame.noun == class_noun(target.kinds[0])  # the branch of a firm
    is_shared = frame.noun in SHARED_ROLES and (fact.asks_several or not is_own_kind)
    has_several = target.is_plural or (fact.shape == "entity" and is_shared)
    yield from (_plural_questions if has_several else _single_questions)(topic, target, frame)


def contains_topic(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> bool:
    """Tell whether a noun for a place (city, region, room) says in which place the topic is; ``state`` may not."""
    if frame.clauses:
        return False
    if fact.shape == "entity" and not denote_persons(topic.kinds) and _encloses(frame.noun):
        return frame.noun in {word for label in fact.class_labels for word in (class_noun(label), head_noun(label))}
    if not is_place_noun(head_noun(frame.noun)):
        return False
    if denote_places(topic.kinds) and head_noun(frame.noun) in COUNTRY_NOUNS:
        return True
    is_sure = frame.noun not in _AMBIGUOUS_PLACE_NOUNS if fact.shape == "text" else frame.noun != "place"
    return " " not in frame.noun and is_sure


_ENCLOSURES = word_set("places", "enclosures")


def _encloses(noun: str) -> bool:
    """Tell whether things are in what a noun denotes: a room, a valley, a section of the coast."""
    heads = (head_noun(noun), noun.rpartition(" of ")[2])
    return noun in _ENCLOSURES or any(noun_kinds(head)[:1] == ("object",) for head in heads)


def is_place_noun(noun: str) -> bool:
    """Tell whether a noun denotes a place that other things are in."""
    return noun in PLACE_NOUNS | COUNTRY_NOUNS


def preposition_before_place(topic: TopicPhrase, noun: str) -> str:
    """Return ``in`` or ``from``: people are from a city, things in it; both are from a country, and a city in it."""
    is_origin = denote_persons(topic.kinds) or noun in COUNTRY_NOUNS
    return "from" if is_origin and (denote_persons(topic.kinds) or not denote_grounds(topic.kinds)) else "in"


_AMBIGUOUS_PLACE_NOUNS = frozenset(("place", "state"))
"""Nouns whose texts may tell a rank or a condition."""


def _place_questions(topic: TopicPhrase, asked: str, noun: str) -> Iterator[str]:
    """Ask for the place or the places (``asked``) that the topic is in or from: ``In which city is X?``."""
    preposition = preposition_before_place(topic, noun)
    yield f"Which {asked} {topic.be} {topic.text} {preposition}?"
    yield f"What {asked} {topic.be} {topic.text} {preposition}?"
    if topic.has_clause:
        yield f"{preposition.capitalize()} which {asked} {topic.be} {topic.text}?"


def _single_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the only object by its noun."""
    who, noun = _question_word(target, frame), frame.noun
    is_own_kind = bool(target.kinds) and noun.lower() == plain_label(target.kinds[0]).lower()
    is_object = noun_kinds(head_noun(noun))[:1] in (("artifact",), ("act",), ("event",))
    if is_own_kind and is_object and _kind_of(topic) in _MADE_FOR:
        yield f"Which {noun} {topic.be} {topic.text} for?"
        return
    if noun == "headquarters":
        yield f"Where {topic.be} {topic.text} based?"
        return
    if is_membership_noun(noun):
        yield f"Which {noun} {topic.do} {topic.text} belong to?"
        yield f"What {noun} {topic.do} {topic.text} belong to?"
        if topic.has_clause:
            yield f"To which {noun} {topic.do} {topic.text} belong?"
        if target.is_place:  # a museum is no collection, but has one
            return
    is_kind_noun = re.match(r"(?:type|kind|form) of (\w+)$", noun)
    own_kind = re.match(r"(\w+) (type|kind)$", noun)
    if own_kind and who == "What" and is_above(own_kind[1], topic.kinds):
        yield f"What {own_kind[2]} of {own_kind[1]} {topic.be} {topic.text}?"
        return
    if is_kind_noun and who == "What":
        yield f"What {noun} {topic.be} {topic.text}?"
        yield f"Which {noun} {topic.be} {topic.text}?"
        return
    for be in (
        (f"{who} are",)
        if is_plural(noun)
        else (f"{who} is", f"{who}'s")
        if topic.allows_contraction
        else (f"{who} is",)
    ):
        yield f"{be} the {noun} {frame.preposition} {topic.text}?"
        for own in topic.possessives:
            yield f"{be} {own} {noun}?"


def _kind_of(topic: TopicPhrase) -> str:
    """Return what the class of a topic denotes first: an act, a communication, an artifact; "" if unknown."""
    return next(iter(noun_kinds(head_noun(plain_label(topic.kinds[0])))), "") if topic.kinds else ""


_MADE_FOR = ("act", "communication", "possession")
"""Kinds of what is *for* a thing: a booking, an order, a payment."""


def _happening_of(topic: TopicPhrase) -> str:
    """Return the verb phrase for what a topic does at its date: a repair takes place, a payment is made; "" if none."""
    if _happens(topic):
        return "did {} take place"
    kinds = noun_kinds(head_noun(plain_label(topic.kinds[0]))) if topic.kinds else ()
    return "was {} made" if "act" in kinds[1:2] and kinds[0] in ("possession", "communication") else ""


def _happens(topic: TopicPhrase) -> bool:
    """Tell whether a topic is something that happens once: a repair, but no service, which is a product."""
    kinds = [noun_kinds(head_noun(plain_label(kind)))[:1] for kind in topic.kinds]
    return kinds[:1] in ([("act",)], [("event",)]) and ("artifact",) not in kinds


def _question_word(target: QuestionTarget, frame: PredicateFrame) -> str:
    """Return ``Who`` for persons and for agents (a supplier, an owner), else ``What``."""
    head = head_noun(frame.noun)
    is_agent = target.kinds and " of the " not in frame.noun and (denote_persons([head]) or head in AGENT_NOUNS)
    return "Who" if target.is_person or is_agent else "What"


def _plural_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    """Ask for all objects by their noun."""
    who, nouns = _question_word(target, frame), pluralize(frame.noun)
    if is_membership_noun(frame.noun):
        yield f"Which {nouns} {topic.do} {topic.text} belong to?"
        yield f"What {nouns} {topic.do} {topic.text} belong to?"
    yield f"{who} are the {nouns} {frame.preposition} {topic.text}?"
    for own in topic.possessives:
        yield f"{who} are {own} {nouns}?"
    if who == "What" and head_noun(frame.noun) not in NOT_HAD_NOUNS:
        yield f"Which {nouns} {topic.do} {topic.text} have?"
        yield f"What {nouns} {topic.do} {topic.text} have?"


def _question_target(fact: Fact, frame: PredicateFrame) -> QuestionTarget:
    """Return the question target; a text whose noun denotes persons or places is a person or place."""
    kinds = fact.class_labels
    has_agent = any(clause.is_inverse or clause.preposition == "by" for clause in frame.clauses)
    head = head_noun(frame.noun) if frame.noun else ""
    if not kinds and ((denote_persons([head]) and " of the " not in frame.noun) or head in PLACE_NOUNS):
        kinds = (head,)
    is_at_place = fact.shape == "text" and any(clause.preposition == "at" for clause in frame.clauses)
    if not kinds and is_at_place and not frame.object_noun:  # built at
        kinds = ("place",)
    if not kinds and (frame.object_noun or frame.noun.lower() == "year"):
        kinds = (frame.object_noun or frame.noun,)
    is_plural = fact.count > 1 or (fact.asks_several and (bool(frame.clauses) or _has_things(fact, frame)))
    return QuestionTarget(kinds, is_plural, "Who" if has_agent else "What")


def _has_things(fact: Fact, frame: PredicateFrame) -> bool:
    """Tell whether a noun names things of which a thing has several: the facilities of a pier, but no category."""
    head = head_noun(frame.noun)
    is_told = denote_persons([head, *fact.class_labels]) or head in CATEGORY_NOUNS | NOT_HAD_NOUNS | AGENT_NOUNS.keys()
    return fact.shape == "entity" and not (is_told or fact.last_step.hops or is_membership_noun(frame.noun))


def _date_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    for clause in frame.clauses:
        is_event = clause.verb == "be" and is_participle(clause.complement.rpartition(" ")[2])
        past = replace(clause, tense="past") if is_event else clause
        yield from ask_for_time(past, topic.text, fact.datatype, has_plural_subject=topic.is_plural)
    boundary = None if frame.clauses else _BOUNDARY.fullmatch(frame.noun)
    if boundary and not is_participle(boundary["what"]):
        ask = _BOUNDARY_QUESTIONS[boundary["which"]]
        yield ask.format(f"the {boundary['what']} of {topic.text}")
        yield from (ask.format(f"{own} {boundary['what']}") for own in topic.possessives)
    elif (event := _EVENT_OF_PART.fullmatch(frame.noun)) and is_participle(event["participle"]) and not frame.clauses:
        yield f"When was the {event['what']} of {topic.text} {event['participle']}?"
        yield from (f"When was {own} {event['what']} {event['participle']}?" for own in topic.possessives)
    elif frame.noun == "date" and not frame.clauses and (happening := _happening_of(topic)):
        yield f"When {happening.format(topic.text)}?"
        yield f"On what date {happening.format(topic.text)}?"
    elif frame.noun:
        if not frame.clauses and head_noun(frame.noun) in EVENT_NOUNS:
            yield f"When was the {frame.noun} {frame.preposition} {topic.text}?"
            yield from (f"When was {own} {frame.noun}?" for own in topic.possessives)
        if not frame.clauses or frame.noun.startswith("date "):
            yield f"What is the {frame.noun} {frame.preposition} {topic.text}?"
            for own in topic.possessives:
                yield f"What is {own} {frame.noun}?"
        if not frame.clauses and topic.allows_contraction:
            yield f"What's the {frame.noun} {frame.preposition} {topic.text}?"
            for own in topic.possessives:
                yield f"What's {own} {frame.noun}?"


_EVENT_OF_PART = re.compile(r"(?P<what>.+) (?P<participle>\w+) date")
"""The date of what happened to something that a thing has: an *account opened date*."""
_BOUNDARY = re.compile(r"(?P<what>.+) (?P<which>start|begin|end|expiry|expiration) date")
"""A date of the beginning or the end of what a thing has: a *contract end date*."""
_BOUNDARY_QUESTIONS = {
    **dict.fromkeys(("start", "begin"), "When did {} start?"),
    **dict.fromkeys(("expiry", "expiration"), "When does {} expire?"),
    "end": "When does {} end?",
}


def _number_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    if frame.tells_year:
        for clause in frame.clauses:
            if clause.preposition == "from":
                yield from ask_for_object(
                    clause, QuestionTarget(("year",), False), topic.text, has_plural_subject=topic.is_plural
                )
                continue
            yield from ask_for_time(clause, topic.text, "gYear", has_plural_subject=topic.is_plural)
        return
    noun, unit = frame.noun or "value", f" in {frame.unit}" if frame.unit else ""
    if topic.text.split()[-1] in PREPOSITIONS:  # the city that X lives in: "in meters" would not follow well
        unit = ""
    may_be_fraction = frame.unit or (fact.datatype in FRACTIONAL_DATATYPES and not noun.startswith("number of "))
    if frame.counted_noun and may_be_fraction and not frame.event_verb and " per " not in frame.counted_noun:
        yield f"What are the {frame.counted_noun} of {topic.text}{unit}?"
        for own in topic.possessives:
            yield f"What are {own} {frame.counted_noun}{unit}?"
        return
    if frame.counted_noun:
        yield from _count_questions(topic, frame)
        return
    way = re.fullmatch(r"distance (from|to) (.+)", noun)
    if way:
        goal = way[2] if way[2][0].isupper() or way[2].startswith(("the ", "a ")) else f"the {way[2]}"
        yield f"How far {topic.be} {topic.text} from {goal}{unit}?"
        yield from (f"What is {own} {noun}{unit}?" for own in topic.possessives)
        return
    yield from _measure_questions(topic, noun.lower(), unit)
    if noun.partition(" of ")[2] and noun.partition(" of ")[0].lower() in MEASURE_ADJECTIVES:
        return
    yield from _amount_questions(topic, noun, frame.preposition, unit)


def _amount_questions(topic: TopicPhrase, noun: str, preposition: str, unit: str) -> Iterator[str]:
    """Ask for a number by its noun: ``What is its price in euros?``."""
    are_several = is_plural(noun.partition(" of ")[0])
    be = "are" if are_several else "is"
    yield f"What {be} the {noun} {preposition} {topic.text}{unit}?"
    for own in topic.possessives:
        yield f"What {be} {own} {noun}{unit}?"
        if not are_several:
            yield f"What's {own} {noun}{unit}?"
    if topic.allows_contraction and not are_several:
        yield f"What's the {noun} {preposition} {topic.text}{unit}?"


_PRICES = ("price", "cost")


def _count_questions(topic: TopicPhrase, frame: PredicateFrame) -> Iterator[str]:
    """Ask for a number that the KG states: ``How many pages does X have?``."""
    if frame.event_verb:
        yield f"How many {frame.counted_noun} did {topic.text} {frame.event_verb}?"
        yield f"How many {frame.counted_noun} {topic.have} {topic.text} {past_participle(frame.event_verb)}?"
        return
    if " of the " in frame.counted_noun and any(
        "event" in noun_kinds(kind)[:2] or "time" in noun_kinds(kind)[:1] for kind in topic.kinds[:1]
    ):
        things, _, owner = frame.counted_noun.partition(" of ")
        yield f"How many {things} did {owner} have in {topic.text}?"
        return
    yield f"How many {frame.counted_noun} {topic.do} {topic.text} have?"
    if denote_places(topic.kinds):
        yield f"How many {frame.counted_noun} are there in {topic.text}?"


def _measure_questions(topic: TopicPhrase, noun: str, unit: str) -> Iterator[str]:
    """Ask for a measure by its adjective or verb: ``How deep is X?``, ``How much does X cost?``."""
    adjective = MEASURE_ADJECTIVES.get(noun, "")
    if adjective and not (adjective == "tall" and denote_places(topic.kinds)):
        yield f"How {adjective} is {topic.text}{unit}?"
    measure, _, part = noun.partition(" of ")
    if part and measure in MEASURE_ADJECTIVES:  # the height of the focal plane
        article, _, bare = part.partition(" ") if part.startswith(("a ", "an ", "the ")) else ("the", "", part)
        yield f"How {MEASURE_ADJECTIVES[measure]} is {article} {bare} of {topic.text}{unit}?"
        if article == "the":
            yield from (f"How {MEASURE_ADJECTIVES[measure]} is {own} {bare}{unit}?" for own in topic.possessives)
    if noun in ("weight", "mass"):
        yield f"How much {topic.do} {topic.text} weigh{unit}?"
    if noun == "population":
        yield f"How many people live in {topic.text}?"
    if noun in _PRICES:
        yield f"How much {'did' if _happens(topic) else topic.do} {topic.text} cost{unit}?"

"""Wordings for yes-no questions about an offered value."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    name_in_sentence,
    pluralize,
    singularize,
)
from chattyshared.language.quantities import group_digits, render_amount, render_date

from chattygen.rulebook.clause_questions import ask_whether
from chattygen.rulebook.condition_phrases import is_occupation_value, phrase_membership
from chattygen.rulebook.lexicon import (
    COUNTRY_NOUNS,
    EVENT_NOUNS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
    NOT_HAD_NOUNS,
)
from chattygen.rulebook.lookup_questions import TopicPhrase
from chattygen.rulebook.predicate_frames import PredicateFrame
from chattygen.subgraph.facts import Fact


def realize_yes_no_question(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    """Ask whether the offered value is (one of) what the fact hides."""
    value = (
        render_date(fact.offered_value)
        if fact.shape == "date"
        else name_in_sentence(fact.offered_value, fact.class_labels)
    )
    if fact.last_step.direction == "in":
        yield from _pointing(topic, fact, found, value)
        return
    several = fact.count > 1
    if fact.shape == "number":
        for clause in found.clauses if "year" in found.noun.lower().split() else ():
            prep = "from" if clause.preposition == "from" else "in"
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural, prep=prep)
        yield from _number(topic, fact, found, group_digits(value, "" if found.counted_noun else found.noun))
        return
    if found.article and value[:1].islower():
        value = f"{found.article} {value}"
    for clause in found.clauses:
        if fact.shape == "date":
            prep = "on" if fact.datatype in ("date", "dateTime") else "in"
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural, prep=prep)
        elif clause.is_inverse:
            yield ask_whether(clause, value, topic.text)
        else:
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural)
    if found.noun and not found.event_verb and not (fact.shape == "date" and found.clauses):
        yield from _noun(topic, fact, found, value, several)


def _noun(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str, several: bool) -> Iterator[str]:
    if fact.shape == "date":
        yield from _date(topic, fact, found, value)
    elif several:
        yield from _one_of(topic, fact, found, value)
    else:
        yield from _the_one(topic, fact, found, value)


def _date(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str) -> Iterator[str]:
    if found.clauses or head_noun(found.noun) not in EVENT_NOUNS:
        yield f"Is the {found.noun} {found.preposition} {topic.text} {value}?"
        if not found.clauses:
            yield f"Is {value} the {found.noun} {found.preposition} {topic.text}?"
        return
    prep = "on" if fact.datatype in ("date", "dateTime") else "in"
    yield f"Was the {found.noun} {found.preposition} {topic.text} {prep} {value}?"
    yield from (f"Was {own} {found.noun} {prep} {value}?" for own in topic.possessives)


def _one_of(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str) -> Iterator[str]:
    nouns = pluralize(found.noun)
    if is_occupation_value(found.noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {add_indefinite_article(value)}?"
        yield f"Does {topic.text} work as {add_indefinite_article(value)}?"
        return
    if phrase_membership(value, found.noun):
        yield f"{topic.do.capitalize()} {topic.text} belong to {phrase_membership(value, found.noun)}?"
    yield f"Is {value} one of the {nouns} {found.preposition} {topic.text}?"
    yield from (f"Is {value} one of {own} {nouns}?" for own in topic.possessives)
    yield f"Is {value} among the {nouns} {found.preposition} {topic.text}?"
    if fact.shape == "entity" and not denote_persons(fact.class_labels):
        yield f"{topic.do.capitalize()} {topic.text} have {value} as {add_indefinite_article(found.noun)}?"


def _the_one(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str) -> Iterator[str]:
    """Ask whether a value is it; one begins with a name, but not with a number or a common word."""
    noun = found.noun
    if is_occupation_value(noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {add_indefinite_article(value)}?"
        yield f"Does {topic.text} work as {add_indefinite_article(value)}?"
        return
    if phrase_membership(value, noun):
        yield f"{topic.do.capitalize()} {topic.text} belong to {phrase_membership(value, noun)}?"
    is_name = value[:1].isupper() and (fact.shape == "entity" or not any(mark.isdigit() for mark in value))
    if noun in COUNTRY_NOUNS and is_name and not found.clauses:
        yield f"{topic.be.capitalize()} {topic.text} {'in' if denote_places(topic.kinds) else 'from'} {value}?"
    be = "Are" if is_plural(noun) else "Is"
    owns = topic.possessives if len(topic.text.split()) < 3 or not is_name else ()
    if is_name:
        yield f"Is {value} the {noun} {found.preposition} {topic.text}?"
        yield from (f"Is {value} {own} {noun}?" for own in owns)
    yield from (f"{be} {own} {noun} {value}?" for own in owns)
    if not is_name:
        yield f"{be} the {noun} {found.preposition} {topic.text} {value}?"
    if (
        not denote_persons(fact.class_labels)
        and not value[:1].isdigit()
        and not found.clauses
        and head_noun(noun) not in NOT_HAD_NOUNS
    ):
        yield f"{topic.do.capitalize()} {topic.text} have the {noun} {value}?"


def _number(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str) -> Iterator[str]:
    value = render_amount(value, found.unit)
    if found.counted_noun and (found.unit or fact.datatype in FRACTIONAL_DATATYPES) and not found.event_verb:
        yield f"Are the {found.counted_noun} of {topic.text} {value}?"
        for own in topic.possessives:
            yield f"Are {own} {found.counted_noun} {value}?"
        return
    if found.counted_noun:
        pieces = singularize(found.counted_noun) if value == "1" else found.counted_noun
        helper, verb = ("Did", found.event_verb) if found.event_verb else (topic.do.capitalize(), "have")
        yield f"{helper} {topic.text} {verb} {value} {pieces}?"
        yield f"{helper} {topic.text} {verb} exactly {value} {pieces}?"
        return
    noun = found.noun or "value"
    adjective = MEASURE_ADJECTIVES.get(noun.lower(), "")
    if (
        adjective
        and found.unit
        and adjective not in ("heavy", "large")
        and noun.lower() not in ("elevation", "altitude")
    ):
        yield f"{topic.be.capitalize()} {topic.text} {value} {adjective}?"
    if noun.lower() == "age" and denote_persons(topic.kinds):
        yield f"{topic.be.capitalize()} {topic.text} {value} years old?"
    for own in topic.possessives:
        yield f"Is {own} {noun} {value}?"
    yield f"Is the {noun} {found.preposition} {topic.text} {value}?"
    if head_noun(noun) not in NOT_HAD_NOUNS:
        yield f"{topic.do.capitalize()} {topic.text} have {add_indefinite_article(noun)} of {value}?"


def _pointing(topic: TopicPhrase, fact: Fact, found: PredicateFrame, value: str) -> Iterator[str]:
    for clause in found.clauses:
        if clause.is_inverse:
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural)
        else:
            yield ask_whether(clause, value, topic.text)
    if found.noun and not found.clauses:
        their = "their" if denote_persons(fact.class_labels) else "its"
        yield f"{topic.be.capitalize()} {topic.text} the {found.noun} of {value}?"
        yield f"Does {value} have {topic.text} as {their} {found.noun}?"
        if len(value.split()) <= 3:
            yield (
                f"{topic.be.capitalize()} {topic.text} {value}'s {found.noun}?"
                if not value.endswith("s")
                else (f"{topic.be.capitalize()} {topic.text} {value}' {found.noun}?")
            )

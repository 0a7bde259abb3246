"""Wordings of yes-no questions about an offered value."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    pluralize,
    singularize,
)

from chattygen.lexicalization.amounts import group_digits, render_amount, render_date
from chattygen.lexicalization.lexicon import (
    EVENT_NOUNS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
    NOT_HAD_NOUNS,
    SHARED_ROLES,
)
from chattygen.lexicalization.predicate_frames import PredicateFrame
from chattygen.lexicalization.step_lexicalization import is_membership_noun
from chattygen.lexicalization.word_forms import name_in_sentence
from chattygen.rulebook.clause_questions import ask_whether
from chattygen.rulebook.condition_phrases import is_kind_value, is_occupation_value, phrase_membership
from chattygen.rulebook.lookup_questions import TopicPhrase, contains_topic, is_place_noun, preposition_before_place
from chattygen.subgraph.facts import Fact


def realize_yes_no_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask whether the offered value is an answer of the fact."""
    value = (
        render_date(fact.offered_value)
        if fact.shape == "date"
        else name_in_sentence(fact.offered_value, fact.class_labels or (frame.noun or frame.object_noun or "thing",))
    )
    if fact.last_step.direction == "in":
        yield from _inverse_questions(topic, fact, frame, value)
        return
    has_several = fact.count > 1
    if fact.shape == "number":
        if frame.tells_year:
            for clause in frame.clauses:
                preposition = "from" if clause.preposition == "from" else "in"
                yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural, prep=preposition)
            return
        yield from _number_questions(topic, fact, frame, group_digits(value, "" if frame.counted_noun else frame.noun))
        return
    if frame.article and value[:1].islower():
        value = f"{frame.article} {value}"
    for clause in (one for one in frame.clauses if (one.verb, one.preposition) != ("have", "by")):
        if fact.shape == "date":
            preposition = "on" if fact.datatype in ("date", "dateTime") else "in"
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural, prep=preposition)
        elif clause.is_inverse:
            yield ask_whether(clause, value, topic.text)
        else:
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural)
    if frame.noun and not frame.event_verb and not frame.clauses:
        yield from _noun_questions(topic, fact, frame, value, has_several)


def _noun_questions(
    topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str, has_several: bool
) -> Iterator[str]:
    if fact.shape == "date":
        yield from _date_questions(topic, fact, frame, value)
    elif has_several:
        yield from _one_of_questions(topic, fact, frame, value)
    else:
        yield from _only_one_questions(topic, fact, frame, value)


def _date_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str) -> Iterator[str]:
    if head_noun(frame.noun) not in EVENT_NOUNS:
        yield from (f"Is {possessive} {frame.noun} {value}?" for possessive in topic.possessives)
        yield f"Is the {frame.noun} {frame.preposition} {topic.text} {value}?"
        return
    preposition = "on" if fact.datatype in ("date", "dateTime") else "in"
    yield f"Was the {frame.noun} {frame.preposition} {topic.text} {preposition} {value}?"
    yield from (f"Was {possessive} {frame.noun} {preposition} {value}?" for possessive in topic.possessives)


def _one_of_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str) -> Iterator[str]:
    nouns = pluralize(frame.noun)
    if is_occupation_value(frame.noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {add_indefinite_article(value)}?"
        return
    if head_noun(frame.noun) in SHARED_ROLES:
        yield f"Is {value} {add_indefinite_article(frame.noun)} {frame.preposition} {topic.text}?"
        return
    yield f"Is {value} one of the {nouns} {frame.preposition} {topic.text}?"
    yield from (f"Is {value} one of {possessive} {nouns}?" for possessive in topic.possessives)


def _only_one_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str) -> Iterator[str]:
    """Ask whether a value is the only answer; a name may begin the question, a number or a common word may not."""
    noun = frame.noun
    if is_occupation_value(noun, value):
        kind = value if value.isupper() else value.lower()
        yield f"{topic.be.capitalize()} {topic.text} {add_indefinite_article(kind)}?"
        return
    if is_kind_value(noun, value):
        yield f"{topic.be.capitalize()} {topic.text} {add_indefinite_article(value.lower())}?"
        return
    if is_membership_noun(noun) and head_noun(noun) in value.lower().split():
        yield f"{topic.do.capitalize()} {topic.text} belong to {phrase_membership(value, noun)}?"
        return
    if head_noun(noun) in SHARED_ROLES and fact.shape == "entity":
        yield f"Is {value} {add_indefinite_article(noun)} {frame.preposition} {topic.text}?"
        return
    is_name = value[:1].isupper() and (fact.shape == "entity" or not any(mark.isdigit() for mark in value))
    if is_name and contains_topic(topic, fact, frame):
        yield f"{topic.be.capitalize()} {topic.text} {preposition_before_place(topic, noun)} {value}?"
        return
    if denote_persons((*fact.class_labels, head_noun(noun))):
        yield from (f"Is {value} {possessive} {noun}?" for possessive in topic.possessives)
        yield f"Is {value} the {noun} {frame.preposition} {topic.text}?"
        return
    be = "Are" if is_plural(noun) else "Is"
    yield from (f"{be} {possessive} {noun} {value}?" for possessive in topic.possessives)
    if not topic.possessives:
        yield f"{be} the {noun} {frame.preposition} {topic.text} {value}?"


def _number_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str) -> Iterator[str]:
    value = render_amount(value, frame.unit)
    if frame.counted_noun and (frame.unit or fact.datatype in FRACTIONAL_DATATYPES) and not frame.event_verb:
        yield f"Are the {frame.counted_noun} of {topic.text} {value}?"
        for possessive in topic.possessives:
            yield f"Are {possessive} {frame.counted_noun} {value}?"
        return
    if frame.counted_noun:
        things = singularize(frame.counted_noun) if value == "1" else frame.counted_noun
        helper, verb = ("Did", frame.event_verb) if frame.event_verb else (topic.do.capitalize(), "have")
        yield f"{helper} {topic.text} {verb} {value} {things}?"
        return
    noun = frame.noun or "value"
    adjective = MEASURE_ADJECTIVES.get(noun.lower(), "")
    if (
        adjective
        and frame.unit
        and adjective not in ("heavy", "large")
        and noun.lower() not in ("elevation", "altitude")
    ):
        yield f"{topic.be.capitalize()} {topic.text} {value} {adjective}?"
    if noun.lower() == "age" and denote_persons(topic.kinds):
        yield f"{topic.be.capitalize()} {topic.text} {value} years old?"
    for possessive in topic.possessives:
        yield f"Is {possessive} {noun} {value}?"
    yield f"Is the {noun} {frame.preposition} {topic.text} {value}?"
    if head_noun(noun) not in NOT_HAD_NOUNS:
        yield f"{topic.do.capitalize()} {topic.text} have {add_indefinite_article(noun)} of {value}?"


def _inverse_questions(topic: TopicPhrase, fact: Fact, frame: PredicateFrame, value: str) -> Iterator[str]:
    for clause in frame.clauses:
        if clause.is_inverse:
            yield ask_whether(clause, topic.text, value, has_plural_subject=topic.is_plural)
        else:
            yield ask_whether(clause, value, topic.text)
    if frame.noun and not frame.clauses:
        if is_place_noun(head_noun(frame.noun)) and denote_places(topic.kinds):
            members = TopicPhrase(value, fact.class_labels)
            yield f"Is {value} {preposition_before_place(members, head_noun(frame.noun))} {topic.text}?"
            return
        if is_membership_noun(frame.noun):
            yield f"Does {value} belong to {topic.text}?"
            return
        is_shared = head_noun(frame.noun) in SHARED_ROLES and not topic.is_plural
        role = add_indefinite_article(frame.noun) if is_shared else f"the {frame.noun}"
        yield f"{topic.be.capitalize()} {topic.text} {role} of {value}?"
        if len(value.split()) <= 3:
            yield (
                f"{topic.be.capitalize()} {topic.text} {value}'s {frame.noun}?"
                if not value.endswith("s")
                else (f"{topic.be.capitalize()} {topic.text} {value}' {frame.noun}?")
            )

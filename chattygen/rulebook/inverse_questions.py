"""Wordings of questions for the subjects of triples whose object is the topic, and of counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    pluralize,
)

from chattygen.lexicalization.lexicon import LANGUAGE_NOUNS, SHARED_ROLES, WORK_LANGUAGE_NOUNS
from chattygen.lexicalization.predicate_frames import PredicateFrame
from chattygen.lexicalization.step_lexicalization import are_inside, is_membership_noun, names_container, names_role
from chattygen.lexicalization.word_forms import counted_noun_of, lemmatize_verb, past_participle, third_person
from chattygen.rulebook.clause_questions import QuestionTarget, ask_for_object, ask_for_subject, form_of_be
from chattygen.rulebook.condition_phrases import is_occupation_value, phrase_membership
from chattygen.rulebook.lookup_questions import TopicPhrase, is_place_noun, preposition_before_place
from chattygen.subgraph.facts import Fact


def realize_inverse_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the subjects whose object is the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    target = QuestionTarget(fact.class_labels or _kinds_of_subjects(frame), fact.asks_several)
    for clause in frame.clauses:
        if clause.is_inverse:
            yield from ask_for_object(clause, target, topic.text, has_plural_subject=topic.is_plural)
        else:
            if target.is_person and target.is_plural and clause.plural_complement:
                yield f"Who are the {clause.plural_complement} {clause.preposition} {topic.text}?"
                yield f"Which {target.noun} are {clause.plural_complement} {clause.preposition} {topic.text}?"
            else:
                yield from ask_for_subject(clause, target, topic.text)
    if frame.noun and not frame.clauses:
        yield from _noun_questions(topic, target, frame)


def _kinds_of_subjects(frame: PredicateFrame) -> tuple[str, ...]:
    """Return the kind of subjects whose class is not known: people, if a clause says that they are citizens."""
    roles = (clause.plural_complement for clause in frame.clauses if not clause.is_inverse)
    return ("person",) if denote_persons([head_noun(role) for role in roles if role]) else ()


def _noun_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    """Ask by what the topic is to its subjects: their genre, country, language, occupation, or what role it has."""
    which = f"Which {target.noun}" if target.noun and (target.is_plural or not target.is_person) else target.pronoun
    is_plural = target.takes_plural_verb and " " in which
    be = form_of_be("present", is_plural)
    if phrase_membership(topic.text, frame.noun):
        yield f"{which} {'belong' if is_plural else 'belongs'} to {phrase_membership(topic.text, frame.noun)}?"
    elif is_membership_noun(frame.noun) and denote_places(topic.kinds):
        yield f"{which} {be} in the {frame.noun} of {topic.text}?"
    elif is_place_noun(frame.noun) and denote_places(topic.kinds):
        yield f"{which} {be} {preposition_before_place(TopicPhrase('', target.kinds), frame.noun)} {topic.text}?"
    elif frame.noun in WORK_LANGUAGE_NOUNS and not target.is_person:
        yield f"{which} {be} in {topic.text}?"
    elif frame.noun in LANGUAGE_NOUNS | WORK_LANGUAGE_NOUNS:
        suffix = f" as their {frame.noun}" if frame.noun in LANGUAGE_NOUNS else ""
        yield f"Who speaks {topic.text}{suffix}?"
        if target.is_plural:
            yield f"Which {target.noun or 'people'} speak {topic.text}{suffix}?"
        if suffix:
            yield f"Whose {frame.noun} {topic.be} {topic.text}?"
    elif is_occupation_value(frame.noun, topic.text):
        yield f"Who works as {add_indefinite_article(topic.text)}?"
    elif names_role(frame, topic.kinds):
        yield from _role_questions(topic, target, frame)
    elif names_container(frame.noun, topic.kinds, target.kinds):
        if are_inside(frame.noun, target.kinds):
            yield f"{which} {be} in {topic.text}?"
            return
        yield f"{which} {topic.do} {topic.text} have?"
        yield f"What {target.noun} {topic.do} {topic.text} have?"
    else:
        value = topic.text if f"{frame.noun} " in topic.text else f"the {frame.noun} {topic.text}"
        yield f"{which} {'have' if is_plural else 'has'} {value}?"


def _role_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the things that the topic has a role in: ``Which band is X a member of?``"""
    be = topic.be if frame.preposition == "of" else "were" if topic.is_plural else "was"  # an honor is won once
    role = _role_phrase(topic, frame)
    if not target.noun:
        yield f"What {be} {topic.text} {role} {frame.preposition}?"
        return
    yield f"Which {target.noun} {be} {topic.text} {role} {frame.preposition}?"
    yield f"What {target.noun} {be} {topic.text} {role} {frame.preposition}?"


_UNIQUE_ROLES = frozenset({"lead", "head", "chief", "principal", "main", "line"})
"""Words before a role that one person has."""


def _role_phrase(topic: TopicPhrase, frame: PredicateFrame) -> str:
    """Return the role of the topic with its article: ``the composer``; ``a member``, for there may be several."""
    is_unique = not _UNIQUE_ROLES.isdisjoint(frame.noun.lower().split()[:-1])
    if is_unique or head_noun(frame.noun) not in SHARED_ROLES or frame.preposition != "of":
        return f"the {frame.noun}"
    if topic.is_plural:
        return pluralize(frame.noun)
    return "part" if frame.noun == "part" else add_indefinite_article(frame.noun)


def realize_count_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the number of objects or of subjects."""
    if fact.last_step.direction == "out":
        yield from _object_counts(topic, fact, frame)
    else:
        yield from _subject_counts(topic, fact, frame)


def _object_counts(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    target = _count_target(fact.class_labels or (frame.noun or frame.object_noun or "thing",))
    for clause in frame.clauses:
        if frame.event_verb:
            helper = "did" if clause.tense == "past" else topic.do
            yield f"How many {pluralize(frame.noun)} {helper} {topic.text} {clause.verb}?"
            if clause.tense == "past":
                yield f"How many {pluralize(frame.noun)} {topic.have} {topic.text} {past_participle(clause.verb)}?"
        elif clause.is_inverse and target.kinds:
            people = "people" if target.is_person else target.noun
            yield from (
                q.replace("Which ", "How many ", 1)
                for q in ask_for_subject(clause, QuestionTarget((people,), True), topic.text)
                if q.startswith("Which ")
            )
        elif not clause.is_inverse and clause.preposition != "by":
            yield from _as_count_questions(
                ask_for_object(
                    clause, target, topic.text, has_plural_subject=topic.is_plural, with_fronted_preposition=False
                )
            )
        elif clause.preposition == "by" and len(frame.clauses) == 1:  # an adverb leaves only the passive
            people = "people" if target.is_person else target.noun
            passive = f"{form_of_be(clause.tense, topic.is_plural)} {topic.text} {clause.complement}"
            yield f"By how many {people} {passive}?"
            yield f"How many {people} {passive} by?"
    if frame.noun and not frame.event_verb:
        yield f"How many {pluralize(frame.noun)} {topic.do} {topic.text} have?"
    elif not frame.noun and not frame.clauses:
        yield f"How many {target.noun} {topic.do} {topic.text} have?"


def _subject_counts(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    target = _count_target(fact.class_labels or _kinds_of_subjects(frame) or ("thing",))
    for clause in frame.clauses:
        ask = ask_for_object if clause.is_inverse else ask_for_subject
        yield from _as_count_questions(ask(clause, target, topic.text))
        if not clause.is_inverse and clause.verb == "be" and clause.plural_complement:
            yield f"How many {clause.plural_complement} {topic.do} {topic.text} have?"
    if frame.noun and not frame.clauses:
        yield from _as_count_questions(_noun_questions(topic, target, frame))


def _count_target(kinds: tuple[str, ...]) -> QuestionTarget:
    """Return the target of a count, with a noun that has a plural."""
    return QuestionTarget((counted_noun_of(kinds), *kinds[1:]), True)


def _as_count_questions(questions: Iterator[str]) -> Iterator[str]:
    for question in questions:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)
        elif question.startswith("Who "):
            verb, _, rest = question.removeprefix("Who ").partition(" ")
            base = lemmatize_verb(verb)
            if base not in ("be", "do", "have"):  # "who was born in X" has its plural beside it
                yield f"How many people {base if third_person(base) == verb else verb} {rest}"

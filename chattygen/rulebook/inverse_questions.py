"""Wordings for questions about what points to the topic, and for counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    is_mass_noun,
    past_participle,
    plain_label,
    pluralize,
    singularize,
)

from chattygen.rulebook.clause_questions import QuestionTarget, ask_for_object, ask_for_subject
from chattygen.rulebook.condition_phrases import join_words, phrase_membership
from chattygen.rulebook.lexicon import COUNTRY_NOUNS, LANGUAGE_NOUNS, SHARED_ROLES
from chattygen.rulebook.lookup_questions import TopicPhrase
from chattygen.rulebook.predicate_frames import PredicateFrame
from chattygen.subgraph.facts import Fact


def realize_inverse_question(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    """Ask for what points to the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    wanted = QuestionTarget(fact.class_labels, fact.count > 1)
    for clause in found.clauses:
        if clause.is_inverse:
            yield from ask_for_object(clause, wanted, topic.text, has_plural_subject=topic.is_plural)
        else:
            if wanted.is_person and wanted.is_plural and clause.plural_complement:
                yield f"Who are the {clause.plural_complement} {clause.preposition} {topic.text}?"
                yield f"Which {wanted.noun} are {clause.plural_complement} {clause.preposition} {topic.text}?"
            else:
                yield from ask_for_subject(clause, wanted, topic.text)
    if not found.noun or found.clauses:
        return
    same = found.noun.lower() in {plain_label(kind).lower() for kind in topic.kinds}
    shared = head_noun(found.noun) in SHARED_ROLES and found.preposition == "of"
    one = f"the {found.noun}" if not shared else "part" if found.noun == "part" else add_indefinite_article(found.noun)
    if topic.is_plural and not one.startswith("the "):
        one = pluralize(found.noun)
    is_role = denote_persons(topic.kinds) or denote_persons([head_noun(found.noun)]) or found.noun.lower() in _ROLES
    if not one.startswith("the ") or (is_role and not same):
        yield from _in_role(topic, wanted, one, found.preposition)
        if found.noun.lower() == "part":
            return
    which = _which(wanted)
    if phrase_membership(topic.text, found.noun):
        goes = "belongs" if not wanted.takes_plural_verb or which == "What" else "belong"
        yield f"{which} {goes} to {phrase_membership(topic.text, found.noun)}?"
    if found.noun in COUNTRY_NOUNS and denote_places(topic.kinds):
        be_ = "are" if wanted.takes_plural_verb and wanted.noun else "is"
        yield f"{which} {be_} {'in' if wanted.is_place else 'from'} {topic.text}?"
    yield from _holding(topic, wanted, found)
    if not is_role and not same and wanted.noun and not wanted.is_person:
        yield f"For which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"
        yield f"Of which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"


def _in_role(topic: TopicPhrase, wanted: QuestionTarget, role: str, of: str) -> Iterator[str]:
    """Ask what the topic is something of: ``Which band is X a member of?``"""
    is_ = topic.be if of == "of" else "were" if topic.is_plural else "was"  # an honor is won once
    if not wanted.noun:
        yield f"What {is_} {topic.text} {role} {of}?"
        return
    yield f"Which {wanted.noun} {is_} {topic.text} {role} {of}?"
    yield f"{of.capitalize()} which {wanted.noun} {is_} {topic.text} {role}?"
    yield f"What {wanted.noun} {is_} {topic.text} {role} {of}?"


def _which(wanted: QuestionTarget) -> str:
    return f"Which {wanted.noun}" if wanted.noun else "What"


def _holding(topic: TopicPhrase, wanted: QuestionTarget, found: PredicateFrame) -> Iterator[str]:
    """Ask what has the topic: ``Which films have X as their genre?``"""
    have, their = ("have", "their") if wanted.is_plural else ("has", "their" if wanted.is_person else "its")
    if not wanted.noun or is_mass_noun(wanted.noun):
        have, their = "has", "its"
    if found.preposition == "in":  # the player of the match: one was it in a match
        return
    if wanted.is_person:
        yield f"Whose {found.noun} {topic.be} {topic.text}?"
    verb = ("speak" if have == "have" else "speaks") if found.noun in LANGUAGE_NOUNS and wanted.is_person else have
    for which in ("Which", "What") if wanted.noun else ("What",):
        if wanted.noun not in ("person", "people") or have == "have":
            yield join_words(which, wanted.noun, verb, topic.text, "as", _its(found.noun, their)) + "?"
    if wanted.is_person:
        yield f"Who {'speaks' if found.noun in LANGUAGE_NOUNS else 'has'} {topic.text} as {_its(found.noun, 'their')}?"


def _its(noun: str, their: str) -> str:
    """Return ``their genre``; of what there may be several, ``a member``."""
    return add_indefinite_article(noun) if head_noun(noun) in SHARED_ROLES else f"{their} {noun}"


def realize_count_question(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    """Ask how many there are, at the object end or pointing to the topic."""
    if fact.last_step.direction == "out":
        yield from _count_objects(topic, fact, found)
    else:
        yield from _count_subjects(topic, fact, found)


def _count_objects(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    several = _countable(fact.class_labels or (found.noun or found.object_noun or "thing",))
    for clause in found.clauses:
        if found.event_verb:
            helper = "did" if clause.tense == "past" else topic.do
            yield f"How many {pluralize(found.noun)} {helper} {topic.text} {clause.verb}?"
            if clause.tense == "present":
                yield f"How many different {pluralize(found.noun)} {helper} {topic.text} {clause.verb}?"
                continue
            yield f"How many {pluralize(found.noun)} {topic.have} {topic.text} {past_participle(clause.verb)}?"
        elif clause.is_inverse and several.kinds:
            people = "people" if several.is_person else several.noun
            yield from (
                q.replace("Which ", "How many ", 1)
                for q in ask_for_subject(clause, QuestionTarget((people,), True), topic.text)
                if q.startswith("Which ")
            )
        elif not clause.is_inverse and clause.preposition != "by":
            yield from _how_many(
                ask_for_object(
                    clause, several, topic.text, has_plural_subject=topic.is_plural, with_fronted_preposition=False
                )
            )
    if found.noun and not found.event_verb:
        noun = pluralize(found.noun)
        yield f"How many {noun} {topic.do} {topic.text} have?"
        yield f"How many different {noun} {topic.do} {topic.text} have?"
        yield f"How many {noun} {topic.have} {topic.text} got?"
        yield f"Exactly how many {noun} {topic.do} {topic.text} have?"
    elif not found.noun and not found.clauses:
        yield f"How many {several.noun} {topic.do} {topic.text} have?"


def _count_subjects(topic: TopicPhrase, fact: Fact, found: PredicateFrame) -> Iterator[str]:
    some = _countable(fact.class_labels or ("thing",))
    people = some.noun
    for clause in found.clauses:
        asked = ask_for_object if clause.is_inverse else ask_for_subject
        yield from _how_many(asked(clause, some, topic.text))
        if not clause.is_inverse and clause.verb == "be" and clause.plural_complement:
            yield f"How many {clause.plural_complement} {topic.do} {topic.text} have?"
    if found.noun and not found.clauses:
        if found.preposition == "in":
            yield f"In how many {people} was {topic.text} the {found.noun}?"
            yield f"How many {people} was {topic.text} the {found.noun} in?"
            return
        if phrase_membership(topic.text, found.noun):
            yield f"How many {people} belong to {phrase_membership(topic.text, found.noun)}?"
            return
        if denote_persons(topic.kinds):
            one = add_indefinite_article(found.noun) if head_noun(found.noun) in SHARED_ROLES else f"the {found.noun}"
            yield f"How many {people} {topic.be} {topic.text} {one} of?"
            yield f"Of how many {people} {topic.be} {topic.text} {one}?"
        yield f"How many {people} have {topic.text} as {_its(found.noun, 'their')}?"
        yield f"How many {people} in all have {topic.text} as {_its(found.noun, 'their')}?"


def _countable(kinds: tuple[str, ...]) -> QuestionTarget:
    """Return what is counted; of what has no plural one counts pieces."""
    noun = singularize(plain_label(kinds[0]))
    return QuestionTarget((f"piece of {noun}", *kinds[1:]) if is_mass_noun(noun) else kinds, True)


def _how_many(asked: Iterator[str]) -> Iterator[str]:
    for question in asked:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)


_ROLES = ("capital", "successor")

"""Wordings of questions for the subjects of triples whose object is the topic, and of counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.language.inflection import (
    add_indefinite_article,
    denote_persons,
    denote_places,
    head_noun,
    plain_label,
    pluralize,
    singularize,
)

from chattygen.lexicalization.lexicon import COUNTRY_NOUNS, LANGUAGE_NOUNS, SHARED_ROLES
from chattygen.lexicalization.predicate_frames import PredicateFrame
from chattygen.lexicalization.word_forms import is_mass_noun, past_participle
from chattygen.rulebook.clause_questions import QuestionTarget, ask_for_object, ask_for_subject, form_of_be
from chattygen.rulebook.condition_phrases import join_words, phrase_membership
from chattygen.rulebook.lookup_questions import TopicPhrase
from chattygen.subgraph.facts import Fact


def realize_inverse_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the subjects whose object is the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    target = QuestionTarget(fact.class_labels, fact.count > 1)
    for clause in frame.clauses:
        if clause.is_inverse:
            yield from ask_for_object(clause, target, topic.text, has_plural_subject=topic.is_plural)
        else:
            if target.is_person and target.is_plural and clause.plural_complement:
                yield f"Who are the {clause.plural_complement} {clause.preposition} {topic.text}?"
                yield f"Which {target.noun} are {clause.plural_complement} {clause.preposition} {topic.text}?"
            else:
                yield from ask_for_subject(clause, target, topic.text)
    if not frame.noun or frame.clauses:
        return
    is_own_kind = frame.noun.lower() in {plain_label(kind).lower() for kind in topic.kinds}
    is_shared = head_noun(frame.noun) in SHARED_ROLES and frame.preposition == "of"
    role = (
        f"the {frame.noun}" if not is_shared else "part" if frame.noun == "part" else add_indefinite_article(frame.noun)
    )
    if topic.is_plural and not role.startswith("the "):
        role = pluralize(frame.noun)
    is_role = (
        denote_persons(topic.kinds) or denote_persons([head_noun(frame.noun)]) or frame.noun.lower() in _ROLE_NOUNS
    )
    if not role.startswith("the ") or (is_role and not is_own_kind):
        yield from _role_questions(topic, target, role, frame.preposition)
        if frame.noun.lower() == "part":
            return
    which = _question_word(target)
    if phrase_membership(topic.text, frame.noun):
        verb = "belongs" if not target.takes_plural_verb or which == "What" else "belong"
        yield f"{which} {verb} to {phrase_membership(topic.text, frame.noun)}?"
    if frame.noun in COUNTRY_NOUNS and denote_places(topic.kinds):
        be = "are" if target.takes_plural_verb and target.noun else "is"
        yield f"{which} {be} {'in' if target.is_place else 'from'} {topic.text}?"
    yield from _have_questions(topic, target, frame)
    if not is_role and not is_own_kind and target.noun and not target.is_person:
        yield f"For which {target.noun} {topic.be} {topic.text} the {frame.noun}?"
        yield f"Of which {target.noun} {topic.be} {topic.text} the {frame.noun}?"


def _role_questions(topic: TopicPhrase, target: QuestionTarget, role: str, preposition: str) -> Iterator[str]:
    """Ask for the things that the topic has a role in: ``Which band is X a member of?``"""
    be = topic.be if preposition == "of" else "were" if topic.is_plural else "was"  # an honor is won once
    if not target.noun:
        yield f"What {be} {topic.text} {role} {preposition}?"
        return
    yield f"Which {target.noun} {be} {topic.text} {role} {preposition}?"
    yield f"{preposition.capitalize()} which {target.noun} {be} {topic.text} {role}?"
    yield f"What {target.noun} {be} {topic.text} {role} {preposition}?"


def _question_word(target: QuestionTarget) -> str:
    return f"Which {target.noun}" if target.noun else "What"


def _have_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the things that have the topic: ``Which films have X as their genre?``"""
    have, possessive = ("have", "their") if target.is_plural else ("has", "their" if target.is_person else "its")
    if not target.noun or is_mass_noun(target.noun):
        have, possessive = "has", "its"
    if frame.preposition == "in":  # the player of the match
        return
    if target.is_person:
        yield f"Whose {frame.noun} {topic.be} {topic.text}?"
    verb = ("speak" if have == "have" else "speaks") if frame.noun in LANGUAGE_NOUNS and target.is_person else have
    for which in ("Which", "What") if target.noun else ("What",):
        if target.noun not in ("person", "people") or have == "have":
            yield join_words(which, target.noun, verb, topic.text, "as", _role_phrase(frame.noun, possessive)) + "?"
    if target.is_person:
        verb = "speaks" if frame.noun in LANGUAGE_NOUNS else "has"
        yield f"Who {verb} {topic.text} as {_role_phrase(frame.noun, 'their')}?"


def _role_phrase(noun: str, possessive: str) -> str:
    """Return ``their genre``; for a role that several may have, ``a member``."""
    return add_indefinite_article(noun) if head_noun(noun) in SHARED_ROLES else f"{possessive} {noun}"


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
            if clause.tense == "present":
                yield f"How many different {pluralize(frame.noun)} {helper} {topic.text} {clause.verb}?"
                continue
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
        noun = pluralize(frame.noun)
        yield f"How many {noun} {topic.do} {topic.text} have?"
        yield f"How many different {noun} {topic.do} {topic.text} have?"
        yield f"How many {noun} {topic.have} {topic.text} got?"
        yield f"Exactly how many {noun} {topic.do} {topic.text} have?"
    elif not frame.noun and not frame.clauses:
        yield f"How many {target.noun} {topic.do} {topic.text} have?"


def _subject_counts(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    target = _count_target(fact.class_labels or ("thing",))
    noun = target.noun
    for clause in frame.clauses:
        ask = ask_for_object if clause.is_inverse else ask_for_subject
        yield from _as_count_questions(ask(clause, target, topic.text))
        if not clause.is_inverse and clause.verb == "be" and clause.plural_complement:
            yield f"How many {clause.plural_complement} {topic.do} {topic.text} have?"
    if frame.noun and not frame.clauses:
        if frame.preposition == "in":
            yield f"In how many {noun} was {topic.text} the {frame.noun}?"
            yield f"How many {noun} was {topic.text} the {frame.noun} in?"
            return
        if phrase_membership(topic.text, frame.noun):
            yield f"How many {noun} belong to {phrase_membership(topic.text, frame.noun)}?"
            return
        if denote_persons(topic.kinds):
            role = add_indefinite_article(frame.noun) if head_noun(frame.noun) in SHARED_ROLES else f"the {frame.noun}"
            yield f"How many {noun} {topic.be} {topic.text} {role} of?"
            yield f"Of how many {noun} {topic.be} {topic.text} {role}?"
        yield f"How many {noun} have {topic.text} as {_role_phrase(frame.noun, 'their')}?"
        yield f"How many {noun} in all have {topic.text} as {_role_phrase(frame.noun, 'their')}?"


def _count_target(kinds: tuple[str, ...]) -> QuestionTarget:
    """Return the target of a count; the target of a mass noun is its pieces."""
    noun = singularize(plain_label(kinds[0]))
    return QuestionTarget((f"piece of {noun}", *kinds[1:]) if is_mass_noun(noun) else kinds, True)


def _as_count_questions(questions: Iterator[str]) -> Iterator[str]:
    for question in questions:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)


_ROLE_NOUNS = ("capital", "successor")

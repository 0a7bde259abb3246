"""Wordings for questions about what points to the topic, and for counts in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.rulebook.clause_questions import Wanted, asks_object, asks_subject
from chattygen.rulebook.condition_phrases import joined, member_of
from chattygen.rulebook.lexicon import MANIFOLD, REALMS, TONGUES
from chattygen.rulebook.lookup_questions import Topic
from chattygen.rulebook.predicate_frames import Relation
from chattygen.rulebook.words import (
    head,
    indefinite,
    is_mass,
    mean_person,
    mean_place,
    participle,
    plain,
    plural,
    singular,
)
from chattygen.subgraph.facts import Fact


def of_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask for what points to the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    wanted = Wanted(fact.kinds, fact.count > 1)
    for clause in found.clauses:
        if clause.flipped:
            yield from asks_object(clause, wanted, topic.text, many=topic.several)
        else:
            if wanted.is_person and wanted.several and clause.many:
                yield f"Who are the {clause.many} {clause.prep} {topic.text}?"
                yield f"Which {wanted.noun} are {clause.many} {clause.prep} {topic.text}?"
            else:
                yield from asks_subject(clause, wanted, topic.text)
    if not found.noun or found.clauses:
        return
    same = found.noun.lower() in {plain(kind).lower() for kind in topic.kinds}
    shared = head(found.noun) in MANIFOLD and found.of == "of"
    one = f"the {found.noun}" if not shared else "part" if found.noun == "part" else indefinite(found.noun)
    if topic.several and not one.startswith("the "):
        one = plural(found.noun)
    is_role = mean_person(topic.kinds) or mean_person([head(found.noun)]) or found.noun.lower() in _ROLES
    if not one.startswith("the ") or (is_role and not same):
        yield from _in_role(topic, wanted, one, found.of)
        if found.noun.lower() == "part":
            return
    which = _which(wanted)
    if member_of(topic.text, found.noun):
        goes = "belongs" if not wanted.agrees or which == "What" else "belong"
        yield f"{which} {goes} to {member_of(topic.text, found.noun)}?"
    if found.noun in REALMS and mean_place(topic.kinds):
        be_ = "are" if wanted.agrees and wanted.noun else "is"
        yield f"{which} {be_} {'in' if wanted.is_place else 'from'} {topic.text}?"
    yield from _holding(topic, wanted, found)
    if not is_role and not same and wanted.noun and not wanted.is_person:
        yield f"For which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"
        yield f"Of which {wanted.noun} {topic.be} {topic.text} the {found.noun}?"


def _in_role(topic: Topic, wanted: Wanted, role: str, of: str) -> Iterator[str]:
    """Ask what the topic is something of: ``Which band is X a member of?``"""
    is_ = topic.be if of == "of" else "were" if topic.several else "was"  # an honor is won once
    if not wanted.noun:
        yield f"What {is_} {topic.text} {role} {of}?"
        return
    yield f"Which {wanted.noun} {is_} {topic.text} {role} {of}?"
    yield f"{of.capitalize()} which {wanted.noun} {is_} {topic.text} {role}?"
    yield f"What {wanted.noun} {is_} {topic.text} {role} {of}?"


def _which(wanted: Wanted) -> str:
    return f"Which {wanted.noun}" if wanted.noun else "What"


def _holding(topic: Topic, wanted: Wanted, found: Relation) -> Iterator[str]:
    """Ask what has the topic: ``Which films have X as their genre?``"""
    have, their = ("have", "their") if wanted.several else ("has", "their" if wanted.is_person else "its")
    if not wanted.noun or is_mass(wanted.noun):
        have, their = "has", "its"
    if found.of == "in":  # the player of the match: one was it in a match
        return
    if wanted.is_person:
        yield f"Whose {found.noun} {topic.be} {topic.text}?"
    verb = ("speak" if have == "have" else "speaks") if found.noun in TONGUES and wanted.is_person else have
    for which in ("Which", "What") if wanted.noun else ("What",):
        if wanted.noun not in ("person", "people") or have == "have":
            yield joined(which, wanted.noun, verb, topic.text, "as", _its(found.noun, their)) + "?"
    if wanted.is_person:
        yield f"Who {'speaks' if found.noun in TONGUES else 'has'} {topic.text} as {_its(found.noun, 'their')}?"


def _its(noun: str, their: str) -> str:
    """Return ``their genre``; of what there may be several, ``a member``."""
    return indefinite(noun) if head(noun) in MANIFOLD else f"{their} {noun}"


def counting(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    """Ask how many there are, at the object end or pointing to the topic."""
    if fact.last.direction == "out":
        yield from _count_objects(topic, fact, found)
    else:
        yield from _count_subjects(topic, fact, found)


def _count_objects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    several = _countable(fact.kinds or (found.noun or found.gap or "thing",))
    for clause in found.clauses:
        if found.done:
            helper = "did" if clause.tense == "past" else topic.do
            yield f"How many {plural(found.noun)} {helper} {topic.text} {clause.verb}?"
            if clause.tense == "present":
                yield f"How many different {plural(found.noun)} {helper} {topic.text} {clause.verb}?"
                continue
            yield f"How many {plural(found.noun)} {topic.have} {topic.text} {participle(clause.verb)}?"
        elif clause.flipped and several.kinds:
            people = "people" if several.is_person else several.noun
            yield from (
                q.replace("Which ", "How many ", 1)
                for q in asks_subject(clause, Wanted((people,), True), topic.text)
                if q.startswith("Which ")
            )
        elif not clause.flipped and clause.prep != "by":
            yield from _how_many(asks_object(clause, several, topic.text, many=topic.several, fronted=False))
    if found.noun and not found.done:
        noun = plural(found.noun)
        yield f"How many {noun} {topic.do} {topic.text} have?"
        yield f"How many different {noun} {topic.do} {topic.text} have?"
        yield f"How many {noun} {topic.have} {topic.text} got?"
        yield f"Exactly how many {noun} {topic.do} {topic.text} have?"
    elif not found.noun and not found.clauses:
        yield f"How many {several.noun} {topic.do} {topic.text} have?"


def _count_subjects(topic: Topic, fact: Fact, found: Relation) -> Iterator[str]:
    some = _countable(fact.kinds or ("thing",))
    people = some.noun
    for clause in found.clauses:
        asked = asks_object if clause.flipped else asks_subject
        yield from _how_many(asked(clause, some, topic.text))
        if not clause.flipped and clause.verb == "be" and clause.many:
            yield f"How many {clause.many} {topic.do} {topic.text} have?"
    if found.noun and not found.clauses:
        if found.of == "in":
            yield f"In how many {people} was {topic.text} the {found.noun}?"
            yield f"How many {people} was {topic.text} the {found.noun} in?"
            return
        if member_of(topic.text, found.noun):
            yield f"How many {people} belong to {member_of(topic.text, found.noun)}?"
            return
        if mean_person(topic.kinds):
            one = indefinite(found.noun) if head(found.noun) in MANIFOLD else f"the {found.noun}"
            yield f"How many {people} {topic.be} {topic.text} {one} of?"
            yield f"Of how many {people} {topic.be} {topic.text} {one}?"
        yield f"How many {people} have {topic.text} as {_its(found.noun, 'their')}?"
        yield f"How many {people} in all have {topic.text} as {_its(found.noun, 'their')}?"


def _countable(kinds: tuple[str, ...]) -> Wanted:
    """Return what is counted; of what has no plural one counts pieces."""
    noun = singular(plain(kinds[0]))
    return Wanted((f"piece of {noun}", *kinds[1:]) if is_mass(noun) else kinds, True)


def _how_many(asked: Iterator[str]) -> Iterator[str]:
    for question in asked:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)


_ROLES = ("capital", "successor")

"""Operations that build whole questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattyshared.language.lexicon import word_set

from chattykg.qir import is_unknown
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.entities import chunks, either, holder, of
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Meaning,
    class_of,
    fresh,
    members_of,
    put,
    said_of,
    walk,
)
from chattykg.rulebook.grammar.properties import per

_FUNCTION = word_set("function_words", "closed_class") | {"gender"}


def ask(shape: str, entity: Meaning, *conditions: Any) -> Meaning | None:
    """Return the question for an entity; further conditions and properties restrict it."""
    found = entity.conditions
    is_alone = not any(_says_relation(each) for each in conditions)
    if entity.is_free and entity.noun is not None:
        if is_alone and not found and entity.noun.group is not None:
            return None  # members of a class, and no values of whatever
        if is_alone and (entity.noun.is_known or not found):
            base = fresh(entity.noun, "of_" + entity.noun.lower)
            found += (("relation", base, entity.noun.text, entity.term),)
        else:
            found += class_of(entity.term, entity.noun)
    for each in conditions:
        found += said_of(entity.term, each) if isinstance(each, Meaning) else each or ()
    if not found and entity.group is not None:
        found = (("class", entity.term, entity.group.text),)
    shape = entity.shape or shape
    if shape == "list" and any(condition[0] == "group" for condition in found):
        return None
    return replace(entity, conditions=tuple(dict.fromkeys(found)), shape=shape)


def _says_relation(said: Any) -> bool:
    """Tell whether something that is said of an entity may be the relation of its noun: a verb, not "from Norway"."""
    if not isinstance(said, Meaning):
        return bool(said)
    return any(c[0] == "relation" and set(c[2].lower().split()) - _FUNCTION for c in walk(said.conditions))


def list_of(entity: Meaning, order: Meaning | None = None) -> Meaning | None:
    """Return the question that a noun phrase is by itself ("red products"); a name alone asks for nothing."""
    return None if entity.name is not None and not entity.conditions else ask("list", entity, order)


def claim(first: Meaning, *properties: Meaning) -> Meaning:
    """Return the question whether properties hold of an entity, or without any whether there is one."""
    found = () if properties else first.conditions
    for said in properties:
        is_counted = any(c[0] == "having" for c in said.conditions)
        for member in members_of(first):
            one = (either(member) if is_counted else None) or member
            found += (*one.conditions, *said_of(one.term, said))
    return Meaning("", tuple(dict.fromkeys(found)), shape="boolean")


def holds(entity: Meaning, value: Meaning) -> Meaning | None:
    """Return the question whether what a relational noun names is a value ("is the genre of X drama?")."""
    if entity.noun is None or not entity.base:
        return None
    if value.term == SELF:
        return claim(entity, value)
    return Meaning("", (*put(entity.conditions, entity.term, value.term), *value.conditions), shape="boolean")


def ask_number(chunk: Chunk, subject: Meaning, *phrase: Chunk) -> Meaning:
    """Return the question for a number that the graph states, or for a count ("how many goals did X score?")."""
    term = fresh(chunk)
    relation = ("relation", subject.term, " ".join(part.text for part in (*phrase, chunk)), term)
    shape = "number" if chunk.is_numeric else "count"
    return Meaning(term, (*subject.conditions, relation, *class_of(term, chunk)), shape=shape)


def measure(degree: Chunk | str, entity: Meaning) -> Meaning:
    """Return the question how ADJECTIVE a thing is ("how long"), or how much of a degree it has ("how much")."""
    adjective = degree if isinstance(degree, str) else degree.adjective
    term = fresh("value") if isinstance(degree, str) else fresh(degree, "value")
    conditions = (*entity.conditions, ("measure", entity.term, adjective, term))
    return Meaning(term, conditions, shape="number", base=entity.term)


def aggregate(function: str, chunk: Chunk, base: Meaning | None = None) -> Meaning:
    """Return the question for an aggregate of a relational noun over all its bases."""
    return replace(of(chunk, base or holder(chunk)), shape="number", aggregate=function)


def total(function: str, chunk: Chunk, base: Meaning | None = None) -> Meaning | None:
    """Return the question for an aggregate of a number that the graph states ("total number of goals")."""
    return aggregate(function, chunk, base) if chunk.is_numeric else None


def overall(function: str, question: Meaning) -> Meaning | None:
    """Return the question for a number of things as one for its aggregate over all of them ("cost on average")."""
    is_number = question.shape == "number" or question.noun is not None and question.noun.is_numeric
    if not is_number or question.aggregate or not is_unknown(question.base):
        return None
    return replace(question, shape="number", aggregate=function)


def grouped(question: Meaning, group: Chunk) -> Meaning | None:
    """Return a question for a count or an aggregate of all things as one for each value of a noun."""
    base = question.base if question.aggregate else question.term if question.shape == "count" else ""
    if not is_unknown(base):
        return None
    return replace(question, conditions=question.conditions + said_of(base, per(group)))


def table(entity: Meaning, *nouns: Any) -> Meaning:
    """Return the question for several relational nouns of an entity, side by side; their names are the entities."""
    conditions, found = entity.conditions, list[str]()
    for chunk in chunks(*nouns):
        is_own = chunk.is_naming and is_unknown(entity.term)
        term = entity.term if is_own else fresh(chunk)
        found += [] if term in found else [term]
        conditions += () if is_own else (("relation", entity.term, chunk.text, term),)
    return Meaning(found[0], conditions, shape="table" if len(found) > 1 else "list", columns=tuple(found))


def columns(entity: Meaning, *nouns: Any) -> Meaning:
    """Return the question for things and what relational nouns name of them ("singers and their ages")."""
    found = table(entity, *nouns)
    named = tuple(dict.fromkeys((entity.term, *found.columns)))
    return replace(found, term=entity.term, shape="table" if len(named) > 1 else "list", columns=named)


def ordered(key: Any, direction: str = "", limit: Chunk | None = None) -> Meaning:
    """Return the property of being sorted by a relational noun, or by how many of it there are (``counting``)."""
    chunk, is_counted = key if isinstance(key, tuple) else (key, False)
    term = fresh(chunk)
    kinds = class_of(term, chunk) if is_counted else ()
    order = ("order", term, direction == "descending", int(limit.value) if limit else 0, 0, is_counted)
    return Meaning(SELF, (("relation", SELF, chunk.text, term), *kinds, order))


def counting(chunk: Chunk) -> tuple[Chunk, bool]:
    """Return the number of things that a noun names, as what to sort by ("by the number of concerts")."""
    return chunk, not chunk.is_literal

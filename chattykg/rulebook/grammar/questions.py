"""Operations that build whole questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattyshared.language.lexicon import word_set

from chattykg.qir import is_unknown
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Conditions,
    Meaning,
    class_of,
    distinct,
    fresh,
    members_of,
    put,
    quantity_sign,
    said_of,
    walk,
)
from chattykg.rulebook.grammar.noun_phrases import chunks, either, holder, of
from chattykg.rulebook.grammar.properties import per

_FUNCTION = word_set("function_words", "closed_class") | {"gender"}


def ask(shape: str, entity: Meaning, *conditions: Any) -> Meaning | None:
    """Return the question for an entity; further conditions and properties restrict it."""
    found = entity.conditions
    is_alone = not any(_says_relation(each) for each in conditions)
    if entity.is_free and is_alone and not found and entity.noun is not None and entity.noun.group is not None:
        return None  # members of a class, and no values of whatever
    if entity.is_free and entity.noun is not None and is_alone and (entity.noun.is_known or not found):
        found += (("relation", fresh(entity.noun, "of_" + entity.noun.lower), entity.noun.text, entity.term),)
    elif entity.is_free and entity.noun is not None:
        found += class_of(entity.term, entity.noun)
    for each in conditions:
        found += said_of(entity.term, each) if isinstance(each, Meaning) else each or ()
    if not found and entity.group is not None:
        found = (("class", entity.term, entity.group.text),)
    shape = entity.shape or shape
    if shape == "list" and any(condition[0] == "group" for condition in found):
        return None
    return replace(entity, conditions=distinct(found), shape=shape)


def _says_relation(said: Any) -> bool:
    """Tell whether something that is said of an entity may be the relation of its noun: a verb, not "from Norway"."""
    if not isinstance(said, Meaning):
        return bool(said)
    return any(c[0] == "relation" and set(c[2].lower().split()) - _FUNCTION for c in walk(said.conditions))


def list_of(entity: Meaning, order: Meaning | None = None) -> Meaning | None:
    """Return the question that a noun phrase is by itself ("red products"); a name alone asks for nothing."""
    if entity.name is not None and not entity.conditions:
        return None
    return ask("list", entity, order)


def ask_number(chunk: Chunk, subject: Meaning, *phrase: Any) -> Meaning:
    """Return the question for a number that the graph states, or for a count ("how many goals did X score?")."""
    term = fresh(chunk)
    text = " ".join([part.text for part in phrase] + [chunk.text])
    relation = ("relation", subject.term, text, term)
    return Meaning(
        term, (*subject.conditions, relation, *class_of(term, chunk)), shape="number" if chunk.is_numeric else "count"
    )


def claim(*parts: Any) -> Meaning:
    """Return the question whether conditions hold; properties are said of the first entity."""
    first = parts[0]
    found: Conditions = first.conditions if isinstance(first, Meaning) else first
    for each in parts[1:]:
        if isinstance(each, Meaning):
            is_counted = any(c[0] == "having" for c in each.conditions)
            for member in members_of(first):
                one = either(member) if is_counted else None
                found += (*one.conditions, *said_of(one.term, each)) if one else said_of(member.term, each)
        elif each:
            found += each
    return Meaning("", distinct(found), shape="boolean")


def holds(entity: Meaning, value: Meaning) -> Meaning | None:
    """Return the question whether what a relational noun names is a value ("is the genre of X drama?")."""
    if entity.noun is None or not entity.base:
        return None
    if value.term == SELF:
        return claim(entity, value)
    return Meaning("", (*put(entity.conditions, entity.term, value.term), *value.conditions), shape="boolean")


def aggregate(function: str, chunk: Chunk, base: Meaning | None = None) -> Meaning | None:
    """Return the question for an aggregate of a relational noun over all its bases."""
    found = of(chunk, base) if base is not None else None
    if base is not None and found is None:
        return None
    if found is None:
        found = of(chunk, holder(chunk))
    return replace(found, shape="number", aggregate=function) if found else None


def total(function: str, chunk: Chunk, base: Meaning | None = None) -> Meaning | None:
    """Return the question for an aggregate of a number that the graph states ("total number of goals")."""
    return aggregate(function, chunk, base) if chunk.is_numeric else None


def extreme(adjective: Chunk, chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return the question for the highest or lowest of the numbers that things have ("shortest runtime of films")."""
    return total("max" if quantity_sign(adjective.adjective) > 0 else "min", chunk, base) if base.name is None else None


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


def table(entity: Meaning, *nouns: Any) -> Meaning | None:
    """Return the question for several relational nouns of an entity, side by side."""
    conditions, columns = entity.conditions, []
    for chunk in chunks(*nouns):
        if chunk.start < 0 or chunk.is_naming and entity.term.startswith("?"):
            columns.append(entity.term)
            continue
        term = fresh(chunk)
        conditions += (("relation", entity.term, chunk.text, term),)
        columns.append(term)
    columns = list(dict.fromkeys(columns))
    shape = "table" if len(columns) > 1 else "list"
    return Meaning(columns[0], conditions, shape=shape, columns=tuple(columns))


def columns(entity: Meaning, *nouns: Any) -> Meaning | None:
    """Return the question for things and what relational nouns name of them ("singers and their ages")."""
    return table(entity, Chunk("", "", -1, -1), *nouns)


def column_of(question: Meaning, chunk: Chunk) -> Meaning | None:
    """Return the question for a relational noun of what another question asks for ("Which ...? List the ids.")."""
    found = of(chunk, question) if question.shape == "list" and not question.aggregate else None
    return ask("list", found) if found else None


def measure(degree: Chunk | str, entity: Meaning) -> Meaning:
    """Return the question how ADJECTIVE a thing is ("how long"), or how much of a degree it has ("how much")."""
    adjective, term = (
        (degree, fresh("value")) if isinstance(degree, str) else (degree.adjective, f"?value@{degree.start}")
    )
    conditions = (*entity.conditions, ("measure", entity.term, adjective, term))
    return Meaning(term, conditions, shape="number", base=entity.term)


def ordered(key: Any, direction: str = "", limit: Chunk | None = None) -> Meaning:
    """Return the property of being sorted by a relational noun, or by how many of it there are (``counting``)."""
    chunk, is_counted = key if isinstance(key, tuple) else (key, False)
    term = fresh(chunk)
    many = int(limit.value) if limit else 0
    kinds = class_of(term, chunk) if is_counted else ()
    order = ("order", term, direction == "descending", many, 0, is_counted)
    return Meaning(SELF, (("relation", SELF, chunk.text, term), *kinds, order))


def counting(chunk: Chunk) -> tuple[Chunk, bool]:
    """Return the number of things that a noun names, as what to sort by ("by the number of concerts")."""
    return chunk, not chunk.is_literal


def alphabetical(direction: str = "") -> Meaning:
    """Return the property of being sorted by name."""
    return Meaning(SELF, (("alphabetical", SELF, direction == "descending"),))


def by_frequency(direction: str = "") -> Meaning:
    """Return the property of being sorted by how many things have it ("formats of orchestras by count")."""
    return Meaning(SELF, (("by_frequency", SELF, direction == "descending"),))


def commonest(chunk: Chunk, descending: str = "yes") -> Meaning | None:
    """Return what a relational noun names of the most things ("the most common genre"); no film is the most common."""
    if chunk.is_class_only:
        return None
    term, base = fresh(chunk), fresh(chunk, "of_" + chunk.lower)
    order = ("order", base, descending == "yes", 1, 0, True)
    return Meaning(term, (("relation", base, chunk.text, term), order), noun=chunk)

"""Operations that build properties from modifiers, nouns and names."""

from __future__ import annotations

from dataclasses import replace

from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Conditions,
    Meaning,
    class_of,
    fresh,
    is_listed,
    members_of,
    quantity_sign,
    said_of,
    walk,
)

_WHOLE = frozenset(("having", "group", "order", "superlative", "anaphor", "other"))
"""The kinds of conditions that concern all things together, so that no alternative may hold them."""


def both(*properties: Meaning | None) -> Meaning:
    """Return the conjunction of properties."""
    return Meaning(SELF, said_of(SELF, *properties))


def any_of(*properties: Meaning | None) -> Meaning | None:
    """Return the property of having one of several properties ("in 1990 or 1992"); none that selects or counts.

    A denial of the first holds of all: "not made by A or sold in 2010" is neither.
    """
    parts = [part.conditions for part in properties if part is not None]
    if any(c[0] in _WHOLE for conditions in parts for c in walk(conditions)) or not all(parts):
        return None
    is_denied = [conditions[0][0] == "not" for conditions in parts]
    if is_denied[0] and not any(is_denied[1:]):
        return Meaning(SELF, (("not", (("either", parts[0][0][1], *parts[1:]),)),)) if len(parts[0]) == 1 else None
    flat = (c[0][1:] if len(c) == 1 and c[0][0] == "either" else (c,) for c in parts)
    return Meaning(SELF, (("either", *(each for some in flat for each in some)),))


def not_(entity: Meaning) -> Meaning | None:
    """Return a property that must not hold; none of an entity of which nothing is said, or that is the most of all."""
    is_whole = any(condition[0] in _WHOLE for condition in walk(entity.conditions))
    return Meaning(SELF, (("not", entity.conditions),)) if entity.conditions and not is_whole else None


def relate(said: Chunk | str, entity: Meaning) -> Meaning:
    """Return the property of being related to an entity ("in Norland", "with X as director").

    A value whose sort is said with it ("serves Italian food") is a value of that relation.
    """
    phrase = said if isinstance(said, str) else said.text
    conditions: Conditions = ()
    for each in members_of(entity):
        sort = each.noun.text if each.name and each.noun else ""
        conditions += (*each.conditions, ("relation", SELF, sort or phrase, each.term))
    return Meaning(SELF, conditions)


def except_(entity: Meaning) -> Meaning:
    """Return the property of being none of some things ("other than A and B")."""
    names = entity.conditions[0][2] if is_listed(entity) else (each.term for each in members_of(entity))
    return Meaning(SELF, tuple(("filter", SELF, "!=", name, "") for name in names))


def other() -> Meaning:
    """Return the property of being nothing that the question names ("which other films did its director make?")."""
    return Meaning(SELF, (("other", SELF),))


def modifier(chunk: Chunk) -> Meaning:
    """Return the property that a name or value before a noun says ("red products", "jazz albums")."""
    return Meaning(SELF, (("relation", SELF, "", chunk.text),))


def unused(chunk: Chunk) -> Meaning:
    """Return the property of a word that the graph does not know."""
    return Meaning(SELF, (("unused", SELF, chunk.text),))


def flag(chunk: Chunk) -> Meaning:
    """Return the property that a predicate of truth values states ("heated", "a lifeboat")."""
    return Meaning(SELF, (("flag", SELF, chunk.text, chunk.truths, fresh(chunk)),))


def has(chunk: Chunk, *properties: Meaning | None) -> Meaning:
    """Return the property of having something of a relational noun of which properties hold."""
    term = fresh(chunk)
    return Meaning(SELF, (("relation", SELF, chunk.text, term), *class_of(term, chunk), *said_of(term, *properties)))


def has_count(quantity: Meaning, chunk: Chunk, verb: str = "") -> Meaning:
    """Return the property of having so many of a noun: a number that the graph states, or a count."""
    term = fresh(chunk)
    if chunk.is_numeric:
        return has(chunk, quantity)
    relation = ("relation", SELF, verb or chunk.text, term)
    counts = tuple(("having", SELF, c[2], c[3], term) for c in quantity.conditions if c[0] == "filter")
    return Meaning(SELF, (relation, *class_of(term, chunk), *counts))


def has_most(superlative: Meaning, chunk: Chunk, verb: str = "") -> Meaning:
    """Return the property of having the most, or the highest, of a relational noun ("the highest budget")."""
    term = fresh(chunk)
    condition = superlative.conditions[0]
    is_counted = condition[2] == "count" and not chunk.is_literal
    relation = ("relation", SELF, verb or chunk.text, term)
    conditions: Conditions = (relation, *(class_of(term, chunk) if is_counted else ()))
    is_rising = condition[2] in ("count", "first") or quantity_sign(condition[2]) > 0
    descending = condition[3] == is_rising
    return Meaning(SELF, (*conditions, ("order", term, descending, condition[4], condition[5], is_counted)))


def numbered(number: Chunk) -> Meaning:
    """Return the property of having a number as its id ("car 39")."""
    term = f"?id@{number.start}"
    return Meaning(SELF, (("relation", SELF, "id", term), ("filter", term, "=", number.value, "")))


def per(group: Chunk, said: Chunk | str | None = "") -> Meaning:
    """Return the property by which a count is taken apart ("per department", "each department owns")."""
    term = fresh(group)
    verb = said.text if isinstance(said, Chunk) else ""
    phrase = (verb or said or "") if group.group else f"{verb} {group.text}".strip()
    return Meaning(SELF, (("relation", SELF, phrase, term), *class_of(term, group), ("group", term)))


def each(entity: Meaning) -> Meaning:
    """Return things of which a count or an aggregate is asked one by one ("each brewery")."""
    return replace(entity, conditions=(*entity.conditions, ("each", entity.term)))

"""Operations on quantities, degrees, times and superlatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattyshared.language.quantities import measured_adjective

from chattykg.qir import MEAN
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.meanings import SELF, Meaning, fresh, quantity_sign
from chattykg.rulebook.grammar.properties import both


def compare(operator: str, value: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it is above, below or equal to another, or inside a period."""
    if "/" in value.value and operator == "=":
        return within(value, value)
    low, _, high = value.value.rpartition("/")
    value = replace(value, value=low if low and operator in ("<", ">=") else high)
    return Meaning(SELF, (("filter", SELF, operator, value.value, unit.lower if unit else value.unit),))


def within(low: Chunk, high: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it lies between two others."""
    return both(compare(">=", low, unit), compare("<=", high, unit))


def dated(time: Meaning) -> Meaning:
    """Return the property of having a time ("concerts in 2014")."""
    return Meaning(SELF, (("dated", SELF, time.conditions),))


def degree(said: Chunk | str, quantity: Meaning) -> Meaning:
    """Return the property of being ADJECTIVE by a quantity ("300 mm wide", "longer than 100 minutes")."""
    adjective, start = (said, 0) if isinstance(said, str) else (said.adjective, said.start)
    return Meaning(SELF, (("degree", SELF, adjective, quantity.conditions, start),))


def measured(quantity: Meaning, unit: Chunk) -> Meaning | None:
    """Return the property of a thing that a unit measures ("under 5 euros", "over 100 km")."""
    adjective = measured_adjective(unit.lower)
    if not adjective:
        return None
    inner = tuple((*c[:4], unit.lower) for c in quantity.conditions)
    return Meaning(SELF, (("degree", SELF, adjective, inner, unit.start),))


def average(operator: str) -> Meaning:
    """Return the property of a value that it lies above or below the average."""
    return Meaning(SELF, (("filter", SELF, operator, MEAN, ""),))


def compare_degree(chunk: Chunk, value: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it is more ADJECTIVE than another ("whose age is higher than 30")."""
    return compare(">" if quantity_sign(chunk.adjective) > 0 else "<", value, unit)


def more_than(chunk: Chunk, entity: Meaning, is_more: str = "") -> Meaning:
    """Return the property of being more (or less: ``no``) ADJECTIVE than another thing ("longer than X")."""
    condition = ("degree_of", SELF, chunk.adjective, entity.term, chunk.start, is_more != "no")
    return Meaning(SELF, (*entity.conditions, condition))


def most(adjective: Chunk | str, descending: str = "yes", limit: Any = 1, offset: Any = 0) -> Meaning:
    """Return the property of being the most ADJECTIVE; "count" and "first" are adjectives of their own kind."""
    text = adjective if isinstance(adjective, str) else adjective.adjective
    count = int(limit.value) if isinstance(limit, Chunk) else int(limit)
    before = int(offset.value) - 1 if isinstance(offset, Chunk) else int(offset)
    return Meaning(SELF, (("superlative", SELF, text, descending == "yes", count, before),))


def limited(superlative: Meaning, limit: Chunk) -> Meaning:
    """Return a superlative that asks for several things ("the two largest")."""
    condition = superlative.conditions[0]
    return Meaning(SELF, ((*condition[:4], int(limit.value), condition[5]),))


def exceeding(operator: str, entity: Meaning) -> Meaning:
    """Return the property of a value that it exceeds that of another thing ("greater than that of X")."""
    return Meaning(SELF, (*entity.conditions, ("exceeds", SELF, operator, entity.term)))


def has_more(operator: str, chunk: Chunk, entity: Meaning) -> Meaning | None:
    """Return the property of having a higher value of a relational noun than another thing."""
    if not chunk.is_literal and chunk.is_known:
        return None
    mine, other = fresh(chunk), fresh(chunk, chunk.lower + "2")
    relations = (("relation", SELF, chunk.text, mine), ("relation", entity.term, chunk.text, other))
    return Meaning(SELF, (*entity.conditions, *relations, ("filter", mine, operator, other, "")))

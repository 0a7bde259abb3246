"""Operations that build what is said of things: modifiers, quantities, verbs with their arguments, and clauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.language.morphology import PREPOSITIONS
from chattyshared.language.quantities import measured_adjective

from chattykg.qir import MEAN
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.entities import either
from chattykg.rulebook.grammar.meanings import (
    SELF,
    WHOLE,
    Argument,
    Arguments,
    Condition,
    Conditions,
    Meaning,
    class_of,
    fresh,
    is_listed,
    members_of,
    put,
    quantity_sign,
    said_of,
    walk,
)


def both(*properties: Meaning | None) -> Meaning:
    """Return the conjunction of properties."""
    return Meaning(SELF, said_of(SELF, *properties))


def any_of(*properties: Meaning) -> Meaning | None:
    """Return the property of having one of several properties ("in 1990 or 1992"); none that selects or counts.

    A denial of the first holds of all: "not made by A or sold in 2010" is neither.
    """
    parts = [part.conditions for part in properties]
    if any(c[0] in WHOLE for conditions in parts for c in walk(conditions)) or not all(parts):
        return None
    is_denied = [conditions[0][0] == "not" for conditions in parts]
    if is_denied[0] and not any(is_denied[1:]):
        return Meaning(SELF, (("not", (("either", parts[0][0][1], *parts[1:]),)),)) if len(parts[0]) == 1 else None
    flat = (c[0][1:] if len(c) == 1 and c[0][0] == "either" else (c,) for c in parts)
    return Meaning(SELF, (("either", *(each for some in flat for each in some)),))


def not_(entity: Meaning) -> Meaning | None:
    """Return a property that must not hold; none of an entity of which nothing is said, or that is the most of all."""
    is_whole = any(condition[0] in WHOLE for condition in walk(entity.conditions))
    return Meaning(SELF, (("not", entity.conditions),)) if entity.conditions and not is_whole else None


def being(entity: Meaning) -> Meaning:
    """Return the property of being an entity that is described ("who are Norland's citizens")."""
    return Meaning(SELF, put(entity.conditions, entity.term, SELF))


def relate(said: Chunk | str, entity: Meaning) -> Meaning:
    """Return the property of being related to an entity ("in Norland", "with X as director")."""
    phrase = said if isinstance(said, str) else said.text
    conditions: Conditions = ()
    for each in members_of(entity):
        conditions += (*each.conditions, ("relation", SELF, phrase, each.term))
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
    if chunk.is_numeric:
        return has(chunk, quantity)
    term = fresh(chunk)
    counts = tuple(("having", SELF, c[2], c[3], term) for c in quantity.conditions if c[0] == "filter")
    return Meaning(SELF, (("relation", SELF, verb or chunk.text, term), *class_of(term, chunk), *counts))


def has_most(superlative: Meaning, chunk: Chunk, verb: str = "") -> Meaning:
    """Return the property of having the most, or the highest, of a relational noun ("the highest budget")."""
    term, is_counted = fresh(chunk), superlative.conditions[0][2] == "count" and not chunk.is_literal
    kinds = class_of(term, chunk) if is_counted else ()
    return Meaning(
        SELF, (("relation", SELF, verb or chunk.text, term), *kinds, _order(superlative, term, is_counted=is_counted))
    )


def _order(superlative: Meaning, term: str, *, is_counted: bool = False) -> Condition:
    """Return the condition that a term is the most of all, as a superlative says."""
    _, _, adjective, descending, limit, offset = superlative.conditions[0]
    is_rising = adjective in ("count", "first") or quantity_sign(adjective) > 0
    return "order", term, descending == is_rising, limit, offset, is_counted


def has_more(operator: str, chunk: Chunk, entity: Meaning) -> Meaning | None:
    """Return the property of having a higher value of a relational noun than another thing."""
    if not chunk.is_literal and chunk.is_known:
        return None
    return Meaning(SELF, (*entity.conditions, *_more(chunk.text, entity, operator, fresh(chunk))))


def _more(phrase: str, entity: Meaning, operator: str, term: str) -> Conditions:
    """Return the conditions that a value is above or below that of another thing."""
    relations = (("relation", SELF, phrase, term), ("relation", entity.term, phrase, f"{term}b"))
    return (*relations, ("filter", term, operator, f"{term}b", ""))


def per(group: Chunk, said: Chunk | str | None = "") -> Meaning:
    """Return the property by which a count is taken apart ("per department", "each department owns")."""
    term = fresh(group)
    verb = said.text if isinstance(said, Chunk) else ""
    phrase = (verb or said or "") if group.group else f"{verb} {group.text}".strip()
    return Meaning(SELF, (("relation", SELF, phrase, term), *class_of(term, group), ("group", term)))


def compare(operator: str, value: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it is above, below or equal to another, or inside a period."""
    if "/" in value.value and operator == "=":
        return within(value, value)
    low, _, high = value.value.rpartition("/")
    limit = low if low and operator in ("<", ">=") else high
    return Meaning(SELF, (("filter", SELF, operator, limit, unit.lower if unit else value.unit),))


def within(low: Chunk, high: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it lies between two others."""
    return both(compare(">=", low, unit), compare("<=", high, unit))


def average(operator: str) -> Meaning:
    """Return the property of a value that it lies above or below the average."""
    return Meaning(SELF, (("filter", SELF, operator, MEAN, ""),))


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
    inner = tuple((*c[:4], unit.lower) for c in quantity.conditions)
    return Meaning(SELF, (("degree", SELF, adjective, inner, unit.start),)) if adjective else None


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


# Verbs and clauses ----------------------------------------------------------------------------------------------------
def argument(preposition: str | None, value: Any, kind: str = "object") -> Arguments:
    """Return what stands behind a verb; its ``kind`` is the name of one of ``_READERS``."""
    return (Argument(preposition or "", value, kind),)


def arguments(*parts: Arguments | None) -> Arguments:
    """Join what stands behind a verb."""
    return tuple(each for part in parts if part for each in part)


def counted(quantity: Meaning, chunk: Chunk) -> tuple[Meaning, Chunk]:
    """Return a quantity with the noun that it counts."""
    return quantity, chunk


def verb(chunk: Chunk, parts: Arguments | None = None) -> Meaning | None:
    """Return the property of doing what a verb and its arguments say."""
    conditions: Conditions = ()
    for part in parts or ():
        conditions += _READERS[part.kind](chunk, part)
    return Meaning(SELF, conditions) if conditions else None


def verb_but(chunk: Chunk, parts: Arguments, preposition: str | None, entity: Meaning) -> Meaning | None:
    """Return the property of doing something to one thing and not to another ("starred in A but not in B")."""
    done, phrase = verb(chunk, parts), f"{chunk.text} {preposition or parts[0].preposition}".strip()
    return both(done, not_(relate(phrase, entity))) if done else None


def _object(chunk: Chunk, part: Argument) -> Conditions:
    return relate(f"{chunk.text} {part.preposition}".strip(), part.value).conditions


def _value(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk, "date")
    return (("relation", SELF, chunk.text, term), *said_of(term, part.value))


def _ranked(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk, "date" if part.value.conditions[0][2] == "first" else "")
    return (("relation", SELF, chunk.text, term), _order(part.value, term))


def _beyond(chunk: Chunk, part: Argument) -> Conditions:
    return (*part.value.conditions, *_more(chunk.text, part.value, part.preposition, fresh(chunk, "date")))


def _counted(chunk: Chunk, part: Argument) -> Conditions:
    quantity, noun = part.value
    phrase = chunk.text if noun.group or noun.is_kind else f"{chunk.text} {noun.text}"
    return has_count(quantity, noun, phrase).conditions


def _often(chunk: Chunk, part: Argument) -> Conditions:
    return has_count(part.value, chunk).conditions


def _most(chunk: Chunk, part: Argument) -> Conditions:
    superlative, noun = part.value
    is_own = not part.preposition and (noun.is_literal or noun.group is None)
    return has_most(superlative, noun, "" if is_own else f"{chunk.text} {part.preposition}".strip()).conditions


def _per(chunk: Chunk, part: Argument) -> Conditions:
    return per(part.value, f"{chunk.text} {part.preposition}".strip()).conditions


def _said(chunk: Chunk, part: Argument) -> Conditions:
    return part.value.conditions  # type: ignore[no-any-return]


def _any(chunk: Chunk, part: Argument) -> Conditions:
    words = (chunk.text, part.preposition, part.value and part.value.text)
    return (("relation", SELF, " ".join(word for word in words if word), fresh(part.value or chunk)),)


_READERS: dict[str, Callable[[Chunk, Argument], Conditions]] = {
    f.__name__[1:]: f for f in (_object, _value, _ranked, _beyond, _counted, _often, _most, _per, _said, _any)
}
"""The functions that read arguments of verbs, by the kind of the argument."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in which one thing is missing: its subject, and the words of the verb and its preposition."""

    subject: Meaning
    words: tuple[Chunk | str, ...]
    time: Meaning | None = None


def clause(subject: Meaning, *words: Any) -> Clause:
    """Return a clause without its object ("X directed", "was X born in")."""
    return Clause(subject, tuple(word for word in words if word))


def apart(told: Clause) -> Clause:
    """Return a clause of which each subject has an object of its own ("when were X and Y born")."""
    single = either(told.subject) if told.subject.members else None
    return replace(told, subject=single) if single else told


def timed(told: Clause, time: Meaning | None) -> Clause:
    """Return a clause with the time of what it tells ("X directed since 1990")."""
    return replace(told, time=time)


def asked_object(entity: Meaning, subject: Meaning | Clause, *phrase: Any) -> Conditions:
    """Return the claim that subjects do to an entity what a verb says ("films that X directed", "did X direct")."""
    time: Conditions = ()
    if isinstance(subject, Clause):
        chunk = next((word for word in subject.words if isinstance(word, Chunk)), None)
        if subject.time is not None and chunk is not None:
            time = put(_value(chunk, Argument("", subject.time)), SELF, entity.term)
        phrase = (*subject.words, *phrase)
        subject = subject.subject
    words = [part.text if isinstance(part, Chunk) else part for part in phrase if part]
    words = words[:-1] if len(words) > 1 and PREPOSITIONS.issuperset(words[-2:]) else words  # "where is X from"
    is_bare = not any(isinstance(part, Chunk) for part in phrase)
    if entity.is_free and entity.noun is not None and (entity.noun.predicate is not None or is_bare):
        words = [entity.noun.text] if is_bare else [*words, entity.noun.text]
    text = " ".join(words)
    conditions = entity.conditions
    for each in members_of(subject):
        conditions += (*each.conditions, ("relation", each.term, text, entity.term))
    return conditions + time


def object_clause(subject: Meaning | Clause, *phrase: Any) -> Meaning:
    """Return the property that subjects do to it what a verb says ("that Uma Fell plays for")."""
    return Meaning(SELF, asked_object(Meaning(SELF), subject, *phrase))

"""Operations that build entities from nouns and names, and properties from modifiers, quantities and nouns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattyshared.language.morphology import lemma_of, lemma_stem_of, related_stems
from chattyshared.language.quantities import measured_adjective
from chattyshared.language.wordnet import noun_kinds

from chattykg.qir import MEAN
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Chunk,
    Condition,
    Conditions,
    Meaning,
    class_of,
    fresh,
    is_listed,
    members_of,
    put,
    quantity_sign,
    replace_term,
    said_of,
    walk,
)

_CONCRETE_KINDS = frozenset("food location person animal plant substance body".split())
"""The kinds of nouns in WordNet of which two nouns of one kind are much alike."""
_WHOLE = frozenset(("having", "group", "order", "superlative", "anaphor", "other"))
"""The kinds of conditions that concern all things together, so that no negation holds them."""


# ---------------------------------------------------------------------------------------------------------- entities
def unknown(noun: str) -> Meaning:
    """Return an entity of which nothing is known: "who", "what"."""
    return Meaning(fresh(noun))


def name(chunk: Chunk) -> Meaning:
    """Return the entity that a name names."""
    return Meaning(chunk.text, name=chunk)


def anaphor(chunk: Chunk) -> Meaning:
    """Return what a pronoun stands for; the dialogue or an earlier name of the question tells it."""
    term = fresh(chunk)
    return Meaning(term, (("anaphor", term, chunk.lower),), name=chunk)


def something(chunk: Chunk) -> Meaning:
    """Return something of no kind ("things", "those who ...")."""
    return Meaning(fresh(chunk), group=chunk)


def holder(chunk: Chunk) -> Meaning:
    """Return something that has what a relational noun names ("weight in 1974" is of something in 1974)."""
    return Meaning(fresh(chunk, "of_" + chunk.lower), is_free=True)


def thing(chunk: Chunk) -> Meaning:
    """Return something of a class."""
    term = fresh(chunk)
    return Meaning(term, (("class", term, chunk.text),))


def kind(chunk: Chunk) -> Meaning | None:
    """Return something that is of a kind which the graph knows as a name or a value ("comedies", "beer")."""
    is_plain = chunk.is_acronym or chunk.start == 0 and chunk.is_plural and chunk.text[1:].islower()
    if chunk.text[:1].isupper() and not is_plain or chunk.group is not None:
        return None
    term = fresh(chunk)
    return Meaning(term, (("relation", term, "", chunk.text),))


def free(chunk: Chunk) -> Meaning:
    """Return what a relational noun names, of whatever base ("director")."""
    term = fresh(chunk)
    strange = () if chunk.is_known or chunk.is_naming else (("unused", term, chunk.text),)
    kinds = class_of(term, chunk) if chunk.is_class_only else ()
    return Meaning(term, (*strange, *kinds), noun=chunk, is_free=True)


def of(chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return what a relational noun names of a base ("director of Inception")."""
    if chunk.is_naming and not base.name and not is_listed(base):
        return base
    term = fresh(chunk)
    conditions: Conditions = ()
    for each in members_of(base):
        conditions += (*each.conditions, ("relation", each.term, chunk.text, term))
    conditions += class_of(term, chunk) if chunk.is_class_only else ()
    return Meaning(term, conditions, noun=chunk, base=base.term)


def each_of(chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return what a relational noun names of any of several bases ("melting point of zorium and veltin")."""
    if len(base.members) < 2 or any(member.conditions or member.name is None for member in base.members):
        return None
    single = either(base)
    return of(chunk, single) if single else None


def either(names: Meaning) -> Meaning | None:
    """Return one of several names as an unknown."""
    parts = [member for member in members_of(names) if member.name is not None and not member.conditions]
    if len(parts) < len(members_of(names)):
        return None if names.members else names
    term = fresh(parts[0].name or "", "one")
    sorted_ = next((part for part in parts if part.noun is not None), Meaning())
    values = ("values", term, tuple(part.term for part in parts))
    return Meaning(term, (values,), noun=sorted_.noun, name=sorted_.name if sorted_.noun else None)


def listed(names: tuple[Chunk, ...]) -> Meaning | None:
    """Return a long coordination of names."""
    return members(*(name(chunk) for chunk in names))


def members(first: Meaning, *others: Meaning | None) -> Meaning | None:
    """Return a coordination of entities."""
    parts = tuple(part for each in (first, *others) if each is not None for part in members_of(each))
    return replace(first, members=parts) if len(parts) > 1 else first


def restrict(entity: Meaning, *properties: Meaning | None) -> Meaning | None:
    """Return an entity of which properties hold; a value has no relations of its own.

    What stands behind "of" is the base of a relational noun, and no property.
    """
    found = [c for each in properties if each for c in each.conditions if c[1] == SELF]
    if entity.shape == "boolean":
        return None
    if entity.noun is not None and entity.noun.is_literal:
        if any(c[0] in ("relation", "degree", "superlative") for c in found):
            return None
    if entity.is_free and any(c[:3] == ("relation", SELF, "of") for c in found):
        return None
    return replace(entity, conditions=entity.conditions + said_of(entity.term, *properties))


def titled(chunk: Chunk, noun: Chunk) -> Meaning | None:
    """Return a name behind a noun in the singular, which only says what it is ("the song Yesterday")."""
    return None if noun.is_plural else name(chunk)


def one_of_its_class(chunk: Chunk, group: Chunk) -> Meaning | None:
    """Return a name whose class is said with it ("the Sales department", "the film Inception")."""
    return name(chunk) if chunk.types & group.classes and not group.is_plural else None


def one_of_its_sort(chunk: Chunk, noun: Chunk) -> Meaning | None:
    """Return a name or value whose sort is said with it ("Italian food", "a moderate price").

    A noun that the graph does not know says so if it is a noun of the same kind as one of the graph's own words.
    """
    if not chunk.sorts or noun.is_class_only:
        return None
    head = lemma_of(noun.lower.rsplit(" ", 1)[-1])
    stems, kinds = related_stems(head), noun_kinds(head)[:1]
    is_said = any(lemma_stem_of(sort) in stems for sort in chunk.sorts)
    is_alike = not noun.is_known and any(kinds == noun_kinds(sort)[:1] for sort in chunk.sorts)
    is_alike = is_alike and _CONCRETE_KINDS.issuperset(kinds)
    if not kinds or not (is_said or is_alike):
        return None
    return replace(name(chunk), noun=noun if noun.predicate else None)


def held(chunk: Chunk, relation: Meaning) -> Meaning | None:
    """Return the values of a noun for things of which properties hold ("models that weigh 900 kg")."""
    return of(chunk, restrict(holder(chunk), relation) or holder(chunk))


def through(chunk: Chunk, relation: Meaning) -> Meaning | None:
    """Return the values of a noun for the things to which they are said to be related ("languages used on channels").

    The noun itself is the relation and the verb is left out: a graph states a value with its base only, and who plays
    a role with what it is played for ("which director worked on the most plays?").
    """
    if chunk.group is not None and any(condition[0] == "not" for condition in relation.conditions):
        return None  # "films that were not shown": not those that are no films
    term = fresh(chunk)
    found = tuple(_turned(condition, chunk.text, term) for condition in relation.conditions)
    bases = [c[1] for c in walk(found) if c[0] == "relation" and c[3] == term]
    is_sound = bases and (chunk.is_literal or all(base.startswith("?") for base in bases))
    return Meaning(term, found, noun=chunk) if is_sound else None


def _turned(condition: Condition, phrase: str, term: str) -> Condition:
    if condition[0] == "not":
        return "not", tuple(_turned(inner, phrase, term) for inner in condition[1])
    if condition[0] == "relation" and SELF in (condition[1], condition[3]):
        return "relation", condition[3] if condition[1] == SELF else condition[1], phrase, term
    return replace_term(condition, SELF, term)  # type: ignore[no-any-return]


def chunks(*parts: Any) -> tuple[Chunk, ...]:
    """Return chunks in a row."""
    return tuple(c for part in parts if part for c in (part if isinstance(part, tuple) else (part,)))


def chain(base: Meaning, *nouns: Any) -> Meaning | None:
    """Return what a row of relational nouns leads to ("Norland's capital's mayor")."""
    found: Meaning | None = base
    for chunk in chunks(*nouns):
        found = of(chunk, found) if found is not None else None
    return found


def each(entity: Meaning) -> Meaning:
    """Return things of which a count or an aggregate is asked one by one ("each brewery")."""
    return replace(entity, conditions=(*entity.conditions, ("each", entity.term)))


def commonest(chunk: Chunk, descending: str = "yes") -> Meaning | None:
    """Return what a relational noun names of the most things ("the most common genre"); no film is the most common."""
    if chunk.is_class_only:
        return None
    term, base = fresh(chunk), fresh(chunk, "of_" + chunk.lower)
    order = ("order", base, descending == "yes", 1, 0, True)
    return Meaning(term, (("relation", base, chunk.text, term), order), noun=chunk)


# -------------------------------------------------------------------------------------------------------- properties
def both(*properties: Meaning | None) -> Meaning:
    """Return the conjunction of properties."""
    return Meaning(SELF, said_of(SELF, *properties))


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


def being(entity: Meaning) -> Meaning:
    """Return the property of being an entity that is described ("who are Norland's citizens")."""
    return Meaning(SELF, put(entity.conditions, entity.term, SELF))


# ----------------------------------------------------------------------- quantities, degrees, times and superlatives
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


def has_more(operator: str, chunk: Chunk, entity: Meaning) -> Meaning | None:
    """Return the property of having a higher value of a relational noun than another thing."""
    if not chunk.is_literal and chunk.is_known:
        return None
    mine, other = fresh(chunk), fresh(chunk, chunk.lower + "2")
    relations = (("relation", SELF, chunk.text, mine), ("relation", entity.term, chunk.text, other))
    return Meaning(SELF, (*entity.conditions, *relations, ("filter", mine, operator, other, "")))

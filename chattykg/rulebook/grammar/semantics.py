"""The meanings of phrases, and the operations by which the rules build them.

A meaning is a term with the conditions on it. An entity ("films by X") has an unknown or a name as its term; a property
("directed by X") has the term ``SELF``, for which an entity's term is put when the property is said of the entity.
Conditions are tuples that begin with their kind; ``logical_form`` writes them into a QIR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from chattyshared.language.morphology import quantities_of

from chattykg.qir import MEAN
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.legacy.units import measuring

SELF = "•"
"""The term of a property: what the property is said of."""
Condition = tuple[Any, ...]
Conditions = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a phrase.

    Attributes:
        term: An unknown (``?film@2``), a mention, or ``SELF``.
        conditions: What holds of the term.
        noun: The relational noun that made the unknown ("director").
        base: The term that the noun is related to.
        group: The chunk of the class of the term.
        members: The parts of a coordination ("A, B and C").
        shape: The shape of an answer, of a whole question.
        columns: The unknowns of a table.
        aggregate: The aggregate of a number that is asked for.
        is_free: The relational noun has no base.
    """

    term: str = SELF
    conditions: Conditions = ()
    noun: Chunk | None = None
    base: str = ""
    group: Chunk | None = None
    members: tuple[Meaning, ...] = ()
    shape: str = ""
    columns: tuple[str, ...] = ()
    aggregate: str = ""
    is_free: bool = False
    name: Chunk | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands behind a verb: a preposition and an entity, or (``kind``) a quantity, a time, a count."""

    preposition: str
    value: Any
    kind: str = "object"


Arguments = tuple[Argument, ...]
Operation = TypeVar("Operation", bound=Callable[..., Any])
OPERATIONS: dict[str, Callable[..., Any]] = {}
"""The operations that rules may call, by name."""


def operation(function: Operation) -> Operation:
    """Let rules call a function by its name; one underscore at the end is left out (``not_``)."""
    OPERATIONS[function.__name__.rstrip("_")] = function
    return function


def put(conditions: Conditions, old: str, new: str) -> Conditions:
    """Return conditions with one term in the place of another."""
    return tuple(_put(condition, old, new) for condition in conditions) if old != new else conditions


def _put(part: Any, old: str, new: str) -> Any:
    if isinstance(part, tuple):
        return tuple(_put(inner, old, new) for inner in part)
    return new if part == old else part


def said_of(term: str, *properties: Meaning | None) -> Conditions:
    """Return what properties say of a term."""
    return tuple(c for each in properties if each is not None for c in put(each.conditions, SELF, term))


def members_of(entity: Meaning) -> tuple[Meaning, ...]:
    """Return the parts of a coordination, or the entity alone."""
    return entity.members or (entity,)


def fresh(chunk: Chunk | str, noun: str = "") -> str:
    """Return the unknown of a chunk: it is named by its noun and its place, so no two chunks share one."""
    if isinstance(chunk, str):
        return f"?{chunk}@"
    return f"?{noun or chunk.lower}@{chunk.start}"


def class_of(term: str, chunk: Chunk) -> Conditions:
    """Return the condition that a term is of the class which a noun names, if it names one."""
    return (("class", term, chunk.text),) if chunk.group is not None else ()


# ------------------------------------------------------------------------------------------------------------- entities
@operation
def unknown(noun: str) -> Meaning:
    """Return an entity of which nothing is known: "who", "what"."""
    return Meaning(fresh(noun))


@operation
def name(chunk: Chunk) -> Meaning:
    """Return the entity that a name names."""
    return Meaning(chunk.text, name=chunk)


@operation
def anaphor(chunk: Chunk) -> Meaning:
    """Return what a pronoun stands for; the dialogue or an earlier name of the question tells it."""
    term = fresh(chunk)
    return Meaning(term, (("anaphor", term, chunk.lower),), name=chunk)


@operation
def something(chunk: Chunk) -> Meaning:
    """Return something of no kind ("things", "those who ...")."""
    return Meaning(fresh(chunk))


@operation
def holder(chunk: Chunk) -> Meaning:
    """Return something that has what a relational noun names ("weight in 1974" is of something in 1974)."""
    return Meaning(fresh(chunk, "of_" + chunk.lower), is_free=True)


@operation
def nothing() -> str:
    """Return the object of a verb that has none."""
    return ""


@operation
def thing(chunk: Chunk) -> Meaning:
    """Return something of a class."""
    term = fresh(chunk)
    return Meaning(term, (("class", term, chunk.text),), group=chunk)


@operation
def kind(chunk: Chunk) -> Meaning | None:
    """Return something that is of a kind which the graph knows as a name or a value ("comedies", "beer")."""
    if chunk.text[:1].isupper() or chunk.group is not None:
        return None
    term = fresh(chunk)
    return Meaning(term, (("relation", term, "", chunk.text),))


@operation
def free(chunk: Chunk) -> Meaning:
    """Return what a relational noun names, of whatever base ("director")."""
    term = fresh(chunk)
    strange = () if chunk.is_known or chunk.is_naming else (("unused", term, chunk.text),)
    kinds = class_of(term, chunk) if chunk.is_class_only else ()
    return Meaning(term, (*strange, *kinds), noun=chunk, is_free=True)


@operation
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


@operation
def each_of(chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return what a relational noun names of any of several bases ("melting point of zorium and veltin")."""
    if len(base.members) < 2 or any(member.conditions or member.name is None for member in base.members):
        return None
    single = either(base)
    return of(chunk, single) if single else None


@operation
def either(names: Meaning) -> Meaning | None:
    """Return one of several names as an unknown."""
    if not names.members:
        return names
    if any(member.name is None for member in names.members):
        return None
    term = f"?one@{names.members[0].name.start if names.members[0].name else ''}"
    listed = tuple(member.term for member in names.members)
    return Meaning(term, (("values", term, listed),), group=None)


def is_listed(entity: Meaning) -> bool:
    """Tell whether an entity is one of listed names."""
    return entity.conditions[:1] != () and entity.conditions[0][0] == "values"


@operation
def listed(names: tuple[Chunk, ...]) -> Meaning | None:
    """Return a long coordination of names."""
    return members(*(name(chunk) for chunk in names))


@operation
def being(entity: Meaning) -> Meaning:
    """Return the property of being an entity that is described ("who are Norland's citizens")."""
    return Meaning(SELF, put(entity.conditions, entity.term, SELF))


@operation
def members(first: Meaning, *others: Meaning | None) -> Meaning | None:
    """Return a coordination of entities."""
    parts = tuple(part for each in (first, *others) if each is not None for part in members_of(each))
    return replace(first, members=parts) if len(parts) > 1 else first


@operation
def restrict(entity: Meaning, *properties: Meaning | None) -> Meaning | None:
    """Return an entity of which properties hold; a value has no relations of its own.

    What stands behind "of" is the base of a relational noun, and no property.
    """
    found = [c for each in properties if each for c in each.conditions if c[1] == SELF]
    if entity.noun is not None and entity.noun.is_literal:
        if any(c[0] in ("relation", "degree", "superlative") for c in found):
            return None
    if entity.is_free and any(c[:3] == ("relation", SELF, "of") for c in found):
        return None
    return replace(entity, conditions=entity.conditions + said_of(entity.term, *properties))


@operation
def counted_things(entity: Meaning) -> Meaning:
    """Return an entity of which the question asks how many there are."""
    return replace(entity, shape="count")


@operation
def titled(chunk: Chunk, noun: Chunk) -> Meaning | None:
    """Return a name behind a noun in the singular, which only says what it is ("the song Yesterday")."""
    return None if noun.is_plural else name(chunk)


@operation
def one_of_its_class(chunk: Chunk, group: Chunk) -> Meaning | None:
    """Return a name whose class is said with it ("the Sales department", "the film Inception")."""
    return name(chunk) if chunk.types & group.classes and not group.is_plural else None


@operation
def held(chunk: Chunk, relation: Meaning) -> Meaning | None:
    """Return the values of a noun for things of which properties hold ("models that weigh 900 kg")."""
    return of(chunk, restrict(holder(chunk), relation) or holder(chunk))


@operation
def through(chunk: Chunk, relation: Meaning) -> Meaning | None:
    """Return the values of a noun for the things to which they are said to be related ("languages used on channels").

    The graph states a value with its base only, so the noun itself is the relation and the verb is left out.
    """
    term = fresh(chunk)
    found = tuple(_turned(condition, chunk.text, term) for condition in relation.conditions)
    is_related = any(c[0] == "relation" and c[3] == term for c in walk(found))
    return Meaning(term, found, noun=chunk) if chunk.is_literal and is_related else None


def _turned(condition: Condition, phrase: str, term: str) -> Condition:
    if condition[0] == "not":
        return "not", tuple(_turned(inner, phrase, term) for inner in condition[1])
    if condition[0] == "relation" and SELF in (condition[1], condition[3]):
        return "relation", condition[3] if condition[1] == SELF else condition[1], phrase, term
    return _put(condition, SELF, term)  # type: ignore[no-any-return]


@operation
def chunks(*parts: Any) -> tuple[Chunk, ...]:
    """Return chunks in a row."""
    return tuple(c for part in parts if part for c in (part if isinstance(part, tuple) else (part,)))


@operation
def chain(base: Meaning, *nouns: Any) -> Meaning | None:
    """Return what a row of relational nouns leads to ("Norland's capital's mayor")."""
    found: Meaning | None = base
    for chunk in chunks(*nouns):
        found = of(chunk, found) if found is not None else None
    return found


@operation
def text(chunk: Chunk) -> str:
    """Return the words of a chunk."""
    return chunk.text


# ----------------------------------------------------------------------------------------------------------- properties
@operation
def both(*properties: Meaning | None) -> Meaning:
    """Return the conjunction of properties."""
    return Meaning(SELF, said_of(SELF, *properties))


@operation
def not_(entity: Meaning) -> Meaning:
    """Return a property that must not hold."""
    return Meaning(SELF, (("not", entity.conditions),))


@operation
def relate(phrase: str, entity: Meaning) -> Meaning:
    """Return the property of being related to an entity ("in Norland", "from France")."""
    conditions: Conditions = ()
    for each in members_of(entity):
        conditions += (*each.conditions, ("relation", SELF, phrase, each.term))
    return Meaning(SELF, conditions)


@operation
def related_by(chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the property of having an entity as its NOUN ("whose author is X", "with X as director")."""
    return relate(chunk.text, entity)


@operation
def except_(entity: Meaning) -> Meaning:
    """Return the property of being none of some things ("other than A and B")."""
    names = entity.conditions[0][2] if is_listed(entity) else (each.term for each in members_of(entity))
    return Meaning(SELF, tuple(("filter", SELF, "!=", name, "") for name in names))


@operation
def class_property(chunk: Chunk) -> Meaning:
    """Return the property of being of a class."""
    return Meaning(SELF, (("class", SELF, chunk.text),))


@operation
def demonym(chunk: Chunk) -> Meaning:
    """Return the property of being of a people or country ("French")."""
    return Meaning(SELF, (("relation", SELF, "", chunk.country or chunk.text),))


@operation
def modifier(chunk: Chunk) -> Meaning:
    """Return the property that a name or value before a noun says ("red products", "jazz albums")."""
    return Meaning(SELF, (("relation", SELF, "", chunk.text),))


@operation
def unused(chunk: Chunk) -> Meaning:
    """Return the property of a word that the graph does not know."""
    return Meaning(SELF, (("unused", SELF, chunk.text),))


@operation
def flag(chunk: Chunk) -> Meaning:
    """Return the property that a predicate of truth values states ("heated", "a lifeboat")."""
    return Meaning(SELF, (("flag", SELF, chunk.text, chunk.truths, fresh(chunk)),))


@operation
def has(chunk: Chunk, *properties: Meaning | None) -> Meaning:
    """Return the property of having something of a relational noun of which properties hold."""
    term = fresh(chunk, chunk.lower + "2")
    return Meaning(SELF, (("relation", SELF, chunk.text, term), *class_of(term, chunk), *said_of(term, *properties)))


@operation
def has_none(chunk: Chunk) -> Meaning:
    """Return the property of having nothing of a relational noun ("no supplier", "without suppliers")."""
    term = fresh(chunk)
    return Meaning(SELF, (("not", (("relation", SELF, chunk.text, term),)), *class_of(term, chunk)))


@operation
def has_count(quantity: Meaning, chunk: Chunk) -> Meaning:
    """Return the property of having so many of a noun: a number that the graph states, or a count."""
    term = fresh(chunk, chunk.lower + "2")
    relation = ("relation", SELF, chunk.text, term)
    if chunk.is_literal:
        return Meaning(SELF, (relation, *said_of(term, quantity)))
    counts = tuple(("having", SELF, c[2], c[3], term) for c in quantity.conditions if c[0] == "filter")
    return Meaning(SELF, (relation, *class_of(term, chunk), *counts))


@operation
def has_most(superlative: Meaning, chunk: Chunk) -> Meaning:
    """Return the property of having the most, or the highest, of a relational noun ("the highest budget")."""
    term = fresh(chunk, chunk.lower + "2")
    condition = superlative.conditions[0]
    is_counted = condition[2] == "count" and not chunk.is_literal
    conditions: Conditions = (("relation", SELF, chunk.text, term), *(class_of(term, chunk) if is_counted else ()))
    is_rising = condition[2] in ("count", "first") or quantity_sign(condition[2]) > 0
    descending = condition[3] == is_rising
    return Meaning(SELF, (*conditions, ("order", term, descending, condition[4], condition[5], is_counted)))


def quantity_sign(adjective: str) -> int:
    """Return 1 if more of a quantity is more ADJECTIVE, -1 if it is less so ("low", "cheap")."""
    return max((sign for _, sign in quantities_of(adjective)[:1]), default=1)


@operation
def value_of(chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the property that a relational noun has a value as a name ("the symbol Ve", "the email x@y")."""
    return relate(chunk.text, entity)


@operation
def number_of(chunk: Chunk, number: Chunk) -> Meaning:
    """Return the property that a relational noun has a number as its value ("the atomic number 132")."""
    term = fresh(chunk, chunk.lower + "2")
    return Meaning(SELF, (("relation", SELF, chunk.text, term), ("filter", term, "=", number.value, "")))


@operation
def numbered(number: Chunk) -> Meaning:
    """Return the property of having a number as its id ("car 39")."""
    term = f"?id@{number.start}"
    return Meaning(SELF, (("relation", SELF, "id", term), ("filter", term, "=", number.value, "")))


@operation
def per(group: Chunk, preposition: str = "") -> Meaning:
    """Return the property by which a count is taken apart ("per department")."""
    term = fresh(group)
    phrase = preposition or "" if group.group else group.text
    return Meaning(SELF, (("relation", SELF, phrase, term), *class_of(term, group), ("group", term)))


# ----------------------------------------------------------------------------------------------------------- quantities
@operation
def compare(operator: str, value: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it is above, below or equal to another."""
    return Meaning(SELF, (("filter", SELF, operator, value.value, unit.lower if unit else value.unit),))


@operation
def one_of(*values: Chunk) -> Meaning:
    """Return the property of a value that it is one of several ("2014 or 2015")."""
    return Meaning(SELF, (("values", SELF, tuple(value.text for value in values)),))


@operation
def within(low: Chunk, high: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it lies between two others."""
    return both(compare(">=", replace(low, value=low.value), unit), compare("<=", high, unit))


@operation
def period(chunk: Chunk) -> Meaning:
    """Return the property of a date that it lies in a decade or a century."""
    low, high = chunk.value.split("/")
    return Meaning(SELF, (("filter", SELF, ">=", low, ""), ("filter", SELF, "<=", high, "")))


@operation
def dated(time: Meaning) -> Meaning:
    """Return the property of having a time ("concerts in 2014")."""
    return Meaning(SELF, (("dated", SELF, time.conditions),))


@operation
def degree(chunk: Chunk, quantity: Meaning) -> Meaning:
    """Return the property of being ADJECTIVE by a quantity ("300 mm wide", "longer than 100 minutes")."""
    return Meaning(SELF, (("degree", SELF, chunk.adjective, quantity.conditions, chunk.start),))


@operation
def measured(quantity: Meaning, unit: Chunk) -> Meaning | None:
    """Return the property of a thing that a unit measures ("under 5 euros", "over 100 km")."""
    adjective = measuring(unit.lower, "")
    if not adjective:
        return None
    inner = tuple((*c[:4], unit.lower) for c in quantity.conditions)
    return Meaning(SELF, (("degree", SELF, adjective, inner, unit.start),))


@operation
def priced(quantity: Meaning) -> Meaning:
    """Return the property of having a price, where a number has no unit ("bikes under 800")."""
    return Meaning(SELF, (("degree", SELF, "expensive", quantity.conditions, 0),))


@operation
def average(operator: str) -> Meaning:
    """Return the property of a value that it lies above or below the average."""
    return Meaning(SELF, (("filter", SELF, operator, MEAN, ""),))


@operation
def compare_degree(chunk: Chunk, value: Chunk, unit: Chunk | None = None) -> Meaning:
    """Return the property of a value that it is more ADJECTIVE than another ("whose age is higher than 30")."""
    return compare(">" if quantity_sign(chunk.adjective) > 0 else "<", value, unit)


@operation
def less_than(chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the property of being less ADJECTIVE than another thing."""
    return Meaning(SELF, (*entity.conditions, ("degree_of", SELF, chunk.adjective, entity.term, chunk.start, False)))


@operation
def more_than(chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the property of being more ADJECTIVE than another thing ("longer than Glass Orchard")."""
    return Meaning(SELF, (*entity.conditions, ("degree_of", SELF, chunk.adjective, entity.term, chunk.start)))


@operation
def most(adjective: Chunk | str, descending: str = "yes", limit: Any = 1, offset: Any = 0) -> Meaning:
    """Return the property of being the most ADJECTIVE; "count" and "first" are adjectives of their own kind."""
    text = adjective if isinstance(adjective, str) else adjective.adjective
    count = int(limit.value) if isinstance(limit, Chunk) else int(limit)
    before = int(offset.value) - 1 if isinstance(offset, Chunk) else int(offset)
    return Meaning(SELF, (("superlative", SELF, text, descending == "yes", count, before),))


@operation
def limited(superlative: Meaning, limit: Chunk) -> Meaning:
    """Return a superlative that asks for several things ("the two largest")."""
    condition = superlative.conditions[0]
    return Meaning(SELF, ((*condition[:4], int(limit.value), condition[5]),))


@operation
def exceeding(operator: str, entity: Meaning) -> Meaning:
    """Return the property of a value that it exceeds that of another thing ("greater than that of X")."""
    return Meaning(SELF, (*entity.conditions, ("exceeds", SELF, operator, entity.term)))


@operation
def has_more(operator: str, chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the property of having a higher value of a relational noun than another thing."""
    mine, other = fresh(chunk, chunk.lower + "2"), fresh(chunk, chunk.lower + "3")
    relations = (("relation", SELF, chunk.text, mine), ("relation", entity.term, chunk.text, other))
    return Meaning(SELF, (*entity.conditions, *relations, ("filter", mine, operator, other, "")))


@operation
def exceeds(operator: str, entity: Meaning, other: Meaning) -> Meaning | None:
    """Return the question whether a value exceeds that of another thing ("A's budget is greater than that of B")."""
    if entity.noun is None or not entity.base:
        return None
    term = fresh(entity.noun, entity.noun.lower + "2")
    relation = ("relation", other.term, entity.noun.text, term)
    found = (*entity.conditions, *other.conditions, relation, ("filter", entity.term, operator, term, ""))
    return Meaning("", found, shape="boolean")


# ---------------------------------------------------------------------------------------------------------------- verbs
@operation
def argument(preposition: str | None, value: Any, kind: str = "object") -> Arguments:
    """Return what stands behind a verb."""
    return (Argument(preposition or "", value, kind),)


@operation
def arguments(*parts: Arguments | None) -> Arguments:
    """Join what stands behind a verb."""
    return tuple(each for part in parts if part for each in part)


@operation
def verb(chunk: Chunk, parts: Arguments | None = None) -> Meaning | None:
    """Return the property of doing what a verb and its arguments say."""
    conditions: Conditions = ()
    for part in parts or ():
        found = _ARGUMENTS[part.kind](chunk, part)
        if found is None:
            return None
        conditions += found
    return Meaning(SELF, conditions) if conditions else None


@operation
def prefixed(word: str, chunk: Chunk) -> Chunk:
    """Return a verb with a word before it that belongs to its meaning ("first awarded")."""
    return replace(chunk, text=f"{word} {chunk.text}")


@operation
def compound(chunk: Chunk, noun: Chunk) -> Chunk:
    """Return two chunks as one: "take place", "do the music", "doctoral supervisor"."""
    known = noun if noun.predicate is not None else chunk
    text = f"{chunk.text} {noun.text}"
    return replace(known, text=text, lower=text.lower(), start=chunk.start, end=noun.end)


@operation
def object_role(subject: Meaning, chunk: Chunk) -> Meaning:
    """Return the property of having the subject as its NOUN ("films that X did the screenplay for")."""
    return relate(chunk.text, subject)


@operation
def verb_but(chunk: Chunk, parts: Arguments, preposition: str | None, entity: Meaning) -> Meaning | None:
    """Return the property of doing something to one thing and not to another ("starred in A but not in B")."""
    done = verb(chunk, parts)
    return both(done, not_(relate(f"{chunk.text} {preposition or ''}".strip(), entity))) if done else None


def _object(chunk: Chunk, part: Argument) -> Conditions:
    phrase = f"{chunk.text} {part.preposition}".strip()
    return relate(phrase, part.value).conditions


def _time(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk, "date")
    return (("relation", SELF, chunk.text, term), *said_of(term, part.value))


def _amount(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk)
    return (("relation", SELF, chunk.text, term), *said_of(term, part.value))


def _ranked(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk, "date")
    return (("relation", SELF, chunk.text, term), ("order", term, part.value == "last", 1, 0, False))


def _beyond(chunk: Chunk, part: Argument) -> Conditions:
    mine, theirs = fresh(chunk, "date"), fresh(chunk, "date2")
    relations = (("relation", SELF, chunk.text, mine), ("relation", part.value.term, chunk.text, theirs))
    return (*part.value.conditions, *relations, ("filter", mine, part.preposition, theirs, ""))


def _counted(chunk: Chunk, part: Argument) -> Conditions:
    quantity, noun = part.value
    term = fresh(noun)
    if noun.is_literal:
        return (("relation", SELF, noun.text, term), *said_of(term, quantity))
    kinds = class_of(term, noun)
    counts = tuple(("having", SELF, c[2], c[3], term) for c in quantity.conditions if c[0] == "filter")
    return (("relation", SELF, chunk.text if kinds else f"{chunk.text} {noun.text}", term), *kinds, *counts)


def _often(chunk: Chunk, part: Argument) -> Conditions:
    term, (condition, *_) = fresh(chunk, chunk.lower + "2"), part.value.conditions
    if condition[0] == "superlative":
        return (("relation", SELF, chunk.text, term), ("order", term, condition[3], condition[4], condition[5], True))
    return _times(chunk, Argument("", (part.value, replace(chunk, text=""))))


def _times(chunk: Chunk, part: Argument) -> Conditions:
    quantity, noun = part.value
    term = fresh(noun)
    counts = tuple(("having", SELF, c[2], c[3], term) for c in quantity.conditions if c[0] == "filter")
    return (("relation", SELF, f"{chunk.text} {noun.text}".strip(), term), *counts)


def _most(chunk: Chunk, part: Argument) -> Conditions:
    superlative, noun = part.value
    condition, term = superlative.conditions[0], fresh(noun)
    phrase = noun.text if noun.is_literal or noun.group is None else f"{chunk.text} {part.preposition}".strip()
    kinds = class_of(term, noun)
    order = ("order", term, condition[3], condition[4], condition[5], not noun.is_literal)
    return (("relation", SELF, phrase, term), *kinds, order)


def _per(chunk: Chunk, part: Argument) -> Conditions:
    return per(part.value, f"{chunk.text} {part.preposition}".strip()).conditions


def _any(chunk: Chunk, part: Argument) -> Conditions:
    return (("relation", SELF, f"{chunk.text} {part.preposition}".strip(), fresh(chunk)),)


def _noun(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(part.value)
    return (("relation", SELF, f"{chunk.text} {part.value.text}", term),)


_ARGUMENTS: dict[str, Callable[[Chunk, Argument], Conditions | None]] = {
    "object": _object, "time": _time, "amount": _amount, "ranked": _ranked, "counted": _counted, "most": _most,
    "noun": _noun, "per": _per, "beyond": _beyond, "any": _any, "times": _times,
    "often": _often,
}  # fmt: skip


@operation
def counted(quantity: Meaning, chunk: Chunk) -> tuple[Meaning, Chunk]:
    """Return a quantity with the noun that it counts."""
    return quantity, chunk


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in which one thing is missing: its subject, and the words of the verb and its preposition."""

    subject: Meaning
    words: tuple[Chunk | str, ...]
    time: Meaning | None = None


@operation
def clause(subject: Meaning, *words: Any) -> Clause:
    """Return a clause without its object ("X directed", "was X born in")."""
    return Clause(subject, tuple(word for word in words if word))


@operation
def timed(told: Clause, time: Meaning | None) -> Clause:
    """Return a clause with the time of what it tells ("X directed since 1990")."""
    return replace(told, time=time)


@operation
def asked_object(entity: Meaning, subject: Meaning | Clause, *phrase: Any) -> Conditions:
    """Return the claim that subjects do to an entity what a verb says ("films that X directed", "did X direct")."""
    time: Conditions = ()
    if isinstance(subject, Clause):
        chunk = next((word for word in subject.words if isinstance(word, Chunk)), None)
        if subject.time is not None and chunk is not None:
            time = put(_time(chunk, Argument("", subject.time)), SELF, entity.term)
        phrase = (*subject.words, *phrase)
        subject = subject.subject
    words = [part.text if isinstance(part, Chunk) else part for part in phrase if part]
    is_bare = not any(isinstance(part, Chunk) for part in phrase)
    if entity.is_free and entity.noun is not None and (entity.noun.predicate is not None or is_bare):
        words = [entity.noun.text] if is_bare else [*words, entity.noun.text]
    text = " ".join(words)
    conditions = entity.conditions
    for each in members_of(subject):
        conditions += (*each.conditions, ("relation", each.term, text, entity.term))
    return conditions + time


@operation
def object_clause(subject: Meaning | Clause, *phrase: Any) -> Meaning:
    """Return the property that subjects do to it what a verb says ("that Uma Fell plays for")."""
    return Meaning(SELF, asked_object(Meaning(SELF), subject, *phrase))


# ------------------------------------------------------------------------------------------------------------ questions
@operation
def ask(shape: str, entity: Meaning, *conditions: Any) -> Meaning | None:
    """Return the question for an entity; further conditions and properties restrict it."""
    found = entity.conditions
    is_alone = not any(getattr(each, "conditions", each) for each in conditions)
    if entity.is_free and entity.noun is not None and is_alone and (entity.noun.is_known or not found):
        found += (("relation", fresh(entity.noun, "of_" + entity.noun.lower), entity.noun.text, entity.term),)
    for each in conditions:
        found += said_of(entity.term, each) if isinstance(each, Meaning) else each or ()
    shape = entity.shape or shape
    if shape == "list" and any(condition[0] == "group" for condition in found):
        return None
    return Meaning(entity.term, _unique(found), shape=shape, columns=entity.columns, aggregate=entity.aggregate)


@operation
def list_of(entity: Meaning, order: Meaning | None = None) -> Meaning | None:
    """Return the question that a noun phrase is by itself ("red products"); a name alone asks for nothing."""
    if entity.name is not None and not entity.conditions:
        return None
    return ask("list", entity, order)


@operation
def ask_number(chunk: Chunk, subject: Meaning, *phrase: Any) -> Meaning:
    """Return the question for a number that the graph states, or for a count ("how many goals did X score?")."""
    term = fresh(chunk)
    text = " ".join([part.text for part in phrase] + [chunk.text])
    relation = ("relation", subject.term, text, term)
    return Meaning(
        term, (*subject.conditions, relation, *class_of(term, chunk)), shape="number" if chunk.is_numeric else "count"
    )


@operation
def has_role(chunk: Chunk) -> Meaning:
    """Return the property of being the NOUN of anything ("the capital of something")."""
    return related_to(chunk, unknown("thing"))


@operation
def related_to(chunk: Chunk, base: Meaning) -> Meaning:
    """Return the property of being the NOUN of something ("the spouse of X")."""
    return Meaning(SELF, (*base.conditions, ("relation", base.term, chunk.text, SELF)))


@operation
def claim(*parts: Any) -> Meaning:
    """Return the question whether conditions hold; properties are said of the first entity."""
    first = parts[0]
    found: Conditions = first.conditions if isinstance(first, Meaning) else first
    for each in parts[1:]:
        if isinstance(each, Meaning):
            for member in members_of(first):
                found += said_of(member.term, each)
        elif each:
            found += each
    return Meaning("", _unique(found), shape="boolean")


@operation
def holds(entity: Meaning, value: Meaning) -> Meaning | None:
    """Return the question whether what a relational noun names is a value ("is the genre of X drama?")."""
    if entity.noun is None or not entity.base:
        return None
    if value.term == SELF:
        return claim(entity, value)
    return Meaning("", (*put(entity.conditions, entity.term, value.term), *value.conditions), shape="boolean")


@operation
def is_a(entity: Meaning, chunk: Chunk) -> Meaning:
    """Return the question whether a thing is of a class."""
    return Meaning("", (("class", "?one@", chunk.text), ("values", "?one@", (entity.term,))), shape="boolean")


@operation
def is_role(entity: Meaning, chunk: Chunk) -> Meaning:
    """Return the question whether a thing plays a role for anything ("is Ann Moss a manager?")."""
    return Meaning("", (*entity.conditions, ("relation", fresh(chunk), chunk.text, entity.term)), shape="boolean")


@operation
def aggregate(function: str, chunk: Chunk, base: Meaning | None = None) -> Meaning | None:
    """Return the question for an aggregate of a relational noun over all its bases."""
    found = of(chunk, base) if base is not None else None
    if base is not None and found is None:
        return None
    if found is None:
        found = Meaning(fresh(chunk), (("relation", fresh(chunk, "of_" + chunk.lower), chunk.text, fresh(chunk)),))
    return Meaning(found.term, found.conditions, shape="number", aggregate=function)


@operation
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


@operation
def columns(entity: Meaning, *nouns: Any) -> Meaning | None:
    """Return the question for things and what relational nouns name of them ("singers and their ages")."""
    return table(entity, Chunk("", "", -1, -1), *nouns)


@operation
def column_of(question: Meaning, chunk: Chunk) -> Meaning | None:
    """Return the question for a relational noun of what another question asks for ("Which ...? List the ids.")."""
    found = of(chunk, question) if question.shape == "list" and not question.aggregate else None
    return ask("list", found) if found else None


@operation
def measure(chunk: Chunk, entity: Meaning) -> Meaning:
    """Return the question how ADJECTIVE a thing is."""
    term = f"?value@{chunk.start}"
    return Meaning(term, (*entity.conditions, ("measure", entity.term, chunk.adjective, term)), shape="number")


@operation
def ordered(key: Any, direction: str = "", limit: Chunk | None = None) -> Meaning:
    """Return the property of being sorted by a relational noun, or by how many of it there are (``counting``)."""
    chunk, is_counted = key if isinstance(key, tuple) else (key, False)
    term = fresh(chunk)
    many = int(limit.value) if limit else 0
    kinds = class_of(term, chunk) if is_counted else ()
    order = ("order", term, direction == "descending", many, 0, is_counted)
    return Meaning(SELF, (("relation", SELF, chunk.text, term), *kinds, order))


@operation
def counting(chunk: Chunk) -> tuple[Chunk, bool]:
    """Return the number of things that a noun names, as what to sort by ("by the number of concerts")."""
    return chunk, not chunk.is_literal


@operation
def alphabetical(direction: str = "") -> Meaning:
    """Return the property of being sorted by name."""
    return Meaning(SELF, (("alphabetical", SELF, direction == "descending"),))


@operation
def commonest(chunk: Chunk, descending: str = "yes") -> Meaning:
    """Return what a relational noun names of the most things ("the most common genre")."""
    term, base = fresh(chunk), fresh(chunk, "of_" + chunk.lower)
    order = ("order", base, descending == "yes", 1, 0, True)
    return Meaning(term, (("relation", base, chunk.text, term), order), noun=chunk)


@operation
def role_of(value: Meaning, chunk: Chunk, entity: Meaning) -> Conditions:
    """Return the claim that an entity is the NOUN of another ("Tobias Ode is the spouse of Mara Vane")."""
    return (*value.conditions, *entity.conditions, ("relation", entity.term, chunk.text, value.term))


def _unique(conditions: Conditions) -> Conditions:
    return tuple(dict.fromkeys(conditions))


def walk(conditions: Conditions) -> Iterator[Condition]:
    """Yield all conditions, those inside negations too."""
    for condition in conditions:
        yield condition
        if condition[0] == "not":
            yield from walk(condition[1])

"""Operations that build things from nouns and names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chattykg.qir import is_unknown
from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Condition,
    Conditions,
    Meaning,
    class_of,
    fresh,
    is_listed,
    members_of,
    replace_term,
    said_of,
    walk,
)


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
    return Meaning(term, (*strange, *class_of(term, chunk, is_only=True)), noun=chunk, is_free=True)


def of(chunk: Chunk, base: Meaning) -> Meaning:
    """Return what a relational noun names of a base ("director of Inception"); the title of films are the films."""
    if chunk.is_naming and not base.name and not is_listed(base):
        return base
    term = fresh(chunk)
    conditions: Conditions = ()
    for each in members_of(base):
        conditions += (*each.conditions, ("relation", each.term, chunk.text, term))
    return Meaning(term, (*conditions, *class_of(term, chunk, is_only=True)), noun=chunk, base=base.term)


def each_of(chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return what a relational noun names of any of several bases ("melting point of zorium and veltin")."""
    single = either(base) if len(base.members) > 1 else None
    return of(chunk, single) if single else None


def chain(base: Meaning, *nouns: Any) -> Meaning:
    """Return what a row of relational nouns leads to ("Norland's capital's mayor")."""
    for chunk in chunks(*nouns):
        base = of(chunk, base)
    return base


def commonest(chunk: Chunk, descending: str = "yes") -> Meaning | None:
    """Return what a relational noun names of the most things ("the most common genre"); no film is the most common."""
    if chunk.is_class_only:
        return None
    term, base = fresh(chunk), fresh(chunk, "of_" + chunk.lower)
    return Meaning(
        term, (("relation", base, chunk.text, term), ("order", base, descending == "yes", 1, 0, True)), noun=chunk
    )


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
    is_sound = bases and (chunk.is_literal or all(map(is_unknown, bases)))
    return Meaning(term, found, noun=chunk) if is_sound else None


def _turned(condition: Condition, phrase: str, term: str) -> Condition:
    if condition[0] == "not":
        return "not", tuple(_turned(inner, phrase, term) for inner in condition[1])
    if condition[0] == "relation" and SELF in (condition[1], condition[3]):
        return "relation", condition[3] if condition[1] == SELF else condition[1], phrase, term
    return replace_term(condition, SELF, term)  # type: ignore[no-any-return]


def titled(chunk: Chunk, noun: Chunk) -> Meaning | None:
    """Return a name behind a noun in the singular, which only says what it is ("the song Yesterday")."""
    return None if noun.is_plural else name(chunk)


def one_of_its_class(chunk: Chunk, group: Chunk) -> Meaning | None:
    """Return a name whose class is said with it ("the Sales department", "the film Inception")."""
    return name(chunk) if chunk.types & group.classes and not group.is_plural else None


def members(first: Meaning, *others: Meaning | None) -> Meaning:
    """Return a coordination of entities."""
    parts = tuple(part for each in (first, *others) if each is not None for part in members_of(each))
    return replace(first, members=parts) if len(parts) > 1 else first


def listed(names: tuple[Chunk, ...]) -> Meaning:
    """Return a long coordination of names."""
    return members(*(name(chunk) for chunk in names))


def either(names: Meaning) -> Meaning | None:
    """Return one of several names as an unknown."""
    parts = [member for member in members_of(names) if member.name is not None and not member.conditions]
    if len(parts) < len(members_of(names)):
        return None if names.members else names
    term = fresh(parts[0].name or "", "one")
    return Meaning(term, (("values", term, tuple(part.term for part in parts)),))


def counted_things(entity: Meaning) -> Meaning:
    """Return an entity of which the question asks how many there are."""
    return replace(entity, shape="count")


def each(entity: Meaning) -> Meaning:
    """Return things of which a count or an aggregate is asked one by one ("each brewery")."""
    return replace(entity, conditions=(*entity.conditions, ("each", entity.term)))


def restrict(entity: Meaning, *properties: Meaning | None) -> Meaning | None:
    """Return an entity of which properties hold; a value has no relations of its own.

    What stands behind "of" is the base of a relational noun, and no property.
    """
    if not entity.term:
        return None  # a truth has no properties
    found = [c for each in properties if each for c in each.conditions if c[1] == SELF]
    if entity.noun is not None and entity.noun.is_literal:
        if any(c[0] in ("relation", "degree", "superlative") for c in found):
            return None
    if entity.is_free and any(c[:3] == ("relation", SELF, "of") for c in found):
        return None
    return replace(entity, conditions=entity.conditions + said_of(entity.term, *properties))


def chunks(*parts: Any) -> tuple[Chunk, ...]:
    """Return chunks in a row."""
    return tuple(c for part in parts if part for c in (part if isinstance(part, tuple) else (part,)))


def prefixed(word: Chunk | str, chunk: Chunk) -> Chunk:
    """Return a verb or noun with words before it that belong to its meaning (*Regie führen*, "goals of the team")."""
    return replace(chunk, text=f"{word if isinstance(word, str) else word.text} {chunk.text}")


def compound(chunk: Chunk, *following: Any) -> Chunk | None:
    """Return chunks as one: "take place", "do the music", "doctoral supervisor", "date of death"."""
    noun: Chunk = following[-1]
    if chunk.end + len(following) - 1 != noun.start:
        return None
    known = noun if noun.predicate is not None else chunk
    text = " ".join(getattr(part, "text", part) for part in (chunk, *following))
    is_known = chunk.is_known and noun.is_known
    return replace(known, text=text, lower=text.lower(), start=chunk.start, end=noun.end, is_known=is_known)

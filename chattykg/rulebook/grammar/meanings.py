"""The meanings of phrases, and what all operations on them share.

A meaning is a term with the conditions on it. An entity ("films by X") has an unknown or a name as its term; a property
("directed by X") has the term ``SELF``, for which an entity's term is put when the property is said of the entity.
Conditions are tuples that begin with their kind; ``logical_form`` writes them into a QIR.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chattyshared.language.morphology import quantities_of

from chattykg.rulebook.grammar.chunks import Chunk

SELF = "•"
"""The term of a property: what the property is said of."""
WHOLE = frozenset(("having", "group", "order", "superlative", "anaphor", "other"))
"""The kinds of conditions that concern all things together, so that no alternative may hold them."""
Condition = tuple[Any, ...]
Conditions = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a phrase: a term (``?film@2``, a mention, or ``SELF``) and what holds of it.

    ``noun`` is the relational noun that made the unknown ("director"), ``base`` the term that it is related to (without
    one it ``is_free``); ``group`` is a generic noun, a class where nothing else is said; ``members`` are the parts of a
    coordination; ``name`` is the name or pronoun. Of a whole question: its ``shape``, the ``columns`` of a table, and
    the ``aggregate`` of a number that is asked for.
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


def put(conditions: Conditions, old: str, new: str) -> Conditions:
    """Return conditions with one term in the place of another."""
    return tuple(replace_term(condition, old, new) for condition in conditions) if old != new else conditions


def replace_term(part: Any, old: str, new: str) -> Any:
    """Return a condition, or a part of one, with one term in the place of another."""
    if isinstance(part, tuple):
        return tuple(replace_term(inner, old, new) for inner in part)
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


def class_of(term: str, chunk: Chunk, *, is_only: bool = False) -> Conditions:
    """Return the condition that a term is of the class or kind which a noun names, if it names one (``is_only``: and
    nothing else)."""
    if is_only and not chunk.is_class_only:
        return ()
    if chunk.is_kind:
        return (("relation", term, "", chunk.text),)
    return (("class", term, chunk.text),) if chunk.group is not None else ()


def walk(conditions: Conditions) -> Iterator[Condition]:
    """Yield all conditions, those inside negations and alternatives too."""
    for condition in conditions:
        yield condition
        if condition[0] in ("not", "either"):
            yield from (each for conditions in condition[1:] for each in walk(conditions))


def is_listed(entity: Meaning) -> bool:
    """Tell whether an entity is one of listed names."""
    return entity.conditions[:1] != () and entity.conditions[0][0] == "values"


def quantity_sign(adjective: str) -> int:
    """Return 1 if more of a quantity is more ADJECTIVE, -1 if it is less so ("low", "cheap")."""
    return max((sign for _, sign in quantities_of(adjective)[:1]), default=1)

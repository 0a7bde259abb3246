"""Operations that build properties and claims from verbs, their arguments and clauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.language.morphology import PREPOSITIONS

from chattykg.rulebook.grammar.chunks import Chunk
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Argument,
    Arguments,
    Conditions,
    Meaning,
    fresh,
    members_of,
    put,
    quantity_sign,
    said_of,
)
from chattykg.rulebook.grammar.properties import both, has_count, has_most, not_, per, relate


def argument(preposition: str | None, value: Any, kind: str = "object") -> Arguments:
    """Return what stands behind a verb."""
    return (Argument(preposition or "", value, kind),)


def arguments(*parts: Arguments | None) -> Arguments:
    """Join what stands behind a verb."""
    return tuple(each for part in parts if part for each in part)


def verb(chunk: Chunk, parts: Arguments | None = None) -> Meaning | None:
    """Return the property of doing what a verb and its arguments say."""
    conditions: Conditions = ()
    for part in parts or ():
        found = _READERS[part.kind](chunk, part)
        if found is None:
            return None
        conditions += found
    return Meaning(SELF, conditions) if conditions else None


def prefixed(word: Chunk | str, chunk: Chunk) -> Chunk:
    """Return a verb with a word before it that belongs to its meaning ("first awarded", *Regie führen*)."""
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


def verb_but(chunk: Chunk, parts: Arguments, preposition: str | None, entity: Meaning) -> Meaning | None:
    """Return the property of doing something to one thing and not to another ("starred in A but not in B")."""
    done, phrase = verb(chunk, parts), f"{chunk.text} {preposition or parts[0].preposition}".strip()
    return both(done, not_(relate(phrase, entity))) if done else None


def _object(chunk: Chunk, part: Argument) -> Conditions:
    phrase = f"{chunk.text} {part.preposition}".strip()
    return relate(phrase, part.value).conditions


def _value(chunk: Chunk, part: Argument) -> Conditions:
    term = fresh(chunk, "date")
    return (("relation", SELF, chunk.text, term), *said_of(term, part.value))


def _ranked(chunk: Chunk, part: Argument) -> Conditions:
    _, _, adjective, descending, *limits = part.value.conditions[0]
    is_rising = adjective in ("count", "first") or quantity_sign(adjective) > 0
    term = fresh(chunk, "date" if adjective == "first" else "")
    return (("relation", SELF, chunk.text, term), ("order", term, descending == is_rising, *limits, False))


def _beyond(chunk: Chunk, part: Argument) -> Conditions:
    mine, theirs = fresh(chunk, "date"), fresh(chunk, "date2")
    relations = (("relation", SELF, chunk.text, mine), ("relation", part.value.term, chunk.text, theirs))
    return (*part.value.conditions, *relations, ("filter", mine, part.preposition, theirs, ""))


def _counted(chunk: Chunk, part: Argument) -> Conditions:
    quantity, noun = part.value
    return has_count(
        quantity, noun, chunk.text if noun.group or noun.is_kind else f"{chunk.text} {noun.text}"
    ).conditions


def _often(chunk: Chunk, part: Argument) -> Conditions:
    is_most = part.value.conditions[0][0] == "superlative"
    return (has_most if is_most else has_count)(part.value, chunk).conditions


def _most(chunk: Chunk, part: Argument) -> Conditions:
    superlative, noun = part.value
    is_own = noun.is_literal or noun.group is None
    return has_most(superlative, noun, "" if is_own else f"{chunk.text} {part.preposition}".strip()).conditions


def _per(chunk: Chunk, part: Argument) -> Conditions:
    return per(part.value, f"{chunk.text} {part.preposition}".strip()).conditions


def _said(chunk: Chunk, part: Argument) -> Conditions:
    return part.value.conditions  # type: ignore[no-any-return]


def _any(chunk: Chunk, part: Argument) -> Conditions:
    noun = part.value or chunk
    words = (chunk.text, part.preposition, part.value and noun.text)
    return (("relation", SELF, " ".join(word for word in words if word), fresh(noun)),)


_READERS: dict[str, Callable[[Chunk, Argument], Conditions]] = {
    f.__name__[1:]: f for f in (_object, _value, _ranked, _beyond, _counted, _often, _most, _per, _said, _any)
}
"""The functions that read arguments of verbs, by the kind of the argument."""


def counted(quantity: Meaning, chunk: Chunk) -> tuple[Meaning, Chunk]:
    """Return a quantity with the noun that it counts."""
    return quantity, chunk


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause in which one thing is missing: its subject, and the words of the verb and its preposition."""

    subject: Meaning
    words: tuple[Chunk | str, ...]
    time: Meaning | None = None


def clause(subject: Meaning, *words: Any) -> Clause:
    """Return a clause without its object ("X directed", "was X born in")."""
    return Clause(subject, tuple(word for word in words if word))


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

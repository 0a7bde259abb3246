"""Operations that build properties and claims from verbs and their arguments, and whole questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import PREPOSITIONS

from chattykg.qir import is_unknown
from chattykg.rulebook.grammar.meanings import (
    SELF,
    Argument,
    Arguments,
    Chunk,
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
from chattykg.rulebook.grammar.phrases import (
    chunks,
    either,
    has_count,
    has_most,
    holder,
    of,
    per,
    relate,
)

_FUNCTION = word_set("function_words", "closed_class") | {"gender"}


# ------------------------------------------------------------------------------------------------------------- verbs
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
    f.__name__[1:]: f for f in (_object, _value, _ranked, _beyond, _counted, _most, _per, _said, _any)
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


# --------------------------------------------------------------------------------------------------------- questions
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
    return Meaning(entity.term, distinct(found), shape=shape, columns=entity.columns, aggregate=entity.aggregate)


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


def counted_things(entity: Meaning) -> Meaning:
    """Return an entity of which the question asks how many there are."""
    return replace(entity, shape="count")


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
    return aggregate(function, chunk, base) if chunk.is_numeric or function != "sum" else None


def extreme(adjective: Chunk, chunk: Chunk, base: Meaning) -> Meaning | None:
    """Return the question for the highest or lowest of the numbers that things have ("shortest runtime of films")."""
    return total("max" if quantity_sign(adjective.adjective) > 0 else "min", chunk, base) if base.name is None else None


def overall(function: str, question: Meaning) -> Meaning | None:
    """Return the question for a number of things as one for its aggregate over all of them ("cost on average")."""
    if question.shape != "number" or question.aggregate or not is_unknown(question.base):
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

"""Prepositions with their nouns, and names joined by "and" and "or"."""

from __future__ import annotations

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.legacy.closed_words import DETERMINER, INFORMATION, PREPOSITION
from chattykg.rulebook.legacy.comparing import beyond, timed
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.possession import measured, own, read_having
from chattykg.rulebook.legacy.quantities import between, moment

_BASE = ("in", "for", "at", "on", "to", "from", "of", "with")


def stranded(p: Parse) -> bool:
    """Tell whether a preposition without a noun stands at the cursor."""
    following = p.reader.peek(1)
    begins = following.lower in DETERMINER or following.lower in (
        "more",
        "less",
        "fewer",
        "at",
        "over",
        "most",
        "no",
        "both",
        "someone",
        "somebody",
        "something",
    )
    ends = following.kind in ("end", "mark") or following.is_function and not begins
    return p.reader.peek().lower in PREPOSITION and ends


def alternatives(p: Parse, first: Noun) -> list[Noun]:
    """Read "or B", "and C" behind a name: further names."""
    found: list[Noun] = []
    while first.named and p.reader.at("or", "and", ","):
        began = p.reader.place
        p.reader.skip("or", "and", ",", "either", "also", "a", "an")
        other = noun(p, after=False) if p.reader.peek().is_name or p.reader.at("the") else None
        if other is None or not other.named:
            p.reader.place = began
            break
        found.append(other)
    return found


def relate_all(p: Parse, subject: Noun, phrase: str, thing: Noun, *, negative: bool = False) -> None:
    """Relate a subject to an object and to those that are joined to it by "and" / "or"."""
    joined_by_or = _or_ahead(p)
    others = alternatives(p, thing)
    pending = p.draft.pending.pop(thing.end, "") if is_unknown(thing.end) else ""
    said = phrase if not pending or pending == phrase else pending if thing.numeric else f"{phrase} {pending}"
    if others and joined_by_or:
        unknown = p.draft.fresh(phrase)
        p.draft.relate(subject.end, said, unknown, negative=negative)
        p.draft.values.append((unknown, (thing.end, *(other.end for other in others))))
        return
    p.draft.relate(subject.end, said, thing.end, negative=negative)
    for other in others:
        p.draft.relate(subject.end, said, other.end, negative=negative)


def _or_ahead(p: Parse) -> bool:
    ahead = int(p.reader.at("the"))
    while p.reader.peek(ahead).is_name or p.reader.at(",", "or", "and", ahead=ahead):
        if p.reader.at("or", ahead=ahead):
            return True
        ahead += 1
    return False


def prepositional(p: Parse, found: Noun, *, negative: bool = False) -> bool:
    """Read a preposition with its noun behind a noun (or behind "is")."""
    reader = p.reader
    if reader.at("with", "without") and not is_unknown(found.end):
        return False
    if _dated(p, found) or beyond(p, found):
        return True
    if reader.at("per") or reader.at("for", "in", "by", "of", "from") and reader.at("each", "every", ahead=1):
        return _grouped(p, found)
    sorting = reader.at("in") and reader.at(
        "descending", "ascending", "order", "alphabetical", "increasing", "decreasing", ahead=1
    )
    if reader.at("than") or sorting or stranded(p):
        return False
    preposition = reader.take().lower
    if preposition == "with":
        if not negative and _is_party(p, found):
            return _with_parties(p, found)
        return read_having(p, found, negative=negative)
    thing = noun(p)
    if thing is None or not thing.end:
        return False
    if not _within(p, found, thing, preposition):
        said = "" if preposition in ("of", "among") else preposition
        relate_all(p, found, said, thing, negative=negative)
        measured(p, found, thing)
    return True


def _is_party(p: Parse, found: Noun) -> bool:
    """Tell whether the name behind "contracts with" is what the relation leads to, and none of its properties."""
    entry, said = p.roles.get(found.end), p.reader.peek(int(p.reader.at("the")))
    held = any(t.object == found.end for t in p.draft.triples)
    return (
        entry is not None
        and held
        and said.is_name
        and bool(p.card.expand_classes(said.classes).intersection(entry.ranges))
    )


def _with_parties(p: Parse, found: Noun) -> bool:
    joined_by_or = _or_ahead(p)
    thing = noun(p, after=False)
    if thing is None:
        return False
    names = [thing, *alternatives(p, thing)]
    held = [t for t in p.draft.triples if t.object == found.end]
    if joined_by_or:
        p.draft.values.append((found.end, tuple(name.end for name in names)))
        return True
    for relation in held:
        for name in names:
            p.draft.relate(relation.subject, relation.relation, name.end)
        p.draft.triples.remove(relation)
    return True


def _dated(p: Parse, found: Noun) -> bool:
    """Read "between 1990 and 2000", "in 2010", "before May 2001" behind a noun."""
    bounds = between(p.reader)
    if bounds:
        value = found.end
        if not found.literal:
            value = p.draft.fresh("date")
            p.draft.relate(found.end, p.time_noun(found.end, bounds[0]), value)
        for operator, said in zip((">=", "<="), bounds, strict=True):
            p.draft.compare(value, operator, said)
        return True
    when = moment(p.reader)
    if when and found.literal and found.end in p.draft.pending:
        p.draft.compare(found.end, when.operator, when.value)
    elif when:
        timed(p, found.end, "", when)
    return when is not None


def _within(p: Parse, found: Noun, thing: Noun, preposition: str) -> bool:
    """Handle the prepositions that do not relate two things: "about X", "of 5", "by weight", "mayor in X"."""
    if found.head.lower().rsplit(" ", 1)[-1] in INFORMATION and preposition in ("about", "for", "on"):
        p.draft.pending.pop(found.end, "")
        p.draft.equate(found.end, thing.end)
        found.end, found.named = thing.end, thing.named
        return True
    if thing.quantity and thing.number:
        p.draft.compare(found.end, "=", thing.end)
        return True
    if preposition == "by" and found.superlative and (thing.literal or thing.end in p.draft.pending):
        best, found.superlative = found.superlative, None
        own(p, found, thing)
        p.draft.order = Order(thing.end, best.descending != best.least, limit=best.limit, offset=best.offset)
        return True
    classes = p.groups.get(thing.end, ())
    if thing.named and classes and preposition != "of" and p.is_role(found.end, classes):
        p.open_base(found.end)
        return False
    if found.end in p.draft.pending and preposition in _BASE and not found.is_class:
        p.draft.settle(found.end, thing.end)
        return True
    return False


def _grouped(p: Parse, found: Noun) -> bool:
    """Read "per country", "for each singer": the groups of a count or of an aggregate."""
    p.reader.take()
    group = noun(p)
    if group is None:
        return False
    if not p.draft.settle(found.end, group.end):
        if group.end in p.draft.pending:
            p.draft.settle(group.end, found.end)
        else:
            p.draft.relate(found.end, "", group.end)
    if not p.averaged:
        p.grouped.append(group.end)
    return True

"""What stands before a noun: determiners, aggregates, and modifiers of which one is meant ("red or blue cars")."""

from __future__ import annotations

from chattykg.rulebook.legacy.closed_words import DETERMINER
from chattykg.rulebook.legacy.parse import Parse
from chattykg.rulebook.legacy.quantities import names_value

_AGGREGATES = {"average": "avg", "mean": "avg", "avg": "avg", "sum": "sum", "overall": "sum", "combined": "sum"}


def determiners(p: Parse) -> tuple[bool, bool]:
    """Move past determiners; tell whether one was "no", and whether one was "each" or "every"."""
    negative = grouped = False
    while (
        p.reader.peek().lower in DETERMINER
        or p.reader.at("no", "of", "only", "many")
        and p.reader.peek(1).kind != "end"
    ):
        if p.reader.at("of") and not p.reader.at("the", "all", "these", "those", "them", ahead=1):
            break
        negative = negative or p.reader.at("no")
        grouped = grouped or p.reader.at("each", "every")
        p.reader.take()
    return negative, grouped


def aggregate_of(p: Parse) -> str:
    """Return the aggregate that is named before a noun ("average", "total"), and move past it; "" for none."""
    reader = p.reader
    if names_value(reader):
        return ""
    if reader.at("total") and reader.peek(1).is_content and not reader.at("number", "count", ahead=1):
        reader.take()
        return "sum"
    if reader.at("total", "overall") and reader.at("number", "count", ahead=1):
        reader.take()
        return ""
    if reader.peek().lower in _AGGREGATES and (reader.peek(1).is_content or reader.at("of", ahead=1)):
        kind = _AGGREGATES[reader.take().lower]
        p.averaged = reader.at_sequence("number", "of") and p.is_numeric(reader.peek(2))
        reader.skip_sequence("number", "of") if p.averaged else None
        reader.skip("of", "the", "all")
        return kind
    return ""


def either(p: Parse, *, role: bool = False) -> tuple[str, ...]:
    """Read "red or blue" before a class (or the predicate of a ``role``), where the graph has all of these names."""
    reader = p.reader
    began = reader.place
    found = []
    while reader.peek().vertex or reader.peek().value:
        if reader.peek().group:
            break
        found.append(reader.take().text)
        if not reader.skip(",", "or", "and"):
            break
    following = reader.peek()
    joined = {atom.lower for atom in reader.atoms[began : reader.place]} & {"or", "and"}
    known = following.predicate if role else following.group and (following.is_plural or not following.is_verb)
    if len(found) < 2 or not joined or not following.is_content or not known:
        reader.place = began
        return ()
    return tuple(found)

"""What stands behind a verb and says more than it: "is kept warmest", "works as an actor", "as their capital"."""

from __future__ import annotations

from dataclasses import replace

from chattykg.qir import Order
from chattykg.rulebook.legacy.nouns import order_by
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.quantities import superlative


def kept_most(p: Parse, subject: Noun) -> bool:
    """Read "warmest" behind "is kept" (the verb says nothing), "the longest to build" behind "takes" (the building)."""
    began = p.reader.place
    p.reader.skip("the")
    best = superlative(p.reader)
    infinite = best is not None and p.reader.at("to") and p.reader.peek(1).is_content
    if infinite and best is not None and best.adjective == "long":
        p.reader.take()
        phrase = f"{p.reader.take().text} time"
        value = p.draft.fresh(phrase)
        p.draft.relate(subject.end, phrase, value)
        p.draft.order = Order(value, best.descending, limit=best.limit, offset=best.offset)
        return True
    if best is None or not best.adjective or not p.reader.done:
        p.reader.place = began
        return False
    order_by(p, subject.end, best)
    return True


def known_as(p: Parse) -> Noun | None:
    """Read "an actor" behind "work as" where the graph has the word as a literal, whatever else it may name."""
    began = p.reader.place
    p.reader.skip("a", "an", "the")
    atom, following = p.reader.peek(), p.reader.peek(1)
    if atom.value and not atom.group and not following.is_content:
        return Noun(p.reader.take().text, named=True)
    p.reader.place = began
    return None


def as_role(p: Parse, subject: Noun, verb: str) -> bool:
    """Read "as their native language" behind "speak X": the role names the relation, not the verb."""
    reader = p.reader
    began = reader.place
    words = []
    if reader.skip("their", "its", "his", "her"):
        while reader.peek().is_content and not reader.peek().is_name:
            words.append(reader.take().text)
    rows = [n for n, t in enumerate(p.draft.triples) if t.subject == subject.end and t.relation == verb]
    if not words or not rows:
        reader.place = began
        return False
    p.draft.triples[rows[-1]] = replace(p.draft.triples[rows[-1]], relation=" ".join(words))
    return True

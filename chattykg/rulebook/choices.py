"""Superlatives and choices behind a question word: "which is larger, A or B"."""

from __future__ import annotations

from chattykg.linking.wording import degree
from chattykg.rulebook.nouns import noun, order_by
from chattykg.rulebook.parse import Noun, Parse, Superlative
from chattykg.rulebook.prepositions import alternatives
from chattykg.rulebook.quantities import superlative


def described_choice(p: Parse, target: Noun) -> bool:
    """Read "which is larger, A or B": the names bound the thing asked for, and the adjective orders them."""
    reader = p.reader
    began = reader.place
    reader.skip("the")
    more = not reader.at("less")
    if reader.at("more", "less") and reader.peek(1).is_content:
        reader.take()
        adjective = reader.take().lower
    else:
        adjective, ending = degree(reader.take().lower)
        adjective = adjective if ending else ""
    reader.skip("one", ",", ":", "-", "of")
    first = noun(p, after=False) if adjective and reader.peek().is_name else None
    names = [first, *alternatives(p, first)] if first and first.named else []
    if len(names) < 2:
        reader.place = began
        return False
    p.draft.values.append((target.end, tuple(name.end for name in names)))
    order_by(p, target.end, Superlative(adjective, descending=True, least=not more))
    return True


def superlative_at(p: Parse) -> bool:
    """Tell whether a superlative stands at the cursor."""
    began = p.reader.place
    found = superlative(p.reader)
    p.reader.place = began
    return found is not None

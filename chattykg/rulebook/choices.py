"""Superlatives and choices behind a question word: "which is larger, A or B"."""

from __future__ import annotations

from dataclasses import replace

from chattykg.linking.wording import degree
from chattykg.qir import Order, is_unknown
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


def take_choice(p: Parse) -> tuple[str, ...]:
    """Cut ", A or B" off the end of "who made more films, A or B" and say "most" for "more"; return the names."""
    atoms = [atom for atom in p.reader.atoms if not (atom.is_mark and atom.lower in "?.!")]
    cut = max((n for n, atom in enumerate(atoms) if atom.lower in (",", ":", "-") and atom.is_mark), default=0)
    names = atoms[cut + 1 :]
    either = [n for n, atom in enumerate(names) if atom.lower == "or"]
    if (
        cut < 2
        or atoms[cut - 1].is_name
        or len(either) != 1
        or not 0 < either[0] < len(names) - 1
        or degree(atoms[cut - 1].lower)[1] == "er"
    ):
        return ()
    if not all(atom.is_content or atom.lower in ("or", "the") for atom in names):
        return ()
    p.reader.atoms = tuple(
        replace(atom, text=_MOST[atom.lower], lower=_MOST[atom.lower]) if atom.lower in _MOST else atom
        for atom in atoms[:cut]
    )
    sides = names[: either[0]], names[either[0] + 1 :]
    return tuple(" ".join(atom.text for atom in side if atom.lower != "the") for side in sides)


def choose(p: Parse, names: tuple[str, ...]) -> None:
    """Bound the thing asked for to the names; "who earns most" orders by what the verb binds."""
    if not names or not is_unknown(p.draft.target) or p.draft.values:
        return
    p.draft.values.append((p.draft.target, names))
    said = [t for t in p.draft.triples if t.subject == p.draft.target and is_unknown(t.object)]
    if p.draft.order is None and said and p.reader.atoms[-1].lower in _MOST.values():
        p.draft.order = Order(said[-1].object, p.reader.atoms[-1].lower == "most")


_MOST = {"more": "most", "less": "least", "fewer": "fewest"}


def superlative_at(p: Parse) -> bool:
    """Tell whether a superlative stands at the cursor."""
    began = p.reader.place
    found = superlative(p.reader)
    p.reader.place = began
    return found is not None

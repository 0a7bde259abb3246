"""Choices between things that are named: "which is larger, A or B", "who was born earlier, A or B"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chattyshared.language.morphology import parse_degree

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.followups.refinement import superlative_of
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import NUMBERS, WH
from chattykg.rulebook.legacy.nouns import noun, order_by
from chattykg.rulebook.legacy.parse import Noun, Parse, Superlative
from chattykg.rulebook.legacy.prepositions import alternatives
from chattykg.rulebook.legacy.quantities import superlative

_CUTS = (",", ":", "-", "–", "—")
_MOST = {"more": "most", "less": "least", "fewer": "fewest"}


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
        adjective, ending = parse_degree(reader.take().lower)
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
    """Cut ", A or B" off the end of "who made more films, A or B", say "most" for "more"; return the names."""
    atoms = [atom for atom in p.reader.atoms if not (atom.is_mark and atom.lower in "?.!")]
    if not atoms or not any(atom.lower in WH for atom in atoms[:2]):
        return ()
    for cut in range(2, len(atoms) - 2):
        if atoms[cut].is_mark and atoms[cut].lower in _CUTS and not atoms[cut - 1].is_name:
            names = _names(atoms[cut + 1 :])
            if names:
                p.reader.atoms = _highest(_without_pointer(atoms[:cut]))
                _of_class(p, [atom for atom in atoms[cut + 1 :] if atom.is_content])
                return names
    return ()


def _names(atoms: Sequence[Atom]) -> tuple[str, ...]:
    """Return the names of "A or B", "the A, B or the C"; none where it is anything else."""
    sides: list[list[str]] = [[]]
    for atom in atoms:
        if atom.lower in ("or", ","):
            sides.append([])
        elif atom.is_content or atom.kind == "number" or atom.lower == "of" and sides[-1]:
            sides[-1].append(atom.text)
        elif atom.lower not in ("the", "either", "a", "an"):
            return ()
    sides = [side for side in sides if side]
    if len(sides) < 2 or not any(atom.lower == "or" for atom in atoms):
        return ()
    return tuple(" ".join(side) for side in sides)


def _without_pointer(atoms: Sequence[Atom]) -> Sequence[Atom]:
    """Leave out "of these two" behind the question word: what is meant is named at the end."""
    if len(atoms) < 4 or atoms[1].lower != "of" or atoms[2].lower not in ("these", "those", "them", "the"):
        return atoms
    size = 4 if atoms[3].lower in NUMBERS else 3
    return [atoms[0], *atoms[size:]] if size == 4 or atoms[2].lower != "the" else atoms


def _highest(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """Say "longest" for "longer", "the most" for "the more": of what is listed, one is asked for."""
    found: list[Atom] = []
    for place, atom in enumerate(atoms):
        said = _MOST.get(atom.lower, "") or superlative_of(atom.lower)
        than = place + 1 < len(atoms) and atoms[place + 1].lower == "than"
        if not said or than or atom.capital and place:
            found.append(atom)
            continue
        if found and found[-1].lower in ("a", "an"):
            found[-1] = replace(found[-1], text="the", lower="the")
        kind = "function" if atom.lower in _MOST else atom.kind
        found.append(Atom(said, said, kind, atom.start, atom.end))
    return tuple(found)


def _of_class(p: Parse, names: Sequence[Atom]) -> None:
    """Remember of which classes the things named are: what an adjective measures depends on it."""
    p.chosen = tuple(dict.fromkeys(type_ for atom in names for type_ in atom.classes))


def choose(p: Parse, names: tuple[str, ...]) -> None:
    """Bound the thing asked for to the names; "who earns most" orders by what the verb binds."""
    if not names or not is_unknown(p.draft.target) or p.draft.values:
        return
    p.draft.values.append((p.draft.target, names))
    said = [t for t in p.draft.triples if t.subject == p.draft.target and is_unknown(t.object)]
    if p.draft.order is None and said and p.reader.atoms[-1].lower in _MOST.values():
        p.draft.order = Order(said[-1].object, p.reader.atoms[-1].lower == "most")


def superlative_at(p: Parse) -> bool:
    """Tell whether a superlative stands at the cursor."""
    began = p.reader.place
    found = superlative(p.reader)
    p.reader.place = began
    return found is not None

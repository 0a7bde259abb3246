"""What is left out of a list by name: "except Ann and Ben", "besides Ann", "other than Ann"."""

from __future__ import annotations

from collections.abc import Sequence

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.parse import Parse

_MARKS = (("other", "than"), ("apart", "from"), ("aside", "from"), ("except", "for"), ("except",), ("besides",),
          ("excluding",), ("but", "not"))  # fmt: skip
_FILLING = frozenset(", and or the also".split())


def take_exceptions(p: Parse) -> tuple[str, ...]:
    """Cut "except A, B and C" off the end of the question and return the names; () where nothing is excepted."""
    atoms = [atom for atom in p.reader.atoms if not (atom.is_mark and atom.lower in "?.!")]
    for cut in range(2, len(atoms) - 1):
        size = next((len(words) for words in _MARKS if _at(atoms, cut, words)), 0)
        names = _names(atoms[cut + size :]) if size else ()
        if names and not (atoms[cut].lower == "but" and _are_other(p, atoms[cut + size :])):
            end = cut - (atoms[cut - 1].lower == ",")
            p.reader.atoms = tuple(atoms[:end])
            return names
    return ()


def leave_out(p: Parse, names: Sequence[str]) -> None:
    """Say that what is asked for is none of the names."""
    for name in names if is_unknown(p.draft.target) else ():
        p.draft.compare(p.draft.target, "!=", name)


def _are_other(p: Parse, names: Sequence[Atom]) -> bool:
    """Tell whether names are of another class than what is asked for: "but not Ann" is then said of the verb."""
    asked = next((atom.group.iris for atom in p.reader.atoms if atom.group and not atom.is_name), ())
    kin = p.card.expand_classes(asked)
    return bool(asked) and all(atom.classes and not kin.intersection(atom.classes) for atom in names if atom.is_name)


def _at(atoms: Sequence[Atom], place: int, words: tuple[str, ...]) -> bool:
    return tuple(atom.lower for atom in atoms[place : place + len(words)]) == words


def _names(atoms: Sequence[Atom]) -> tuple[str, ...]:
    """Return the names that are all there is; none where anything else is said."""
    found = [atom for atom in atoms if atom.lower not in _FILLING]
    if not all(atom.is_name or atom.vertex or atom.value for atom in found):
        return ()
    return tuple(atom.text for atom in found)

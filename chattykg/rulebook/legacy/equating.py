"""Yes-or-no questions that say of a thing's value what it is: "is the height of X 12 cm", "is drama X's genre"."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.nouns import noun
from chattykg.rulebook.legacy.parse import Parse
from chattykg.rulebook.legacy.quantities import date, number, unit
from chattykg.rulebook.legacy.reader import Reader

_JOINING = ("of", "the", "and", "&", ",", "-", ".", "/", "'s", "in", "for")


def value_equated(p: Parse) -> bool:
    """Read "the ROLE of X VALUE", "X's ROLE VALUE" or "VALUE the ROLE of X"; the cursor moves only if it is one."""
    return _value_last(p) or _value_first(p)


def _value_last(p: Parse) -> bool:
    reader = p.reader
    began = reader.place
    reader.skip("the")
    role, owner = _role_of(p) or _owned_role(p) or ("", None)
    rest = [atom for atom in reader.atoms[reader.place :] if atom.kind != "mark" or atom.lower not in ".?!"]
    if owner is None or not rest or not all(_is_of_value(atom) for atom in rest) or rest[0].lower in _JOINING[:-2]:
        reader.place = began
        return False
    said, size = _measured(p)
    if size:
        value = p.draft.fresh(role)
        p.draft.relate(owner.text, role, value)
        p.draft.compare(value, "=", said)
    else:
        p.draft.relate(owner.text, role, _text(rest))
    reader.place = len(reader.atoms)
    return True


def _role_of(p: Parse) -> tuple[str, Atom] | None:
    reader = p.reader
    began = reader.place
    words = []
    while reader.peek().is_content and not reader.peek().is_name:
        words.append(reader.take())
    if words and words[-1].predicate and reader.skip("of", "for"):
        reader.skip("the")
        if reader.peek().is_name and not reader.peek(1).kind == "possessive":
            return " ".join(atom.text for atom in words), reader.take()
    reader.place = began
    return None


def _owned_role(p: Parse) -> tuple[str, Atom] | None:
    reader = p.reader
    began = reader.place
    if reader.peek().is_name and reader.peek(1).kind == "possessive":
        owner = reader.take()
        reader.take()
        words = []
        while reader.peek().is_content and not reader.peek().is_name and reader.peek().predicate:
            words.append(reader.take())
        if words:
            return " ".join(atom.text for atom in words), owner
    reader.place = began
    return None


def _is_of_value(atom: Atom) -> bool:
    if atom.kind == "possessive" or atom.is_participle and not (atom.vertex or atom.value):
        return False
    return atom.is_content or atom.kind == "number" or atom.lower in _JOINING


def _amount(reader: Reader) -> tuple[str, int]:
    """Read past a date, or a number with its unit; return it and how many words it took (0: there is none)."""
    said, size = date(reader)
    if not size:
        said, size = number(reader)
    reader.place += size
    unit(reader)
    return said, size


def _measured(p: Parse) -> tuple[str, int]:
    """Return the date or the number with its unit that is all that is left of the question."""
    reader = p.reader
    began = reader.place
    said, size = _amount(reader)
    whole = reader.done
    reader.place = began
    return (said, size) if whole else ("", 0)


def _text(rest: list[Atom]) -> str:
    return rest[0].text if len(rest) == 1 else " ".join(atom.text for atom in rest)


def _value_first(p: Parse) -> bool:
    """Read "238 the length of X", "drama X's genre"."""
    reader = p.reader
    began = reader.place
    said, size = _amount(reader)
    owned = reader.at("the") or reader.peek().is_name
    if not size or not owned or not reader.peek(-1).end:
        reader.place = began
        return _name_first(p)
    other = noun(p)
    if other is None or not is_unknown(other.end):
        reader.place = began
        return False
    p.draft.compare(other.end, "=", said)
    return True


def _name_first(p: Parse) -> bool:
    reader = p.reader
    named = reader.peek().vertex or reader.peek().value
    if named and reader.at("the", ahead=1):
        return _value_of_role(p)
    if not named or not reader.peek(1).is_name or reader.peek(2).kind != "possessive":
        return False
    value = reader.take().text
    other = noun(p)
    if other is not None and is_unknown(other.end):
        p.draft.equate(other.end, value)
    return True


def _value_of_role(p: Parse) -> bool:
    """Read "VALUE the ROLE of X", whatever else the value's words may name."""
    reader = p.reader
    began = reader.place
    value = reader.take().text
    reader.take()
    role, owner = _role_of(p) or ("", None)
    if owner is None or not reader.done:
        reader.place = began
        return False
    p.draft.relate(owner.text, role, value)
    return True

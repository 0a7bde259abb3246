"""Adjectives that are true or not: predicates of truth values ("heated", "wind-proof"), and being alive or dead."""

from __future__ import annotations

from chattyshared.kg.vocabulary import PredicateEntry

from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import FUNCTION
from chattykg.rulebook.legacy.parse import Parse

_TRUTHS = (("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"))
_BITS, _BIT_TRUTHS = frozenset("01"), ("1", "0")
_ASKING = frozenset("is has was can flag does".split())
"""Words in the name of a column that holds 0 or 1 for no or yes, and no numbers."""
_LIVING = frozenset("alive living".split())
_GONE = frozenset("dead deceased".split())
_DEATH = "died"
_SURE = 0.75


def is_flag(p: Parse, atom: Atom) -> bool:
    """Tell whether an atom names a predicate of truth values, or says of somebody that they live or do not."""
    return _truths(p.entry(atom)) is not None and _is_sure(atom) or _is_vital(atom)


def flag_at(p: Parse) -> bool:
    """Tell whether such an adjective stands at the cursor by itself, with no noun behind it."""
    following = p.reader.peek(1)
    return is_flag(p, p.reader.peek()) and not (following.is_content and not following.is_verb)


def is_flagged(p: Parse, end: str, *, negative: bool) -> bool:
    """Read "a teaching hospital" behind "is" where the graph states whether a thing is one or not."""
    began = p.reader.place
    if p.reader.skip("a", "an") and flag_at(p) and not p.reader.peek().is_name:
        set_flag(p, end, p.reader.take(), negative=negative)
        return True
    p.reader.place = began
    return False


def had_flag(p: Parse, end: str, *, negative: bool) -> bool:
    """Read "a helipad" behind "have" where the graph states whether a thing has one or not."""
    began = p.reader.place
    p.reader.skip("a", "an", "any", "its", "their", "own")
    atom, following = p.reader.peek(), p.reader.peek(1)
    if not is_flag(p, atom) or _is_vital(atom) or atom.is_name or following.is_content or following.lower == "of":
        p.reader.place = began
        return False
    set_flag(p, end, p.reader.take(), negative=negative)
    return True


def set_flag(p: Parse, end: str, atom: Atom, *, negative: bool = False) -> None:
    """Say of an end that the adjective is true of it (or not)."""
    if _is_vital(atom):
        p.draft.relate(end, _DEATH, p.draft.fresh("date"), negative=(atom.lower in _LIVING) != negative)
        return
    truths = _truths(p.entry(atom))
    if truths:
        value = p.draft.fresh(atom.text)
        p.draft.relate(end, atom.text.replace("-", " "), value)
        p.draft.compare(value, "=", truths[negative])


def _is_vital(atom: Atom) -> bool:
    return atom.lower in _LIVING | _GONE and not (atom.group or atom.predicate and atom.predicate.score >= _SURE)


def _is_sure(atom: Atom) -> bool:
    return atom.predicate is not None and atom.predicate.score >= _SURE and atom.lower not in FUNCTION


def _truths(entry: PredicateEntry | None) -> tuple[str, str] | None:
    if entry is None or entry.object_kind == "iri":
        return None
    if any(name.endswith("#boolean") for name in entry.datatypes):
        return _TRUTHS[0]
    if entry.has_all_values and frozenset(entry.values) == _BITS and _is_asking(entry):
        return _BIT_TRUTHS
    said = entry.example[1].strip().lower()
    return next((pair for pair in _TRUTHS if said in pair), None)


def _is_asking(entry: PredicateEntry) -> bool:
    return any(word in _ASKING for name in (entry.label, *entry.alt_labels) for word in name.casefold().split())

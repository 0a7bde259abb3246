"""The order in which a list is asked for: "in order of release", "from the shortest to the longest", "newest first"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.language.morphology import ADJECTIVE_ANTONYMS, label_stems_of, parse_degree, quantities_of

from chattykg.qir import Order, is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import BARE_NUMBER, DETERMINER
from chattykg.rulebook.legacy.parse import Parse

_SORTED = frozenset("ordered sorted ranked arranged listed sort order starting beginning".split())
_LEADING = frozenset("by in from with of according".split())
_RISING = frozenset("ascending increasing rising chronological chronologically".split())
_FALLING = frozenset("descending decreasing falling".split())
_TURNED = frozenset("reverse reversed inverse inverted backward backwards".split())
_WAYS = _RISING | _FALLING | _TURNED
_UPPER = frozenset("highest largest greatest biggest most latest newest last maximum best".split())
_LOWER = frozenset("lowest smallest least fewest earliest oldest first minimum worst".split())
_BARE = frozenset("most least fewest".split())
_FILLING = frozenset(", in of by from to with and then according their its".split())
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Sorting:
    """How a list is sorted: by the noun that is named ("release date"), or by what an adjective measures ("long").

    ``descending`` is said of the noun's values, or of the adjective's degree. ``counted``: by how many of the noun.
    """

    noun: str
    adjective: str
    descending: bool
    counted: bool = False


def take_order(p: Parse) -> Sorting | None:
    """Cut the order off the end of the question and return it; None where none is asked for."""
    atoms = [atom for atom in p.reader.atoms if not (atom.is_mark and atom.lower in "?.!")]
    for cut in range(_LEAST, len(atoms)):
        start = cut + (atoms[cut].lower == ",")
        if atoms[cut - 1].lower == "," or not _begins(atoms, start, comma=start > cut):
            continue
        found = _read(atoms[start:])
        if found is not None:
            p.reader.atoms = tuple(atoms[:cut])
            return found
    return None


def sort(p: Parse, sorting: Sorting | None) -> None:
    """Sort what is asked for; a list that has an order already keeps it."""
    target = p.draft.target
    if sorting is None or p.draft.order is not None or not is_unknown(target) or p.draft.shape not in ("list", "table"):
        return
    phrase, falling = sorting.noun, sorting.descending
    if not phrase:
        phrase, sign = p.quantity_noun(sorting.adjective, target)
        falling = falling == (sign > 0)
    known = next((t.object for t in p.draft.triples if t.subject == target and t.relation == phrase), "")
    by = known if is_unknown(known) else p.draft.fresh(phrase)
    p.draft.relate(target, phrase, by)
    p.draft.order = Order(by, falling, count=sorting.counted, limit=0)


def _begins(atoms: Sequence[Atom], start: int, *, comma: bool) -> bool:
    """Tell whether an order may begin at a place; without a comma before it only where its words say so."""
    if start >= len(atoms):
        return False
    words = [atom.lower for atom in atoms[start : start + 3]]
    if words[0] in _SORTED:
        return bool(_LEADING & set(words[1:2]))
    if words[0] in _RISING and len(atoms) == start + 1 or words[0] == "in" and set(words[1:]) & (_WAYS | {"order"}):
        return True
    if words[0] == "from":
        return any(_is_graded(atom) for atom in atoms[start + 1 : start + 3])
    return comma and (words[0] in ("by", "the") or _is_graded(atoms[start]))


@dataclass(frozen=True, slots=True)
class _Grade:
    """A superlative: its adjective ("" for a bare "most"), and whether it is the upper end of its scale."""

    adjective: str
    upper: bool


def _read(atoms: Sequence[Atom]) -> Sorting | None:
    """Read the words of an order: nouns, superlatives and ways, and nothing else."""
    nouns: list[str] = []
    grades: list[_Grade] = []
    for place, atom in enumerate(atoms):
        word = atom.lower
        if word == "first" and grades or word in _WAYS | _FILLING | _SORTED | DETERMINER:
            continue
        if grades and atoms[place - 1].lower in _BARE and quantities_of(word):
            grades[-1] = _Grade(word, grades[-1].upper)
        elif _is_graded(atom):
            grades.append(_grade(word))
        elif atom.is_content and not (atom.is_name and atom.capital):
            nouns.append(atom.text)
        else:
            return None
    counted = len(nouns) > 1 and nouns[0].lower() in BARE_NUMBER
    found = _meant(_once(nouns[counted:]), grades, [atom.lower for atom in atoms])
    turned = any(atom.lower in _TURNED for atom in atoms)
    return replace(found, counted=counted, descending=found.descending != turned) if found else None


def _meant(noun: str, grades: Sequence[_Grade], words: Sequence[str]) -> Sorting | None:
    if grades:
        spread = len(grades) > 1 or words[-1] == "first" or words[0] in _SORTED
        if not spread or not noun and not grades[0].adjective:
            return None
        return Sorting(noun, "", _is_high(noun, grades[0])) if noun else Sorting("", *_degree(grades[0]))
    if noun:
        return Sorting(noun, "", bool(_FALLING & set(words))) if words[0] != "from" else None
    return Sorting("", "late", False) if words[-1].startswith("chronological") or "chronological" in words else None


def _once(nouns: list[str]) -> str:
    """Return the words of a noun once ("from the lowest price to the highest price")."""
    half = len(nouns) // 2
    return " ".join(nouns[:half] if half and nouns[:half] == nouns[half:] else nouns)


def _is_graded(atom: Atom) -> bool:
    return not (atom.is_name and atom.capital) and (
        atom.lower in _UPPER | _LOWER or parse_degree(atom.lower)[1] == "est"
    )


def _grade(word: str) -> _Grade:
    base = "" if word in _BARE else parse_degree(word)[0] or word
    return _Grade(base, word in _UPPER or word not in _LOWER)


def _degree(grade: _Grade) -> tuple[str, bool]:
    """Return the adjective and whether what is most so comes first ("the least expensive first": not)."""
    plain = grade.adjective in ADJECTIVE_ANTONYMS or grade.adjective in ("old", "early")
    return grade.adjective, plain or grade.upper


def _is_high(noun: str, grade: _Grade) -> bool:
    """Tell whether the first values of a noun are its great ones ("age, oldest first"; "birth date, oldest first")."""
    said = set(label_stems_of(noun))
    for measured, sign in quantities_of(grade.adjective):
        if set(label_stems_of(measured)) <= said:
            return (sign > 0) == _degree(grade)[1]
    return grade.upper and grade.adjective not in ADJECTIVE_ANTONYMS

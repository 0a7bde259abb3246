"""Turns of phrase that say a plain thing in a roundabout way, put in the plain way before the grammar reads them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from chattyshared.language.morphology import lemma_of

from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import BE, DETERMINER, PREPOSITION, UNITS, WH

_MEASURES = frozenset("piece pieces unit units item items copy copies bit bits instance instances work works".split())
_ASIDES = (
    ("in", "all"), ("all", "in", "all"), ("in", "total"), ("all", "together"), ("these", "days"), ("right", "now"),
    ("at", "the", "moment"), ("at", "present"), ("of", "all", "time"), ("by", "the", "way"),
    ("if", "you", "do", "not", "mind"), ("in", "your", "database"), ("in", "the", "database"), ("in", "your", "data"),
    ("of", "all"), ("by", "any", "chance"), ("in", "the", "list"), ("on", "record"),
)  # fmt: skip
_PRECISELY = frozenset("exactly precisely approximately roughly about just".split())
_MISSPELT = {
    "wich": "which", "whch": "which", "whitch": "which", "wht": "what", "waht": "what", "wat": "what", "whta": "what",
    "whos": "who", "hwo": "who", "wo": "who", "wen": "when", "whn": "when", "wher": "where", "whre": "where",
    "hw": "how", "hou": "how", "teh": "the", "hte": "the", "dose": "does", "od": "of", "si": "is",
    "ar": "are", "thier": "their", "ther": "there", "lsit": "list", "giv": "give",
}  # fmt: skip
_MANY = frozenset("meny manny mny mani mayn may".split())


def plain(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms with misspelt question words righted, asides left out and idioms said plainly."""
    rows = _righted(list(atoms))
    rows = _without_asides(rows)
    if len(rows) > 2 and rows[0].lower in _PRECISELY and rows[1].lower in WH:
        rows = rows[1:]
    rows = _done_plainly(_numbered(rows))
    rows = _set_last(_grouped(_measured(rows)))
    return tuple(_asked_last(rows))


def word(text: str, near: Atom) -> Atom:
    """Return an atom for a word that the question does not hold, at the place of another."""
    return Atom(text, text, "function", near.start, near.start)


def _righted(rows: list[Atom]) -> list[Atom]:
    found: list[Atom] = []
    for place, atom in enumerate(rows):
        said = atom.lower
        bare = atom.kind in ("word", "function") and atom.size == 1 and not (atom.group or atom.predicate)
        if bare and place == 0 and said in _MISSPELT or bare and said in ("teh", "hte", "thier", "wich"):
            said = _MISSPELT[said]
        elif place and found[-1].lower == "how" and said in _MANY:
            said = "many"
        found.append(replace(atom, text=said, lower=said, kind="function") if said != atom.lower else atom)
    return found


def _without_asides(rows: list[Atom]) -> list[Atom]:
    found: list[Atom] = []
    place = 0
    while place < len(rows):
        aside = _aside_at(rows, place)
        if aside and place:
            place += aside
            continue
        found.append(rows[place])
        place += 1
    return found


def _aside_at(rows: list[Atom], place: int) -> int:
    """Return how many atoms an aside at this place takes (0: none is there)."""
    said = tuple(atom.lower for atom in rows[place : place + 5])
    for words in _ASIDES:
        if said[: len(words)] != words:
            continue
        after = next(iter(rows[place + len(words) : place + len(words) + 1]), None)
        if words[-1] != "all" or after is None or not after.is_content and after.lower not in DETERMINER | {"of"}:
            return len(words)
    if said[:1] == ("in",) and len(said) > 1 and said[1] in UNITS and len(said[1]) > 2:
        after = next(iter(rows[place + 2 : place + 3]), None)
        if after is None or after.is_mark:
            return 2
    return 0


def _numbered(rows: list[Atom]) -> list[Atom]:
    """Say "how many" for "what number of", and "than X" for "than that of X"."""
    for place, atom in enumerate(rows[:-2]):
        if atom.lower == "than" and rows[place + 1].lower in ("that", "those") and rows[place + 2].lower == "of":
            return [*rows[: place + 1], *rows[place + 3 :]]
        if atom.lower in ("what", "which") and rows[place + 1].lower in ("number", "amount", "count"):
            if rows[place + 2].lower == "of":
                return [*rows[:place], word("how", atom), word("many", atom), *rows[place + 3 :]]
    return rows


def _done_plainly(rows: list[Atom]) -> list[Atom]:
    """Say by one verb what is said by a verb and its noun ("takes care of": "cares for"; "was in charge of": "led")."""
    for place, (one, other) in enumerate(pairwise(rows)):
        if lemma_of(one.lower) == "take" and other.lower == "place":
            verb = Atom(f"{one.text} place", one.lower, "word", one.start, other.end)
            return [*rows[:place], verb, *rows[place + 2 :]]
    for place in range(len(rows) - 3):
        said = tuple(atom.lower for atom in rows[place : place + 4])
        if lemma_of(said[0]) == "take" and said[1:3] == ("care", "of"):
            verb = Atom("cares", "cares", "word", rows[place].start, rows[place].start)
            return [*rows[:place], verb, word("for", rows[place]), *rows[place + 3 :]]
        if said[0] in BE and said[1:] == ("in", "charge", "of"):
            verb = Atom("led", "led", "word", rows[place].start, rows[place].start)
            return [*rows[:place], verb, *rows[place + 4 :]]
    return rows


def _measured(rows: list[Atom]) -> list[Atom]:
    """Leave out "pieces of" before a class: what is meant are its members."""
    found: list[Atom] = []
    place = 0
    while place < len(rows):
        atom = rows[place]
        ahead = [a for a in rows[place + 1 : place + 4] if a.lower != "the"][:2]
        measure = atom.lower in _MEASURES and not atom.group and not atom.predicate and len(ahead) == 2
        if measure and ahead[0].lower == "of" and ahead[1].group:
            place += 2
            continue
        found.append(atom)
        place += 1
    return found


def _grouped(rows: list[Atom]) -> list[Atom]:
    """Put "for each X," behind the question; leave out the "get" of "get born"."""
    rows = [
        a for n, a in enumerate(rows) if not (a.lower == "get" and any(b.is_participle for b in rows[n + 1 : n + 2]))
    ]
    comma = next((place for place, atom in enumerate(rows) if atom.lower == ","), 0)
    if not 2 < comma < 7 or rows[0].lower != "for" or rows[1].lower not in ("each", "every"):
        return rows
    marks = [atom for atom in rows[-1:] if atom.is_mark]
    asked = rows[comma + 1 : len(rows) - len(marks)]
    return [*asked, *rows[:comma], *marks]


def _set_last(rows: list[Atom]) -> list[Atom]:
    """Put the set behind the question word: "of the films by X, which ones are long" asks "which of the films by X"."""
    if not rows or rows[0].lower not in ("of", "among"):
        return rows
    cut = next((n for n, atom in enumerate(rows) if atom.lower == "," and rows[n + 1 : n + 2]), 0)
    asked = rows[cut + 1 :]
    if not cut or asked[0].lower not in ("which", "who", "how") or asked[0].kind != "function":
        return rows
    size = 2 if asked[0].lower == "how" else 1
    size_of_one = int(len(asked) > size and asked[size].lower in ("one", "ones"))
    rest = asked[size + size_of_one :]
    return [*asked[:size], word("of", rows[0]), *rows[1:cut], *rest]


def _asked_last(rows: list[Atom]) -> list[Atom]:
    """Put the question word first: "X is the capital of which country", "X directed how many films"."""
    marks = [atom for atom in rows[-1:] if atom.is_mark]
    rows = rows[: len(rows) - len(marks)]
    place = next((n for n, atom in enumerate(rows) if atom.lower in WH and atom.kind == "function"), 0)
    if place < 2 or rows[0].lower in PREPOSITION or not rows[0].is_name or rows[place].lower not in _LAST:
        return [*rows, *marks]
    said, asked = rows[:place], rows[place:]
    if any(atom.is_mark for atom in rows):
        return [*rows, *marks]
    be = next((n for n, atom in enumerate(said) if atom.lower in BE), 0)
    if be and said[-1].lower in ("of", "for") and len(said) > be + 2:
        asked = [word("for", asked[0]), *asked]
        return [*asked, said[be], *said[:be], *said[be + 1 : -1], *marks]
    if be == len(said) - 1:
        return [*asked, said[be], *said[:be], *marks]
    if be:
        return [*asked, said[be], *said[:be], *said[be + 1 :], *marks]
    return [*asked, word("did", asked[0]), *said, *marks]


_LAST = ("how", "which", "what", "who", "whom", "where", "when")

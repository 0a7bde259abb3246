"""What people wrap around a question ("I was wondering if you could tell me ...", "is that right?"), taken off."""

from __future__ import annotations

from dataclasses import replace

from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import AUXILIARY, BE, DETERMINER, POLITE, PREPOSITION, WH
from chattykg.rulebook.legacy.idioms import word

WRAP = POLITE | frozenset(
    "i i'm im we you u me my us our 'm am was were would could can will might may 'd like love just really kind kinda "
    "sort "
    "of curious wondering wonder interested in knowing know want wanted to tell help find out if whether about do does "
    "anyone anybody need needed heard trying hoping hope let explain say remind any idea clue pls plz thx thank quick "
    "question um uh hmm oh ah btw roughly interest possibly maybe perhaps see learn check looking for ask be able "
    "whats got understand figure good morning evening afternoon day everyone guys dear sir there a the".split()
)
"""Words that a question may be wrapped in; they wrap it only together with a word that speaks of the speakers."""
SPEAKERS = frozenset(
    "i i'm im we you u me my us our your hi hello hey oh um uh hmm btw interest pls plz please sorry thanks "
    "thank".split()
)
"""Words by which those who ask speak of themselves, and greet."""
_TELLING = frozenset("tell give show inform remind let".split())
_KNOWING = frozenset("know wondering wonder wondered asking".split())
_TAIL = frozenset("please pls plz thanks thx thank cheers ta".split())
_TAGS = frozenset(
    ("is that right", "right", "is that correct", "correct", "is that true", "true", "is it true", "is it not",
     "does it not", "do they not", "did he not", "did she not", "yes", "no", "or not", "true or false")
)  # fmt: skip
_SAID = frozenset(
    "i we heard think believe thought read was told that so apparently guess suppose know someone says said".split()
)
_BREAKS = (",", ":", ";", ".", "!", "-", "–", "—", "…")
_PRONOUNS = frozenset("he she it they him them".split())
_POSSESSIVES = frozenset("his her its their".split())


def bare(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms of the question itself, without what it is wrapped in."""
    rows = _without_tail(list(atoms))
    tagged = _statement(rows)
    if tagged:
        return tuple(tagged)
    rows = _requested(_last_clause(rows))
    return tuple(_unwrapped(rows))


def _without_tail(rows: list[Atom]) -> list[Atom]:
    marks = [atom for atom in rows[-1:] if atom.is_mark and atom.lower in "?.!"]
    rows = rows[: len(rows) - len(marks)]
    while len(rows) > 3 and (rows[-1].lower in _TAIL or rows[-1].lower == "you" and rows[-2].lower == "thank"):
        rows = rows[:-1]
        if rows[-1].lower == ",":
            rows = rows[:-1]
    return [*rows, *marks]


def _requested(rows: list[Atom]) -> list[Atom]:
    """Leave out all up to "tell me" or "know" before a question word: what is asked for follows the last of them."""
    for place in range(len(rows) - 3, 0, -1):
        told = rows[place].lower in ("me", "us") and rows[place - 1].lower in _TELLING
        if not told and rows[place].lower not in _KNOWING:
            continue
        opened = place + 1 + (rows[place + 1].lower in PREPOSITION)
        asking = rows[opened].lower in WH or rows[place + 1].lower in ("if", "whether")
        if asking and {atom.lower for atom in rows[: place + 1]} & SPEAKERS:
            first = word("whether", rows[place + 1]) if rows[place + 1].lower == "if" else rows[place + 1]
            return _inverted([first, *rows[place + 2 :]])
    return rows


def _inverted(rows: list[Atom]) -> list[Atom]:
    """Put the auxiliary of an indirect question before its subject ("where the Louvre is": "where is the Louvre")."""
    asked = next((n for n, atom in enumerate(rows[:2]) if atom.lower in WH), None)
    if asked is None or rows[asked].lower in ("who", "how"):
        return rows
    start = asked + 1
    while rows[asked].lower in ("what", "which") and start < len(rows) and _is_noun(rows[start]):
        start += 1
    subject = start < len(rows) and (rows[start].lower in DETERMINER or rows[start].is_name)
    bare_what = rows[asked].lower in ("what", "which") and start == asked + 1
    be = max((n for n, atom in enumerate(rows) if atom.lower in BE and n > start), default=0)
    if not subject or bare_what or not be:
        return rows
    return [*rows[:start], rows[be], *rows[start:be], *rows[be + 1 :]]


def _is_noun(atom: Atom) -> bool:
    return atom.is_content and not (atom.is_name and atom.capital)


def _statement(rows: list[Atom]) -> list[Atom]:
    """Return "whether ..." for a statement with a tag behind it ("X made Y, right?"); nothing if there is no tag."""
    body = [atom for atom in rows if not (atom.is_mark and atom.lower in "?.!")]
    cut = max((place for place, atom in enumerate(body) if atom.lower == ","), default=0)
    if not cut or " ".join(atom.lower for atom in body[cut + 1 :]) not in _TAGS:
        return []
    start = 0
    while start < cut and body[start].lower in _SAID | POLITE | {","}:
        start += 1
    if cut - start < 2 or body[start].lower in WH | AUXILIARY:
        return []
    return [word("whether", body[start]), *body[start:cut]]


def _last_clause(rows: list[Atom]) -> list[Atom]:
    """Leave out clauses that stand before the question; who is named there is put where the question says "she"."""
    if not rows or _asks(rows, 0):
        return rows
    for place, atom in enumerate(rows[:-2]):
        if atom.lower not in _BREAKS or not atom.is_mark or not _asks(rows, place + 1):
            continue
        before, asked = rows[:place], rows[place + 1 :]
        names = [a for a in before if a.is_name and (a.vertex or a.capital)]
        speaking = any(a.lower in SPEAKERS for a in before)
        if len(names) == 1 and any(a.lower in _PRONOUNS | _POSSESSIVES for a in asked):
            return _named(asked, names[0])
        plain = not any(a.is_content and a.lower not in WRAP for a in before)
        if speaking and not names or plain or before[0].lower in ("compare", "comparing", "considering"):
            return asked
    return rows


def _asks(rows: list[Atom], place: int) -> bool:
    first = rows[place].lower
    following = rows[place + 1].lower if place + 1 < len(rows) else ""
    return first in WH or first in AUXILIARY or first in PREPOSITION and following in WH


def _named(rows: list[Atom], name: Atom) -> list[Atom]:
    found: list[Atom] = []
    for place, atom in enumerate(rows):
        following = rows[place + 1] if place + 1 < len(rows) else None
        owns = following is not None and following.is_content and not following.is_name
        if atom.lower in _POSSESSIVES and owns:
            found += [name, replace(word("'s", atom), kind="possessive")]
        elif atom.lower in _PRONOUNS and atom.kind == "function":
            found.append(name)
        else:
            found.append(atom)
    return found


def _unwrapped(rows: list[Atom]) -> list[Atom]:
    """Leave out "I would like to know if you could tell me" and its like at the beginning."""
    end = 0
    while end < len(rows) - 1 and (rows[end].lower in WRAP or rows[end].is_mark) and not rows[end].is_name:
        end += 1
    while end and rows[end - 1].lower in ("a", "the", "any", "of", "in", "to", "for") and not _opens(rows[end]):
        end -= 1
    begun = {atom.lower for atom in rows[:end]}
    spoken = begun & SPEAKERS or end and _opens(rows[end]) and rows[0].lower not in PREPOSITION
    if not end or not spoken or end >= len(rows) - 1:
        return rows
    if rows[end - 1].lower in ("if", "whether"):
        return [word("whether", rows[end]), *rows[end:]]
    if rows[0].lower in AUXILIARY and not _opens(rows[end]) and not begun & {"tell", "know", "find", "help", "say"}:
        return rows
    return rows[end:]


def _opens(atom: Atom) -> bool:
    return atom.lower in WH and atom.kind == "function"

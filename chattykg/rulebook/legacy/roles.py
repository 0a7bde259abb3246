"""Roles that follow their holder: "is X the capital", "is X a member of"."""

from __future__ import annotations

from chattykg.rulebook.legacy.closed_words import NAMING, PREPOSITION
from chattykg.rulebook.legacy.parse import Noun, Parse
from chattykg.rulebook.legacy.prepositions import stranded


def ends_stranded(p: Parse) -> bool:
    """Tell whether the question ends with a preposition that lacks its noun ("... located in?")."""
    left = [atom for atom in p.reader.atoms[p.reader.place :] if not atom.is_mark]
    return bool(left) and left[-1].lower in PREPOSITION


def in_role(p: Parse, target: Noun, subject: Noun) -> bool:
    """Read the role behind a subject: "is X the capital", "is X a member of"."""
    reader = p.reader
    began = reader.place
    words = []
    if reader.skip("the", "a", "an"):
        while reader.peek().is_content and not reader.peek().is_name:
            words.append(reader.take().text)
    of = reader.take().lower if words and stranded(p) else ""
    if not words or not reader.done:
        reader.place = began
        return False
    if of and of != "of":
        words.append(of)
    role = "" if words[-1].lower() in NAMING else " ".join(words)
    if of:
        p.draft.relate(subject.end, role, target.end)
    else:
        p.draft.relate(target.end, role, subject.end)
    return True

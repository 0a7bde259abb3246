"""Runs of content words: how far one noun group reaches."""

from __future__ import annotations

from chattyshared.language.morphology import lemma_of, parse_degree

from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import MONTHS, UNITS, VERBS
from chattykg.rulebook.legacy.flags import is_flag
from chattykg.rulebook.legacy.parse import Parse

KNOWN = 0.97
"""From here on a name is known as a whole: what stands behind it is no part of it."""


_BOUNDS = ("less", "more", "over", "under", "at", "above", "below", "exactly", "between")


def take_run(p: Parse) -> list[Atom]:
    """Take the content atoms of one group, up to the verb or whatever ends it."""
    reader = p.reader
    run: list[Atom] = []
    while reader.peek().is_content or _numbered(p, run):
        atom = reader.peek()
        if run and _ends_run(p, run, atom):
            break
        run.append(reader.take())
    return run


def _numbered(p: Parse, run: list[Atom]) -> bool:
    """Tell whether a number at the cursor belongs to the group ("Area 51", "ISO 9001 code")."""
    reader = p.reader
    if not run or reader.peek().kind != "number" or run[-1].is_plural or len(run[-1].lower) < 2:
        return False
    following = reader.peek(1).lower
    if following in UNITS or following in MONTHS or run[-1].vertex and run[-1].vertex.score >= KNOWN:
        return False
    return not p.owned or reader.peek(1).is_content


def _ends_run(p: Parse, run: list[Atom], atom: Atom) -> bool:
    last, following = run[-1], p.reader.peek(1)
    if last.is_name and last.capital and _says_of(p, atom, following):
        return True
    if atom.size > 1 and is_flag(p, atom) and not atom.is_name and last.is_plural:
        return True
    if _begins_name(p, last, atom, following) or parse_degree(atom.lower)[1] == "er" and following.lower == "than":
        return True
    if atom.is_name or not atom.is_verb:
        return False
    if atom.size > 1 or following.kind == "number" or following.lower in _BOUNDS and not last.is_name:
        return True
    return _is_main_verb(p, last, atom, following)


def _says_of(p: Parse, atom: Atom, following: Atom) -> bool:
    """Tell whether what stands behind a name says something of it: "Ann alive", "did Ann take aboard"."""
    if following.kind != "end" and not following.is_mark and not following.is_function:
        return False
    verbal = p.inverted and atom.size > 1 and atom.predicate is not None and lemma_of(atom.lower.split()[0]) in VERBS
    return verbal or is_flag(p, atom)


def _begins_name(p: Parse, last: Atom, atom: Atom, following: Atom) -> bool:
    """Tell whether a name begins another group: behind a plural, a known name, or (once owned) a common noun."""
    if not (atom.is_name and atom.capital):
        return False
    proper = last.is_name and last.capital
    if last.is_plural and not proper or proper and (following.kind == "possessive" or atom.vertex and last.vertex):
        return True
    coded = atom.vertex is None and atom.text[:1].isdigit() and following.is_content and not following.is_name
    return p.owned and not last.is_name and not coded


def _is_main_verb(p: Parse, last: Atom, atom: Atom, following: Atom) -> bool:
    """Tell whether what can be a verb is one here, and no noun of the group."""
    proper = last.is_name and last.capital
    bare_end = following.kind == "end" or following.is_mark or following.is_function
    bare_end = bare_end or atom.group is None and atom.predicate is None and parse_degree(following.lower)[1] == "er"
    if proper and not atom.is_plural and (bare_end or following.is_name) and following.lower != "of":
        return True
    if last.is_plural and not proper and not atom.is_plural and (following.is_function or following.is_name):
        return not following.lower == "of"
    if atom.is_participle or p.inverted and bare_end and following.lower != "of":
        return True
    if (
        (atom.group or atom.predicate)
        and (atom.is_nounish or not last.is_plural and not atom.lower.endswith("s"))
        and not last.is_name
    ):
        return False
    if last.is_plural or last.lower in ("who", "people"):
        return not (atom.lower.endswith("s") and atom.is_nounish)
    if atom.lower.endswith("s") and not atom.is_nounish:
        return True
    return (
        last.is_name and not atom.is_nounish and (following.kind == "end" or following.is_mark or following.is_function)
    )

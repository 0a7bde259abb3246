"""Runs of content words: how far one noun group reaches."""

from __future__ import annotations

from chattykg.linking.wording import degree
from chattykg.rulebook.atoms import Atom
from chattykg.rulebook.parse import Parse


def take_run(p: Parse) -> list[Atom]:
    """Take the content atoms of one group, up to the verb or whatever ends it."""
    reader = p.reader
    run: list[Atom] = []
    while reader.peek().is_content or (
        run and not p.owned and reader.peek().kind == "number" and len(run[-1].lower) > 1 and not run[-1].is_plural
    ):
        atom = reader.peek()
        if run and _ends_run(p, run, atom):
            break
        run.append(reader.take())
    return run


def _ends_run(p: Parse, run: list[Atom], atom: Atom) -> bool:
    last, following = run[-1], p.reader.peek(1)
    proper = last.is_name and last.capital
    if atom.is_name and atom.capital and (last.is_plural and not proper):
        return True
    if atom.is_name and atom.capital and proper and (following.kind == "possessive" or atom.vertex and last.vertex):
        return True
    if p.owned and atom.is_name and atom.capital and not last.is_name:
        return True
    if degree(atom.lower)[1] == "er" and following.lower == "than":
        return True
    if atom.is_name or not atom.is_verb:
        return False
    bare_end = following.kind == "end" or following.is_mark or following.is_function
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

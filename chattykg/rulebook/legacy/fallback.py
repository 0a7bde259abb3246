"""What is done where the grammar did not understand: all mentions are tied to one unknown by the words left."""

from __future__ import annotations

from chattykg.qir import is_unknown
from chattykg.rulebook.legacy.atoms import Atom
from chattykg.rulebook.legacy.closed_words import COMMAND
from chattykg.rulebook.legacy.parse import Parse


def connect(p: Parse, atoms: tuple[Atom, ...]) -> None:
    """Make sure that something is asked for, and that the question's names take part."""
    draft = p.draft
    if draft.shape != "boolean" and not draft.target:
        draft.target = draft.fresh("answer")
    if draft.shape == "boolean":
        if not draft.triples and not draft.negated and not draft.values and not draft.classes:
            _star(p, atoms, draft.fresh("answer"))
        return
    if not is_unknown(draft.target):
        mention, draft.target = draft.target, draft.fresh("one")
        draft.values.append((draft.target, (mention,)))
        draft.targets = [target for target in draft.targets if is_unknown(target)]
    if not draft.is_tied(draft.target) and draft.target not in draft.pending:
        _star(p, atoms, draft.target)


def _star(p: Parse, atoms: tuple[Atom, ...], centre: str) -> None:
    names = [atom for atom in atoms if atom.is_name or atom.vertex]
    words = [
        atom.text for atom in atoms
        if atom.is_content and atom not in names and atom.lower not in COMMAND and not atom.group
    ]  # fmt: skip
    groups = [atom for atom in atoms if atom.group and atom not in names]
    phrase = " ".join(words[:4])
    for atom in names:
        p.draft.relate(atom.text, phrase, centre)
    for atom in groups[:1]:
        p.draft.constrain(centre, atom.text)
    if not names and not groups and words and is_unknown(centre):
        p.draft.relate(p.draft.fresh("thing"), phrase, centre)

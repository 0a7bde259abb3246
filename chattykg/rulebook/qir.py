"""What the rule model says to ``answer/qir``: the question read by a grammar of English against the card."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.card import Card
from chattykg.qir import QIR, to_json
from chattykg.rulebook.atoms import Atom, read
from chattykg.rulebook.draft import Draft
from chattykg.rulebook.fallback import connect
from chattykg.rulebook.idioms import plain
from chattykg.rulebook.modifiers import after_noun
from chattykg.rulebook.parse import Parse
from chattykg.rulebook.questions import understand
from chattykg.rulebook.reader import Reader
from chattykg.rulebook.setting import leave_out_settings
from chattykg.rulebook.wrapping import WRAP, bare


def rule(request: Request) -> Any:
    """Return the QIR of the request's question as JSON."""
    return to_json(parse(str(request.variables["question"]), request.variables["card"]))


def parse(question: str, card: Card) -> QIR:
    """Read a question against a card."""
    atoms = plain(bare(first_sentence(read(question, card))))
    p = Parse(Reader(atoms), Draft(), card, after_noun)
    understand(p)
    leave_out_settings(p)
    connect(p, atoms)
    return p.draft.finish()


def first_sentence(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms of the first sentence that holds more than a greeting; what follows is left out."""
    start = 0
    for place, atom in enumerate(atoms[:-1]):
        if atom.lower not in ("?", ".", "!", "|", ";"):
            continue
        said = [a for a in atoms[start:place] if a.is_content or a.kind == "number"]
        if any(a.lower not in WRAP for a in said) and place - start > 2:
            return atoms[start : place + 1]
        start = place + 1
    return atoms[start:]

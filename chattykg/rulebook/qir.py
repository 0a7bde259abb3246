"""What the rule model says to ``answer/qir``: the question read by a grammar of English against the card."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, to_json
from chattykg.rulebook.legacy.atoms import Atom, read
from chattykg.rulebook.legacy.draft import Draft
from chattykg.rulebook.legacy.fallback import connect
from chattykg.rulebook.legacy.idioms import plain
from chattykg.rulebook.legacy.modifiers import after_noun
from chattykg.rulebook.legacy.parse import Parse
from chattykg.rulebook.legacy.questions import understand
from chattykg.rulebook.legacy.reader import Reader
from chattykg.rulebook.legacy.setting import leave_out_settings
from chattykg.rulebook.legacy.untold import untold
from chattykg.rulebook.legacy.wrapping import SPEAKERS, WRAP, bare


def rule(request: Request) -> Any:
    """Return the QIR of the request's question as JSON; an empty one for what no graph tells."""
    question, card = str(request.variables["question"]), request.variables["card"]
    if untold(question, card):
        return to_json(QIR("list", ""))
    return to_json(parse_question(question, card))


def parse_question(question: str, card: VocabularyCard) -> QIR:
    """Read a question against a card."""
    atoms = plain(bare(first_sentence(read(question, card))))
    p = Parse(Reader(atoms), Draft(), card, after_noun)
    understand(p)
    leave_out_settings(p)
    connect(p, atoms)
    return p.draft.finish()


def first_sentence(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms of the first sentence that holds more than a greeting; what follows is left out."""
    start = _courtesies(atoms)
    for place, atom in enumerate(atoms[start:-1], start):
        if atom.lower not in ("?", ".", "!", "|", ";"):
            continue
        said = [a for a in atoms[start:place] if a.is_content or a.kind == "number"]
        if any(a.lower not in WRAP for a in said) and place - start > 2:
            return atoms[start : place + 1]
        start = place + 1
    return atoms[start:]


def _courtesies(atoms: tuple[Atom, ...]) -> int:
    """Return where the sentence begins that asks, behind others in which people speak of themselves alone."""
    start = 0
    for place, atom in enumerate(atoms):
        if atom.is_mark and atom.lower == "?":
            return start
        if atom.is_mark and atom.lower in ".!":
            said = atoms[start:place]
            known = any(a.group or a.is_name and (a.vertex or a.capital) for a in said)
            if known or not any(a.lower in SPEAKERS for a in said):
                return start
            start = place + 1
    return 0

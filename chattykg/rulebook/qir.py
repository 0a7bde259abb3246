"""What the rule model says to ``answer/qir``: the question read by a grammar of English against the card."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.card import Card
from chattykg.qir import QIR, to_json
from chattykg.rulebook.atoms import read
from chattykg.rulebook.clauses import after_noun
from chattykg.rulebook.draft import Draft
from chattykg.rulebook.fallback import connect
from chattykg.rulebook.parse import Parse
from chattykg.rulebook.questions import understand
from chattykg.rulebook.reader import Reader


def rule(request: Request) -> Any:
    """Return the QIR of the request's question as JSON."""
    return to_json(parse(str(request.variables["question"]), request.variables["card"]))


def parse(question: str, card: Card) -> QIR:
    """Read a question against a card."""
    atoms = read(question, card)
    p = Parse(Reader(atoms), Draft(), card, after_noun)
    understand(p)
    connect(p, atoms)
    return p.draft.finish()

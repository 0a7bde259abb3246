"""The rule model's reply to ``answer/qir``: English rules parse the question with the vocabulary card."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading, readings_to_json, to_json
from chattykg.rulebook.grammar.parser import parse as parse_all
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


def represent_question(request: Request) -> Any:
    """Reply with the readings of the question as JSON; an empty one if no graph can answer it."""
    question, card = str(request.variables["question"]), request.variables["card"]
    if untold(question, card):
        return to_json(QIR("list", ""))
    import os

    mode = os.environ.get("GRAM", "both")
    parses = parse_all(question, card) if mode != "legacy" else ()
    if parses:
        return readings_to_json([QuestionReading(p.qir, p.score, p.unused) for p in parses])
    if mode == "only":
        return to_json(QIR("list", ""))
    return to_json(parse_question(question, card))


def parse_question(question: str, card: VocabularyCard) -> QIR:
    """Parse a question with the vocabulary of a card."""
    import os

    parses = parse_all(question, card) if os.environ.get("GRAM", "both") != "legacy" else ()
    if parses:
        return parses[0].qir
    atoms = plain(bare(first_sentence(read(question, card))))
    parse = Parse(Reader(atoms), Draft(), card, after_noun)
    understand(parse)
    leave_out_settings(parse)
    connect(parse, atoms)
    return parse.draft.finish()


def first_sentence(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Return the atoms of the first sentence that holds more than a greeting; drop what follows."""
    start = _skip_preamble(atoms)
    for index, atom in enumerate(atoms[start:-1], start):
        if atom.lower not in ("?", ".", "!", "|", ";"):
            continue
        content = [a for a in atoms[start:index] if a.is_content or a.kind == "number"]
        if any(a.lower not in WRAP for a in content) and index - start > 2:
            return atoms[start : index + 1]
        start = index + 1
    return atoms[start:]


def _skip_preamble(atoms: tuple[Atom, ...]) -> int:
    """Return where the question begins, after sentences in which the users speak of themselves only."""
    start = 0
    for index, atom in enumerate(atoms):
        if atom.is_mark and atom.lower == "?":
            return start
        if atom.is_mark and atom.lower in ".!":
            sentence = atoms[start:index]
            known = any(a.group or a.is_name and (a.vertex or a.capital) for a in sentence)
            if known or not any(a.lower in SPEAKERS for a in sentence):
                return start
            start = index + 1
    return 0

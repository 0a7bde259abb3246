"""Fill a plan up, where not enough was wanted, or what was wanted could not be had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattygen.planning.blocks import Block, closes
from chattygen.planning.piece import Piece
from chattygen.planning.sketch import Sketch, pieces_of
from chattygen.planning.wishes import Want

SIMPLE = ("count", "boolean", "two-hop", "unanswerable")
"""Forms that need no list and no other thing."""


def simple(sketch: Sketch, want: Want) -> Iterator[Piece]:
    """Yield questions of such a form about the seed, none that would make its pronoun unclear to later turns."""
    if want.form in SIMPLE:
        for piece in sketch.menu.simple(want, sketch.ground.seed):
            if not (sketch.is_closed and closes(sketch.ground, piece)):
                yield piece


def fill(sketch: Sketch) -> None:
    """Fill up with plain questions about the seed, forms not had yet first; then with what else there is."""
    ground = sketch.ground
    able = sketch.shuffled(sketch.menu.lookups(ground.seed))
    while sketch.number < sketch.turns:
        had = {piece.form for piece in pieces_of(sketch.blocks)}
        able = [p for p in able if sketch.is_new(p) and not (sketch.is_closed and closes(ground, p))]
        if not able:
            break
        best = min(able, key=lambda piece: (closes(ground, piece), piece.form in had))
        sketch.add(best, closing=closes(ground, best))
    for want in (Want("count"), Want("two-hop"), Want("boolean", sketch.chance.random() < 0.5)):
        piece = next((p for p in sketch.shuffled(simple(sketch, want)) if sketch.is_new(p)), None)
        if piece is not None and sketch.number < sketch.turns:
            sketch.add(piece, closing=closes(ground, piece))
    for place, block in enumerate(sketch.blocks):
        if block.closing:
            more = _more(sketch, block.pieces[-1])[: max(0, sketch.turns - sketch.number)]
            sketch.asked.update(*(piece.keys for piece in more))
            sketch.blocks[place] = Block((*block.pieces, *more), closing=True)


def _more(sketch: Sketch, last: Piece) -> list[Piece]:
    """Return turns that can follow the last one of a dialogue: about the same answer, or the same of yet another."""
    found: list[Piece] = []
    if last.link == "answer":
        summary = next((b.summary for b in sketch.ground.bridges if b.summary.entity == last.entity), None)
        able = list(sketch.menu.lookups(summary, "answer")) if summary is not None else []
        found = [replace(piece, back=last.back) for piece in sketch.shuffled(able)]
    elif last.link == "shift":
        same = (last.fact.last.predicate, last.form)
        able = [
            piece for rival in sketch.ground.rivals if sketch.ground.names.of(rival.entity.iri)
            for piece in sketch.menu.lookups(rival, "shift") if (piece.fact.last.predicate, piece.form) == same
        ]  # fmt: skip
        found = [replace(piece, back=last.back) for piece in sketch.shuffled(able)][:1]
    return [piece for piece in found if sketch.is_new(piece)]

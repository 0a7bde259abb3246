"""A plan in the making."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from chattygen.planning.blocks import Block
from chattygen.planning.ground import Ground
from chattygen.planning.pieces import Key, Piece
from chattygen.planning.wishes import Deal, Want
from chattygen.run import Run


@dataclass(slots=True)
class Sketch:
    """A plan in the making: its blocks, what they ask, and which wants are not granted yet."""

    run: Run
    ground: Ground
    deal: Deal
    chance: Random
    blocks: list[Block] = field(default_factory=list)
    asked: set[Key] = field(default_factory=set)
    wants: list[Want] = field(default_factory=list)

    @property
    def room(self) -> int:
        """How many turns are left; one is kept for the question that opens, unless a block that comes early can."""
        used = sum(len(block.pieces) for block in self.blocks)
        kept = not any(block.opens and not block.closing for block in self.blocks)
        return self.run.options.turns - used - kept

    @property
    def chained(self) -> int:
        """How many turns hang on an earlier answer so far."""
        pieces = (piece for block in self.blocks for piece in block.pieces)
        return sum(piece.link in ("answer", "among", "position") for piece in pieces)

    @property
    def is_closed(self) -> bool:
        """Whether some block is closing: there is one at most, and it comes last."""
        return any(block.closing for block in self.blocks)

    def is_new(self, piece: Piece, beside: Iterable[Piece] = ()) -> bool:
        """Tell whether a turn asks nothing that another asks already."""
        told = self.asked.union(*(other.keys for other in beside))
        return not piece.keys & told

    def add(self, *pieces: Piece, closing: bool = False, granted: Iterable[Want] = ()) -> None:
        """Take a block into the plan."""
        self.blocks.append(Block(pieces, closing))
        self.asked.update(*(piece.keys for piece in pieces))
        for want in granted:
            self.wants.remove(want)


def pieces_of(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Return the turns of some blocks."""
    return (piece for block in blocks for piece in block.pieces)

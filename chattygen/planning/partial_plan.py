"""A plan in the making."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from chattygen.planning.form_quotas import Want
from chattygen.planning.plan_context import Ground
from chattygen.planning.planned_turn import Key, Piece
from chattygen.planning.turn_groups import Block
from chattygen.planning.turn_options import Menu


@dataclass(slots=True)
class Sketch:
    """A plan in the making: its blocks, what they ask, and which wants are not granted yet."""

    menu: Menu
    turns: int
    wants: list[Want]
    chance: Random
    blocks: list[Block] = field(default_factory=list)
    asked: set[Key] = field(default_factory=set)

    @property
    def ground(self) -> Ground:
        """What the plan is drawn from."""
        return self.menu.ground

    @property
    def number(self) -> int:
        """How many turns there are."""
        return sum(len(block.pieces) for block in self.blocks)

    @property
    def room(self) -> int:
        """How many turns are left; one is kept for a question that opens, where no block that there is can."""
        kept = bool(self.blocks) and not any(block.opens for block in self.blocks if not block.closing)
        return self.turns - self.number - kept

    @property
    def is_closed(self) -> bool:
        """Whether some block is closing: there is one at most, and it comes last."""
        return any(block.closing for block in self.blocks)

    def wanted(self, *forms: str) -> list[Want]:
        """Return the wants of these forms that are not granted yet."""
        return [want for want in self.wants if want.form in forms]

    def is_new(self, piece: Piece, beside: Iterable[Piece] = ()) -> bool:
        """Tell whether a turn asks nothing that another asks already."""
        return not piece.keys & self.asked and not any(piece.keys & other.keys for other in beside)

    def shuffled(self, pieces: Iterable[Piece]) -> list[Piece]:
        """Return some turns in an order by chance."""
        found = list(pieces)
        self.chance.shuffle(found)
        return found

    def add(self, *pieces: Piece, closing: bool = False, granted: Iterable[Want] = ()) -> None:
        """Take a block into the plan."""
        self.blocks.append(Block(pieces, closing))
        self.asked.update(*(piece.keys for piece in pieces))
        for want in granted:
            self.wants.remove(want)


def pieces_of(blocks: Iterable[Block]) -> Iterator[Piece]:
    """Return the turns of some blocks."""
    return (piece for block in blocks for piece in block.pieces)

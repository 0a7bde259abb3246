"""Draw a plan: blocks of turns that grant what was dealt, as far as the ground can give it, in an order that reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from chattyshared.check import Problem

from chattygen.asks import Ask
from chattygen.bridges import Bridge
from chattygen.planning.blocks import Block, closes, comparisons, lookups, simple
from chattygen.planning.ground import Ground, beyond
from chattygen.planning.listing import condition_alone, from_a_set
from chattygen.planning.pieces import Piece, plain
from chattygen.planning.sketch import Sketch, pieces_of
from chattygen.planning.wishes import SET_FORMS, Deal, Want
from chattygen.rejection import Unfit
from chattygen.run import Run

_SIMPLE = ("count", "boolean", "two-hop", "unanswerable")


def draw(run: Run, ground: Ground, deal: Deal, chance: Random) -> tuple[tuple[Ask, Piece], ...]:
    """Return the turns of a dialogue in order, each as it is asked and as it is answered.

    Raises:
        Unfit: the ground does not suffice for as many turns.
    """
    sketch = Sketch(run, ground, deal, chance, wants=list(deal.wants))
    from_a_set(sketch)
    _compare(sketch)
    _shift(sketch)
    _go_on_about_an_answer(sketch)
    _ask_simply(sketch)
    _fill(sketch)
    if len(list(pieces_of(sketch.blocks))) < run.options.turns:
        few = f"questions for {len(list(pieces_of(sketch.blocks)))} turns, not for {run.options.turns}"
        raise Unfit("plan", [Problem("turns", few)])
    return tuple(_numbered(_ordered(sketch)))


def _compare(sketch: Sketch) -> None:
    """Compare the seed with another of its kind; that comes last, or one question about the former or the latter."""
    for want in [want for want in sketch.wants if want.form == "comparison"]:
        if sketch.is_closed or sketch.room < 1:
            return
        for piece in comparisons(sketch.ground, want, sketch.chance):
            if sketch.is_new(piece):
                after = _former_or_latter(sketch, piece) if not want.polar and sketch.room > 1 else ()
                sketch.add(piece, *after, closing=True, granted=[want])
                return


def _former_or_latter(sketch: Sketch, compared: Piece) -> tuple[Piece, ...]:
    """Return a question about the second of two things that were compared, where turns on answers are wanted."""
    if compared.other is None or sketch.chained >= sketch.deal.chained:
        return ()
    found = beyond(sketch.run, sketch.ground, compared.other.iri)
    able = [] if found is None else list(lookups(found, link="position", back=0))
    able = [piece for piece in able if sketch.is_new(piece, [compared])]
    return (replace(sketch.chance.choice(able), position=2),) if able else ()


def _shift(sketch: Sketch) -> None:
    """Ask something of the seed, and the same of another of its kind."""
    wants = [want for want in sketch.wants if want.form == "shift"]
    if not wants or sketch.is_closed or sketch.room < 2:
        return
    ground = sketch.ground
    for rival in sketch.chance.sample(ground.rivals, len(ground.rivals)):
        theirs = {(p.fact.last.predicate, p.form): p for p in lookups(rival, link="shift", back=0)}
        mine = [p for p in lookups(ground.seed) if (p.fact.last.predicate, p.form) in theirs and sketch.is_new(p)]
        if mine and ground.names.of(rival.entity.iri):
            piece = sketch.chance.choice(mine)
            other = theirs[piece.fact.last.predicate, piece.form]
            if other.expected != piece.expected:
                sketch.add(piece, other, closing=True, granted=wants[:1])
                return


def _go_on_about_an_answer(sketch: Sketch) -> None:
    """Ask for one thing, and then about that thing, as often as turns shall hang on an answer."""
    wanted = sketch.deal.chained - sketch.chained
    if wanted < 1 or sketch.is_closed or sketch.room < 1:
        return
    ground = sketch.ground
    for bridge in sketch.chance.sample(ground.bridges, len(ground.bridges)):
        first = plain(ground.seed.entity, bridge.fact, bridge.hidden, bridge.form)
        if ground.names.of(bridge.summary.entity.iri) and sketch.is_new(first):
            later, granted = _about(sketch, bridge, first, wanted)
            if later:
                # A plain question comes before a yes-no question.
                sketch.add(first, *sorted(later, key=lambda p: p.form == "boolean"), closing=True, granted=granted)
                return


def _about(sketch: Sketch, bridge: Bridge, first: Piece, wanted: int) -> tuple[list[Piece], list[Want]]:
    """Return turns about an answer: those that grant wants, then plain ones, with room for what else is wanted."""
    pieces: list[Piece] = []
    granted: list[Want] = []
    free = sketch.room - 1 + (0 if sketch.blocks else 1)
    for want in sketch.wants:
        if want.form in ("count", "boolean") and len(pieces) < min(wanted, free):
            found = simple(sketch.ground, want, bridge.summary, sketch.chance, link="answer", back=0)
            piece = next((one for one in found if sketch.is_new(one, [first, *pieces])), None)
            if piece is not None:
                pieces.append(piece)
                granted.append(want)
    kept = len([want for want in sketch.wants if want.form in _SIMPLE]) - len(granted)
    most = max(1, min(wanted, free - kept))
    able = list(lookups(bridge.summary, link="answer", back=0))
    for piece in sketch.chance.sample(able, len(able)):
        if len(pieces) < min(most, free) and sketch.is_new(piece, [first, *pieces]):
            pieces.append(piece)
    return pieces, granted


def _ask_simply(sketch: Sketch) -> None:
    """Grant what is left of the wants by questions about the seed, a set without its list included."""
    for want in list(sketch.wants):
        if sketch.room < 1:
            return
        found = condition_alone(sketch, want) if want.form in SET_FORMS else _simple(sketch, want)
        piece = next((one for one in found if sketch.is_new(one)), None)
        if piece is not None:
            sketch.add(piece, closing=closes(sketch.ground, piece), granted=[want])


def _simple(sketch: Sketch, want: Want) -> Iterator[Piece]:
    for piece in simple(sketch.ground, want, sketch.ground.seed, sketch.chance):
        if not (sketch.is_closed and closes(sketch.ground, piece)):
            yield piece


def _fill(sketch: Sketch) -> None:
    """Fill up with plain questions about the seed, forms not had yet first; then with what else there is."""
    ground = sketch.ground
    able = list(lookups(ground.seed))
    sketch.chance.shuffle(able)
    missing = sketch.run.options.turns - len(list(pieces_of(sketch.blocks)))
    while missing > 0:
        had = {piece.form for piece in pieces_of(sketch.blocks)}
        able = [p for p in able if sketch.is_new(p) and not (closes(ground, p) and sketch.is_closed)]
        able.sort(key=lambda piece: (closes(ground, piece), piece.form in had))
        if not able:
            break
        sketch.add(able[0], closing=closes(ground, able[0]))
        missing -= 1
    for want in (Want("count"), Want("two-hop")):
        piece = next((p for p in _simple(sketch, want) if sketch.is_new(p)), None) if missing > 0 else None
        if piece is not None:
            sketch.add(piece, closing=closes(ground, piece))
            missing -= 1
    _say_more(sketch, missing)


def _say_more(sketch: Sketch, missing: int) -> None:
    """Go on about an answer for longer than was dealt, where the seed has too little to ask about."""
    for place, block in enumerate(sketch.blocks):
        about = block.pieces[-1]
        bridge = next((b for b in sketch.ground.bridges if b.summary.entity == about.entity), None)
        if missing > 0 and block.closing and about.link == "answer" and bridge is not None:
            able = [p for p in lookups(bridge.summary, link="answer", back=about.back) if sketch.is_new(p)]
            more = sketch.chance.sample(able, min(missing, len(able)))
            sketch.blocks[place] = Block((*block.pieces, *more), closing=True)
            missing -= len(more)
    if missing > 1 and not sketch.is_closed:
        sketch.deal = Deal(sketch.deal.wants, sketch.chained + missing - 1)
        _go_on_about_an_answer(sketch)


def _ordered(sketch: Sketch) -> list[Block]:
    """Order the blocks: one that can open comes first, a closing one last, the others as chance wants."""
    blocks = sketch.chance.sample(sketch.blocks, len(sketch.blocks))
    last = [block for block in blocks if block.closing]
    blocks = [block for block in blocks if not block.closing]
    first = next((block for block in blocks if block.opens), None)
    if first is not None:
        blocks.remove(first)
        blocks.insert(0, first)
    elif not (last and last[0].opens and not blocks):
        raise Unfit("plan", [Problem("opening", "no plain question about the seed can open the dialogue")])
    return [*blocks, *last]


def _numbered(blocks: Iterable[Block]) -> Iterator[tuple[Ask, Piece]]:
    number = 0
    for block in blocks:
        start = number
        for piece in block.pieces:
            number += 1
            link = "opens" if number == 1 else piece.link
            of = start + piece.back + 1 if piece.back >= 0 else 0
            yield Ask(
                number, piece.form, link, piece.entity, piece.fact, piece.condition, piece.other, piece.polar,
                piece.position, of,
            ), piece  # fmt: skip

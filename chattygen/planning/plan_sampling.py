"""Draw a plan: blocks of turns that grant what is wanted, as far as the ground can give it, in an order that reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from chattygen.planning.form_quotas import SET_FORMS, Want
from chattygen.planning.partial_plan import Sketch, pieces_of
from chattygen.planning.planned_turn import Piece
from chattygen.planning.set_turns import condition_alone, from_a_set
from chattygen.planning.turn_construction import plain
from chattygen.planning.turn_groups import Block, closes
from chattygen.planning.turn_options import Menu
from chattygen.stages.turn_plan import Ask
from chattygen.subgraph.bridge_entities import Bridge


def draw(menu: Menu, wants: Sequence[Want], turns: int, chance: Random) -> tuple[tuple[Ask, Piece], ...]:
    """Return the turns of a dialogue in order, each as it is asked and as it is answered; fewer where the ground does
    not suffice. Wants that come first are granted first."""
    sketch = Sketch(menu, turns, list(wants), chance)
    for want in wants:
        if want in sketch.wants and sketch.room > 0:
            _STEPS.get(want.form, _later)(sketch)
    _ask_simply(sketch)
    fill(sketch)
    for want in (Want("answer"), Want("comparison"), Want("shift")):
        _stretch(sketch, want)
    return tuple(_numbered(_ordered(sketch)))


def _stretch(sketch: Sketch, want: Want) -> None:
    """Go on about an answer or about others of the seed's kind, where that is all there is."""
    if sketch.number < sketch.turns and not sketch.is_closed:
        sketch.wants = [want, *[Want("answer" if want.form == "answer" else "position")] * sketch.turns]
        _STEPS[want.form](sketch)
        fill(sketch)


def _later(_: Sketch) -> None:
    """Leave a want for the questions that need no others around them."""


def _pick(sketch: Sketch) -> None:
    """Pick from a list, if none was picked from yet."""
    if not any(piece.link in ("among", "position") for piece in pieces_of(sketch.blocks)):
        from_a_set(sketch)


def _place(sketch: Sketch) -> None:
    """Ask for a place in an order, or for the former or the latter of two things."""
    if sketch.chance.random() < 0.5:
        _pick(sketch)
    if sketch.wanted("position") and not sketch.is_closed:
        _compare(sketch, Want("comparison"))


def _compare(sketch: Sketch, granted: Want | None = None) -> None:
    """Compare the seed with another of its kind; that comes last, with questions about the former or the latter."""
    want = granted or next(iter(sketch.wanted("comparison")), None)
    if want is None or sketch.is_closed or sketch.room < 1:
        return
    for piece in sketch.shuffled(sketch.menu.comparisons(want)):
        if sketch.is_new(piece):
            after = [] if want.polar else _former_or_latter(sketch, piece)
            if granted is None or after:
                sketch.add(piece, *after, closing=True)
                for one in (*sketch.wanted("comparison")[:1], *sketch.wanted("position")[: len(after)]):
                    sketch.wants.remove(one)
                return


def _former_or_latter(sketch: Sketch, compared: Piece) -> list[Piece]:
    """Return questions about two things that were compared, as many as are wanted."""
    assert compared.other is not None
    found: list[Piece] = []
    sides = [(1, sketch.ground.seed), (2, sketch.menu.beyond(compared.other.iri))]
    able = [
        replace(piece, position=place) for place, side in sides if side is not None
        for piece in sketch.menu.lookups(side, "position")
    ]  # fmt: skip
    for piece in sketch.shuffled(able):
        if len(found) < min(len(sketch.wanted("position")), sketch.room - 1) and sketch.is_new(
            piece, [compared, *found]
        ):
            found.append(piece)
    return found


def _shift(sketch: Sketch) -> None:
    """Ask something of the seed, and the same of another of its kind."""
    if sketch.is_closed or sketch.room < 2:
        return
    ground = sketch.ground
    for rival in sketch.chance.sample(ground.rivals, len(ground.rivals)):
        if not ground.names.of(rival.entity.iri):
            continue
        theirs = {(p.fact.last.predicate, p.form): p for p in sketch.menu.lookups(rival, "shift")}
        mine = [p for p in sketch.menu.lookups(ground.seed) if (p.fact.last.predicate, p.form) in theirs]
        for piece in sketch.shuffled(p for p in mine if sketch.is_new(p)):
            other = theirs[piece.fact.last.predicate, piece.form]
            if other.expected != piece.expected:
                sketch.add(piece, other, closing=True, granted=sketch.wanted("shift")[:1])
                return


def _go_on_about_an_answer(sketch: Sketch) -> None:
    """Ask for one thing, and then about that thing, as often as turns shall hang on an answer."""
    wanted = len(sketch.wanted("answer"))
    if wanted < 1 or sketch.is_closed or sketch.room < 2:
        return
    ground = sketch.ground
    for bridge in sketch.chance.sample(ground.bridges, len(ground.bridges)):
        first = plain(ground.seed.entity, bridge.fact, bridge.hidden, bridge.form)
        if ground.names.of(bridge.summary.entity.iri) and sketch.is_new(first):
            later, granted = _about(sketch, bridge, first, wanted)
            if later:
                sketch.add(first, *later, closing=True, granted=granted)
                return


def _about(sketch: Sketch, bridge: Bridge, first: Piece, wanted: int) -> tuple[list[Piece], list[Want]]:
    """Return turns about an answer, those that grant other wants among them; the first one is a plain question."""
    pieces: list[Piece] = []
    granted: list[Want] = []
    plains = sketch.shuffled(sketch.menu.lookups(bridge.summary, "answer"))
    others = sketch.wanted("count", "boolean", "unanswerable")
    for want in sketch.wanted("answer")[: min(wanted, sketch.room - 1)]:
        found: list[Piece] = []
        for other in others if pieces or sketch.chance.random() < 0.4 else ():
            if other not in granted and not found:
                able = sketch.shuffled(sketch.menu.simple(other, bridge.summary, "answer"))
                found = [piece for piece in able if sketch.is_new(piece, [first, *pieces])][:1]
                granted += [other] * len(found)
        found = found or [piece for piece in plains if sketch.is_new(piece, [first, *pieces])][:1]
        pieces += found
        granted += [want] * len(found)
    return pieces, granted


def _ask_simply(sketch: Sketch) -> None:
    """Grant what is left of the wants by questions about the seed, a set without its list included."""
    for want in list(sketch.wants):
        if sketch.room < 1:
            return
        if want.form in (*SET_FORMS, *SIMPLE):
            alone = list(condition_alone(sketch, want)) if want.form in (*SET_FORMS, "count") else []
            found = sketch.shuffled((*alone, *simple(sketch, want)))
            piece = next((one for one in found if sketch.is_new(one)), None)
            if piece is not None:
                sketch.add(piece, closing=closes(sketch.ground, piece), granted=[want])


_STEPS = {
    **dict.fromkeys(SET_FORMS, _pick), "position": _place, "comparison": _compare, "shift": _shift,
    "answer": _go_on_about_an_answer,
}  # fmt: skip


def _ordered(sketch: Sketch) -> list[Block]:
    """Order the blocks: one that can open comes first, a closing one last, the others as chance wants."""
    blocks = sketch.chance.sample(sketch.blocks, len(sketch.blocks))
    last = [block for block in blocks if block.closing]
    blocks = [block for block in blocks if not block.closing]
    first = next((block for block in blocks if block.opens), None)
    if first is None:
        return last if not blocks else []
    blocks.remove(first)
    return [first, *blocks, *last]


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

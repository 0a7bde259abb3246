"""Lists and what is picked from them: the turns of a plan that need a set.

"Them" is the list that was given last. So what picks one thing from it comes before what picks several or counts some,
and after this nobody picks from the list again, unless the question says the set in full.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chattyshared.dialogue import Link

from chattygen.planning.conditions import Picked
from chattygen.planning.form_quotas import Want
from chattygen.planning.partial_plan import Sketch
from chattygen.planning.planned_turn import Piece
from chattygen.planning.set_attributes import Members
from chattygen.planning.turn_construction import from_set, plain
from chattygen.planning.turn_groups import closes

NARROWING = ("filter", "conjunction", "negation", "count")
"""Forms after which "them" means fewer things than were listed before."""
PLACES = (1, 2, 2, 3, -1)


def from_a_set(sketch: Sketch) -> None:
    """Ask for a list, and then pick from it what was dealt; the list tells its order where a place is wanted."""
    best: tuple[list[Piece], list[Want]] = ([], [])
    ground = sketch.ground
    for members in sketch.chance.sample(ground.sets, len(ground.sets)):
        pieces, granted = _set_block(sketch, members)
        if len(granted) > len(best[1]):
            best = pieces, granted
    if best[1]:
        pieces, granted = best
        strays = any(piece.entity != ground.seed.entity for piece in pieces)
        sketch.add(*pieces, closing=strays or any(closes(ground, piece) for piece in pieces), granted=granted)


def _set_block(sketch: Sketch, members: Members) -> tuple[list[Piece], list[Want]]:
    """Return the turns that ask for a set and pick from it, with the wants that they grant."""
    led, link, back = _led_to(sketch, members)
    if members.fact.forms[0] not in ("list", "subject") or sketch.room < len(led) + 2:
        return [], []
    if sketch.is_closed and (led or sketch.wanted("position")):
        return [], []
    if sketch.wanted("position"):
        pieces, granted = _by_place(sketch, members, led, link, back)
        if granted:
            return pieces, granted
    given = plain(members.owner, members.fact, members.hidden, members.fact.forms[0], link=link, back=back)
    if not all(sketch.is_new(piece) for piece in (*led, given)) or (sketch.is_closed and closes(sketch.ground, given)):
        return [], []
    return _picked(sketch, members, [*led, given])


def _led_to(sketch: Sketch, members: Members) -> tuple[list[Piece], Link, int]:
    """Return the turn that leads to the owner of a set, where that is an answer, and how the list hangs on it."""
    if not members.through:
        return [], "topic", -1
    fact, hidden = sketch.ground.seed.fact(members.through)
    return [plain(sketch.ground.seed.entity, fact, hidden, fact.forms[0])], "answer", 0


def _by_place(
    sketch: Sketch, members: Members, led: list[Piece], link: Link, back: int
) -> tuple[list[Piece], list[Want]]:
    """Ask for a set in order, and then about things at places of it."""
    orders = sketch.menu.picks(members, "list")
    if not orders:
        return [], []
    picked = sketch.chance.choice(orders)
    pieces = [*led, from_set(members, picked, "list", link=link, back=back)]
    granted: list[Want] = []
    if not all(sketch.is_new(piece) for piece in pieces):
        return [], []
    for want, place in zip(sketch.wanted("position"), sketch.chance.sample(PLACES, len(PLACES)), strict=False):
        found = sketch.shuffled(_placed(sketch, picked, place, pieces[len(led)], len(led)))
        piece = next((one for one in found if sketch.is_new(one, pieces)), None)
        if piece is not None and len(pieces) < sketch.room:
            pieces.append(piece)
            granted.append(want)
    return pieces, granted


def _placed(sketch: Sketch, picked: Picked, place: int, given: Piece, back: int) -> Iterator[Piece]:
    """Yield questions about the member at a place (1 is the first, -1 the last) of the ordered list just given."""
    iri = picked.members[place - 1 if place > 0 else place]
    found = sketch.menu.beyond(iri) if iri != sketch.ground.seed.entity.iri else None
    known = (picked.condition.step.predicate, given.fact.last.predicate)
    for piece in sketch.menu.lookups(found, "position") if found is not None else ():
        if piece.form != "list" and piece.fact.last.predicate not in known:
            yield replace(piece, position=place, back=back)


def _picked(sketch: Sketch, members: Members, pieces: list[Piece]) -> tuple[list[Piece], list[Want]]:
    """Pick from a list: one thing first, then several once, or talk about the thing."""
    granted: list[Want] = []
    back, room = len(pieces) - 1, sketch.room
    single = sketch.wanted("superlative")
    several = [want for want in sketch.wanted(*NARROWING) if want.form != "count" or sketch.chance.random() < 0.5]
    for want in (*single, *several):
        piece = _from_list(sketch, members, want, back, pieces) if len(pieces) < room else None
        if piece is not None and not (sketch.is_closed and closes(sketch.ground, piece)):
            pieces.append(piece)
            granted.append(want)
            if want.form in NARROWING:
                return pieces, granted
    if granted and pieces[-1].form == "superlative" and not sketch.is_closed:
        _about_the_one(sketch, pieces, granted)
    return pieces, granted


def _from_list(sketch: Sketch, members: Members, want: Want, back: int, beside: list[Piece]) -> Piece | None:
    """Return a turn that picks from the list just given, or counts what a condition picks."""
    found = sketch.shuffled(sketch.menu.picked(members, want.form, "among"))
    piece = next((one for one in found if sketch.is_new(one, beside)), None)
    return None if piece is None else replace(piece, back=back)


def _about_the_one(sketch: Sketch, pieces: list[Piece], granted: list[Want]) -> None:
    """Go on about the thing that was picked last, as often as turns about an answer are wanted."""
    last = pieces[-1]
    assert isinstance(last.expected, tuple) and last.condition is not None
    found = sketch.menu.beyond(last.expected[0])  # type: ignore[arg-type]
    back = len(pieces) - 1
    able = sketch.shuffled(sketch.menu.lookups(found, "answer")) if found is not None else []
    known = (last.condition.step.predicate, last.fact.last.predicate)
    for want in sketch.wanted("answer"):
        fresh = (one for one in able if one.fact.last.predicate not in known)
        piece = next((one for one in fresh if sketch.is_new(one, pieces)), None)
        if piece is not None and len(pieces) < sketch.room:
            pieces.append(replace(piece, back=back))
            granted.append(want)


def condition_alone(sketch: Sketch, want: Want) -> Iterator[Piece]:
    """Yield turns that pick from a set which they say in full: ``Which of his films ...?``"""
    for members in sketch.ground.sets:
        if members.owner == sketch.ground.seed.entity:
            for piece in sketch.menu.picked(members, want.form):
                if not (sketch.is_closed and closes(sketch.ground, piece)):
                    yield piece

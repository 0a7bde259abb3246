"""Lists and what is picked from them: the turns of a plan that need a set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chattyshared.dialogue import Link

from chattygen.planning.blocks import closes, in_order, picks, placed
from chattygen.planning.columns import Members
from chattygen.planning.pieces import Piece, from_set, key_of, plain
from chattygen.planning.sketch import Sketch
from chattygen.planning.wishes import SET_FORMS, Want


def from_a_set(sketch: Sketch) -> None:
    """Ask for a list, and then pick from it what was dealt; the list tells its order where a place is wanted."""
    wants = [want for want in sketch.wants if want.form in (*SET_FORMS, "position")]
    if not wants or sketch.room < 2:
        return
    best: tuple[int, tuple[Piece, ...], list[Want]] = (0, (), [])
    for members in sketch.chance.sample(sketch.ground.sets, len(sketch.ground.sets)):
        pieces, granted = _set_block(sketch, members, wants)
        if len(granted) > best[0]:
            best = (len(granted), pieces, granted)
    if best[0]:
        about = best[1][-1].entity
        own = about == sketch.ground.seed.entity and best[1][-1].link != "position"
        closing = not own or any(closes(sketch.ground, piece) for piece in best[1])
        sketch.add(*best[1], closing=closing, granted=best[2])


def _set_block(sketch: Sketch, members: Members, wants: Iterable[Want]) -> tuple[tuple[Piece, ...], list[Want]]:
    """Return the turns that ask for a set and pick from it, with the wants that they grant."""
    led, link, back = _led_to(sketch, members)
    room = sketch.room - len(led) + (0 if sketch.blocks else 1)
    places = [want for want in wants if want.form == "position"]
    ordered = picks(sketch.run, sketch.ground, members, "list", sketch.chance) if places else []
    granted: list[Want] = []
    found = list(led)
    if ordered and room >= 2:
        picked = ordered[0][0]
        opening = in_order(members, picked, link=link, back=back)
        place = sketch.chance.choice((1, 2, 2, 3, -1))
        asked = placed(sketch.run, sketch.ground, [picked], place, len(led), sketch.chance)
        piece = next((one for one in asked if sketch.is_new(one, led)), None)
        if piece is not None:
            found, granted = [*led, opening, piece], [places[0]]
    if len(found) == len(led):
        found.append(plain(members.owner, members.fact, members.hidden, members.fact.forms[0], link=link, back=back))
    if members.fact.forms[0] not in ("list", "subject") or not sketch.is_new(found[len(led)], led):
        return (), []
    tail = found[len(led) + 1 :]
    head = found[: len(led) + 1]
    for want in () if tail else wants:
        if want.form in SET_FORMS and len(head) + len(tail) < room + len(led):
            piece = _picked(sketch, members, want.form, len(led), [*head, *tail])
            if piece is not None:
                head.append(piece)
                granted.append(want)
    return (*head, *tail), granted


def _led_to(sketch: Sketch, members: Members) -> tuple[list[Piece], Link, int]:
    """Return the turn that leads to the owner of a set, where that is an answer, and how the list hangs on it."""
    if not members.through:
        return [], "topic", -1
    fact, hidden = sketch.ground.seed.fact(members.through)
    return [plain(sketch.ground.seed.entity, fact, hidden, fact.forms[0])], "answer", 0


def _picked(sketch: Sketch, members: Members, form: str, back: int, beside: list[Piece]) -> Piece | None:
    """Return a turn that picks from the list just given, or counts what a condition picks."""
    for picked, made in picks(sketch.run, sketch.ground, members, form, sketch.chance):
        piece = from_set(members, picked, made, link="among", back=back)
        if sketch.is_new(piece, beside):
            return piece
    return None


def condition_alone(sketch: Sketch, want: Want) -> Iterator[Piece]:
    """Yield turns that pick from a list which was not asked for: ``Which of his films ...?``"""
    for members in sketch.ground.sets:
        if members.owner == sketch.ground.seed.entity and key_of(members.owner, members.fact) not in sketch.asked:
            for picked, form in picks(sketch.run, sketch.ground, members, want.form, sketch.chance):
                piece = from_set(members, picked, form)
                if not (sketch.is_closed and closes(sketch.ground, piece)):
                    yield piece

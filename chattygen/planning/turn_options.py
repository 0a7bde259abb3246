"""All that a ground can give, found once, so that many drafts of a plan can be drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

from chattyshared.dialogue import Link
from rdflib import URIRef

from chattygen.planning.conditions import Picked
from chattygen.planning.form_quotas import SET_FORMS, Want
from chattygen.planning.plan_context import Ground, beyond
from chattygen.planning.planned_turn import Piece
from chattygen.planning.set_attributes import Members
from chattygen.planning.turn_construction import from_set, key_of
from chattygen.planning.turn_groups import comparisons, counts, lookups, picks, tells, two_hops, unknown, yes_no
from chattygen.run import Run
from chattygen.subgraph.facts import Summary

Given = TypeVar("Given")


class Menu:
    """The turns that a ground can give, by what they are about; each kind is made when it is first asked for.

    What it holds depends on the ground alone, not on the order of asking.
    """

    def __init__(self, run: Run, ground: Ground) -> None:
        self.run, self.ground = run, ground
        self._kept: dict[tuple[Any, ...], Any] = {}

    def lookups(self, summary: Summary, link: Link = "topic") -> tuple[Piece, ...]:
        """Return the plain questions about a thing."""
        key = ("lookups", summary.entity.iri, link)
        return self._once(key, lambda _: self._silent(lookups(summary, link=link, back=_back(link))))

    def simple(self, want: Want, summary: Summary, link: Link = "topic") -> tuple[Piece, ...]:
        """Return the turns of a form that needs one thing only: count, boolean, two hops, unanswerable."""
        if want.form == "boolean":
            return self._once(
                ("boolean", want.truth, summary.entity.iri, link),
                lambda _: [piece for piece in self._yes_no(summary, link) if piece.expected is want.truth],
            )
        return self._once((want.form, summary.entity.iri, link), lambda _: self._simple(want.form, summary, link))

    def _yes_no(self, summary: Summary, link: Link) -> tuple[Piece, ...]:
        return self._once(
            ("boolean", summary.entity.iri, link),
            lambda chance: yes_no(self.ground, summary, chance, link=link, back=_back(link)),
        )

    def _simple(self, form: str, summary: Summary, link: Link) -> Iterable[Piece]:
        if form == "count":
            return counts(summary, link=link, back=_back(link))
        if form == "unanswerable":
            return unknown(self.ground, summary, link=link, back=_back(link))
        return self._silent(two_hops(self.ground)) if form == "two-hop" and summary is self.ground.seed else ()

    def comparisons(self, want: Want) -> tuple[Piece, ...]:
        """Return the comparisons of the seed with others of its kind."""
        key = ("comparison", want.polar, want.polar and want.truth)
        return self._once(key, lambda chance: comparisons(self.ground, want, chance))

    def picks(self, members: Members, form: str) -> tuple[Picked, ...]:
        """Return the conditions that a set offers for a form (``list``: its orders)."""
        key = ("picks", form, key_of(members.owner, members.fact))
        return self._once(key, lambda chance: picks(self.run, self.ground, members, form, chance))

    def picked(self, members: Members, form: str, link: Link = "topic") -> tuple[Piece, ...]:
        """Return the turns of a form that pick from a set."""

        def made(_: Random) -> Iterator[Piece]:
            return self._silent(from_set(members, one, form, link=link) for one in self.picks(members, form))

        return self._once(("picked", form, key_of(members.owner, members.fact), link), made)

    def beyond(self, iri: URIRef) -> Summary | None:
        """Return what can be asked about a thing that a question may name; None if there is nothing."""

        def made(_: Random) -> Iterator[Summary | None]:
            yield beyond(self.run, self.ground, iri) if self.ground.names.of(iri) else None

        return self._once(("beyond", iri), made)[0]

    def able(self) -> tuple[str, ...]:
        """Return the forms (and ``answer``, ``shift``, ``position``) that the ground can give."""
        return self._once(("able",), lambda _: self._able())

    def _able(self) -> Iterator[str]:
        ground = self.ground
        told = [bridge.summary for bridge in ground.bridges if ground.names.of(bridge.summary.entity.iri)]
        yield from (form for form in SET_FORMS if any(self.picks(members, form) for members in ground.sets))
        for form in ("count", "boolean", "two-hop", "unanswerable"):
            if any(self.simple(Want(form), one, link) for one, link in self._about(told)) or (
                form == "count" and any(self.picks(members, form) for members in ground.sets)
            ):
                yield form
        if self.comparisons(Want("comparison")):
            yield "comparison"
        if told:
            yield "answer"
        if self.comparisons(Want("comparison")) or any(self.picks(members, "list") for members in ground.sets):
            yield "position"
        forms = {(piece.fact.last.predicate, piece.form) for piece in self.lookups(ground.seed)}
        if any((p.fact.last.predicate, p.form) in forms for one in ground.rivals for p in self.lookups(one, "shift")):
            yield "shift"

    def _about(self, told: Iterable[Summary]) -> Iterator[tuple[Summary, Link]]:
        yield self.ground.seed, "topic"
        yield from ((one, "answer") for one in told)

    def _silent(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """Leave out what would tell its own answer."""
        return (piece for piece in pieces if not tells(self.ground, piece))

    def _once(self, key: tuple[Any, ...], make: Callable[[Random], Iterable[Given]]) -> tuple[Given, ...]:
        if key not in self._kept:
            place = f"{self.run.options.seed}/menu/{self.ground.seed.entity.iri}/{key}"
            self._kept[key] = tuple(make(Random(place)))
        found: tuple[Given, ...] = self._kept[key]
        return found


def _back(link: Link) -> int:
    """Return the place of the turn that a turn of a link hangs on, within its block, unless it is another one."""
    return -1 if link == "topic" else 0

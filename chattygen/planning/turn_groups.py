"""Blocks: turns that belong together, and what a ground can give of each form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from chattyshared.dialogue import Link
from rdflib import Literal

from chattygen.checks import contains
from chattygen.planning.conditions import Picked, bounded, differing, lacking, orders, superlatives, with_value
from chattygen.planning.distractors import offered
from chattygen.planning.form_quotas import Want
from chattygen.planning.plan_context import Ground, alike
from chattygen.planning.planned_turn import Piece
from chattygen.planning.set_attributes import Members
from chattygen.planning.turn_construction import compared, first_wins, plain, unanswerable
from chattygen.planning.unanswerable import stems
from chattygen.run import Run
from chattygen.stages.questions import LOOKUPS
from chattygen.stages.turn_plan import Condition
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import said
from chattygen.subgraph.facts import Fact, Hidden, Summary


@dataclass(frozen=True, slots=True)
class Block:
    """Turns in order; after a block that is ``closing`` no pronoun can mean the seed any more."""

    pieces: tuple[Piece, ...]
    closing: bool = False

    @property
    def opens(self) -> bool:
        """Whether a dialogue can begin with it: with a question that names the seed and has an answer."""
        return self.pieces[0].link == "topic" and self.pieces[0].answerable


def closes(ground: Ground, piece: Piece) -> bool:
    """Tell whether a turn brings up something that a pronoun for the seed could mean as well."""
    return alike(piece.near, ground.seed.entity.kinds) and not _told_apart(ground, piece)


def _told_apart(ground: Ground, piece: Piece) -> bool:
    """Tell whether the only thing that a turn brings up is of the other gender."""
    for bridge in ground.bridges:
        if bridge.fact.last == piece.fact.last and len(piece.fact.steps) == 1:
            one, other = bridge.summary.entity.gender, ground.seed.entity.gender
            return bool(one and other and one != other)
    return False


def tells(ground: Ground, piece: Piece) -> bool:
    """Tell whether a question would say its own answer, in a name, a value or a predicate."""
    if not isinstance(piece.expected, tuple) or piece.form == "comparison":
        return False
    value = piece.condition.value if piece.condition is not None else ""
    heard = " ; ".join((piece.entity.label, value, *(step.label for step in piece.fact.steps))).casefold()
    for end in piece.expected:
        name = said(end, ground.stars.labels.get(end, ""))
        if name and name.casefold() in heard and contains(heard, name.casefold()):
            return True
    return False


def pairs(summary: Summary) -> list[tuple[Fact, Hidden]]:
    """Return facts with what they hide."""
    return list(zip(summary.facts, summary.hidden, strict=True))


def lookups(summary: Summary, *, link: Link = "topic", back: int = -1) -> Iterator[Piece]:
    """Yield plain questions about a thing, one per fact that can carry one."""
    for fact, hidden in pairs(summary):
        if fact.forms and fact.forms[0] in LOOKUPS:
            yield plain(summary.entity, fact, hidden, fact.forms[0], link=link, back=back)


def counts(summary: Summary, *, link: Link, back: int) -> Iterator[Piece]:
    """Yield questions for the number of things that a thing leads to, where no number of theirs is stated."""
    for fact, hidden in pairs(summary):
        if "count" in fact.forms and not _is_counted(summary, fact):
            yield plain(summary.entity, fact, hidden, "count", link=link, back=back)


def _is_counted(summary: Summary, fact: Fact) -> bool:
    """Tell whether a number that the KG states may be the same count: one named after the same thing."""
    told = stems(fact.last.label, *fact.kinds[:1])
    return any(other.shape == "number" and told & stems(other.last.label) for other in summary.facts)


def yes_no(ground: Ground, summary: Summary, chance: Random, *, link: Link, back: int) -> Iterator[Piece]:
    """Yield yes-no questions, each once with a true and once with a false value."""
    for fact, hidden in pairs(summary):
        if "boolean" in fact.forms and not hidden.cut:
            for made in offered(ground, summary, fact, hidden, chance):
                yield plain(summary.entity, *made, "boolean", link=link, back=back)


def two_hops(ground: Ground) -> Iterator[Piece]:
    """Yield questions for what the KG states once about an answer."""
    for bridge in ground.bridges:
        if bridge.fact.last.direction == "out":
            for far, behind in pairs(bridge.summary):
                if far.last.direction == "out" and far.forms[0] in LOOKUPS and not behind.langs:
                    yield _two_hop(ground, bridge, far, behind)


def _two_hop(ground: Ground, bridge: Bridge, far: Fact, behind: Hidden) -> Piece:
    steps = (bridge.fact.last, far.last)
    fact = replace(far, steps=steps, forms=("two-hop",), offer="", via=bridge.fact.kinds)
    hidden = replace(behind, triples=(*bridge.hidden.triples, *behind.triples))
    made = plain(ground.seed.entity, fact, hidden, "two-hop")
    return replace(made, keys=made.keys | {(str(bridge.summary.entity.iri), far.last.predicate)})


def unknown(ground: Ground, summary: Summary, *, link: Link, back: int) -> Iterator[Piece]:
    """Yield questions that the KG cannot answer, though it answers them of most things of that kind."""
    for fact in ground.lacks.get(summary.entity.iri, ()):
        yield replace(unanswerable(summary.entity, fact), link=link, back=back)


def comparisons(ground: Ground, want: Want, chance: Random) -> Iterator[Piece]:
    """Yield comparisons of the seed with others of its kind, by numbers or dates."""
    own = {f.last.predicate: (f, h.ends[0]) for f, h in pairs(ground.seed) if f.forms[0] in ("number", "date")}
    for rival in ground.rivals:
        if not ground.names.of(rival.entity.iri):
            continue
        theirs = {f.last.predicate: h.ends[0] for f, h in pairs(rival) if f.forms[0] in ("number", "date")}
        for predicate in differing({predicate: end for predicate, (_, end) in own.items()}, theirs):
            fact, value = own[predicate]
            other = theirs[predicate]
            assert isinstance(value, Literal) and isinstance(other, Literal)
            ends = (value, other)
            pick = chance.choice(("most", "least"))
            if want.polar and first_wins(ends, pick) is not want.truth:
                pick = "least" if pick == "most" else "most"
            condition = Condition(pick, fact.last, fact.shape, fact.datatype)  # type: ignore[arg-type]
            yield compared(ground.seed.entity, rival.entity, fact, ends, condition, polar=want.polar)


def picks(run: Run, ground: Ground, members: Members, form: str, chance: Random) -> Iterator[Picked]:
    """Yield the conditions that a set offers for a form; for a list, its orders."""
    named = (run.kg, ground.stars, ground.names, members)
    if form == "superlative":
        for pick in ("most", "least"):
            found = superlatives(members, pick)
            yield from (one for one in found if one.members[0] != ground.seed.entity.iri)
    if form in ("filter", "count"):
        for pick in ("over", "under"):
            yield from bounded(members, pick, chance)  # type: ignore[arg-type]
    if form in ("conjunction", "count"):
        yield from with_value(*named, "with")
    if form == "negation":
        yield from with_value(*named, "without")
        yield from lacking(run.kg, members)
    if form == "list":
        for pick in ("rising", "falling"):
            yield from orders(members, pick)  # type: ignore[arg-type]

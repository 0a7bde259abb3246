"""Blocks: turns that belong together, and what a ground can give of each form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from chattyshared.dialogue import Link
from rdflib import Literal

from chattygen.asks import Condition
from chattygen.bridges import Bridge
from chattygen.facts import Fact, Hidden, Summary
from chattygen.planning.columns import Members
from chattygen.planning.ground import Ground, alike, beyond, usual
from chattygen.planning.offering import offered
from chattygen.planning.picks import Picked, bounded, differing, lacking, orders, superlatives, with_value
from chattygen.planning.pieces import Piece, compared, first_wins, from_set, plain, unanswerable
from chattygen.planning.wishes import Want
from chattygen.questions import LOOKUPS
from chattygen.run import Run


@dataclass(frozen=True, slots=True)
class Block:
    """Turns in order; after a block that is ``closing`` no pronoun can mean the seed any more."""

    pieces: tuple[Piece, ...]
    closing: bool = False

    @property
    def opens(self) -> bool:
        """Whether a dialogue can begin with it: a plain question about the seed, or one for a list in order."""
        first = self.pieces[0]
        return first.form in LOOKUPS and first.link == "topic" and first.answerable


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


def pairs(summary: Summary) -> list[tuple[Fact, Hidden]]:
    """Return facts with what they hide."""
    return list(zip(summary.facts, summary.hidden, strict=True))


def lookups(summary: Summary, *, link: Link = "topic", back: int = -1) -> Iterator[Piece]:
    """Yield plain questions about a thing, one per fact that can carry one."""
    for fact, hidden in pairs(summary):
        if fact.forms and fact.forms[0] in LOOKUPS:
            yield plain(summary.entity, fact, hidden, fact.forms[0], link=link, back=back)


def simple(
    ground: Ground, want: Want, summary: Summary, chance: Random, *, link: Link = "topic", back: int = -1
) -> Iterator[Piece]:
    """Yield turns of a form that needs one thing only: count, boolean, two hops, unanswerable."""
    if want.form == "two-hop" and summary is ground.seed:
        yield from _two_hops(ground, chance)
    elif want.form == "unanswerable" and summary is ground.seed:
        yield from _unanswerable(ground, chance)
    facts = pairs(summary)
    for fact, hidden in chance.sample(facts, len(facts)):
        if want.form == "count" and "count" in fact.forms and not _is_counted(summary, fact):
            yield plain(summary.entity, fact, hidden, "count", link=link, back=back)
        elif want.form == "boolean" and "boolean" in fact.forms and not hidden.cut:
            made = offered(ground, summary, fact, hidden, chance).get(want.truth)
            if made is not None:
                yield plain(summary.entity, *made, "boolean", link=link, back=back)


def _is_counted(summary: Summary, fact: Fact) -> bool:
    """Tell whether a number that the KG states may be the same count: one named after the same thing."""
    told = _stems(fact.last.label, *fact.kinds[:1])
    return any(other.shape == "number" and told & _stems(other.last.label) for other in summary.facts)


_PLAIN_WORDS = frozenset({"numb", "date", "year", "plac", "name", "time", "tota", "type", "with", "from", "this"})


def _stems(*texts: str) -> set[str]:
    """Return how the words of texts begin, those left out that many predicates share."""
    return {word[:4].casefold() for text in texts for word in text.split() if len(word) > 3} - _PLAIN_WORDS


def _two_hops(ground: Ground, chance: Random) -> Iterator[Piece]:
    for bridge in chance.sample(ground.bridges, len(ground.bridges)):
        if bridge.fact.last.direction == "out":
            facts = pairs(bridge.summary)
            for far, behind in chance.sample(facts, len(facts)):
                if far.count == 1 and far.last.direction == "out" and not behind.langs:
                    yield _two_hop(ground, bridge, far, behind)


def _two_hop(ground: Ground, bridge: Bridge, far: Fact, behind: Hidden) -> Piece:
    steps = (bridge.fact.last, far.last)
    fact = replace(far, steps=steps, forms=("two-hop",), offer="", via=bridge.fact.kinds)
    hidden = replace(behind, triples=(*bridge.hidden.triples, *behind.triples))
    made = plain(ground.seed.entity, fact, hidden, "two-hop")
    return replace(made, keys=made.keys | {(str(bridge.summary.entity.iri), far.last.predicate)})


def _unanswerable(ground: Ground, chance: Random) -> Iterator[Piece]:
    found = list(usual(ground))
    for fact, _ in chance.sample(found, len(found)):
        told = _stems(fact.last.label)
        alike_facts = [f for f in ground.seed.facts if (f.shape == "entity") == (fact.shape == "entity")]
        if any(told & _stems(other.last.label) for other in alike_facts):
            continue  # the seed may state the same by another predicate
        yield unanswerable(ground.seed.entity, fact)


def comparisons(ground: Ground, want: Want, chance: Random) -> Iterator[Piece]:
    """Yield comparisons of the seed with others of its kind, by numbers or dates."""
    own = {f.last.predicate: (f, h.ends[0]) for f, h in pairs(ground.seed) if f.forms[0] in ("number", "date")}
    for rival in chance.sample(ground.rivals, len(ground.rivals)):
        if not ground.names.of(rival.entity.iri):
            continue
        theirs = {f.last.predicate: h.ends[0] for f, h in pairs(rival) if f.forms[0] in ("number", "date")}
        shared = list(differing({predicate: end for predicate, (_, end) in own.items()}, theirs))
        for predicate in chance.sample(shared, len(shared)):
            fact, value = own[predicate]
            other = theirs[predicate]
            assert isinstance(value, Literal) and isinstance(other, Literal)
            ends = (value, other)
            pick = chance.choice(("most", "least"))
            if want.polar and first_wins(ends, pick) is not want.truth:
                pick = "least" if pick == "most" else "most"
            condition = Condition(pick, fact.last, fact.shape, fact.datatype)  # type: ignore[arg-type]
            yield compared(ground.seed.entity, rival.entity, fact, ends, condition, polar=want.polar)


def picks(run: Run, ground: Ground, members: Members, form: str, chance: Random) -> list[tuple[Picked, str]]:
    """Return the conditions that a set offers for a form, each with the form of its turn, in an order by chance."""
    found: list[tuple[Picked, str]] = []
    named = (run.kg, ground.stars, ground.names, members)
    if form == "superlative":
        found = [(one, form) for pick in ("most", "least") for one in superlatives(members, pick)]
        found = [pair for pair in found if pair[0].members[0] != ground.seed.entity.iri]
    elif form == "filter":
        found = [(one, form) for pick in ("over", "under") for one in bounded(members, pick, chance)]
    elif form == "conjunction":
        found = [(one, form) for one in with_value(*named, "with")]
    elif form == "negation":
        found = [(one, form) for one in (*with_value(*named, "without"), *lacking(run.kg, members))]
    elif form == "count":
        found = [(one, form) for one in (*bounded(members, "over", chance), *with_value(*named, "with"))]
    elif form == "list":
        found = [(one, form) for pick in ("rising", "falling") for one in orders(members, pick)]
    return chance.sample(found, len(found))


def placed(run: Run, ground: Ground, order: Sequence[Picked], place: int, back: int, chance: Random) -> Iterator[Piece]:
    """Yield questions about the member at a place (1 is the first, -1 the last) of an ordered list."""
    for picked in order:
        iri = picked.members[place - 1 if place > 0 else place]
        found = beyond(run, ground, iri) if ground.names.of(iri) else None
        if found is None or iri == ground.seed.entity.iri:
            continue
        able = [
            piece for piece in lookups(found, link="position", back=back)
            if piece.form != "list" and piece.fact.last.predicate != picked.condition.step.predicate
        ]  # fmt: skip
        for piece in chance.sample(able, len(able)):
            yield replace(piece, position=place)


def in_order(members: Members, picked: Picked, *, link: Link, back: int) -> Piece:
    """Return the turn that asks for a set in order."""
    return from_set(members, picked, "list", link=link, back=back)

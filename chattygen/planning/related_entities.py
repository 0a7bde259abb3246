"""What around a seed is read, so that talk may come to it: answers, lists, others of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.neighbourhoods import Stars
from chattygen.planning.plan_context import Ground, beyond, sounds_like
from chattygen.planning.set_attributes import Members, columns, is_set
from chattygen.planning.unambiguous_names import names_of
from chattygen.run import Run
from chattygen.subgraph.bridge_entities import ENOUGH, Bridge
from chattygen.subgraph.extraction import most_specific
from chattygen.subgraph.facts import Fact, Hidden, Summary
from chattygen.subgraph.predicate_salience import is_writable

BRIDGES, RIVALS, FOILS, SETS = 4, 6, 2, 3
"""How many answers, others of the seed's kind, other values per fact, and lists are looked at."""
MEMBERS = 36
DESCRIBED = 180
"""The most things around one seed whose names are read."""
Way = tuple[Fact, Hidden]


@dataclass(frozen=True, slots=True)
class Prospect:
    """A seed that keeps the bounds, with what of its surroundings shall be read: answers, lists, others of its kind."""

    ground: Ground
    ways: tuple[Way, ...]
    lists: tuple[Way, ...]
    others: tuple[URIRef, ...]

    @property
    def seed(self) -> URIRef:
        """The seed's IRI."""
        return self.ground.seed.entity.iri

    @property
    def near(self) -> list[URIRef]:
        """The answers that talk may go on about."""
        return distinct(end for _, hidden in self.ways for end in hidden.ends if isinstance(end, URIRef))

    @property
    def members(self) -> list[URIRef]:
        """The members of the lists."""
        return distinct(end for _, hidden in self.lists for end in hidden.ends if isinstance(end, URIRef))


def distinct(things: Iterable[URIRef]) -> list[URIRef]:
    """Return things that a query can name, each once."""
    return [thing for thing in dict.fromkeys(things) if is_writable(thing)]


def lists_of(facts: Iterable[tuple[Fact, Hidden]], chance: Random) -> list[tuple[Fact, Hidden]]:
    """Choose the lists whose members are looked at: by chance, as many as the table can hold."""
    found = [(fact, hidden) for fact, hidden in facts if is_set(fact, hidden, fewest=3)]
    chosen: list[tuple[Fact, Hidden]] = []
    for fact, hidden in chance.sample(found, len(found)):
        if len(chosen) < SETS and len(hidden.ends) + sum(len(h.ends) for _, h in chosen) <= MEMBERS:
            chosen.append((fact, hidden))
    return chosen


def foils_of(run: Run, seed: Summary, chance: Random) -> dict[int, tuple[URIRef, ...]]:
    """Choose, for some facts that lead to things, other things of the same class."""
    found: dict[int, tuple[URIRef, ...]] = {}
    for fact, hidden in zip(seed.facts, seed.hidden, strict=True):
        classes = run.kg.types_of(hidden.ends[:20]) if fact.shape == "entity" and fact.kinds else {}
        common = set.intersection(*map(set, classes.values())) if classes else set()
        if common and len(found) < 4:
            type_iri = most_specific(run.kg, common)[0]
            some = run.stock.some(run.kg, type_iri, seed=run.options.seed, chance=chance, number=FOILS + 2)
            kept = [one for one in some if one not in hidden.ends and one != seed.entity.iri]
            found[fact.number] = tuple(kept[:FOILS])
    return found


def far_ends(prospect: Prospect, table: Stars) -> list[URIRef]:
    """Choose the far ends whose names are read, things with few of them first, up to the limit."""
    stars, foils = prospect.ground.stars, prospect.ground.foils.values()
    near, members, others = prospect.near, prospect.members, prospect.others
    first = (*others, *(foil for some in foils for foil in some), *members, *near)
    chosen = dict.fromkeys(one for one in first if one not in stars.labels)
    for far in _shared(table, members)[:40]:
        chosen.setdefault(far)
    for thing in dict.fromkeys((*near, *others, *members)):
        ends = [far for _, _, far in table.rays.get(thing, ()) if isinstance(far, URIRef)]
        fresh = [far for far in ends if far not in stars.labels and far not in chosen]
        if len(chosen) + len(fresh) <= DESCRIBED:
            chosen.update(dict.fromkeys(fresh))
    return [one for one in chosen if one not in stars.labels and is_writable(one)]


def few_named(stars: Stars, table: Stars, members: Sequence[URIRef]) -> list[URIRef]:
    """Choose whose names are read for a list behind an answer: its members, and what several of them share."""
    return [one for one in (*members, *_shared(table, members)[:40]) if one not in stars.labels and is_writable(one)]


def _shared(table: Stars, members: Iterable[URIRef]) -> list[URIRef]:
    """Return what several members lead to, most often first."""
    shared: dict[URIRef, int] = {}
    for member in members:
        for _, _, far in table.rays.get(member, ()):
            if isinstance(far, URIRef):
                shared[far] = shared.get(far, 0) + 1
    return sorted((far for far, times in shared.items() if times > 1), key=lambda far: (-shared[far], far))


def bridges_of(run: Run, ground: Ground, ways: Iterable[tuple[Fact, Hidden]]) -> Iterator[Bridge]:
    """Yield the answers of the seed that talk can go on about."""
    for fact, hidden in ways:
        iri = hidden.ends[0]
        found = beyond(run, ground, iri, through=fact.last.predicate) if isinstance(iri, URIRef) else None
        enough = min(ENOUGH, run.options.min_predicates)
        if found is not None and len(found.facts) >= enough and not sounds_like(found.entity, ground.seed.entity):
            yield Bridge(fact, fact.forms[0], hidden, found)


def sets_among(run: Run, ground: Ground, lists: Iterable[Way]) -> Iterator[Members]:
    """Yield the seed's lists whose members something tells apart."""
    for way in lists:
        members = members_of(run, ground.stars, ground.seed, way, 0)
        if members.columns:
            yield members


def members_of(run: Run, stars: Stars, owner: Summary, way: Way, through: int) -> Members:
    """Return a list of an owner with what tells its members apart; ``through`` as in ``Members``."""
    fact, hidden = way
    ends = [end for end in hidden.ends if isinstance(end, URIRef)]
    return Members(
        owner.entity, fact, hidden, columns(run.kg, stars, ends, fact, run.hidden | names_of(run)), through
    )  # fmt: skip


def behind(ground: Ground) -> Iterator[tuple[Bridge, Fact, Hidden]]:
    """Yield lists of the seed's answers, longer ones first: they have more to pick by."""
    found = [
        (bridge, fact, hidden) for bridge in ground.bridges
        for fact, hidden in zip(bridge.summary.facts, bridge.summary.hidden, strict=True)
        if is_set(fact, hidden, fewest=3) and fact.forms[0] in ("list", "subject")
    ]  # fmt: skip
    number = 0
    for one in sorted(found, key=lambda one: -len(one[2].ends))[: 2 * SETS]:
        if number + len(one[2].ends) <= MEMBERS:
            number += len(one[2].ends)
            yield one


def rivals_of(run: Run, ground: Ground, others: Iterable[URIRef]) -> Iterator[Summary]:
    """Yield what can be asked about others of the seed's kind."""
    for iri in others:
        found = beyond(run, ground, iri)
        if found is not None:
            yield found


def to_be_said(ground: Ground) -> Iterator[Term]:
    """Yield what a question may name: the seed, its rivals, answers, values to offer or to pick by."""
    yield ground.seed.entity.iri
    yield from (rival.entity.iri for rival in ground.rivals)
    yield from (bridge.summary.entity.iri for bridge in ground.bridges)
    for hidden in ground.seed.hidden:
        yield from hidden.ends[:2]
    for rival in ground.rivals:
        for hidden in rival.hidden:
            yield from hidden.ends[:1]
    yield from (foil for some in ground.foils.values() for foil in some)
    for members in ground.sets:
        yield from members.ends[:12]
        for column in members.columns:
            if column.shape == "entity":
                yield from column.shared()[:3]

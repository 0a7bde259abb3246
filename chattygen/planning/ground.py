"""The ground of a plan: what a seed, its answers, the members of its lists and others of its kind can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from chattyshared.check import Problem
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen import seeds
from chattygen.bridges import ENOUGH, Bridge
from chattygen.facts import Entity, Fact, Hidden, Summary
from chattygen.planning.columns import Members, columns, is_set
from chattygen.planning.names import Names, names_of
from chattygen.planning.stars import Stars, look, look_around
from chattygen.rejection import Unfit
from chattygen.run import Run
from chattygen.salience import echoes, is_writable
from chattygen.subgraph import Subgraph, askable, gender, lineage, most_specific, size
from chattygen.summary import shape_of, summarize

BRIDGES, RIVALS, FOILS, SETS = 4, 8, 2, 3
"""How many answers, others of the seed's kind, other values per fact, and lists are looked at."""
MEMBERS = 36
DESCRIBED = 180
"""The most things whose names are read for the far ends of the table: one request takes 200."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a plan can be drawn from; ``foils`` are, by class, things to offer in place of an answer."""

    seed: Summary
    stars: Stars
    names: Names
    bridges: tuple[Bridge, ...] = ()
    sets: tuple[Members, ...] = ()
    rivals: tuple[Summary, ...] = ()
    foils: Mapping[int, tuple[URIRef, ...]] = field(default_factory=dict)


def survey(run: Run, iri: URIRef, type_iri: str, chance: Random, *, with_sets: bool) -> Ground:
    """Read what a plan about a seed can use, in at most seven requests.

    ``with_sets``: the plan wants a list to pick from, so that one is looked for behind the seed's answers as well.

    Raises:
        Unfit: the seed does not meet the options' bounds.
        EndpointError: the endpoint does not answer.
    """
    stars, is_shared = look_around(run.kg.endpoint, iri, limit=run.options.max_triples, names=names_of(run))
    if len(stars.rays[iri]) > run.options.max_triples:
        raise Unfit("seed", [Problem("size", f"more than {run.options.max_triples} triples")])
    stars = stars.named(run.kg, (iri, *(ray[2] for ray in stars.rays[iri])))
    graph = picture(run, stars, iri, type_iri)
    problems = list(seeds.fits(run.kg, graph, (), run.options))
    if is_shared:
        problems.append(Problem("ambiguous-label", f'several things are called "{graph.entity.label}"'))
    if problems:
        raise Unfit("seed", problems)
    seed = summarize(run.kg, graph, list_limit=run.options.list_limit)
    return _beyond(run, seed, stars, chance, with_sets=with_sets)


def picture(run: Run, stars: Stars, iri: URIRef, type_iri: str = "") -> Subgraph:
    """Return a thing with its name and its askable triples, from what was read of it."""
    chosen = type_iri or next(iter(most_specific(run.kg, stars.types.get(iri, ()))), "")
    read, wanted = stars.edges(iri), run.options.direction
    edges = [edge for edge in read if wanted in ("both", edge.direction)]
    name = run.naming.name(chosen, read)
    label = str(name).strip() if name is not None else stars.labels.get(iri, "")
    kinds = lineage(run.kg, chosen)
    entity = Entity(iri, " ".join(label.split()), chosen, kinds[0] if kinds else "", kinds, gender(read))
    return Subgraph(entity, name, tuple(askable(run.kg, edges, entity, run.hidden)), size(edges))


def _beyond(run: Run, seed: Summary, stars: Stars, chance: Random, *, with_sets: bool) -> Ground:
    """Read the table of all things around a seed that talk may come to."""
    facts = list(zip(seed.facts, seed.hidden, strict=True)) if run.options.leads_on else []
    ways = [(fact, hidden) for fact, hidden in facts if fact.shape == "entity" and fact.count == 1]
    ways = chance.sample(ways, len(ways))[:BRIDGES]
    near = [end for _, hidden in ways for end in hidden.ends if isinstance(end, URIRef)]
    lists = _lists(facts, chance) if with_sets else []
    others = run.stock.some(
        run.kg, seed.entity.type, seed=run.options.seed, chance=chance, number=RIVALS + 1
    ) if seed.entity.type else []  # fmt: skip
    others = [one for one in others if one != seed.entity.iri][:RIVALS]
    if not ways and not lists and len(seed.facts) < run.options.turns:
        raise Unfit("plan", [Problem("turns", f"{len(seed.facts)} facts, too few for {run.options.turns} turns")])
    members = [end for _, hidden in lists for end in hidden.ends if isinstance(end, URIRef)]
    foils = _foils(run, seed, chance)
    skipped = run.hidden - names_of(run)
    table = look(run.kg.endpoint, _distinct((*near, *members, *others)), _distinct(near), skipped=skipped)
    wanted = _described(stars, table, near, members, others, [one for some in foils.values() for one in some])
    stars = table.beside(stars).named(run.kg, wanted)
    ground = Ground(seed, stars, Names(), foils=foils)
    ground = replace(
        ground,
        bridges=tuple(_bridges(run, ground, ways)),
        sets=tuple(_sets(run, stars, seed, lists)),
        rivals=tuple(_rivals(run, ground, others)),
    )
    if with_sets and not ground.sets:
        ground = _behind(run, ground)
    ground = replace(ground, names=Names.read(run, ground.stars, _to_be_said(ground)))
    if seed.entity.iri not in ground.names.clear:
        raise Unfit("seed", [Problem("ambiguous-label", f'several entities are called "{seed.entity.label}"')])
    return ground


def _distinct(things: Iterable[URIRef]) -> list[URIRef]:
    return [thing for thing in dict.fromkeys(things) if is_writable(thing)]


def _lists(facts: Iterable[tuple[Fact, Hidden]], chance: Random) -> list[tuple[Fact, Hidden]]:
    """Choose the lists whose members are looked at: by chance, as many as the table can hold."""
    found = [(fact, hidden) for fact, hidden in facts if is_set(fact, hidden, fewest=3)]
    chosen: list[tuple[Fact, Hidden]] = []
    for fact, hidden in chance.sample(found, len(found)):
        if len(chosen) < SETS and len(hidden.ends) + sum(len(h.ends) for _, h in chosen) <= MEMBERS:
            chosen.append((fact, hidden))
    return chosen


def _foils(run: Run, seed: Summary, chance: Random) -> dict[int, tuple[URIRef, ...]]:
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


def _described(stars: Stars, table: Stars, *first: Iterable[URIRef]) -> list[URIRef]:
    """Choose the far ends whose names are read, things with few of them first, up to the limit."""
    near, members, others, foils = first
    chosen = dict.fromkeys(one for one in (*others, *foils, *members, *near) if one not in stars.labels)
    shared: dict[URIRef, int] = {}
    for member in members:
        for _, _, far in table.rays.get(member, ()):
            if isinstance(far, URIRef):
                shared[far] = shared.get(far, 0) + 1
    for far in sorted((far for far, times in shared.items() if times > 1), key=lambda far: (-shared[far], far))[:40]:
        chosen.setdefault(far)
    for thing in _distinct((*near, *others, *members)):
        ends = [far for _, _, far in table.rays.get(thing, ()) if isinstance(far, URIRef)]
        fresh = [far for far in ends if far not in stars.labels and far not in chosen]
        if len(chosen) + len(fresh) <= DESCRIBED:
            chosen.update(dict.fromkeys(fresh))
    return [one for one in chosen if one not in stars.labels and is_writable(one)]


def beyond(run: Run, ground: Ground, iri: URIRef, *, through: str = "") -> Summary | None:
    """Return what can be asked about a thing other than the seed; None where talk had better not go on about it.

    ``through`` is the predicate that led there: it is not asked back, unless it leads to several things.
    """
    if iri not in ground.stars.rays or iri not in ground.stars.labels:
        return None
    graph = picture(run, ground.stars, iri)
    entity, seed = graph.entity, ground.seed.entity
    if graph.name is None and run.kg.profile.has_labels:
        return None
    if not entity.label or not entity.noun or len(entity.label.split()) > run.options.max_label_words:
        return None
    if echoes(entity.label, seed.label):
        return None
    found = summarize(run.kg, graph, list_limit=run.options.list_limit)
    kept = [
        (far, behind) for far, behind in zip(found.facts, found.hidden, strict=True)
        if (far.last.predicate != through or far.count > 2)
        and not (len(behind.ends) == 1 and behind.ends[0] == seed.iri)
        and not any(echoes(str(end), seed.label) for end in behind.ends[:1])
    ]  # fmt: skip
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Summary(entity, facts, tuple(behind for _, behind in kept)) if facts else None


def _bridges(run: Run, ground: Ground, ways: Iterable[tuple[Fact, Hidden]]) -> Iterator[Bridge]:
    for fact, hidden in ways:
        iri = hidden.ends[0]
        found = beyond(run, ground, iri, through=fact.last.predicate) if isinstance(iri, URIRef) else None
        if found is not None and len(found.facts) >= ENOUGH and not sounds_like(found.entity, ground.seed.entity):
            yield Bridge(fact, fact.forms[0], hidden, found)


def sounds_like(one: Entity, other: Entity) -> bool:
    """Tell whether a pronoun for one could mean the other: their kinds overlap, and no gender tells them apart."""
    told_apart = one.gender and other.gender and one.gender != other.gender
    return not told_apart and alike(one.kinds, other.kinds)


def alike(some: Iterable[str], others: Iterable[str]) -> bool:
    """Tell whether two lines of classes meet below the class of everything."""
    return bool({k.casefold() for k in some} & {k.casefold() for k in others} - {"thing", "entity", "resource"})


def _sets(run: Run, stars: Stars, seed: Summary, lists: Iterable[tuple[Fact, Hidden]]) -> Iterator[Members]:
    without = run.hidden | names_of(run)
    for fact, hidden in lists:
        ends = [end for end in hidden.ends if isinstance(end, URIRef)]
        found = columns(run.kg, stars, ends, fact, without)
        if found:
            yield Members(seed.entity, fact, hidden, found)


def _rivals(run: Run, ground: Ground, others: Iterable[URIRef]) -> Iterator[Summary]:
    for iri in others:
        found = beyond(run, ground, iri)
        if found is not None:
            yield found


def _behind(run: Run, ground: Ground) -> Ground:
    """Look for lists behind the answers, in two more requests; the longer ones have more to pick by."""
    found = [
        (bridge, fact, hidden) for bridge in ground.bridges
        for fact, hidden in zip(bridge.summary.facts, bridge.summary.hidden, strict=True)
        if is_set(fact, hidden, fewest=3) and fact.forms[0] in ("list", "subject")
    ]  # fmt: skip
    chosen: list[tuple[Bridge, Fact, Hidden]] = []
    for one in sorted(found, key=lambda one: -len(one[2].ends)):
        if len(one[2].ends) + sum(len(hidden.ends) for _, _, hidden in chosen) <= MEMBERS and len(chosen) < SETS:
            chosen.append(one)
    ends = _distinct(end for _, _, hidden in chosen for end in hidden.ends if isinstance(end, URIRef))
    without = run.hidden | names_of(run)
    table = look(run.kg.endpoint, ends, (), skipped=run.hidden - names_of(run))
    stars = ground.stars.beside(table).named(run.kg, _described(ground.stars, table, (), ends, (), ()))
    made = (
        Members(
            bridge.summary.entity, fact, hidden,
            columns(run.kg, stars, [end for end in hidden.ends if isinstance(end, URIRef)], fact, without),
            bridge.fact.number,
        )
        for bridge, fact, hidden in chosen
    )  # fmt: skip
    return replace(ground, stars=stars, sets=tuple(members for members in made if members.columns))


def _to_be_said(ground: Ground) -> Iterator[Term]:
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


def usual(ground: Ground) -> Iterator[tuple[Fact, Hidden]]:
    """Yield facts that most others of the seed's kind have and the seed has not: as one of these states them."""
    if len(ground.rivals) < 4:
        return
    seed_iri = ground.seed.entity.iri
    stated = {(str(ray[1]), ray[0]) for ray in ground.stars.rays[seed_iri]}
    found: dict[str, list[tuple[Fact, Hidden]]] = {}
    for rival in ground.rivals:
        for fact, hidden in zip(rival.facts, rival.hidden, strict=True):
            if fact.last.direction == "out" and (fact.last.predicate, "out") not in stated and fact.count == 1:
                found.setdefault(fact.last.predicate, []).append((fact, hidden))
    for predicate in sorted(found):
        some = found[predicate]
        ends = [end for _, hidden in some for end in hidden.ends]
        if len(some) >= 0.4 * len(ground.rivals) and shape_of(ends) == some[0][0].shape:
            yield some[0]

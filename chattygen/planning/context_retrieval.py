"""Read the grounds of several seeds together, so that a dialogue takes few requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from chattyshared.check import Problem
from chattyshared.kg.batches import batches
from rdflib import URIRef

from chattygen.planning.date_deduplication import once_each
from chattygen.planning.neighbourhoods import Stars, look, look_around
from chattygen.planning.plan_context import Ground, picture
from chattygen.planning.related_entities import (
    BRIDGES,
    RIVALS,
    Prospect,
    behind,
    bridges_of,
    distinct,
    far_ends,
    few_named,
    foils_of,
    lists_of,
    members_of,
    rivals_of,
    sets_among,
    to_be_said,
)
from chattygen.planning.unambiguous_names import Names, names_of
from chattygen.planning.unanswerable import lacking
from chattygen.rejection import Unfit
from chattygen.run import Run
from chattygen.sampling import seeds
from chattygen.subgraph.facts import Summary
from chattygen.subgraph.summary import summarize

Place = TypeVar("Place")
TRIPLES = 4_000
"""The most triples around seeds that are read in one request."""


def qualify(run: Run, wanted: Sequence[tuple[URIRef, str]]) -> dict[URIRef, Prospect | Unfit]:
    """Read the triples around some seeds (each with its class), in few requests: what around them shall be read as
    well, or why a seed does not keep the bounds.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[URIRef, Prospect | Unfit] = {}
    for some in batches(wanted, max(1, TRIPLES // run.options.max_triples)):
        for iri, seed in _summaries(run, some).items():
            found[iri] = seed if isinstance(seed, Unfit) else _prospect(run, *seed)
    return found


def survey(run: Run, prospects: Mapping[Place, Prospect]) -> dict[Place, Ground | Unfit]:
    """Read what plans about some seeds can use, in few requests; why not, for those whose names are not clear.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[Place, Ground | Unfit] = {}
    grounds = _named(run, _with_lists_behind(run, _read_on(run, list(prospects.values()))))
    for place, ground in zip(prospects, grounds, strict=True):
        entity = ground.seed.entity
        problem = Problem("ambiguous-label", f'several entities are called "{entity.label}"')
        found[place] = ground if entity.iri in ground.names.clear else Unfit("seed", [problem])
    return found


def _summaries(run: Run, wanted: Sequence[tuple[URIRef, str]]) -> dict[URIRef, tuple[Summary, Stars] | Unfit]:
    """Read the triples around seeds, and the names of what stands around those that may do."""
    limit = run.options.max_triples
    around, shared = look_around(run.kg.endpoint, [iri for iri, _ in wanted], limit=limit, names=names_of(run))
    early = {iri: tuple(_early(run, around, iri)) for iri, _ in wanted}
    fit = [iri for iri, problems in early.items() if not problems]
    run.kg.read_names(one for iri in fit for one in (iri, *(ray[2] for ray in around.rays[iri])))
    found: dict[URIRef, tuple[Summary, Stars] | Unfit] = {}
    for iri, type_iri in wanted:
        problems = early[iri]
        if not problems:
            stars = Stars({iri: around.rays[iri]})
            stars = stars.named(run.kg, (iri, *(ray[2] for ray in around.rays[iri])))
            graph = picture(run, stars, iri, type_iri)
            problems = tuple(seeds.fits(run.kg, graph, (), run.options))
            if not problems and iri in shared:
                problems = (Problem("ambiguous-label", f'several things are called "{graph.entity.label}"'),)
        if problems:
            found[iri] = Unfit("seed", problems)
        else:
            found[iri] = once_each(summarize(run.kg, graph, list_limit=run.options.list_limit)), stars
    return found


def _early(run: Run, around: Stars, iri: URIRef) -> Iterator[Problem]:
    """Say what is wrong with a seed as far as its bare triples tell."""
    rays, options = around.rays[iri], run.options
    predicates = {(side, predicate) for side, predicate, _ in rays if str(predicate) not in run.hidden}
    if len(rays) > options.max_triples:
        yield Problem("size", f"more than {options.max_triples} triples")
    elif len(rays) < options.min_triples:
        yield Problem("size", f"{len(rays)} triples, fewer than {options.min_triples}")
    elif len(predicates) < options.min_predicates:
        yield Problem("predicates", f"{len(predicates)} usable predicates, fewer than {options.min_predicates}")


def _prospect(run: Run, seed: Summary, stars: Stars) -> Prospect | Unfit:
    """Choose what around a seed shall be read."""
    chance = Random(f"{run.options.seed}/ground/{seed.entity.iri}")
    facts = list(zip(seed.facts, seed.hidden, strict=True)) if run.options.leads_on else []
    ways = [(fact, hidden) for fact, hidden in facts if fact.shape == "entity" and fact.count == 1]
    ways = chance.sample(ways, len(ways))[:BRIDGES]
    lists = lists_of(facts, chance)
    others = run.stock.some(
        run.kg, seed.entity.type, seed=run.options.seed, chance=chance, number=RIVALS + 1
    ) if seed.entity.type else []  # fmt: skip
    others = [one for one in others if one != seed.entity.iri][:RIVALS]
    if not ways and not lists and not others and len(seed.facts) < run.options.turns:
        return Unfit("plan", [Problem("turns", f"{len(seed.facts)} facts, too few for {run.options.turns} turns")])
    ground = Ground(seed, stars, Names(), foils=foils_of(run, seed, chance))
    return Prospect(ground, tuple(ways), tuple(lists), tuple(distinct(others)))


def _read_on(run: Run, prospects: Sequence[Prospect]) -> list[Ground]:
    """Read the things around seeds that talk may come to, all in one table."""
    out = distinct(one for p in prospects for one in (*p.near, *p.members, *p.others))
    into = distinct(one for p in prospects for one in p.near)
    table = look(run.kg.endpoint, out, into, skipped=run.hidden - names_of(run))
    own = [_part(table, (*p.near, *p.members, *p.others), p.near) for p in prospects]
    described = [far_ends(p, part) for p, part in zip(prospects, own, strict=True)]
    run.kg.read_names(one for some in described for one in some)
    grounds = []
    for prospect, part, wanted in zip(prospects, own, described, strict=True):
        stars = part.beside(prospect.ground.stars).named(run.kg, wanted)
        ground = replace(prospect.ground, stars=stars)
        grounds.append(replace(
            ground,
            bridges=tuple(bridges_of(run, ground, prospect.ways)),
            sets=tuple(sets_among(run, ground, prospect.lists)),
            rivals=tuple(rivals_of(run, ground, prospect.others)),
        ))  # fmt: skip
    return grounds


def _part(table: Stars, things: Iterable[URIRef], both: Sequence[URIRef]) -> Stars:
    """Return the rows of some things; what leads into one counts only where ``both`` sides shall."""
    sides = set(both)
    return Stars({
        one: rays if one in sides else tuple(ray for ray in rays if ray[0] == "out")
        for one in dict.fromkeys(things) if (rays := table.rays.get(one)) is not None
    })  # fmt: skip


def _with_lists_behind(run: Run, grounds: Sequence[Ground]) -> list[Ground]:
    """Look for lists behind the answers of those seeds that have none themselves."""
    chosen = [() if ground.sets else tuple(behind(ground)) for ground in grounds]
    ends = [distinct(end for way in some for end in way[2].ends if isinstance(end, URIRef)) for some in chosen]
    every = distinct(end for some in ends for end in some)
    table = look(run.kg.endpoint, every, (), skipped=run.hidden - names_of(run))
    described = [
        few_named(ground.stars, _part(table, some, ()), some) for ground, some in zip(grounds, ends, strict=True)
    ]
    run.kg.read_names(one for some in described for one in some)
    found = []
    for ground, ways, some, wanted in zip(grounds, chosen, ends, described, strict=True):
        stars = ground.stars.beside(_part(table, some, ())).named(run.kg, wanted)
        made = (members_of(run, stars, one.summary, (fact, hidden), one.fact.number) for one, fact, hidden in ways)
        sets = ground.sets or tuple(members for members in made if members.columns)
        found.append(replace(ground, stars=stars, sets=sets))
    return found


def _named(run: Run, grounds: Sequence[Ground]) -> list[Ground]:
    """Find out which names can be said, and what each seed and answer lacks that others of its kind have."""
    found = []
    names = Names.read(run, [(ground.stars, to_be_said(ground)) for ground in grounds])
    for ground, known in zip(grounds, names, strict=True):
        summaries = (ground.seed, *(bridge.summary for bridge in ground.bridges))
        lacks = {
            one.entity.iri: tuple(lacking(run, one, ground.stars.rays[one.entity.iri])) for one in summaries
        }  # fmt: skip
        sets = tuple(members for members in ground.sets if known.of(members.owner.iri))
        found.append(replace(ground, names=known, lacks=lacks, sets=sets))
    return found

"""Read the grounds of several seeds together, so that a dialogue takes few requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from chattyshared.check import Problem
from chattyshared.kg.batches import batches
from rdflib import URIRef

from chattygen.planning.date_deduplication import one_date_per_event
from chattygen.planning.neighbourhoods import Neighbourhoods, fetch_neighbourhoods, fetch_seed_neighbourhoods
from chattygen.planning.plan_context import PlanContext, subgraph_of
from chattygen.planning.related_entities import (
    MAX_BRIDGES,
    MAX_SIBLINGS,
    SeedCandidate,
    answer_set_of,
    distinct_writable,
    distinguishable_sets,
    distractors,
    ends_to_label,
    list_ends_to_label,
    lists_behind_answers,
    nameable,
    sample_lists,
    siblings,
    usable_bridges,
)
from chattygen.planning.unambiguous_names import NameIndex, name_predicates
from chattygen.planning.unanswerable import missing_facts
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext
from chattygen.subgraph.facts import Summary
from chattygen.subgraph.requirements import check_seed
from chattygen.subgraph.summary import summarize

SlotKey = TypeVar("SlotKey")
MAX_TRIPLES = 4_000
"""The most triples around seeds that are read in one request."""


def fetch_candidates(
    run: RunContext, seeds_with_types: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, SeedCandidate | SeedRejected]:
    """Read the triples around some seeds (each with its class), in few requests: what around them shall be read as
    well, or why a seed does not keep the bounds.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[URIRef, SeedCandidate | SeedRejected] = {}
    for some in batches(seeds_with_types, max(1, MAX_TRIPLES // run.options.max_triples)):
        for iri, seed in _summaries(run, some).items():
            found[iri] = seed if isinstance(seed, SeedRejected) else _prospect(run, *seed)
    return found


def fetch_contexts(
    run: RunContext, candidates: Mapping[SlotKey, SeedCandidate]
) -> dict[SlotKey, PlanContext | SeedRejected]:
    """Read what plans about some seeds can use, in few requests; why not, for those whose names are not clear.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    found: dict[SlotKey, PlanContext | SeedRejected] = {}
    grounds = _named(run, _with_lists_behind(run, _read_on(run, list(candidates.values()))))
    for place, ground in zip(candidates, grounds, strict=True):
        entity = ground.seed.entity
        problem = Problem("ambiguous-label", f'several entities are called "{entity.label}"')
        found[place] = ground if entity.iri in ground.names.unambiguous else SeedRejected("seed", [problem])
    return found


def _summaries(
    run: RunContext, wanted: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, tuple[Summary, Neighbourhoods] | SeedRejected]:
    """Read the triples around seeds, and the names of what stands around those that may do."""
    limit = run.options.max_triples
    around, shared = fetch_seed_neighbourhoods(
        run.kg.endpoint, [iri for iri, _ in wanted], limit=limit, name_predicates=name_predicates(run)
    )
    early = {iri: tuple(_early(run, around, iri)) for iri, _ in wanted}
    fit = [iri for iri, problems in early.items() if not problems]
    run.kg.prefetch_labels_and_types(
        one for iri in fit for one in (iri, *(ray[2] for ray in around.directed_edges[iri]))
    )
    found: dict[URIRef, tuple[Summary, Neighbourhoods] | SeedRejected] = {}
    for iri, type_iri in wanted:
        problems = early[iri]
        if not problems:
            stars = Neighbourhoods({iri: around.directed_edges[iri]})
            stars = stars.with_labels(run.kg, (iri, *(ray[2] for ray in around.directed_edges[iri])))
            graph = subgraph_of(run, stars, iri, type_iri)
            problems = tuple(check_seed(run.kg, graph, (), run.options))
            if not problems and iri in shared:
                problems = (Problem("ambiguous-label", f'several things are called "{graph.entity.label}"'),)
        if problems:
            found[iri] = SeedRejected("seed", problems)
        else:
            found[iri] = one_date_per_event(summarize(run.kg, graph, list_limit=run.options.list_limit)), stars
    return found


def _early(run: RunContext, around: Neighbourhoods, iri: URIRef) -> Iterator[Problem]:
    """Say what is wrong with a seed as far as its bare triples tell."""
    rays, options = around.directed_edges[iri], run.options
    predicates = {(side, predicate) for side, predicate, _ in rays if str(predicate) not in run.excluded_predicates}
    if len(rays) > options.max_triples:
        yield Problem("size", f"more than {options.max_triples} triples")
    elif len(rays) < options.min_triples:
        yield Problem("size", f"{len(rays)} triples, fewer than {options.min_triples}")
    elif len(predicates) < options.min_predicates:
        yield Problem("predicates", f"{len(predicates)} usable predicates, fewer than {options.min_predicates}")


def _prospect(run: RunContext, seed: Summary, stars: Neighbourhoods) -> SeedCandidate | SeedRejected:
    """Choose what around a seed shall be read."""
    chance = Random(f"{run.options.seed}/ground/{seed.entity.iri}")
    facts = list(zip(seed.facts, seed.hidden, strict=True)) if run.options.allows_two_hops else []
    ways = [(fact, hidden) for fact, hidden in facts if fact.shape == "entity" and fact.count == 1]
    ways = chance.sample(ways, len(ways))[:MAX_BRIDGES]
    lists = sample_lists(facts, chance)
    others = (
        run.cache.sample_entities(run.kg, seed.entity.type, seed=run.options.seed, rng=chance, number=MAX_SIBLINGS + 1)
        if seed.entity.type
        else []
    )
    others = [one for one in others if one != seed.entity.iri][:MAX_SIBLINGS]
    if not ways and not lists and not others and len(seed.facts) < run.options.turns:
        return SeedRejected(
            "plan", [Problem("turns", f"{len(seed.facts)} facts, too few for {run.options.turns} turns")]
        )
    ground = PlanContext(seed, stars, NameIndex(), distractors=distractors(run, seed, chance))
    return SeedCandidate(ground, tuple(ways), tuple(lists), tuple(distinct_writable(others)))


def _read_on(run: RunContext, prospects: Sequence[SeedCandidate]) -> list[PlanContext]:
    """Read the things around seeds that talk may come to, all in one table."""
    out = distinct_writable(one for p in prospects for one in (*p.answers, *p.list_members, *p.sibling_iris))
    into = distinct_writable(one for p in prospects for one in p.answers)
    table = fetch_neighbourhoods(
        run.kg.endpoint, out, into, skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    own = [_part(table, (*p.answers, *p.list_members, *p.sibling_iris), p.answers) for p in prospects]
    described = [ends_to_label(p, part) for p, part in zip(prospects, own, strict=True)]
    run.kg.prefetch_labels_and_types(one for some in described for one in some)
    grounds = []
    for prospect, part, wanted in zip(prospects, own, described, strict=True):
        stars = part.merge(prospect.context.neighbourhoods).with_labels(run.kg, wanted)
        ground = replace(prospect.context, neighbourhoods=stars)
        grounds.append(
            replace(
                ground,
                bridges=tuple(usable_bridges(run, ground, prospect.answer_facts)),
                answer_sets=tuple(distinguishable_sets(run, ground, prospect.list_facts)),
                siblings=tuple(siblings(run, ground, prospect.sibling_iris)),
            )
        )
    return grounds


def _part(table: Neighbourhoods, things: Iterable[URIRef], both: Sequence[URIRef]) -> Neighbourhoods:
    """Return the rows of some things; what leads into one counts only where ``both`` sides shall."""
    sides = set(both)
    return Neighbourhoods(
        {
            one: rays if one in sides else tuple(ray for ray in rays if ray[0] == "out")
            for one in dict.fromkeys(things)
            if (rays := table.directed_edges.get(one)) is not None
        }
    )


def _with_lists_behind(run: RunContext, grounds: Sequence[PlanContext]) -> list[PlanContext]:
    """Look for lists behind the answers of those seeds that have none themselves."""
    chosen = [() if ground.answer_sets else tuple(lists_behind_answers(ground)) for ground in grounds]
    ends = [distinct_writable(end for way in some for end in way[2].ends if isinstance(end, URIRef)) for some in chosen]
    every = distinct_writable(end for some in ends for end in some)
    table = fetch_neighbourhoods(
        run.kg.endpoint, every, (), skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    described = [
        list_ends_to_label(ground.neighbourhoods, _part(table, some, ()), some)
        for ground, some in zip(grounds, ends, strict=True)
    ]
    run.kg.prefetch_labels_and_types(one for some in described for one in some)
    found = []
    for ground, ways, some, wanted in zip(grounds, chosen, ends, described, strict=True):
        stars = ground.neighbourhoods.merge(_part(table, some, ())).with_labels(run.kg, wanted)
        made = (answer_set_of(run, stars, one.summary, (fact, hidden), one.fact.number) for one, fact, hidden in ways)
        sets = ground.answer_sets or tuple(members for members in made if members.attributes)
        found.append(replace(ground, neighbourhoods=stars, answer_sets=sets))
    return found


def _named(run: RunContext, grounds: Sequence[PlanContext]) -> list[PlanContext]:
    """Find out which names can be said, and what each seed and answer lacks that others of its kind have."""
    found = []
    names = NameIndex.fetch(run, [(ground.neighbourhoods, nameable(ground)) for ground in grounds])
    for ground, known in zip(grounds, names, strict=True):
        summaries = (ground.seed, *(bridge.summary for bridge in ground.bridges))
        lacks = {
            one.entity.iri: tuple(missing_facts(run, one, ground.neighbourhoods.directed_edges[one.entity.iri]))
            for one in summaries
        }
        sets = tuple(members for members in ground.answer_sets if known.name_of(members.owner.iri))
        found.append(replace(ground, names=known, missing_facts=lacks, answer_sets=sets))
    return found

"""Read the plan contexts of several seeds together, to save requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from chattyshared.check import Problem
from chattyshared.kg.batches import batches
from rdflib import URIRef

from chattygen.planning.distractors import foils
from chattygen.planning.missing_facts import missing_facts
from chattygen.planning.neighbourhoods import Neighbourhoods, fetch_neighbourhoods, fetch_seed_neighbourhoods
from chattygen.planning.plan_context import PlanContext, subgraph_of, summarize_dated
from chattygen.planning.related_entities import (
    MAX_BRIDGES,
    MAX_SIBLINGS,
    SeedCandidate,
    answer_set_of,
    distinct_writable,
    distinguishable_sets,
    distractors,
    ends_to_label,
    farther_answers,
    like_entities,
    list_ends_to_label,
    lists_behind_answers,
    nameable,
    sample_lists,
    siblings,
    siblings_behind_answers,
    usable_bridges,
)
from chattygen.planning.unambiguous_names import NameIndex, name_predicates, whole_name_predicates
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.subgraph.extraction import check_seed
from chattygen.subgraph.facts import Summary
from chattygen.subgraph.hidden_nodes import hidden_ends

SlotKey = TypeVar("SlotKey")
MAX_TRIPLES = 4_000
"""Triples: the most around seeds that one request reads; set by hand."""


@in_stage("extraction")
def fetch_candidates(
    run: RunContext, seeds_with_types: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, SeedCandidate | SeedRejected]:
    """Read the triples around some seeds, each given with its class, in few requests.

    Returns by seed what else to read about it, or why it is rejected.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    candidates: dict[URIRef, SeedCandidate | SeedRejected] = {}
    for batch in batches(seeds_with_types, max(1, MAX_TRIPLES // run.options.max_triples)):
        for iri, seed in _summarize_seeds(run, batch).items():
            candidates[iri] = seed if isinstance(seed, SeedRejected) else _choose_related(run, *seed)
    return candidates


@in_stage("extraction")
def fetch_contexts(
    run: RunContext, candidates: Mapping[SlotKey, SeedCandidate]
) -> dict[SlotKey, PlanContext | SeedRejected]:
    """Read what plans about some seeds can use, in few requests; a seed whose name is ambiguous is rejected.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    results: dict[SlotKey, PlanContext | SeedRejected] = {}
    listed = list(candidates.values())
    contexts = _with_names(run, _with_distant_entities(run, _read_related(run, listed), listed))
    for slot, context in zip(candidates, contexts, strict=True):
        entity = context.seed.entity
        problem = Problem("ambiguous-label", f'several entities are called "{entity.label}"')
        results[slot] = context if entity.iri in context.names.unambiguous else SeedRejected("seed", [problem])
    return results


def fetch_context(run: RunContext, iri: URIRef, type_iri: str) -> PlanContext:
    """Read what a dialogue about one seed can use.

    Raises:
        SeedRejected: the entity does not meet the requirements of a seed, or its name is ambiguous.
        EndpointError: the endpoint does not answer.
    """
    candidate = fetch_candidates(run, [(iri, type_iri)])[iri]
    context = candidate if isinstance(candidate, SeedRejected) else fetch_contexts(run, {iri: candidate})[iri]
    if isinstance(context, SeedRejected):
        raise context
    return context


def _summarize_seeds(
    run: RunContext, seeds_with_types: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, tuple[Summary, Neighbourhoods] | SeedRejected]:
    """Read the triples around seeds, then the labels of their neighbours for the seeds that are not rejected."""
    limit = run.options.max_triples
    table, ambiguous = fetch_seed_neighbourhoods(
        run.kg.endpoint, [iri for iri, _ in seeds_with_types], limit=limit, name_predicates=whole_name_predicates(run)
    )
    problems_by_seed = {iri: tuple(_size_problems(run, table, iri, type_iri)) for iri, type_iri in seeds_with_types}
    usable = [iri for iri, problems in problems_by_seed.items() if not problems]
    run.kg.prefetch_labels_and_types(
        term for iri in usable for term in (iri, *(edge[2] for edge in table.directed_edges[iri]))
    )
    own_tables = {
        iri: Neighbourhoods({iri: table.directed_edges[iri]}).with_labels(
            run.kg, (iri, *(edge[2] for edge in table.directed_edges[iri]))
        )
        for iri in usable
    }
    tables = dict(zip(own_tables, _with_hidden_nodes(run, list(own_tables.values())), strict=True))
    results: dict[URIRef, tuple[Summary, Neighbourhoods] | SeedRejected] = {}
    for iri, type_iri in seeds_with_types:
        problems = problems_by_seed[iri]
        if not problems:
            neighbourhoods = tables[iri]
            graph = subgraph_of(run, neighbourhoods, iri, type_iri)
            problems = tuple(check_seed(run.kg, graph, run.options))
            if not problems and iri in ambiguous:
                problems = (Problem("ambiguous-label", f'several things are called "{graph.entity.label}"'),)
        if problems:
            results[iri] = SeedRejected("seed", problems)
        else:
            results[iri] = (summarize_dated(run, graph), neighbourhoods)
    return results


def _with_hidden_nodes(run: RunContext, tables: Sequence[Neighbourhoods]) -> list[Neighbourhoods]:
    """Add the triples of the hidden nodes that the entities of each table lead to, with labels; few requests."""
    nodes_by_table = [
        hidden_ends(run.kg, (edge for iri in table.directed_edges for edge in table.labelled_edges(iri)))
        for table in tables
    ]
    outgoing = distinct_writable(node for nodes, _ in nodes_by_table for node in nodes)
    if not outgoing:
        return list(tables)
    incoming = distinct_writable(node for _, two_way in nodes_by_table for node in two_way)
    fetched = fetch_neighbourhoods(
        run.kg.endpoint, outgoing, incoming, skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    parts = [_restrict(fetched, nodes, tuple(two_way)) for nodes, two_way in nodes_by_table]
    ends_by_table = [[edge[2] for edges in part.directed_edges.values() for edge in edges] for part in parts]
    run.kg.prefetch_labels_and_types(end for ends in ends_by_table for end in ends)
    return [
        table.merge(part).with_labels(run.kg, ends)
        for table, part, ends in zip(tables, parts, ends_by_table, strict=True)
    ]


def _size_problems(run: RunContext, table: Neighbourhoods, iri: URIRef, type_iri: str) -> Iterator[Problem]:
    """Yield what is wrong with a seed as far as its triples without labels show it."""
    edges, options = table.directed_edges[iri], run.options
    predicates = {
        (direction, predicate) for direction, predicate, _ in edges if str(predicate) not in run.excluded_predicates
    }
    min_predicates, min_triples = options.bounds_of(type_iri)
    if len(edges) > options.max_triples:
        yield Problem("size", f"more than {options.max_triples} triples")
    elif len(edges) < min_triples:
        yield Problem("size", f"{len(edges)} triples, fewer than {min_triples}")
    elif len(predicates) < min_predicates:
        yield Problem("predicates", f"{len(predicates)} usable predicates, fewer than {min_predicates}")


def _choose_related(run: RunContext, seed: Summary, neighbourhoods: Neighbourhoods) -> SeedCandidate | SeedRejected:
    """Choose the related entities of a seed that are read."""
    rng = Random(f"{run.options.seed}/ground/{seed.entity.iri}")
    facts = seed.facts_with_ends if run.options.allows_two_hops else []
    answer_facts = [(fact, hidden) for fact, hidden in facts if fact.shape == "entity" and fact.count == 1]
    answer_facts = rng.sample(answer_facts, len(answer_facts))[:MAX_BRIDGES]
    list_facts = sample_lists(facts, rng)
    sibling_iris = like_entities(run, seed.entity.iri, seed.entity.type, neighbourhoods)
    if not answer_facts and not list_facts and not sibling_iris and len(seed.facts) < run.options.turns:
        return SeedRejected(
            "plan", [Problem("turns", f"{len(seed.facts)} facts, too few for {run.options.turns} turns")]
        )
    context = PlanContext(seed, neighbourhoods, NameIndex(), distractors=distractors(run, seed, neighbourhoods))
    return SeedCandidate(context, tuple(answer_facts), tuple(list_facts), tuple(distinct_writable(sibling_iris)))


def _read_related(run: RunContext, candidates: Sequence[SeedCandidate]) -> list[PlanContext]:
    """Read the related entities of all seeds in one table."""
    outgoing = distinct_writable(iri for p in candidates for iri in (*p.answers, *p.list_members, *p.sibling_iris))
    incoming = distinct_writable(iri for p in candidates for iri in p.answers)
    table = fetch_neighbourhoods(
        run.kg.endpoint, outgoing, incoming, skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    parts = [_restrict(table, (*p.answers, *p.list_members, *p.sibling_iris), p.answers) for p in candidates]
    iris_to_label = [ends_to_label(p, part) for p, part in zip(candidates, parts, strict=True)]
    run.kg.prefetch_labels_and_types(iri for iris in iris_to_label for iri in iris)
    labelled = [part.with_labels(run.kg, to_label) for part, to_label in zip(parts, iris_to_label, strict=True)]
    contexts = []
    for candidate, part in zip(candidates, _with_hidden_nodes(run, labelled), strict=True):
        neighbourhoods = part.merge(candidate.context.neighbourhoods)
        context = replace(candidate.context, neighbourhoods=neighbourhoods)
        contexts.append(
            replace(
                context,
                bridges=tuple(usable_bridges(run, context, candidate.answer_facts)),
                answer_sets=tuple(distinguishable_sets(run, context, candidate.list_facts)),
                siblings=tuple(siblings(run, context, candidate.sibling_iris)),
                distractors=distractors(run, context.seed, neighbourhoods),
            )
        )
    return contexts


def _restrict(table: Neighbourhoods, entities: Iterable[URIRef], two_way: Sequence[URIRef]) -> Neighbourhoods:
    """Return the triples of some entities; incoming ones only for those in ``two_way``."""
    two_way_set = set(two_way)
    return Neighbourhoods(
        {
            entity: edges if entity in two_way_set else tuple(edge for edge in edges if edge[0] == "out")
            for entity in dict.fromkeys(entities)
            if (edges := table.directed_edges.get(entity)) is not None
        }
    )


def _with_distant_entities(
    run: RunContext, contexts: Sequence[PlanContext], candidates: Sequence[SeedCandidate]
) -> list[PlanContext]:
    """Add what the answers of seeds lead to: siblings, single answers and, for those seeds that have no lists
    themselves, lists."""
    contexts = [replace(context, farther_answers=farther_answers(context)) for context in contexts]
    lists_by_context = [tuple(lists_behind_answers(context)) for context in contexts]
    members_by_context = [
        distinct_writable(end for _, _, hidden in lists for end in hidden.ends if isinstance(end, URIRef))
        for lists in lists_by_context
    ]
    siblings_by_context = [
        siblings_behind_answers(run, context, candidate.answer_facts)
        for context, candidate in zip(contexts, candidates, strict=True)
    ]
    described = [(*s, *context.farther_answers) for s, context in zip(siblings_by_context, contexts, strict=True)]
    foils_by_context = [foils(context) for context in contexts]
    all_iris = dict.fromkeys(iri for iris in (*members_by_context, *described, *foils_by_context) for iri in iris)
    table = fetch_neighbourhoods(
        run.kg.endpoint, list(all_iris), (), skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    results = []
    parts = [
        _restrict(table, (*members, *near, *others), ())
        for members, near, others in zip(members_by_context, described, foils_by_context, strict=True)
    ]
    iris_to_label = [
        list_ends_to_label(context.neighbourhoods, part, (*members, *others), wholly)
        for context, part, members, others, wholly in zip(
            contexts, parts, members_by_context, foils_by_context, described, strict=True
        )
    ]
    run.kg.prefetch_labels_and_types(iri for iris in iris_to_label for iri in iris)
    for context, part, lists, near, to_label in zip(
        contexts, parts, lists_by_context, siblings_by_context, iris_to_label, strict=True
    ):
        neighbourhoods = context.neighbourhoods.merge(part).with_labels(run.kg, to_label)
        sets = (
            answer_set_of(run, neighbourhoods, bridge.summary, (fact, hidden), bridge.fact.number)
            for bridge, fact, hidden in lists
        )
        answer_sets = (*context.answer_sets, *(answer_set for answer_set in sets if answer_set.attributes))
        context = replace(context, neighbourhoods=neighbourhoods, answer_sets=answer_sets)
        farther = [sibling for sibling in context.siblings if sibling.entity.iri not in near]
        results.append(replace(context, siblings=(*siblings(run, context, near), *farther)[:MAX_SIBLINGS]))
    return results


def _with_names(run: RunContext, contexts: Sequence[PlanContext]) -> list[PlanContext]:
    """Find the unambiguous names, and the facts that each seed and answer lacks and others of its class have."""
    results = []
    names = NameIndex.fetch(run, [(context.neighbourhoods, nameable(context)) for context in contexts])
    for context, index in zip(contexts, names, strict=True):
        summaries = (context.seed, *(bridge.summary for bridge in context.bridges))
        missing = {
            summary.entity.iri: tuple(
                missing_facts(run, summary, context.neighbourhoods.directed_edges[summary.entity.iri])
            )
            for summary in summaries
        }
        answer_sets = tuple(answer_set for answer_set in context.answer_sets if index.name_of(answer_set.owner.iri))
        results.append(replace(context, names=index, missing_facts=missing, answer_sets=answer_sets))
    return results

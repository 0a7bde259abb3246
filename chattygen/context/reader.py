"""Read what dialogues about some seeds can use, for all of them together: the seeds, what these lead to, and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import TypeVar

from chattyshared.check import Problem
from chattyshared.kg.batches import batches
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.context.answer_sets import AnswerSet, answer_set_of, is_set
from chattygen.context.dialogue_context import MAX_SIBLINGS, Context, like_entities, summarize_for, summary_of_other
from chattygen.context.distractors import choose_distractors, foils
from chattygen.context.facts import Bridge, Entity, FactWithEnds, Summary
from chattygen.context.missing_facts import missing_facts
from chattygen.context.names import index_names
from chattygen.context.neighbourhoods import Neighbourhoods, Wish, read_together
from chattygen.context.predicate_salience import is_writable
from chattygen.context.subgraph import Subgraph, check_seed, read_hidden_nodes, read_subgraphs
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage

SlotKey = TypeVar("SlotKey")
MAX_TRIPLES = 4_000
"""Triples: the most around seeds that one request reads; this and all limits below are set by hand."""
MIN_BRIDGE_FACTS = 2
"""The fewest facts of an answer that later turns are about: with fewer it is only a value (a price, a measure)."""
MAX_BRIDGES = 4
"""Answers per seed that the dialogue may continue from."""
MAX_FARTHER_ANSWERS = 4
"""Answers about the answers of a seed that the dialogue may continue from."""
MAX_NEAR_SIBLINGS = 3
"""Siblings per seed that its answers lead to."""
MAX_SETS = 3
"""Lists per seed; of lists behind its answers twice as many are tried."""
MAX_MEMBERS = 36
"""Members per seed, in all of its lists."""
MAX_LABELLED = 180
"""Entities around one seed whose labels are read."""
MAX_SHARED_LABELLED = 40
"""Entities per seed whose labels are read because several members lead to them."""
MAX_NAMED_MEMBERS = 12
"""Members per list whose names are checked to be unambiguous."""
MAX_NAMED_VALUES = 3
"""Values per attribute of a set whose names are checked."""
MAX_NAMED_ENDS = 2
"""Values per fact of the seed whose names are checked."""


@in_stage("extraction")
def read_candidates(
    run: RunContext, seeds_with_types: Sequence[tuple[URIRef, str]]
) -> dict[URIRef, Context | SeedRejected]:
    """Read the facts of some seeds, each given with its class, in few requests.

    Returns by seed its context, without what the seed leads to, or why it is rejected.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    results: dict[URIRef, Context | SeedRejected] = {}
    for batch in batches(seeds_with_types, max(1, MAX_TRIPLES // run.options.max_triples)):
        for iri, found in read_subgraphs(run, batch).items():
            results[iri] = found if isinstance(found, SeedRejected) else _begin(run, *found)
    return results


def _begin(run: RunContext, graph: Subgraph, around: Neighbourhoods) -> Context | SeedRejected:
    """Return the context of a seed, with the related entities chosen that are read next."""
    problems = tuple(check_seed(run.kg, graph, run.options))
    if not problems and graph.is_name_shared:
        problems = (Problem("ambiguous-label", f'several things are called "{graph.entity.label}"'),)
    if problems:
        return SeedRejected("seed", problems)
    context = Context(summarize_for(run, graph), around)
    rng = Random(f"{run.options.seed}/ground/{context.seed_iri}")
    facts = context.seed.facts_with_ends if run.options.allows_two_hops else []
    answer_facts = [(fact, hidden) for fact, hidden in facts if fact.shape == "entity" and fact.count == 1]
    context.answer_facts = tuple(rng.sample(answer_facts, len(answer_facts))[:MAX_BRIDGES])
    lists = [(fact, hidden) for fact, hidden in facts if is_set(fact, hidden)]
    context.list_facts = tuple(_within(rng.sample(lists, len(lists)), MAX_SETS))
    likes = like_entities(run, context.seed_iri, context.seed.entity.type, around)
    context.sibling_iris = tuple(filter(is_writable, likes))
    has_more = context.answer_facts or context.list_facts or likes
    if not has_more and len(context.seed.facts) < run.options.turns:
        facts_there = f"{len(context.seed.facts)} facts, too few for {run.options.turns} turns"
        return SeedRejected("plan", [Problem("turns", facts_there)])
    context.distractors = choose_distractors(run, context)
    return context


def _within(lists: Iterable[FactWithEnds], number: int) -> Iterator[FactWithEnds]:
    """Yield as many lists whose members are read as ``MAX_MEMBERS`` allows."""
    found = members = 0
    for fact, hidden in lists:
        if found < number and members + len(hidden.ends) <= MAX_MEMBERS:
            found, members = found + 1, members + len(hidden.ends)
            yield fact, hidden


@in_stage("extraction")
def read_contexts(run: RunContext, contexts: Mapping[SlotKey, Context]) -> dict[SlotKey, Context | SeedRejected]:
    """Add to the contexts of some seeds what these lead to, in few requests; a seed whose name is ambiguous is
    rejected.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    listed = list(contexts.values())
    readers = [(context.neighbourhoods, _read_surroundings(run, context)) for context in listed]
    read_together(run.kg, readers, run.excluded_predicates - run.naming.predicates)
    known = run.cache.name_bearers.setdefault(run.naming.predicates, {})
    requested = [(context.neighbourhoods, _nameable(context)) for context in listed]
    results: dict[SlotKey, Context | SeedRejected] = {}
    for (slot, context), names in zip(contexts.items(), index_names(run.kg, run.naming, known, requested), strict=True):
        context.names = names
        context.answer_sets = tuple(each for each in context.answer_sets if names.name_of(each.owner.iri))
        context.missing_facts = {
            each.entity.iri: tuple(missing_facts(run, each, context.neighbourhoods.relations[each.entity.iri]))
            for each in (context.seed, *(bridge.summary for bridge in context.bridges))
        }
        problem = Problem("ambiguous-label", f'several entities are called "{context.seed.entity.label}"')
        results[slot] = context if context.seed_iri in names.unambiguous else SeedRejected("seed", [problem])
    return results


def read_context(run: RunContext, iri: URIRef, type_iri: str) -> Context:
    """Read what a dialogue about one seed can use.

    Raises:
        SeedRejected: the entity does not meet the requirements of a seed, or its name is ambiguous.
        EndpointError: the endpoint does not answer.
    """
    context = read_candidates(run, [(iri, type_iri)])[iri]
    found = context if isinstance(context, SeedRejected) else read_contexts(run, {iri: context})[iri]
    if isinstance(found, SeedRejected):
        raise found
    return found


def _read_surroundings(run: RunContext, context: Context) -> Iterator[Wish]:
    """Add to a context the answers, the lists and the siblings of its seed, then what the answers lead to: siblings,
    single answers and lists; and what may be false values."""
    around = context.neighbourhoods
    answers, members = _entity_ends(context.answer_facts), _entity_ends(context.list_facts)
    described = [*answers, *members, *context.sibling_iris]
    yield Wish(described, answers)
    yield Wish(labels=_ends_to_label(context, answers, members))
    yield from read_hidden_nodes(run.kg, around, described)
    context.bridges = tuple(_usable_bridges(run, context))
    sets = [_set_of(run, context, context.seed.entity, pair) for pair in context.list_facts]
    context.answer_sets = tuple(answer_set for answer_set in sets if answer_set.attributes)
    context.siblings = tuple(_siblings(run, context, context.sibling_iris))
    context.distractors = choose_distractors(run, context)
    context.farther_answers = _farther_answers(context)

    lists = _lists_behind_answers(context)
    members = [*_entity_ends(pair for _, pair in lists), *foils(context)]
    siblings = _siblings_behind_answers(run, context)
    wholly = (*siblings, *context.farther_answers)
    yield Wish([*members, *wholly])
    ends = (end for iri in wholly for end in around.all_ends(iri))
    yield Wish(labels=_unknown(around, (*members, *_shared_ends(around, members), *ends)))
    sets = [_set_of(run, context, bridge.summary.entity, pair, bridge.fact.number) for bridge, pair in lists]
    context.answer_sets += tuple(each for each in sets if each.attributes)
    farther = [sibling for sibling in context.siblings if sibling.entity.iri not in siblings]
    context.siblings = (*_siblings(run, context, siblings), *farther)[:MAX_SIBLINGS]


def _unknown(around: Neighbourhoods, iris: Iterable[URIRef]) -> list[URIRef]:
    """Return the entities without a known label."""
    return [iri for iri in dict.fromkeys(iris) if iri not in around.labels and is_writable(iri)]


def _entity_ends(facts: Iterable[FactWithEnds]) -> list[URIRef]:
    """Return the entities that facts hide, each once, without those whose IRI cannot be written into a query."""
    ends = dict.fromkeys(end for _, hidden in facts for end in hidden.ends)
    return [end for end in ends if isinstance(end, URIRef) and is_writable(end)]


def _ends_to_label(context: Context, answers: Sequence[URIRef], members: Sequence[URIRef]) -> list[URIRef]:
    """Choose the far ends whose labels are read; an entity whose ends exceed the limit is skipped."""
    around, siblings = context.neighbourhoods, context.sibling_iris
    distractors = (iri for iris in context.distractors.values() for iri in iris)
    chosen = dict.fromkeys(_unknown(around, (*siblings, *distractors, *members, *answers)))
    chosen.update(dict.fromkeys(_shared_ends(around, members)))
    for entity in dict.fromkeys((*answers, *siblings, *members)):
        fresh = [end for end in around.all_ends(entity) if end not in around.labels and end not in chosen]
        if len(chosen) + len(fresh) <= MAX_LABELLED:
            chosen.update(dict.fromkeys(fresh))
    return _unknown(around, chosen)


def _shared_ends(around: Neighbourhoods, members: Iterable[URIRef]) -> list[URIRef]:
    """Return what several members lead to, the most frequent first."""
    counts = Counter(end for member in members for end in around.all_ends(member))
    shared = sorted((end for end, count in counts.items() if count > 1), key=lambda end: (-counts[end], end))
    return shared[:MAX_SHARED_LABELLED]


def _farther_answers(context: Context) -> tuple[URIRef, ...]:
    """Return single answers about the answers of the seed, in turn one of each: the ground of a player's club."""
    known = {context.seed_iri, *(bridge.summary.entity.iri for bridge in context.bridges)}
    by_answer = [
        [
            hidden.ends[0]
            for fact, hidden in bridge.summary.facts_with_ends
            if fact.shape == "entity" and fact.count == 1 and fact.last_step.direction == "out"
        ]
        for bridge in context.bridges
    ]
    ends = dict.fromkeys(end for group in zip_longest(*by_answer) for end in group if isinstance(end, URIRef))
    return tuple(end for end in ends if end not in known and is_writable(end))[:MAX_FARTHER_ANSWERS]


def _siblings_behind_answers(run: RunContext, context: Context) -> tuple[URIRef, ...]:
    """Return entities of the seed's class to which the seed's answers lead by the same predicates: other albums of its
    band. Those of answers with few of them come first."""
    seed, around = context.seed.entity, context.neighbourhoods
    classes = {seed.type, *run.kg.vocabulary.subclasses(seed.type)} if seed.type else set()
    groups = [
        [
            end for end in around.ends(answer, "in" if fact.last_step.direction == "out" else "out",
                                       fact.last_step.predicate)
            if isinstance(end, URIRef) and end != seed.iri and classes & set(around.types.get(end, ()))
            and is_writable(end)
        ]
        for fact, hidden in context.answer_facts
        for answer in hidden.ends if isinstance(answer, URIRef)
    ]  # fmt: skip
    rng = Random(f"{run.options.seed}/near/{seed.iri}")
    chosen = (iri for group in sorted(groups, key=len) for iri in rng.sample(group, min(MAX_NEAR_SIBLINGS, len(group))))
    return tuple(dict.fromkeys(chosen))[:MAX_NEAR_SIBLINGS]


def _usable_bridges(run: RunContext, context: Context) -> Iterator[Bridge]:
    """Yield the answers of the seed that the dialogue can continue from."""
    min_facts = min(MIN_BRIDGE_FACTS, run.options.min_predicates)
    for fact, hidden in context.answer_facts:
        (iri,), via = hidden.ends, fact.last_step.predicate
        summary = summary_of_other(run, context, iri, via_predicate=via) if isinstance(iri, URIRef) else None
        if summary is not None and len(summary.facts) >= min_facts:
            if not summary.entity.is_confusable_with(context.seed.entity):
                yield Bridge(fact, fact.forms[0], hidden, summary)


def _set_of(run: RunContext, context: Context, owner: Entity, pair: FactWithEnds, number: int = 0) -> AnswerSet:
    excluded = run.excluded_predicates | run.naming.predicates
    return answer_set_of(run.kg, context.neighbourhoods, owner, pair, excluded, number)


def _lists_behind_answers(context: Context) -> list[tuple[Bridge, FactWithEnds]]:
    """Return lists of the seed's answers, longer ones first: they offer more conditions."""
    found = {
        pair: bridge
        for bridge in context.bridges
        for pair in bridge.summary.facts_with_ends
        if is_set(*pair) and FORM_BY_NAME[pair[0].forms[0]].is_lookup
    }
    longest_first = sorted(found, key=lambda pair: -len(pair[1].ends))
    return [(found[pair], pair) for pair in _within(longest_first, 2 * MAX_SETS)]


def _siblings(run: RunContext, context: Context, iris: Iterable[URIRef]) -> Iterator[Summary]:
    """Yield what can be asked about other entities of the seed's class."""
    for iri in iris:
        summary = summary_of_other(run, context, iri)
        if summary is not None:
            yield summary


def _nameable(context: Context) -> Iterator[Term]:
    """Yield what a question may name: the seed, siblings, answers, distractors, list members and values for
    conditions."""
    yield context.seed_iri
    yield from (sibling.entity.iri for sibling in context.siblings)
    yield from (bridge.summary.entity.iri for bridge in context.bridges)
    yield from context.farther_answers
    for hidden in context.seed.hidden:
        yield from hidden.ends[:MAX_NAMED_ENDS]
    for sibling in context.siblings:
        for hidden in sibling.hidden:
            yield from hidden.ends[:1]
    yield from (distractor for iris in context.distractors.values() for distractor in iris)
    for answer_set in context.answer_sets:
        yield from answer_set.members[:MAX_NAMED_MEMBERS]
        for attribute in answer_set.attributes:
            if attribute.shape == "entity":
                yield from attribute.values_by_frequency()[:MAX_NAMED_VALUES]

"""Entities around a seed that the dialogue may come to: answers, list members, siblings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import fsum
from random import Random

from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods, fetch_neighbourhoods
from chattygen.planning.plan_context import PlanContext, summary_of_other
from chattygen.planning.set_attributes import AnswerSet, is_set, set_attributes
from chattygen.planning.unambiguous_names import name_predicates
from chattygen.run import MAX_CACHED, ClassEdges, RunContext
from chattygen.subgraph.bridge_entities import MIN_BRIDGE_FACTS, Bridge
from chattygen.subgraph.extraction import most_specific_classes
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import is_writable
from chattygen.subgraph.relatedness import MAX_SHARING, is_shareable

MAX_BRIDGES = 4
"""Answers per seed that the dialogue may continue from; this and all limits below are set by hand."""
MAX_SIBLINGS = 5
"""Other entities of the seed's class per seed."""
MAX_FARTHER_ANSWERS = 4
"""Answers about the answers of a seed that the dialogue may continue from."""
MAX_NEAR_SIBLINGS = 3
"""Siblings per seed that its answers lead to."""
MAX_DISTRACTORS = 2
"""False values per fact."""
MAX_FACTS_WITH_DISTRACTORS = 4
"""Facts per seed that get distractors."""
MAX_TYPED_ENDS = 20
"""Values per fact whose classes are read, to find distractors of the same class."""
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
FactWithEnds = tuple[Fact, HiddenEnds]


@dataclass(frozen=True, slots=True)
class SeedCandidate:
    """A seed within the bounds, with the related entities to read: answers, list members, siblings."""

    context: PlanContext
    answer_facts: tuple[FactWithEnds, ...]
    list_facts: tuple[FactWithEnds, ...]
    sibling_iris: tuple[URIRef, ...]

    @property
    def seed_iri(self) -> URIRef:
        """The seed's IRI."""
        return self.context.seed.entity.iri

    @property
    def answers(self) -> list[URIRef]:
        """The answers that the dialogue may continue from."""
        return distinct_writable(
            end for _, hidden in self.answer_facts for end in hidden.ends if isinstance(end, URIRef)
        )

    @property
    def list_members(self) -> list[URIRef]:
        """The members of the lists."""
        return distinct_writable(end for _, hidden in self.list_facts for end in hidden.ends if isinstance(end, URIRef))


def distinct_writable(iris: Iterable[URIRef]) -> list[URIRef]:
    """Return each entity once, without those whose IRI cannot be written into a query."""
    return [iri for iri in dict.fromkeys(iris) if is_writable(iri)]


def sample_lists(facts: Iterable[tuple[Fact, HiddenEnds]], rng: Random) -> list[tuple[Fact, HiddenEnds]]:
    """Choose at random the lists whose members are read, as many as ``MAX_MEMBERS`` allows."""
    lists = [(fact, hidden) for fact, hidden in facts if is_set(fact, hidden)]
    chosen: list[tuple[Fact, HiddenEnds]] = []
    for fact, hidden in rng.sample(lists, len(lists)):
        if len(chosen) < MAX_SETS and len(hidden.ends) + sum(len(h.ends) for _, h in chosen) <= MAX_MEMBERS:
            chosen.append((fact, hidden))
    return chosen


def distractors(run: RunContext, seed: Summary, neighbourhoods: Neighbourhoods) -> dict[int, tuple[URIRef, ...]]:
    """Choose, for some facts whose values are entities, other entities of the same class: around the seed, around its
    values, or like a value, as far as these were read.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    around = neighbourhoods.directed_edges
    by_fact: dict[int, tuple[URIRef, ...]] = {}
    for fact, hidden in seed.facts_with_ends:
        is_entity = fact.shape == "entity" and fact.class_labels
        ends = hidden.ends[:MAX_TYPED_ENDS] if is_entity else ()
        near = (seed.entity.iri, *(end for end in ends if isinstance(end, URIRef)))
        nearby = [end for iri in near for _, _, end in around.get(iri, ()) if isinstance(end, URIRef)]
        classes = [set(neighbourhoods.types.get(end, ())) for end in ends]
        specific = set(most_specific_classes(run.kg, set.intersection(*classes))) if classes else set()
        same_class = [iri for iri in nearby if specific & set(neighbourhoods.types.get(iri, ()))]
        if specific and "boolean" in fact.forms and len(by_fact) < MAX_FACTS_WITH_DISTRACTORS:
            value = next((end for end in near[1:] if end in around), None)
            same_class += like_entities(run, value, min(specific), neighbourhoods) if value is not None else ()
        others = [iri for iri in dict.fromkeys(same_class) if iri not in hidden.ends and iri != seed.entity.iri]
        if others and len(by_fact) < MAX_FACTS_WITH_DISTRACTORS:
            by_fact[fact.number] = tuple(others[:MAX_DISTRACTORS])
    return by_fact


def class_edges(run: RunContext, type_iri: str) -> ClassEdges:
    """Return the outgoing triples of sampled entities of a class; they are read once per run.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.class_edges:
        rng = Random(f"{run.options.seed}/usual/{type_iri}")
        entities = run.cache.sample_entities(run.kg, type_iri, seed=run.options.seed, rng=rng, number=MAX_CACHED)
        skipped = run.excluded_predicates - name_predicates(run)
        table = fetch_neighbourhoods(run.kg.endpoint, entities, (), skipped_predicates=skipped)
        run.cache.class_edges[key] = table.directed_edges
    return run.cache.class_edges[key]


def names_in_class(run: RunContext, type_iri: str) -> list[str]:
    """Return names of sampled entities of a class."""
    predicates = name_predicates(run)
    edges = (edge for edges in class_edges(run, type_iri).values() for edge in edges)
    return sorted(
        {str(end) for _, predicate, end in edges if str(predicate) in predicates and isinstance(end, Literal)}
    )


def like_entities(run: RunContext, like: URIRef, type_iri: str, neighbourhoods: Neighbourhoods) -> list[URIRef]:
    """Return entities of a class that share an entity or a text with one of them, best first; what few of the class
    have counts more. Of one that only has values of its own, any of the class are as near."""
    edges = class_edges(run, type_iri) if type_iri else {}
    skipped = run.excluded_predicates
    own = {(predicate, end) for _, predicate, end in neighbourhoods.directed_edges[like]
           if is_shareable(end) and str(predicate) not in skipped}  # fmt: skip
    if not own:
        others = sorted(edges.keys() - {like})
        return Random(f"{run.options.seed}/peers/{like}").sample(others, min(MAX_SIBLINGS, len(others)))
    shared = {iri: {edge[1:] for edge in edges[iri]} & own for iri in edges if iri != like}
    counts = Counter(pair for pairs in shared.values() for pair in pairs)
    frequent = {pair for pair, count in counts.items() if count > MAX_SHARING * len(edges)}
    scores = {iri: fsum(1 / counts[pair] for pair in pairs - frequent) for iri, pairs in shared.items()}
    return sorted((iri for iri, score in scores.items() if score), key=lambda iri: (-scores[iri], iri))[:MAX_SIBLINGS]


def farther_answers(context: PlanContext) -> tuple[URIRef, ...]:
    """Return single answers about the answers of the seed, in turn one of each: the ground of a player's club."""
    known = {context.seed.entity.iri, *(bridge.summary.entity.iri for bridge in context.bridges)}
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


def siblings_behind_answers(
    run: RunContext, context: PlanContext, answer_facts: Iterable[FactWithEnds]
) -> tuple[URIRef, ...]:
    """Return entities of the seed's class to which the seed's answers lead by the same predicates: other albums of its
    band. Those of answers with few of them come first."""
    seed, neighbourhoods = context.seed.entity, context.neighbourhoods
    classes = {seed.type, *run.kg.vocabulary.subclasses(seed.type)} if seed.type else set()
    groups: list[list[URIRef]] = []
    for fact, hidden in answer_facts:
        answer, back = hidden.ends[0], "in" if fact.last_step.direction == "out" else "out"
        edges = neighbourhoods.directed_edges.get(answer, ()) if isinstance(answer, URIRef) else ()
        ends = [
            end
            for direction, predicate, end in edges
            if direction == back and str(predicate) == fact.last_step.predicate and isinstance(end, URIRef)
        ]
        groups.append([
            end for end in ends
            if end != seed.iri and classes & set(neighbourhoods.types.get(end, ())) and is_writable(end)
        ])  # fmt: skip
    rng = Random(f"{run.options.seed}/near/{seed.iri}")
    chosen = (iri for group in sorted(groups, key=len) for iri in rng.sample(group, min(MAX_NEAR_SIBLINGS, len(group))))
    return tuple(dict.fromkeys(chosen))[:MAX_NEAR_SIBLINGS]


def ends_to_label(candidate: SeedCandidate, fetched: Neighbourhoods) -> list[URIRef]:
    """Choose the far ends whose labels are read; an entity whose ends exceed the limit is skipped."""
    neighbourhoods, distractor_lists = candidate.context.neighbourhoods, candidate.context.distractors.values()
    answers, members, sibling_iris = candidate.answers, candidate.list_members, candidate.sibling_iris
    preferred = (*sibling_iris, *(distractor for iris in distractor_lists for distractor in iris), *members, *answers)
    chosen = dict.fromkeys(iri for iri in preferred if iri not in neighbourhoods.labels)
    for end in _shared_ends(fetched, members)[:MAX_SHARED_LABELLED]:
        chosen.setdefault(end)
    for entity in dict.fromkeys((*answers, *sibling_iris, *members)):
        ends = [end for _, _, end in fetched.directed_edges.get(entity, ()) if isinstance(end, URIRef)]
        fresh = [end for end in ends if end not in neighbourhoods.labels and end not in chosen]
        if len(chosen) + len(fresh) <= MAX_LABELLED:
            chosen.update(dict.fromkeys(fresh))
    return [iri for iri in chosen if iri not in neighbourhoods.labels and is_writable(iri)]


def list_ends_to_label(
    neighbourhoods: Neighbourhoods, fetched: Neighbourhoods, members: Sequence[URIRef], described: Iterable[URIRef]
) -> list[URIRef]:
    """Choose whose labels are read for a list behind an answer: its members, and what several of them lead to; and all
    that entities lead to which are ``described`` wholly."""
    near_ends = (edge[2] for iri in described for edge in fetched.directed_edges.get(iri, ()))
    chosen = (*members, *_shared_ends(fetched, members)[:MAX_SHARED_LABELLED], *near_ends)
    return [
        iri
        for iri in dict.fromkeys(chosen)
        if isinstance(iri, URIRef) and iri not in neighbourhoods.labels and is_writable(iri)
    ]


def _shared_ends(neighbourhoods: Neighbourhoods, members: Iterable[URIRef]) -> list[URIRef]:
    """Return what several members lead to, the most frequent first."""
    counts: dict[URIRef, int] = {}
    for member in members:
        for _, _, end in neighbourhoods.directed_edges.get(member, ()):
            if isinstance(end, URIRef):
                counts[end] = counts.get(end, 0) + 1
    return sorted((end for end, count in counts.items() if count > 1), key=lambda end: (-counts[end], end))


def usable_bridges(
    run: RunContext, context: PlanContext, answer_facts: Iterable[tuple[Fact, HiddenEnds]]
) -> Iterator[Bridge]:
    """Yield the answers of the seed that the dialogue can continue from."""
    for fact, hidden in answer_facts:
        iri = hidden.ends[0]
        summary = (
            summary_of_other(run, context, iri, via_predicate=fact.last_step.predicate)
            if isinstance(iri, URIRef)
            else None
        )
        min_facts = min(MIN_BRIDGE_FACTS, run.options.min_predicates)
        if (
            summary is not None
            and len(summary.facts) >= min_facts
            and not summary.entity.is_confusable_with(context.seed.entity)
        ):
            yield Bridge(fact, fact.forms[0], hidden, summary)


def distinguishable_sets(
    run: RunContext, context: PlanContext, list_facts: Iterable[FactWithEnds]
) -> Iterator[AnswerSet]:
    """Yield the seed's lists whose members differ in some attribute."""
    for fact_with_ends in list_facts:
        answer_set = answer_set_of(run, context.neighbourhoods, context.seed, fact_with_ends, 0)
        if answer_set.attributes:
            yield answer_set


def answer_set_of(
    run: RunContext, neighbourhoods: Neighbourhoods, owner: Summary, fact_with_ends: FactWithEnds, seed_fact_number: int
) -> AnswerSet:
    """Return a list of an owner with the attributes of its members; ``seed_fact_number`` as in ``AnswerSet``."""
    fact, hidden = fact_with_ends
    ends = [end for end in hidden.ends if isinstance(end, URIRef)]
    return AnswerSet(
        owner.entity,
        fact,
        hidden,
        set_attributes(run.kg, neighbourhoods, ends, fact, run.excluded_predicates | name_predicates(run)),
        seed_fact_number,
    )


def lists_behind_answers(context: PlanContext) -> Iterator[tuple[Bridge, Fact, HiddenEnds]]:
    """Yield lists of the seed's answers, longer ones first: they offer more conditions."""
    lists = [
        (bridge, fact, hidden)
        for bridge in context.bridges
        for fact, hidden in bridge.summary.facts_with_ends
        if is_set(fact, hidden) and fact.forms[0] in ("list", "subject")
    ]
    member_count = 0
    for bridge, fact, hidden in sorted(lists, key=lambda found: -len(found[2].ends))[: 2 * MAX_SETS]:
        if member_count + len(hidden.ends) <= MAX_MEMBERS:
            member_count += len(hidden.ends)
            yield bridge, fact, hidden


def siblings(run: RunContext, context: PlanContext, iris: Iterable[URIRef]) -> Iterator[Summary]:
    """Yield what can be asked about other entities of the seed's class."""
    for iri in iris:
        summary = summary_of_other(run, context, iri)
        if summary is not None:
            yield summary


def nameable(context: PlanContext) -> Iterator[Term]:
    """Yield what a question may name: the seed, siblings, answers, distractors, list members and values for
    conditions."""
    yield context.seed.entity.iri
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

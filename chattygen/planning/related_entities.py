"""What around a seed is read, so that talk may come to it: answers, lists, others of its kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.neighbourhoods import Neighbourhoods
from chattygen.planning.plan_context import PlanContext, pronoun_is_ambiguous, summary_of_other
from chattygen.planning.set_attributes import AnswerSet, is_set, set_attributes
from chattygen.planning.unambiguous_names import name_predicates
from chattygen.run import RunContext
from chattygen.subgraph.bridge_entities import MIN_BRIDGE_FACTS, Bridge
from chattygen.subgraph.extraction import most_specific_classes
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import is_writable

MAX_BRIDGES, MAX_SIBLINGS, MAX_DISTRACTORS, MAX_SETS = 4, 6, 2, 3
"""How many answers, others of the seed's kind, other values per fact, and lists are looked at."""
MAX_MEMBERS = 36
MAX_LABELLED = 180
"""The most things around one seed whose names are read."""
FactWithEnds = tuple[Fact, HiddenEnds]


@dataclass(frozen=True, slots=True)
class SeedCandidate:
    """A seed that keeps the bounds, with what of its surroundings shall be read: answers, lists, others of its kind."""

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
        """The answers that talk may go on about."""
        return distinct_writable(
            end for _, hidden in self.answer_facts for end in hidden.ends if isinstance(end, URIRef)
        )

    @property
    def list_members(self) -> list[URIRef]:
        """The members of the lists."""
        return distinct_writable(end for _, hidden in self.list_facts for end in hidden.ends if isinstance(end, URIRef))


def distinct_writable(things: Iterable[URIRef]) -> list[URIRef]:
    """Return things that a query can name, each once."""
    return [thing for thing in dict.fromkeys(things) if is_writable(thing)]


def sample_lists(facts: Iterable[tuple[Fact, HiddenEnds]], rng: Random) -> list[tuple[Fact, HiddenEnds]]:
    """Choose the lists whose members are looked at: by chance, as many as the table can hold."""
    found = [(fact, hidden) for fact, hidden in facts if is_set(fact, hidden, fewest=3)]
    chosen: list[tuple[Fact, HiddenEnds]] = []
    for fact, hidden in rng.sample(found, len(found)):
        if len(chosen) < MAX_SETS and len(hidden.ends) + sum(len(h.ends) for _, h in chosen) <= MAX_MEMBERS:
            chosen.append((fact, hidden))
    return chosen


def distractors(run: RunContext, seed: Summary, rng: Random) -> dict[int, tuple[URIRef, ...]]:
    """Choose, for some facts that lead to things, other things of the same class."""
    found: dict[int, tuple[URIRef, ...]] = {}
    for fact, hidden in zip(seed.facts, seed.hidden, strict=True):
        classes = run.kg.types_of(hidden.ends[:20]) if fact.shape == "entity" and fact.class_labels else {}
        common = set.intersection(*map(set, classes.values())) if classes else set()
        if common and len(found) < 4:
            type_iri = most_specific_classes(run.kg, common)[0]
            some = run.cache.sample_entities(
                run.kg, type_iri, seed=run.options.seed, rng=rng, number=MAX_DISTRACTORS + 2
            )
            kept = [one for one in some if one not in hidden.ends and one != seed.entity.iri]
            found[fact.number] = tuple(kept[:MAX_DISTRACTORS])
    return found


def ends_to_label(prospect: SeedCandidate, fetched: Neighbourhoods) -> list[URIRef]:
    """Choose the far ends whose names are read, things with few of them first, up to the limit."""
    stars, foils = prospect.context.neighbourhoods, prospect.context.distractors.values()
    near, members, others = prospect.answers, prospect.list_members, prospect.sibling_iris
    first = (*others, *(foil for some in foils for foil in some), *members, *near)
    chosen = dict.fromkeys(one for one in first if one not in stars.labels)
    for far in _shared(fetched, members)[:40]:
        chosen.setdefault(far)
    for thing in dict.fromkeys((*near, *others, *members)):
        ends = [far for _, _, far in fetched.directed_edges.get(thing, ()) if isinstance(far, URIRef)]
        fresh = [far for far in ends if far not in stars.labels and far not in chosen]
        if len(chosen) + len(fresh) <= MAX_LABELLED:
            chosen.update(dict.fromkeys(fresh))
    return [one for one in chosen if one not in stars.labels and is_writable(one)]


def list_ends_to_label(
    neighbourhoods: Neighbourhoods, fetched: Neighbourhoods, members: Sequence[URIRef]
) -> list[URIRef]:
    """Choose whose names are read for a list behind an answer: its members, and what several of them share."""
    return [
        one
        for one in (*members, *_shared(fetched, members)[:40])
        if one not in neighbourhoods.labels and is_writable(one)
    ]


def _shared(table: Neighbourhoods, members: Iterable[URIRef]) -> list[URIRef]:
    """Return what several members lead to, most often first."""
    shared: dict[URIRef, int] = {}
    for member in members:
        for _, _, far in table.directed_edges.get(member, ()):
            if isinstance(far, URIRef):
                shared[far] = shared.get(far, 0) + 1
    return sorted((far for far, times in shared.items() if times > 1), key=lambda far: (-shared[far], far))


def usable_bridges(run: RunContext, context: PlanContext, ways: Iterable[tuple[Fact, HiddenEnds]]) -> Iterator[Bridge]:
    """Yield the answers of the seed that talk can go on about."""
    for fact, hidden in ways:
        iri = hidden.ends[0]
        found = (
            summary_of_other(run, context, iri, via_predicate=fact.last_step.predicate)
            if isinstance(iri, URIRef)
            else None
        )
        enough = min(MIN_BRIDGE_FACTS, run.options.min_predicates)
        if (
            found is not None
            and len(found.facts) >= enough
            and not pronoun_is_ambiguous(found.entity, context.seed.entity)
        ):
            yield Bridge(fact, fact.forms[0], hidden, found)


def distinguishable_sets(run: RunContext, context: PlanContext, lists: Iterable[FactWithEnds]) -> Iterator[AnswerSet]:
    """Yield the seed's lists whose members something tells apart."""
    for way in lists:
        members = answer_set_of(run, context.neighbourhoods, context.seed, way, 0)
        if members.attributes:
            yield members


def answer_set_of(
    run: RunContext, neighbourhoods: Neighbourhoods, owner: Summary, fact_with_ends: FactWithEnds, seed_fact_number: int
) -> AnswerSet:
    """Return a list of an owner with what tells its members apart; ``through`` as in ``Members``."""
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
    """Yield lists of the seed's answers, longer ones first: they have more to pick by."""
    found = [
        (bridge, fact, hidden)
        for bridge in context.bridges
        for fact, hidden in zip(bridge.summary.facts, bridge.summary.hidden, strict=True)
        if is_set(fact, hidden, fewest=3) and fact.forms[0] in ("list", "subject")
    ]
    number = 0
    for one in sorted(found, key=lambda one: -len(one[2].ends))[: 2 * MAX_SETS]:
        if number + len(one[2].ends) <= MAX_MEMBERS:
            number += len(one[2].ends)
            yield one


def siblings(run: RunContext, context: PlanContext, others: Iterable[URIRef]) -> Iterator[Summary]:
    """Yield what can be asked about others of the seed's kind."""
    for iri in others:
        found = summary_of_other(run, context, iri)
        if found is not None:
            yield found


def nameable(context: PlanContext) -> Iterator[Term]:
    """Yield what a question may name: the seed, its rivals, answers, values to offer or to pick by."""
    yield context.seed.entity.iri
    yield from (rival.entity.iri for rival in context.siblings)
    yield from (bridge.summary.entity.iri for bridge in context.bridges)
    for hidden in context.seed.hidden:
        yield from hidden.ends[:2]
    for rival in context.siblings:
        for hidden in rival.hidden:
            yield from hidden.ends[:1]
    yield from (foil for some in context.distractors.values() for foil in some)
    for members in context.answer_sets:
        yield from members.members[:12]
        for column in members.attributes:
            if column.shape == "entity":
                yield from column.values_by_frequency()[:3]

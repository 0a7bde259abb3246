"""The context of a dialogue: what can be asked about a seed, its answers, the members of its lists, its siblings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum
from random import Random

from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.facts import Bridge, FactWithEnds, MissingFact, Summary
from chattygen.context.names import NameIndex
from chattygen.context.neighbourhoods import Neighbourhoods, Relations, fetch_relations
from chattygen.context.predicate_salience import repeats_label
from chattygen.context.subgraph import Subgraph, subgraph_of
from chattygen.context.summary import summarize
from chattygen.run import MAX_CACHED, RunContext

MAX_SIBLINGS = 5
"""Other entities of the seed's class per seed; set by hand."""
MAX_STAGED_BRIDGES = 2
"""Bridges that a staged dialogue can use: one to go on with, one for questions over two hops."""
MAX_TRIVIAL_COUNT = 2
"""Values: the predicate that led to an entity is asked back only if it leads to more; set by hand."""
MAX_SHARING = 0.5
"""Share of a class, 0..1, that have an end in common at most, to make two of them near."""
MIN_SHARED_TEXT = 4
"""Letters: the fewest of a text that makes two entities near; a shorter one is a code."""


@dataclass(slots=True)
class Context:
    """What a dialogue about a seed can use; a reader fills it, from the seed on.

    ``answer_facts`` and ``list_facts`` are the facts of the seed whose answers and members are read, ``sibling_iris``
    other entities of its class. ``distractors`` are, by the number of a fact, false values for a yes-no question.
    ``missing_facts`` are, for the seed and its answers, facts that other entities of the class have and this one has
    not. ``farther_answers`` are single answers about the answers of the seed.
    """

    seed: Summary
    neighbourhoods: Neighbourhoods
    names: NameIndex = field(default_factory=NameIndex)
    answer_facts: tuple[FactWithEnds, ...] = ()
    list_facts: tuple[FactWithEnds, ...] = ()
    sibling_iris: tuple[URIRef, ...] = ()
    bridges: tuple[Bridge, ...] = ()
    answer_sets: tuple[AnswerSet, ...] = ()
    siblings: tuple[Summary, ...] = ()
    distractors: Mapping[int, tuple[URIRef, ...]] = field(default_factory=dict)
    missing_facts: Mapping[URIRef, tuple[MissingFact, ...]] = field(default_factory=dict)
    farther_answers: tuple[URIRef, ...] = ()

    @property
    def seed_iri(self) -> URIRef:
        """The IRI of the seed."""
        return self.seed.entity.iri


def sample_bridges(context: Context, rng: Random) -> tuple[Bridge, ...]:
    """Return up to ``MAX_STAGED_BRIDGES`` bridges with unambiguous names, in random order."""
    named = [bridge for bridge in context.bridges if context.names.name_of(bridge.summary.entity.iri)]
    return tuple(rng.sample(named, min(MAX_STAGED_BRIDGES, len(named))))


def summarize_for(run: RunContext, graph: Subgraph) -> Summary:
    """Return the facts of a subgraph that a run can ask."""
    return summarize(run.kg, graph, list_limit=run.options.list_limit, is_sayable=run.is_sayable)


def summary_of_other(run: RunContext, context: Context, iri: URIRef, *, via_predicate: str = "") -> Summary | None:
    """Return what can be asked about an entity other than the seed; None if the dialogue should not continue with it.

    ``via_predicate`` is the predicate that led there: it is not asked back, unless it leads to several values.
    """
    around, seed = context.neighbourhoods, context.seed.entity
    if iri not in around.relations or iri not in around.labels:
        return None
    graph = subgraph_of(run, around, iri)
    entity = graph.entity
    is_unnamed = graph.name is None and run.kg.profile.has_labels
    if is_unnamed or not entity.noun or not 0 < len(entity.label.split()) <= run.options.max_label_words:
        return None
    if repeats_label(entity.label, seed.label):
        return None
    summary = Summary.of(entity, (
        (fact, hidden) for fact, hidden in summarize_for(run, graph).facts_with_ends
        if (fact.last_step.predicate != via_predicate or fact.count > MAX_TRIVIAL_COUNT)
        and not (len(hidden.ends) == 1 and hidden.ends[0] == seed.iri)
        and not any(repeats_label(str(end), seed.label) for end in hidden.ends[:1])
    ))  # fmt: skip
    return summary if summary.facts else None


def class_members(run: RunContext, type_iri: str) -> Mapping[URIRef, Relations]:
    """Return the outgoing triples of sampled entities of a class; they are read once per run.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.class_members:
        rng = Random(f"{run.options.seed}/usual/{type_iri}")
        entities = run.cache.sample_entities(run.kg, type_iri, seed=run.options.seed, rng=rng, number=MAX_CACHED)
        skipped = run.excluded_predicates - run.naming.predicates
        run.cache.class_members[key] = fetch_relations(run.kg.endpoint, entities, skipped_predicates=skipped)
    return run.cache.class_members[key]


def names_in_class(run: RunContext, type_iri: str) -> list[str]:
    """Return names of sampled entities of a class."""
    groups = (group for relations in class_members(run, type_iri).values() for group in relations.items())
    return sorted({
        str(end) for (_, predicate), ends in groups if str(predicate) in run.naming.predicates
        for end in ends if isinstance(end, Literal)
    })  # fmt: skip


def like_entities(run: RunContext, like: URIRef, type_iri: str, around: Neighbourhoods) -> list[URIRef]:
    """Return entities of a class that share an entity or a text with one of them, best first; what few of the class
    have counts more. Of one that only has values of its own, any of the class are as near."""
    members = class_members(run, type_iri) if type_iri else {}
    own = {(predicate, end) for (_, predicate), ends in around.relations[like].items()
           if str(predicate) not in run.excluded_predicates for end in ends if is_shareable(end)}  # fmt: skip
    if not own:
        others = sorted(members.keys() - {like})
        return Random(f"{run.options.seed}/peers/{like}").sample(others, min(MAX_SIBLINGS, len(others)))
    shared = {
        iri: {(predicate, end) for (_, predicate), ends in relations.items() for end in ends} & own
        for iri, relations in members.items()
        if iri != like
    }
    counts = Counter(pair for pairs in shared.values() for pair in pairs)
    frequent = {pair for pair, count in counts.items() if count > MAX_SHARING * len(members)}
    scores = {iri: fsum(1 / counts[pair] for pair in pairs - frequent) for iri, pairs in shared.items()}
    return sorted((iri for iri, score in scores.items() if score), key=lambda iri: (-scores[iri], iri))[:MAX_SIBLINGS]


def is_shareable(end: Term) -> bool:
    """Tell whether two things that have an end in common may be near: an entity or a word, no number and no code."""
    return isinstance(end, URIRef) or (isinstance(end, Literal) and str(end).isalpha() and len(end) >= MIN_SHARED_TEXT)

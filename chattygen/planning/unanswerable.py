"""Facts that most entities of a class have: a question about an entity without such a fact is unanswerable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from chattyshared.language.lexicon import word_set
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.neighbourhoods import DirectedEdge, Neighbourhoods, fetch_neighbourhoods
from chattygen.planning.plan_context import subgraph_of
from chattygen.planning.unambiguous_names import name_predicates
from chattygen.run import RunContext
from chattygen.subgraph.facts import Fact, Summary
from chattygen.subgraph.summary import shape_of, summarize

CLASS_SAMPLE = 40
"""Entities of a class that are sampled to find its common facts; set by hand."""
COMMON_SHARE = 0.5
"""Share of the sample, 0..1, that must state a predicate to make it common; set by hand."""
MIN_SINGLE_TENTHS = 9
"""Tenths of the entities that must have exactly one value of a common predicate; set by hand."""
STEM_LENGTH = 4
"""Letters of a word that are compared, to find predicates that may state the same; shorter words do not count."""
_FREQUENT_STEMS = word_set("nouns", "frequent_stems")
"""Stems that labels of unlike predicates share."""


def missing_facts(run: RunContext, summary: Summary, edges: Sequence[DirectedEdge]) -> Iterator[Fact]:
    """Yield common facts of an entity's class that the entity has not, nor any fact with a similar label.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    stated = {(direction, str(predicate)) for direction, predicate, _ in edges}
    for fact in _common_facts(run, summary.entity.type) if summary.entity.type else ():
        if (fact.last_step.direction, fact.last_step.predicate) in stated:
            continue
        stems = word_stems(fact.last_step.label)
        similar_facts = [
            similar_fact
            for similar_fact in summary.facts
            if (similar_fact.shape == "entity") == (fact.shape == "entity")
        ]
        # Another predicate with a word in common may state the same.
        if not any(stems & word_stems(similar_fact.last_step.label) for similar_fact in similar_facts):
            yield fact


def _common_facts(run: RunContext, type_iri: str) -> tuple[Fact, ...]:
    """Return the facts that most entities of a class have; they are read once per run."""
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.common_facts:
        run.cache.common_facts[key] = tuple(_read_common_facts(run, type_iri))
    return run.cache.common_facts[key]


def _read_common_facts(run: RunContext, type_iri: str) -> Iterator[Fact]:
    rng = Random(f"{run.options.seed}/usual/{type_iri}")
    entities = run.cache.sample_entities(run.kg, type_iri, seed=run.options.seed, rng=rng, number=CLASS_SAMPLE)
    table = fetch_neighbourhoods(
        run.kg.endpoint, entities, (), skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    described = [entity for entity in entities if table.directed_edges.get(entity)]
    stating: dict[URIRef, dict[URIRef, list[Term]]] = {}
    for entity in described:
        for _, predicate, end in table.directed_edges[entity]:
            stating.setdefault(predicate, {}).setdefault(entity, []).append(end)
    chosen = {
        predicate: next(entity for entity, ends in sorted(by_entity.items()) if len(ends) == 1)
        for predicate, by_entity in sorted(stating.items())
        if COMMON_SHARE * len(described) <= len(by_entity) and _is_single(by_entity.values())
    }
    run.kg.prefetch_labels_and_types((*chosen.values(), *(stating[p][entity][0] for p, entity in chosen.items())))
    for predicate, entity in chosen.items():
        neighbourhoods = Neighbourhoods({entity: (("out", predicate, stating[predicate][entity][0]),)})
        graph = subgraph_of(
            run, neighbourhoods.with_labels(run.kg, (entity, stating[predicate][entity][0])), entity, type_iri
        )
        yield from summarize(run.kg, graph, list_limit=run.options.list_limit).facts[:1]


def _is_single(values: Iterable[list[Term]]) -> bool:
    """Tell whether nearly all entities have one value, and all values have one shape."""
    value_lists = list(values)
    ends = [end for values_of_one in value_lists for end in values_of_one]
    return (
        10 * sum(len(values_of_one) == 1 for values_of_one in value_lists) >= MIN_SINGLE_TENTHS * len(value_lists)
        and shape_of(ends) is not None
    )


def word_stems(*texts: str) -> set[str]:
    """Return the first letters of the words of some texts, without stems that many predicates share."""
    return {
        word[:STEM_LENGTH].casefold() for text in texts for word in text.split() if len(word) >= STEM_LENGTH
    } - _FREQUENT_STEMS

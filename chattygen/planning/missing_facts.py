"""Facts that other entities of a class have: a question about an entity without such a fact is unanswerable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from chattyshared.dialogue import UnanswerableKind
from chattyshared.language.lexicon import load_lexicon, word_set
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.neighbourhoods import DirectedEdge, Neighbourhoods, fetch_neighbourhoods
from chattygen.planning.plan_context import subgraph_of
from chattygen.planning.unambiguous_names import name_predicates
from chattygen.run import RunContext
from chattygen.subgraph.facts import MissingFact, Summary
from chattygen.subgraph.summary import shape_of, summarize

CLASS_SAMPLE = 40
"""Entities of a class that are sampled to find its common facts; set by hand."""
COMMON_SHARE = 0.5
"""Share of the sample, 0..1, that must state a predicate to make it common; set by hand."""
MIN_STATING = 2
"""Entities of the sample: the fewest that must state a predicate to make a question about it plausible; set by hand."""
MIN_SINGLE_TENTHS = 9
"""Tenths of the entities that must have exactly one value of a common predicate; set by hand."""
STEM_LENGTH = 4
"""Letters of a word that are compared, to find predicates that may state the same; shorter words do not count."""
_FREQUENT_STEMS = word_set("nouns", "frequent_stems")
"""Stems that labels of unlike predicates share."""
_FAMILIES = tuple(
    frozenset(part[:STEM_LENGTH] for word in family for part in word.split("-") if len(part) >= STEM_LENGTH)
    for family in load_lexicon("word_families")["families"]
)
"""Stems of words that name one relation: *marry*, *spouse*, *wife*."""


def missing_facts(run: RunContext, summary: Summary, edges: Sequence[DirectedEdge]) -> Iterator[MissingFact]:
    """Yield facts of an entity's class that the entity has not, nor any fact that may state the same.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    stated = {(direction, str(predicate)) for direction, predicate, _ in edges}
    shapes = {fact.last_step.predicate: fact.shape for fact in summary.facts if len(fact.steps) == 1}
    entries = run.kg.vocabulary.predicates
    labels = {predicate: entries[predicate].label for _, predicate in stated if predicate in entries}
    for missing in _class_facts(run, summary.entity.type) if summary.entity.type else ():
        fact = missing.fact
        if (fact.last_step.direction, fact.last_step.predicate) in stated:
            continue
        stems = _related_stems(fact.last_step.label)
        # A fact with values of another kind states something else; one that cannot be asked for may state the same.
        similar = [
            label
            for predicate, label in labels.items()
            if predicate not in shapes or (shapes[predicate] == "entity") == (fact.shape == "entity")
        ]
        if not any(stems & word_stems(label) for label in similar):
            yield missing


def _related_stems(label: str) -> set[str]:
    """Return the stems of a label, and those of words for the same relation."""
    stems = word_stems(label)
    return stems.union(*(family for family in _FAMILIES if family & stems)) - _FREQUENT_STEMS


def _class_facts(run: RunContext, type_iri: str) -> tuple[MissingFact, ...]:
    """Return the facts that several entities of a class have; they are read once per run."""
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.common_facts:
        run.cache.common_facts[key] = tuple(_read_class_facts(run, type_iri))
    return run.cache.common_facts[key]


def _read_class_facts(run: RunContext, type_iri: str) -> Iterator[MissingFact]:
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
        if len(by_entity) >= MIN_STATING
        and _is_single(by_entity.values())
        and any(len(ends) == 1 for ends in by_entity.values())
    }
    run.kg.prefetch_labels_and_types((*chosen.values(), *(stating[p][entity][0] for p, entity in chosen.items())))
    for predicate, entity in chosen.items():
        neighbourhoods = Neighbourhoods({entity: (("out", predicate, stating[predicate][entity][0]),)})
        graph = subgraph_of(
            run, neighbourhoods.with_labels(run.kg, (entity, stating[predicate][entity][0])), entity, type_iri
        )
        kind: UnanswerableKind = (
            "not-stated" if len(stating[predicate]) >= COMMON_SHARE * len(described) else "presupposition"
        )
        for fact in summarize(run.kg, graph, list_limit=run.options.list_limit).facts[:1]:
            yield MissingFact(fact, kind)


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

"""What most things of a class state: what one may ask of those that do not state it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.neighbourhoods import DirectedEdge, Neighbourhoods, fetch_neighbourhoods
from chattygen.planning.plan_context import subgraph_of
from chattygen.planning.unambiguous_names import name_predicates
from chattygen.run import RunContext
from chattygen.subgraph.facts import Fact, Summary
from chattygen.subgraph.summary import shape_of, summarize

CLASS_SAMPLE, COMMON_SHARE = 40, 0.5
"""How many things of a class are looked at, and how many of them must state what is usual."""


def missing_facts(run: RunContext, summary: Summary, rays: Sequence[DirectedEdge]) -> Iterator[Fact]:
    """Yield facts that most things of the class of a thing have and this one has not, nor anything alike.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    stated = {(side, str(predicate)) for side, predicate, _ in rays}
    for fact in _usual(run, summary.entity.type) if summary.entity.type else ():
        if (fact.last_step.direction, fact.last_step.predicate) in stated:
            continue
        told = word_stems(fact.last_step.label)
        alike = [one for one in summary.facts if (one.shape == "entity") == (fact.shape == "entity")]
        # Another predicate may state the same.
        if not any(told & word_stems(one.last_step.label) for one in alike):
            yield fact


def _usual(run: RunContext, type_iri: str) -> tuple[Fact, ...]:
    """Return the facts that most things of a class have: read once per run."""
    key = (type_iri, run.excluded_predicates)
    if key not in run.cache.common_facts:
        run.cache.common_facts[key] = tuple(_read(run, type_iri))
    return run.cache.common_facts[key]


def _read(run: RunContext, type_iri: str) -> Iterator[Fact]:
    chance = Random(f"{run.options.seed}/usual/{type_iri}")
    some = run.cache.sample_entities(run.kg, type_iri, seed=run.options.seed, rng=chance, number=CLASS_SAMPLE)
    table = fetch_neighbourhoods(
        run.kg.endpoint, some, (), skipped_predicates=run.excluded_predicates - name_predicates(run)
    )
    known = [one for one in some if table.directed_edges.get(one)]
    stating: dict[URIRef, dict[URIRef, list[Term]]] = {}
    for one in known:
        for _, predicate, far in table.directed_edges[one]:
            stating.setdefault(predicate, {}).setdefault(one, []).append(far)
    chosen = {
        predicate: next(one for one, ends in sorted(by_thing.items()) if len(ends) == 1)
        for predicate, by_thing in sorted(stating.items())
        if COMMON_SHARE * len(known) <= len(by_thing) and _is_single(by_thing.values())
    }
    run.kg.prefetch_labels_and_types((*chosen.values(), *(stating[p][one][0] for p, one in chosen.items())))
    for predicate, one in chosen.items():
        stars = Neighbourhoods({one: (("out", predicate, stating[predicate][one][0]),)})
        graph = subgraph_of(run, stars.with_labels(run.kg, (one, stating[predicate][one][0])), one, type_iri)
        yield from summarize(run.kg, graph, list_limit=run.options.list_limit).facts[:1]


def _is_single(values: Iterable[list[Term]]) -> bool:
    """Tell whether nearly all things have one value, and all values are of one shape."""
    every = list(values)
    ends = [end for some in every for end in some]
    return 10 * sum(len(some) == 1 for some in every) >= 9 * len(every) and shape_of(ends) is not None


_PLAIN_WORDS = frozenset({"numb", "date", "year", "plac", "name", "time", "tota", "type", "with", "from", "this"})


def word_stems(*texts: str) -> set[str]:
    """Return how the words of texts begin, those left out that many predicates share."""
    return {word[:4].casefold() for text in texts for word in text.split() if len(word) > 3} - _PLAIN_WORDS

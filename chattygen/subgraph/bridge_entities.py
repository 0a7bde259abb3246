"""Bridge entities: single answers that are entities themselves, so that later turns can be about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from rdflib import URIRef

from chattygen.run import RunContext
from chattygen.subgraph.extraction import extract_subgraph, is_label_shared
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.summary import summarize

MAX_TRIED_FACTS, MAX_BRIDGES = 4, 2
"""Facts of a seed that are tried as bridges, and bridges that are returned."""
MIN_BRIDGE_FACTS = 2
"""The fewest facts of a bridge entity: an entity with fewer is only a value (a price, a measure)."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A fact of the seed with one answer, the form that asks it, and the summary of that answer."""

    fact: Fact
    form: str
    hidden: HiddenEnds
    summary: Summary


def find_bridges(run: RunContext, summary: Summary, rng: Random) -> tuple[Bridge, ...]:
    """Return up to ``MAX_BRIDGES`` bridges in random order, without facts that lead back to the seed.

    There are none if the options allow only the facts of the seed.
    """
    if not run.options.allows_two_hops:
        return ()
    candidates = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if fact.shape == "entity" and fact.count == 1 and isinstance(hidden.ends[0], URIRef)
    ]  # fmt: skip
    bridges: list[Bridge] = []
    for fact, hidden in rng.sample(candidates, len(candidates))[:MAX_TRIED_FACTS]:
        bridge = _read_bridge(run, summary, fact, hidden)
        if bridge is not None:
            bridges.append(bridge)
        if len(bridges) == MAX_BRIDGES:
            break
    return tuple(bridges)


def _read_bridge(run: RunContext, summary: Summary, fact: Fact, hidden: HiddenEnds) -> Bridge | None:
    """Return the bridge over a fact; None if its answer has no good name, too few facts, or is confusable."""
    iri = hidden.ends[0]
    assert isinstance(iri, URIRef)
    options = run.options
    graph = extract_subgraph(
        run.kg,
        iri,
        run.naming,
        limit=options.max_triples,
        direction=options.direction,
        excluded=run.excluded_predicates,
    )
    label = graph.entity.label
    if graph.name is None and run.kg.profile.has_labels:
        return None
    if not graph.edges or graph.triple_count > options.max_triples or len(label.split()) > options.max_label_words:
        return None
    if not graph.entity.noun or repeats_label(label, summary.entity.label):
        return None
    if graph.entity.noun == summary.entity.noun and not graph.entity.differs_in_gender(summary.entity):
        return None
    if is_label_shared(run.kg, graph, run.naming.predicates_of(graph.entity.type)):
        return None
    far_summary = summarize(run.kg, graph, list_limit=options.list_limit, is_sayable=run.is_sayable)
    kept = [
        (far, far_hidden) for far, far_hidden in zip(far_summary.facts, far_summary.hidden, strict=True)
        if summary.entity.iri not in far_hidden.ends and far.last_step.predicate != fact.last_step.predicate
        and not any(repeats_label(str(end), summary.entity.label) for end in far_hidden.ends[:1])
    ]  # fmt: skip
    if len(kept) < MIN_BRIDGE_FACTS:
        return None
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Bridge(
        fact, fact.forms[0], hidden, Summary(far_summary.entity, facts, tuple(far_hidden for _, far_hidden in kept))
    )


def add_two_hop_facts(summary: Summary, bridge: Bridge) -> Summary:
    """Add the two-hop facts through a bridge: those with one end that the KG states about the bridge entity."""
    facts, hidden = list(summary.facts), list(summary.hidden)
    if bridge.fact.last_step.direction != "out":
        return summary
    for far, far_hidden in zip(bridge.summary.facts, bridge.summary.hidden, strict=True):
        if far.count == 1 and far.last_step.direction == "out" and not far_hidden.langs:
            steps = (bridge.fact.last_step, far.last_step)
            facts.append(
                replace(
                    far,
                    number=len(facts) + 1,
                    steps=steps,
                    forms=("two-hop",),
                    offered_value="",
                    via_class_labels=bridge.fact.class_labels,
                )
            )
            hidden.append(replace(far_hidden, triples=(*bridge.hidden.triples, *far_hidden.triples)))
    return Summary(summary.entity, tuple(facts), tuple(hidden))

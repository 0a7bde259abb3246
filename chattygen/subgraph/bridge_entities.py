"""Bridges: single answers that are entities themselves, so that talk can go on about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from rdflib import URIRef

from chattygen.run import RunContext
from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.requirements import is_label_shared
from chattygen.subgraph.summary import summarize

TRIED, WANTED = 4, 2
MIN_BRIDGE_FACTS = 2
"""With fewer facts a thing is but a value (a price, a measure), and nobody would go on about it."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A fact of the seed with one answer, how it is asked, and what can be asked about that answer."""

    fact: Fact
    form: str
    hidden: HiddenEnds
    summary: Summary


def find_bridges(run: RunContext, summary: Summary, rng: Random) -> tuple[Bridge, ...]:
    """Return up to two bridges, in an order that chance makes; the seed itself is no answer behind them.

    There are none where the options keep to the facts of the seed alone.
    """
    if not run.options.allows_two_hops:
        return ()
    able = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if fact.shape == "entity" and fact.count == 1 and isinstance(hidden.ends[0], URIRef)
    ]  # fmt: skip
    found: list[Bridge] = []
    for fact, hidden in rng.sample(able, len(able))[:TRIED]:
        made = _bridge(run, summary, fact, hidden)
        if made is not None:
            found.append(made)
        if len(found) == WANTED:
            break
    return tuple(found)


def _bridge(run: RunContext, summary: Summary, fact: Fact, hidden: HiddenEnds) -> Bridge | None:
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
    if _sounds_like(graph.entity, summary.entity):
        return None
    if is_label_shared(run.kg, graph, run.naming.predicates_of(graph.entity.type)):
        return None
    beyond = summarize(run.kg, graph, list_limit=options.list_limit)
    kept = [
        (far, behind) for far, behind in zip(beyond.facts, beyond.hidden, strict=True)
        if summary.entity.iri not in behind.ends and far.last_step.predicate != fact.last_step.predicate
        and not any(repeats_label(str(end), summary.entity.label) for end in behind.ends[:1])
    ]  # fmt: skip
    if len(kept) < MIN_BRIDGE_FACTS:
        return None
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Bridge(fact, fact.forms[0], hidden, Summary(beyond.entity, facts, tuple(behind for _, behind in kept)))


def _sounds_like(one: Entity, other: Entity) -> bool:
    """Tell whether a reference to one could mean the other: the same kind of thing, not told apart by gender."""
    told_apart = one.gender and other.gender and one.gender != other.gender
    return one.noun == other.noun and not told_apart


def add_two_hop_facts(summary: Summary, bridge: Bridge) -> Summary:
    """Add the facts that lead through a bridge to what the KG states once about the thing behind it."""
    facts, hidden = list(summary.facts), list(summary.hidden)
    if bridge.fact.last_step.direction != "out":
        return summary
    for far, behind in zip(bridge.summary.facts, bridge.summary.hidden, strict=True):
        if far.count == 1 and far.last_step.direction == "out" and not behind.langs:
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
            hidden.append(replace(behind, triples=(*bridge.hidden.triples, *behind.triples)))
    return Summary(summary.entity, tuple(facts), tuple(hidden))

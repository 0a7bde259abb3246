"""Bridge entities: single answers that are entities themselves, so that later turns can be about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chattygen.subgraph.facts import Fact, HiddenEnds, Summary

MIN_BRIDGE_FACTS = 2
"""The fewest facts of a bridge entity: an entity with fewer is only a value (a price, a measure)."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A fact of the seed with one answer, the form that asks it, and the summary of that answer."""

    fact: Fact
    form: str
    hidden: HiddenEnds
    summary: Summary


def add_two_hop_facts(summary: Summary, bridge: Bridge) -> Summary:
    """Add the two-hop facts through a bridge: those with one end that the KG states about the bridge entity."""
    facts, hidden = list(summary.facts), list(summary.hidden)
    if bridge.fact.last_step.direction != "out":
        return summary
    for far, far_hidden in zip(bridge.summary.facts, bridge.summary.hidden, strict=True):
        if far.count == 1 and far.shape != "boolean" and far.last_step.direction == "out" and not far_hidden.langs:
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

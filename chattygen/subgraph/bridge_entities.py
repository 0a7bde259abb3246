"""Bridges: single answers that are entities themselves, so that talk can go on about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Protocol

from chattyshared.kg import KnowledgeGraph
from rdflib import URIRef

from chattygen.options import Options
from chattygen.sampling import seeds
from chattygen.sampling.label_predicates import Naming
from chattygen.subgraph.extraction import extract
from chattygen.subgraph.facts import Entity, Fact, Hidden, Summary
from chattygen.subgraph.predicate_salience import echoes
from chattygen.subgraph.summary import summarize

TRIED, WANTED = 4, 2
ENOUGH = 2
"""With fewer facts a thing is but a value (a price, a measure), and nobody would go on about it."""


class Bounds(Protocol):
    """What this stage needs to know of a run."""

    @property
    def kg(self) -> KnowledgeGraph:
        """The knowledge graph."""

    @property
    def options(self) -> Options:
        """The options."""

    @property
    def naming(self) -> Naming:
        """The naming predicates."""

    @property
    def hidden(self) -> frozenset[str]:
        """The predicates that are never asked about."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A fact of the seed with one answer, how it is asked, and what can be asked about that answer."""

    fact: Fact
    form: str
    hidden: Hidden
    summary: Summary


def bridges(run: Bounds, summary: Summary, chance: Random) -> tuple[Bridge, ...]:
    """Return up to two bridges, in an order that chance makes; the seed itself is no answer behind them.

    There are none where the options keep to the facts of the seed alone.
    """
    if not run.options.leads_on:
        return ()
    able = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if fact.shape == "entity" and fact.count == 1 and isinstance(hidden.ends[0], URIRef)
    ]  # fmt: skip
    found: list[Bridge] = []
    for fact, hidden in chance.sample(able, len(able))[:TRIED]:
        made = _bridge(run, summary, fact, hidden)
        if made is not None:
            found.append(made)
        if len(found) == WANTED:
            break
    return tuple(found)


def _bridge(run: Bounds, summary: Summary, fact: Fact, hidden: Hidden) -> Bridge | None:
    iri = hidden.ends[0]
    assert isinstance(iri, URIRef)
    options = run.options
    graph = extract(run.kg, iri, run.naming, limit=options.max_triples, direction=options.direction, hidden=run.hidden)
    label = graph.entity.label
    if graph.name is None and run.kg.profile.has_labels:
        return None
    if not graph.edges or graph.size > options.max_triples or len(label.split()) > options.max_label_words:
        return None
    if not graph.entity.noun or echoes(label, summary.entity.label):
        return None
    if _sounds_like(graph.entity, summary.entity):
        return None
    if seeds.is_shared(run.kg, graph, run.naming.predicates(graph.entity.type)):
        return None
    beyond = summarize(run.kg, graph, list_limit=options.list_limit)
    kept = [
        (far, behind) for far, behind in zip(beyond.facts, beyond.hidden, strict=True)
        if summary.entity.iri not in behind.ends and far.last.predicate != fact.last.predicate
        and not any(echoes(str(end), summary.entity.label) for end in behind.ends[:1])
    ]  # fmt: skip
    if len(kept) < ENOUGH:
        return None
    facts = tuple(replace(far, number=number) for number, (far, _) in enumerate(kept, 1))
    return Bridge(fact, fact.forms[0], hidden, Summary(beyond.entity, facts, tuple(behind for _, behind in kept)))


def _sounds_like(one: Entity, other: Entity) -> bool:
    """Tell whether a reference to one could mean the other: the same kind of thing, not told apart by gender."""
    told_apart = one.gender and other.gender and one.gender != other.gender
    return one.noun == other.noun and not told_apart


def two_steps(summary: Summary, bridge: Bridge) -> Summary:
    """Add the facts that lead through a bridge to what the KG states once about the thing behind it."""
    facts, hidden = list(summary.facts), list(summary.hidden)
    if bridge.fact.last.direction != "out":
        return summary
    for far, behind in zip(bridge.summary.facts, bridge.summary.hidden, strict=True):
        if far.count == 1 and far.last.direction == "out" and not behind.langs:
            steps = (bridge.fact.last, far.last)
            facts.append(
                replace(far, number=len(facts) + 1, steps=steps, forms=("two-hop",), offer="", via=bridge.fact.kinds)
            )
            hidden.append(replace(behind, triples=(*bridge.hidden.triples, *behind.triples)))
    return Summary(summary.entity, tuple(facts), tuple(hidden))

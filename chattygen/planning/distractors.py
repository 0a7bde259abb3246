"""Values for the yes-no questions of a plan: stated ones, and distractors that something relates to these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import head_noun
from chattyshared.literals import parse_boolean
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.planning.coherence import tells
from chattygen.planning.plan_context import PlanContext
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import is_placeholder, is_writable, repeats_label
from chattygen.subgraph.predicate_use import looks_like_measure
from chattygen.subgraph.relatedness import are_linked

MAX_FOILS = 12
"""Values per seed whose triples are read, to find out what relates them to it; set by hand."""
MAX_TRUE_PEERS = 3
"""Stated values, at most, that a distractor may be related to; set by hand."""


def true_and_false_offers(
    kg: KnowledgeGraph, context: PlanContext, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random
) -> Iterator[tuple[Fact, HiddenEnds]]:
    """Yield a fact with a value that the KG states, then with a similar one that it does not state.

    A truth is offered as true. Yields nothing unless there are both, else true questions would prevail, nor if the name
    of the thing tells the value. A distractor is a value of a sibling or an entity of the same class around the seed,
    that something relates to the thing or to a true value; of another thing, a value of one of its peers.
    """
    if fact.shape == "boolean":
        is_true = bool(parse_boolean(str(hidden.ends[0])))
        term = hidden.ends[0] if is_true else Literal(True)
        yield replace(fact, offered_value="true"), replace(hidden, offered_term=term, is_offer_true=is_true)
        return
    owner = summary.entity.label
    true_offers = _names_by_term(context, hidden.ends, owner)
    noun = head_noun(next(iter(fact.class_labels), ""))
    if any(tells(owner, name, noun) for name in true_offers.values()):
        return
    stated_names = {name.casefold() for name in _names_by_term(context, hidden.ends, "").values()}
    similar = _names_by_term(context, _similar_values(context, summary, fact, rng), owner)
    peers = (summary.entity.iri, *(end for end in hidden.ends[:MAX_TRUE_PEERS] if isinstance(end, URIRef)))
    false_offers = {
        term: name for term, name in similar.items()
        if term not in hidden.ends and term != summary.entity.iri and name.casefold() not in stated_names
        and (isinstance(term, Literal) or any(is_related(kg, context, term, peer, is_offer=True) for peer in peers))
    }  # fmt: skip
    if not true_offers or not false_offers or (fact.shape == "entity" and len(true_offers) < len(hidden.ends[:2])):
        return
    for truth, offers in ((True, true_offers), (False, false_offers)):
        value = list(offers)[rng.randrange(len(offers))]
        yield replace(fact, offered_value=offers[value]), replace(hidden, offered_term=value, is_offer_true=truth)


def is_related(kg: KnowledgeGraph, context: PlanContext, one: Term, other: URIRef, *, is_offer: bool = False) -> bool:
    """Tell whether something that was read relates two things, so that people would bring in the one beside the other;
    any two places, unless one is offered as a value (nobody asks whether Liverpool is in New Zealand)."""
    around = context.neighbourhoods.directed_edges
    if not isinstance(one, URIRef):
        return False
    if one not in around or other not in around:
        known = {end for _, _, end in (*around.get(one, ()), *around.get(other, ()))}
        return one in known or other in known
    types = context.neighbourhoods.types
    return are_linked(kg, one, other, around, types, are_places_near=not is_offer)


def foils(context: PlanContext) -> list[URIRef]:
    """Return what may be offered as a false value about the seed: values of its siblings, and entities around it."""
    facts = [fact for fact in context.seed.facts if "boolean" in fact.forms and fact.shape == "entity"]
    values = (
        end for fact in facts for end in (*_sibling_values(context, fact), *context.distractors.get(fact.number, ()))
    )
    known = context.neighbourhoods.directed_edges
    fresh = (end for end in values if isinstance(end, URIRef) and end not in known and is_writable(end))
    return list(islice(dict.fromkeys(fresh), MAX_FOILS))


def _names_by_term(context: PlanContext, terms: Iterable[Term], owner: str) -> dict[Term, str]:
    names = {term: context.names.name_of(term) for term in terms}
    return {
        term: name for term, name in names.items()
        if not is_placeholder(name) and not looks_like_measure(name) and not (owner and repeats_label(name, owner))
    }  # fmt: skip


def _similar_values(context: PlanContext, summary: Summary, fact: Fact, rng: Random) -> Iterator[Term]:
    if summary.entity.iri == context.seed.entity.iri:
        sibling_values = list(dict.fromkeys(_sibling_values(context, fact)))
        yield from rng.sample(sibling_values, len(sibling_values))
        yield from context.distractors.get(fact.number, ())
        return
    step = (fact.last_step.direction, fact.last_step.predicate)
    for peer in _peers_of(context, summary.entity.iri):
        edges = context.neighbourhoods.directed_edges.get(peer, ())
        yield from (end for direction, predicate, end in edges if (direction, str(predicate)) == step)


def _peers_of(context: PlanContext, iri: URIRef) -> Iterator[URIRef]:
    """Yield what stands beside an entity in a dialogue: other members of its list, the seed that it is compared to."""
    for answer_set in context.answer_sets:
        if iri in answer_set.members:
            yield from (member for member in answer_set.members if member != iri)
    if any(sibling.entity.iri == iri for sibling in context.siblings):
        yield context.seed.entity.iri


def _sibling_values(context: PlanContext, fact: Fact) -> Iterator[Term]:
    """Yield what the fact's predicate states of the siblings, where the values have the fact's shape."""
    step = fact.last_step
    for sibling in context.siblings:
        for sibling_fact, sibling_hidden in sibling.facts_with_ends:
            other = sibling_fact.last_step
            same_step = other.predicate == step.predicate and other.direction == step.direction
            if same_step and sibling_fact.shape == fact.shape:
                yield from sibling_hidden.ends

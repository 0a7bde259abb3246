"""Values for the yes-no questions of a plan: values that the KG states, and distractors like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from chattyshared.language.inflection import denote_places, head_noun
from chattyshared.terms import Term
from rdflib import URIRef

from chattygen.planning.coherence import tells
from chattygen.planning.plan_context import PlanContext
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import is_placeholder, repeats_label
from chattygen.subgraph.predicate_use import is_worldwide, looks_like_measure
from chattygen.subgraph.relatedness import is_shareable


def true_and_false_offers(
    context: PlanContext, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random
) -> Iterator[tuple[Fact, HiddenEnds]]:
    """Yield a fact with a value that the KG states, then with a similar one that it does not state.

    Yields nothing unless there are both, else true questions would prevail, nor if the name of the thing tells the
    value. A distractor is a value of a sibling that is near by another fact, or an entity of the same class around the
    seed; of another thing, a value of one of its peers.
    """
    owner = summary.entity.label
    true_offers = _names_by_term(context, hidden.ends, owner)
    noun = head_noun(next(iter(fact.class_labels), ""))
    if any(tells(owner, name, noun) for name in true_offers.values()):
        return
    stated_names = {name.casefold() for name in _names_by_term(context, hidden.ends, "").values()}
    similar = _names_by_term(context, _similar_values(context, summary, fact, rng), owner)
    false_offers = {
        term: name for term, name in similar.items()
        if term not in hidden.ends and term != summary.entity.iri and name.casefold() not in stated_names
    }  # fmt: skip
    if not true_offers or not false_offers or (fact.shape == "entity" and len(true_offers) < len(hidden.ends[:2])):
        return
    for truth, offers in ((True, true_offers), (False, false_offers)):
        value = list(offers)[rng.randrange(len(offers))]
        yield replace(fact, offered_value=offers[value]), replace(hidden, offered_term=value, is_offer_true=truth)


def _names_by_term(context: PlanContext, terms: Iterable[Term], owner: str) -> dict[Term, str]:
    names = {term: context.names.name_of(term) for term in terms}
    return {
        term: name for term, name in names.items()
        if not is_placeholder(name) and not looks_like_measure(name) and not (owner and repeats_label(name, owner))
    }  # fmt: skip


def _similar_values(context: PlanContext, summary: Summary, fact: Fact, rng: Random) -> Iterator[Term]:
    if summary.entity.iri == context.seed.entity.iri:
        sibling_values = list(dict.fromkeys(_sibling_values(context, fact)))
        yield from rng.sample(sibling_values, len(sibling_values)) or context.distractors.get(fact.number, ())
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
    """Yield what the fact's predicate states of the siblings that are near by another predicate, where the values have
    the fact's shape."""
    step = fact.last_step
    for sibling in context.siblings:
        for sibling_fact, sibling_hidden in sibling.facts_with_ends:
            other = sibling_fact.last_step
            same_step = other.predicate == step.predicate and other.direction == step.direction
            if same_step and sibling_fact.shape == fact.shape and _share_other_end(context, sibling, step.predicate):
                yield from sibling_hidden.ends


def _share_other_end(context: PlanContext, sibling: Summary, predicate: str) -> bool:
    """Tell whether another predicate leads the seed and a sibling to one thing or text, no place and no language."""
    wide_ends = {end for fact, hidden in context.seed.facts_with_ends if _is_wide(fact) for end in hidden.ends}
    own, others = (
        {edge for edge in context.neighbourhoods.directed_edges.get(summary.entity.iri, ())
         if str(edge[1]) != predicate and is_shareable(edge[2])} for summary in (context.seed, sibling)
    )  # fmt: skip
    return any(edge[2] not in wide_ends for edge in own & others)


def are_near(one: Summary, other: Summary) -> bool:
    """Tell whether people compare two things: both lead to one thing or text, other than a place or a language, or one
    of them to the other; of a thing that only has values of its own, all of its class are near, and so are places."""
    ends, other_ends = ({end for fact, hidden in summary.facts_with_ends if not _is_wide(fact)
                         for end in hidden.ends if is_shareable(end)} for summary in (one, other))  # fmt: skip
    are_linked = not ends.isdisjoint(other_ends) or other.entity.iri in ends or one.entity.iri in other_ends
    return are_linked or not ends or denote_places(one.entity.class_labels)


def _is_wide(fact: Fact) -> bool:
    """Tell whether a fact leads to a place or a language, which many things share that nobody compares."""
    return is_worldwide(fact) or denote_places((fact.last_step.label, *fact.class_labels))

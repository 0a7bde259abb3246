"""Values for the yes-no questions of a plan: values that the KG states, and distractors like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from chattyshared.terms import Term

from chattygen.planning.plan_context import PlanContext
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import is_placeholder, repeats_label
from chattygen.subgraph.predicate_use import looks_like_measure


def true_and_false_offers(
    context: PlanContext, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random
) -> Iterator[tuple[Fact, HiddenEnds]]:
    """Yield a fact with a value that the KG states, then with a similar one that it does not state.

    Yields nothing unless there are both; else true questions would prevail. A distractor is a value of a sibling or an
    entity of the same class around the seed.
    """
    owner = summary.entity.label
    true_offers = _names_by_term(context, hidden.ends, owner)
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


def _sibling_values(context: PlanContext, fact: Fact) -> Iterator[Term]:
    """Yield what the fact's predicate states of the siblings, where the values have the fact's shape."""
    for sibling in context.siblings:
        for sibling_fact, sibling_hidden in zip(sibling.facts, sibling.hidden, strict=True):
            same_step = (
                sibling_fact.last_step.predicate == fact.last_step.predicate
                and sibling_fact.last_step.direction == fact.last_step.direction
            )
            if same_step and sibling_fact.shape == fact.shape:
                yield from sibling_hidden.ends

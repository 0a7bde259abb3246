"""Values for the yes-no questions of a plan, from what was read already: stated ones and others like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from chattyshared.literals import parse_moment
from chattyshared.terms import Term
from rdflib import Literal

from chattygen.planning.plan_context import PlanContext
from chattygen.subgraph.distractors import is_date_like, shift_value
from chattygen.subgraph.facts import Fact, HiddenEnds, Summary
from chattygen.subgraph.predicate_salience import repeats_label


def true_and_false_offers(
    context: PlanContext, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random
) -> Iterator[tuple[Fact, HiddenEnds]]:
    """Yield a fact with a value that the KG states and with one like it that it does not state.

    Nothing unless there are both: else true ones would prevail. A false value is one that another thing of the seed's
    kind has, or of the same class; of numbers and dates one that is some way off.
    """
    owner = summary.entity.label
    true = _sayable(context, hidden.ends, owner)
    stated = {name.casefold() for name in _sayable(context, hidden.ends, "").values()}
    false = {
        term: name for term, name in _sayable(context, _like(context, summary, fact, hidden, rng), owner).items()
        if term not in hidden.ends and term != summary.entity.iri and name.casefold() not in stated
    }  # fmt: skip
    if not true or not false or (fact.shape == "entity" and len(true) < len(hidden.ends[:2])):
        return
    for truth, pool in ((True, true), (False, false)):
        value = list(pool)[rng.randrange(len(pool))]
        yield replace(fact, offered_value=pool[value]), replace(hidden, offered_term=value, is_offer_true=truth)


def _sayable(ground: PlanContext, terms: Iterable[Term], owner: str) -> dict[Term, str]:
    told = {term: ground.names.name_of(term) for term in terms}
    return {term: name for term, name in told.items() if name and not (owner and repeats_label(name, owner))}


def _like(ground: PlanContext, summary: Summary, fact: Fact, hidden: HiddenEnds, chance: Random) -> Iterator[Term]:
    sample = hidden.ends[0]
    others = dict.fromkeys(_of_rivals(ground, fact))
    timed = isinstance(sample, Literal) and all(
        is_date_like(one) for one in (sample, *others) if isinstance(one, Literal)
    )
    if isinstance(sample, Literal) and (fact.shape != "text" or timed):
        known = [moment for one in (sample, *others) if (moment := parse_moment(str(one))) is not None]
        moved = shift_value(sample, chance, as_date=timed, latest=max(known) if timed and others else None)
        if moved is not None:
            yield moved
    elif summary.entity.iri == ground.seed.entity.iri:
        yield from chance.sample(list(others), len(others))
        if not others:
            yield from ground.distractors.get(fact.number, ())


def _of_rivals(ground: PlanContext, fact: Fact) -> Iterator[Term]:
    """Yield what the predicate states of the rivals, where that is of the fact's own kind."""
    for rival in ground.siblings:
        for other, behind in zip(rival.facts, rival.hidden, strict=True):
            same = (
                other.last_step.predicate == fact.last_step.predicate
                and other.last_step.direction == fact.last_step.direction
            )
            if same and other.shape == fact.shape:
                yield from (end for end in behind.ends if _same_language(end, behind))


def _same_language(end: Term, behind: HiddenEnds) -> bool:
    return not isinstance(end, Literal) or not behind.langs or (end.language or "") in behind.langs

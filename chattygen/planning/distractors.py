"""Values for the yes-no questions of a plan, from what was read already: stated ones and others like them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from chattyshared.literals import parse_moment
from chattyshared.terms import Term
from rdflib import Literal

from chattygen.planning.plan_context import Ground
from chattygen.subgraph.distractors import is_timed, shifted
from chattygen.subgraph.facts import Fact, Hidden, Summary
from chattygen.subgraph.predicate_salience import echoes


def offered(
    ground: Ground, summary: Summary, fact: Fact, hidden: Hidden, chance: Random
) -> Iterator[tuple[Fact, Hidden]]:
    """Yield a fact with a value that the KG states and with one like it that it does not state.

    Nothing unless there are both: else true ones would prevail. A false value is one that another thing of the seed's
    kind has, or of the same class; of numbers and dates one that is some way off.
    """
    owner = summary.entity.label
    true = _sayable(ground, hidden.ends, owner)
    stated = {name.casefold() for name in _sayable(ground, hidden.ends, "").values()}
    false = {
        term: name for term, name in _sayable(ground, _like(ground, summary, fact, hidden, chance), owner).items()
        if term not in hidden.ends and term != summary.entity.iri and name.casefold() not in stated
    }  # fmt: skip
    if not true or not false or (fact.shape == "entity" and len(true) < len(hidden.ends[:2])):
        return
    for truth, pool in ((True, true), (False, false)):
        value = list(pool)[chance.randrange(len(pool))]
        yield replace(fact, offer=pool[value]), replace(hidden, offer=value, truth=truth)


def _sayable(ground: Ground, terms: Iterable[Term], owner: str) -> dict[Term, str]:
    told = {term: ground.names.of(term) for term in terms}
    return {term: name for term, name in told.items() if name and not (owner and echoes(name, owner))}


def _like(ground: Ground, summary: Summary, fact: Fact, hidden: Hidden, chance: Random) -> Iterator[Term]:
    sample = hidden.ends[0]
    others = dict.fromkeys(_of_rivals(ground, fact))
    timed = isinstance(sample, Literal) and all(is_timed(one) for one in (sample, *others) if isinstance(one, Literal))
    if isinstance(sample, Literal) and (fact.shape != "text" or timed):
        known = [moment for one in (sample, *others) if (moment := parse_moment(str(one))) is not None]
        moved = shifted(sample, chance, timed=timed, latest=max(known) if timed and others else None)
        if moved is not None:
            yield moved
    elif summary.entity.iri == ground.seed.entity.iri:
        yield from chance.sample(list(others), len(others))
        if not others:
            yield from ground.foils.get(fact.number, ())


def _of_rivals(ground: Ground, fact: Fact) -> Iterator[Term]:
    """Yield what the predicate states of the rivals, where that is of the fact's own kind."""
    for rival in ground.rivals:
        for other, behind in zip(rival.facts, rival.hidden, strict=True):
            same = other.last.predicate == fact.last.predicate and other.last.direction == fact.last.direction
            if same and other.shape == fact.shape:
                yield from (end for end in behind.ends if _same_language(end, behind))


def _same_language(end: Term, behind: Hidden) -> bool:
    return not isinstance(end, Literal) or not behind.langs or (end.language or "") in behind.langs

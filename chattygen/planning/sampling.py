"""Learn, from a few of its entities before a run, which forms the entities of a type can carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from chattyshared.errors import ConfigError

from chattygen.facts import Summary
from chattygen.planning.blocks import comparisons, lookups, picks, simple
from chattygen.planning.dealing import Deals, Gifts, deal
from chattygen.planning.ground import Ground, alike, survey
from chattygen.planning.wishes import SET_FORMS, Want
from chattygen.rejection import Unfit
from chattygen.run import Run
from chattygen.seeds import Slot

SAMPLE, TYPES, ALL = 3, 12, 24
"""Entities looked at per type at least, the most types looked at (the others are taken to be like the average), and
the entities looked at in all where types are few."""


def deals(run: Run, slots: Sequence[Slot]) -> Deals:
    """Deal the mix to the places of a run's first round; there is nothing to deal where dialogues are not planned.

    Raises:
        ConfigError: the options want of planned dialogues what these do not do.
        EndpointError: the endpoint does not answer.
    """
    if run.options.approach != "planned":
        return Deals()
    if run.options.context == "full":
        why = "a plan hides its answers from the model"
        raise ConfigError(f"--context full does not go with --approach planned: {why}; choose another approach")
    return deal(slots, run.options, gifts(run, slots))


def gifts(run: Run, slots: Sequence[Slot]) -> Gifts:
    """Return, by type, the share of sampled entities that can carry each form; at least a little of each is assumed.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    sizes = Counter(slot.type for slot in slots)
    found: dict[str, dict[str, float]] = {}
    number = max(SAMPLE, min(ALL, len(slots) // 4) // max(1, len(sizes)))
    for type_iri, _ in sizes.most_common(TYPES):
        grounds = list(_grounds(run, type_iri, [slot for slot in slots if slot.type == type_iri], number))
        able = Counter(form for ground in grounds for form in carried(run, ground))
        found[type_iri] = {form: number / len(grounds) for form, number in able.items()} if grounds else {}
    every = {form for shares in found.values() for form in shares}
    mean = {form: sum(s.get(form, 0.0) for s in found.values()) / len(found) for form in every}
    return {type_iri: found.get(type_iri, mean) for type_iri in sizes}


def _grounds(run: Run, type_iri: str, slots: Sequence[Slot], number: int) -> Iterator[Ground]:
    """Survey the first seeds that the places of a type will try."""
    tried = 0
    for slot in slots:
        for iri in slot.candidates[:1]:
            chance = Random(f"{run.options.seed}/gifts/{iri}")
            try:
                yield survey(run, iri, type_iri, chance, with_sets=True)
            except Unfit:
                pass
            tried += 1
        if tried >= number:
            return


def carried(run: Run, ground: Ground) -> Iterator[str]:
    """Yield the forms (and ``answer``, ``shift``, ``position``) that a ground can give."""
    chance = Random(0)
    for form in SET_FORMS:
        if any(picks(run, ground, members, form, chance) for members in ground.sets):
            yield form
    for form in ("count", "boolean", "two-hop", "unanswerable"):
        both = (Want(form), Want(form, truth=False))
        if all(_asked(ground, want, ground.seed, chance) for want in both):
            yield form
    if next(comparisons(ground, Want("comparison"), chance), None):
        yield "comparison"
    if any(ground.names.of(bridge.summary.entity.iri) for bridge in ground.bridges):
        yield "answer"
        for form in ("count", "boolean"):
            both = (Want(form), Want(form, truth=False))
            if any(all(_asked(ground, want, bridge.summary, chance) for want in both) for bridge in ground.bridges):
                yield f"answer {form}"
    if any(picks(run, ground, members, "list", chance) for members in ground.sets):
        yield "position"
    if any(m.owner == ground.seed.entity and not alike(m.fact.kinds, m.owner.kinds) for m in ground.sets):
        yield "list"
    forms = {(piece.fact.last.predicate, piece.form) for piece in lookups(ground.seed)}
    if any((p.fact.last.predicate, p.form) in forms for rival in ground.rivals for p in lookups(rival)):
        yield "shift"


def _asked(ground: Ground, want: Want, summary: Summary, chance: Random) -> bool:
    return next(simple(ground, want, summary, chance), None) is not None

"""The generator: from a knowledge graph to dialogues with gold answers, stage by stage as in the paper's figure."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.runs.threads import StopSignal, stop_error
from chattyshared.trace import Trace
from rdflib import URIRef

from chattygen.options import Options
from chattygen.planning.planner import plan_slots
from chattygen.rejection import RejectedSeed
from chattygen.run import RunContext
from chattygen.runs.preparation import TypeSelection, choose_types, excluded_predicates, name_types
from chattygen.runs.slots import SlotResult, SlotTask, SlotWorker, fill_slot, slot_task
from chattygen.sampling import label_predicates, seeds
from chattygen.sampling.node_types import REQUESTED_DROPS
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)


def generate(  # noqa: PLR0913
    kg: KnowledgeGraph,
    model: LanguageModel,
    options: Options,
    *,
    done: Mapping[int, str] | None = None,
    trace: Trace | None = None,
    stop: StopSignal | None = None,
    runner: Runner | None = None,
) -> Iterator[SlotResult]:
    """Make dialogues; each is yielded as soon as it is finished, out of order where there are several workers.

    ``done`` maps the indexes that an earlier run has finished to the IRI of the accepted seed (empty: there was none);
    they are not made again. ``runner`` is who makes them, threads of this process unless said. Equal arguments give
    equal results by index, whoever makes them and however many they are. Fewer dialogues than wanted come where the KG
    cannot give them; a warning says how many and why.

    Raises:
        ConfigError: the options name a type, a predicate, a language or a seed that the KG does not have.
        EndpointError: the endpoint cannot be asked.
        ModelError: the model cannot be asked.
        BudgetSpent: ``stop`` was set; what was being made then is lost.
        WorkersLost: who makes them elsewhere is gone.
    """
    kg = kg.with_language(options.lang) if options.lang else kg
    chosen = choose_types(kg, options)
    run = RunContext(
        kg,
        model,
        chosen.options,
        label_predicates.profile_naming(kg),
        excluded_predicates(kg, options),
        trace or Trace(),
    )
    yield from _rounds(
        name_types(run, chosen.types_with_quota),
        chosen,
        dict(done or {}),
        runner or ThreadRunner(options.workers),
        stop,
    )


def _rounds(
    run: RunContext, chosen: TypeSelection, done: Mapping[int, str], runner: Runner, stop: StopSignal | None
) -> Iterator[SlotResult]:
    """Fill the slots; what stays empty is tried again with the entities that are left, within the limit of seeds.

    Each round tries at least one entity for the first time, or there is none: the rounds end.
    """
    pool = seeds.draw_seeds(run.kg, chosen.types, run.options)
    labels = {node.iri: node.label for node in chosen.types if not node.dropped}
    weights = {node.iri: node.count for node in chosen.types if not node.dropped}
    quotas = seeds.remaining_quotas({n.iri: n.quota for n in chosen.types if not n.dropped}, pool.entities, weights)
    had: dict[str, Counter[str]] = {iri: Counter() for iri in labels}
    reasons: Counter[str] = Counter()
    first, tried, made, limit = 0, 0, 0, run.options.seed_limit
    while quotas and tried < limit and made < run.options.dialogues:
        run = name_types(run, ((iri, labels[iri]) for iri in quotas))
        order = pool.ordered_by_band(quotas, had, run.options.popularity)
        slots = seeds.assign_slots(first, quotas, order.entities, limit - tried)
        used: set[URIRef] = set()
        missing: Counter[str] = Counter()
        for slot, accepted, found in _round(run, slots, done, runner, stop):
            if found is not None:
                reasons.update(_reasons(found.rejected))
                yield found
            number = slot.candidates.index(URIRef(accepted)) + 1 if accepted else len(slot.candidates)
            used.update(slot.candidates[:number])
            had[slot.type][pool.bands.get(URIRef(accepted), "")] += bool(accepted)
            tried += number
            made += bool(accepted)
            missing[slot.type] += not accepted
        pool = pool.without(used)
        first += len(slots)
        quotas = seeds.remaining_quotas(dict(sorted(missing.items())), pool.entities, weights)
    if made < run.options.dialogues:
        why = "the KG cannot give more" if tried < limit else f"no more than {limit} seeds are tried (--max-seeds)"
        causes = _causes(run, made, chosen, reasons)
        logger.warning("made %d of %d dialogues: %s (%s)", made, run.options.dialogues, why, causes)


def _round(
    run: RunContext, slots: Sequence[Slot], done: Mapping[int, str], runner: Runner, stop: StopSignal | None
) -> Iterator[tuple[Slot, str, SlotResult | None]]:
    """Yield, for each slot, the accepted seed (or nothing) and what was made, if it was not made in an earlier run."""
    for slot in slots:
        if slot.index in done:
            yield slot, done[slot.index], None
    taken: list[Slot] = []
    finished = 0
    shop, places = SlotWorker(run.kg, run.model, run.trace, run.cache, stop), _places(run, slots, done, taken)
    for number, found in runner.map_unordered(fill_slot, shop, places, stop=stop, trace=run.trace):
        finished += 1
        run.cache.reached_turns.update(found.reached_turns)
        yield taken[number], found.dialogue.seed.iri if found.dialogue else "", found
    if finished < sum(slot.index not in done for slot in slots):
        raise stop_error(stop)


def _places(run: RunContext, slots: Sequence[Slot], done: Mapping[int, str], taken: list[Slot]) -> Iterator[SlotTask]:
    """Yield the places to be filled, each with its plan, and note their slots in ``taken``."""
    todo = ((run, slot) for slot in slots if slot.index not in done)
    for planner, slot in plan_slots(run, slots, done) if run.options.approach == "planned" else todo:
        taken.append(slot)
        yield slot_task(planner, slot)


def _reasons(rejected: Sequence[RejectedSeed]) -> Iterator[str]:
    for one in rejected:
        yield f"{one.stage}: {one.problems[0].rule}" if one.problems else one.stage


def _causes(run: RunContext, made: int, chosen: TypeSelection, reasons: Counter[str]) -> str:
    """Say why the missing dialogues could not be made, and what would help."""
    causes = [f"{number} seeds rejected ({reason})" for reason, number in reasons.most_common(4)]
    causes += [f"{node.label}: {node.dropped}" for node in chosen.types if node.dropped not in {"", *REQUESTED_DROPS}][
        :4
    ]
    why = "; ".join(causes) or "no more entities"
    help_ = "; ".join(
        _advice(run.options, _carried(run.cache.reached_turns, run.options.dialogues - made), chosen, reasons)
    )
    return f"{why}{f'; {help_}' if help_ else ''}"


def _carried(turns: Counter[int], wanted: int) -> int:
    """Return how many turns as many of the rejected seeds could carry as dialogues are wanted, or the best of them."""
    able = [number for number in turns if number and sum(turns[more] for more in turns if more >= number) >= wanted]
    return max(able, default=max(turns, default=0))


def _advice(options: Options, planned: int, chosen: TypeSelection, reasons: Counter[str]) -> Iterator[str]:
    """Say which options would let the KG give more; ``planned``: the turns that rejected seeds could carry."""
    barren = all(node.dropped for node in chosen.types)
    fewer = min(options.turns - 1, chosen.max_predicates) if barren else planned or options.turns - 1
    short = 4 * sum(number for reason, number in reasons.items() if reason.endswith(": turns")) >= reasons.total() > 0
    if fewer > 0 and (short or barren) and chosen.max_predicates:
        bounds = f" --min-predicates {fewer} --min-triples {fewer}" if barren else ""
        yield f"--turns {fewer}{bounds} asks for less"

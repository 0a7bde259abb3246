"""The generator: from a knowledge graph to dialogues with gold answers, stage by stage as in the paper's figure."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.runner import Runner, Threads
from chattyshared.runs.threads import Stop, stopped
from chattyshared.trace import Trace
from rdflib import URIRef

from chattygen.options import Options
from chattygen.planning.planner import planned
from chattygen.rejection import Rejected
from chattygen.run import Run
from chattygen.runs.preparation import Chosen, choose_types, hidden_of, name_types
from chattygen.runs.slots import Made, Place, Workshop, fill, place_of
from chattygen.sampling import label_predicates, seeds
from chattygen.sampling.node_types import AS_WISHED
from chattygen.sampling.seeds import Slot

logger = logging.getLogger(__name__)


def generate(  # noqa: PLR0913
    kg: KnowledgeGraph,
    model: LanguageModel,
    options: Options,
    *,
    done: Mapping[int, str] | None = None,
    trace: Trace | None = None,
    stop: Stop | None = None,
    runner: Runner | None = None,
) -> Iterator[Made]:
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
    kg = kg.speaking(options.lang) if options.lang else kg
    chosen = choose_types(kg, options)
    run = Run(kg, model, chosen.bounds, label_predicates.stated(kg), hidden_of(kg, options), trace or Trace())
    yield from _rounds(
        name_types(run, chosen.named), chosen, dict(done or {}), runner or Threads(options.workers), stop
    )


def _rounds(run: Run, chosen: Chosen, done: Mapping[int, str], runner: Runner, stop: Stop | None) -> Iterator[Made]:
    """Fill the slots; what stays empty is tried again with the entities that are left, within the limit of seeds.

    Each round tries at least one entity for the first time, or there is none: the rounds end.
    """
    pool = seeds.draw(run.kg, chosen.types, run.options)
    labels = {node.iri: node.label for node in chosen.types if not node.dropped}
    weights = {node.iri: node.count for node in chosen.types if not node.dropped}
    quotas = seeds.again({n.iri: n.quota for n in chosen.types if not n.dropped}, pool.entities, weights)
    had: dict[str, Counter[str]] = {iri: Counter() for iri in labels}
    reasons: Counter[str] = Counter()
    first, tried, made, limit = 0, 0, 0, run.options.seed_limit
    while quotas and tried < limit and made < run.options.dialogues:
        run = name_types(run, ((iri, labels[iri]) for iri in quotas))
        order = pool.arranged(quotas, had, run.options.popularity)
        slots = seeds.deal(first, quotas, order.entities, limit - tried)
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
        quotas = seeds.again(dict(sorted(missing.items())), pool.entities, weights)
    if made < run.options.dialogues:
        why = "the KG cannot give more" if tried < limit else f"no more than {limit} seeds are tried (--max-seeds)"
        causes = _causes(run, made, chosen, reasons)
        logger.warning("made %d of %d dialogues: %s (%s)", made, run.options.dialogues, why, causes)


def _round(
    run: Run, slots: Sequence[Slot], done: Mapping[int, str], runner: Runner, stop: Stop | None
) -> Iterator[tuple[Slot, str, Made | None]]:
    """Yield, for each slot, the accepted seed (or nothing) and what was made, if it was not made in an earlier run."""
    for slot in slots:
        if slot.index in done:
            yield slot, done[slot.index], None
    taken: list[Slot] = []
    finished = 0
    shop, places = Workshop(run.kg, run.model, run.trace, run.stock, stop), _places(run, slots, done, taken)
    for number, found in runner.results(fill, shop, places, stop=stop, trace=run.trace):
        finished += 1
        run.stock.turns.update(found.turns)
        yield taken[number], found.dialogue.seed.iri if found.dialogue else "", found
    if finished < sum(slot.index not in done for slot in slots):
        raise stopped(stop)


def _places(run: Run, slots: Sequence[Slot], done: Mapping[int, str], taken: list[Slot]) -> Iterator[Place]:
    """Yield the places to be filled, each with its plan, and note their slots in ``taken``."""
    todo = ((run, slot) for slot in slots if slot.index not in done)
    for planner, slot in planned(run, slots, done) if run.options.approach == "planned" else todo:
        taken.append(slot)
        yield place_of(planner, slot)


def _reasons(rejected: Sequence[Rejected]) -> Iterator[str]:
    for one in rejected:
        yield f"{one.stage}: {one.problems[0].rule}" if one.problems else one.stage


def _causes(run: Run, made: int, chosen: Chosen, reasons: Counter[str]) -> str:
    """Say why the missing dialogues could not be made, and what would help."""
    causes = [f"{number} seeds rejected ({reason})" for reason, number in reasons.most_common(4)]
    causes += [f"{node.label}: {node.dropped}" for node in chosen.types if node.dropped not in {"", *AS_WISHED}][:4]
    why = "; ".join(causes) or "no more entities"
    help_ = "; ".join(_advice(run.options, _carried(run.stock.turns, run.options.dialogues - made), chosen, reasons))
    return f"{why}{f'; {help_}' if help_ else ''}"


def _carried(turns: Counter[int], wanted: int) -> int:
    """Return how many turns as many of the rejected seeds could carry as dialogues are wanted, or the best of them."""
    able = [number for number in turns if number and sum(turns[more] for more in turns if more >= number) >= wanted]
    return max(able, default=max(turns, default=0))


def _advice(options: Options, planned: int, chosen: Chosen, reasons: Counter[str]) -> Iterator[str]:
    """Say which options would let the KG give more; ``planned``: the turns that rejected seeds could carry."""
    barren = all(node.dropped for node in chosen.types)
    fewer = min(options.turns - 1, chosen.predicates) if barren else planned or options.turns - 1
    short = 4 * sum(number for reason, number in reasons.items() if reason.endswith(": turns")) >= reasons.total() > 0
    if fewer > 0 and (short or barren) and chosen.predicates:
        bounds = f" --min-predicates {fewer} --min-triples {fewer}" if barren else ""
        yield f"--turns {fewer}{bounds} asks for less"

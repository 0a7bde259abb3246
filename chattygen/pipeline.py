"""The generator: from a knowledge graph to dialogues with gold answers, stage by stage as in the paper's figure."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.trace import Trace, TracedModel
from chattyshared.work import run_all
from rdflib import URIRef

from chattygen import label_predicates, node_types, seeds
from chattygen.approaches import make
from chattygen.node_types import NodeType
from chattygen.options import Options
from chattygen.rejection import Rejected
from chattygen.run import Run
from chattygen.seeds import Slot
from chattygen.subgraph import unasked_of

logger = logging.getLogger(__name__)
FEWEST = 3
"""The fewest usable predicates of a seed, in a KG none of whose types has more."""
TRIES = 10
"""How many seeds a place for a dialogue tries in the first round."""


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one slot: its dialogue, or None, and the seeds that were rejected on the way."""

    index: int
    dialogue: Dialogue | None
    rejected: tuple[Rejected, ...] = ()


def generate(
    kg: KnowledgeGraph,
    model: LanguageModel,
    options: Options,
    *,
    done: Mapping[int, str] | None = None,
    trace: Trace | None = None,
) -> Iterator[Made]:
    """Make dialogues; each is yielded as soon as it is finished, out of order where there are several workers.

    ``done`` maps the indexes that an earlier run has finished to the IRI of the accepted seed (empty: there was none);
    they are not made again. Equal arguments give equal results by index, whatever the number of workers. Fewer
    dialogues than wanted come where the KG cannot give them; a warning says how many and why.

    Raises:
        EndpointError: the endpoint cannot be asked.
        ModelError: the model cannot be asked.
    """
    trace = trace or Trace()
    types = node_types.select(kg, options)
    kept = [node for node in types if not node.dropped]
    named = [(node.iri, node.label) for node in kept]
    naming = label_predicates.choose(kg, TracedModel(model, trace, "labels"), named, theta=options.theta)
    run = Run(kg, model, options, naming, unasked_of(kg, naming), trace)
    run, barren = _with_what_there_is(run, kept)
    types = node_types.drop_barren(types, barren, options.dialogues)
    yield from _rounds(run, types, dict(done or {}))


def _with_what_there_is(run: Run, types: Sequence[NodeType]) -> tuple[Run, dict[str, str]]:
    """Find the types that cannot carry dialogues; where none can, ask for fewer predicates, down to ``FEWEST``."""
    first: dict[str, str] = {}
    wanted = run.options.min_predicates
    for number in range(wanted, min(FEWEST, wanted) - 1, -1):
        bounds = replace(run.options, min_predicates=number, min_triples=min(number, run.options.min_triples))
        found = {node.iri: seeds.barren(run.kg, node, run.naming, bounds, run.hidden) for node in types}
        barren = {iri: why for iri, why in found.items() if why}
        first = first or barren
        if len(barren) < len(types):
            if number < wanted:
                logger.warning("no type has entities with %d usable predicates: seeds with %d serve", wanted, number)
            return replace(run, options=bounds), barren
    return run, first


def _rounds(run: Run, types: Sequence[NodeType], done: Mapping[int, str]) -> Iterator[Made]:
    """Fill the slots; what stays empty is tried again with the entities that are left, within the limit of seeds."""
    pool: Mapping[str, tuple[URIRef, ...]] = seeds.draw(run.kg, types, run.options)
    weights = {node.iri: node.count for node in types if not node.dropped}
    quotas = seeds.again({node.iri: node.quota for node in types if not node.dropped}, pool, weights)
    reasons: Counter[str] = Counter()
    first, tried, made, tries = 0, 0, 0, TRIES
    while quotas and tries and made < run.options.dialogues:
        slots = tuple(Slot(slot.index, slot.type, slot.candidates[:tries]) for slot in seeds.deal(first, quotas, pool))
        used: set[URIRef] = set()
        missing: Counter[str] = Counter()
        for slot, accepted, found in _round(run, slots, done):
            if found is not None:
                reasons.update(_reasons(found.rejected))
                yield found
            number = slot.candidates.index(URIRef(accepted)) + 1 if accepted else len(slot.candidates)
            used.update(slot.candidates[:number])
            tried += number
            made += bool(accepted)
            missing[slot.type] += not accepted
        pool = {iri: tuple(e for e in some if e not in used) for iri, some in pool.items()}
        first += len(slots)
        quotas = seeds.again(dict(sorted(missing.items())), pool, weights)
        tries = min(TRIES, (run.options.seed_limit - tried) // max(1, sum(quotas.values())))
    if made < run.options.dialogues:
        _warn(run.options.dialogues, made, types, reasons)


def _round(run: Run, slots: Sequence[Slot], done: Mapping[int, str]) -> Iterator[tuple[Slot, str, Made | None]]:
    """Yield, for each slot, the accepted seed (or nothing) and what was made, if it was not made in an earlier run."""
    todo = [slot for slot in slots if slot.index not in done]
    for slot in slots:
        if slot.index in done:
            yield slot, done[slot.index], None
    for place, found in run_all(lambda slot: _fill(run, slot), todo, workers=run.options.workers):
        yield todo[place], found.dialogue.seed.iri if found.dialogue else "", found


def _fill(run: Run, slot: Slot) -> Made:
    """Try the candidates of a slot until one gives a dialogue."""
    rejected: list[Rejected] = []
    identity = f"d{slot.index + 1:04d}"
    run = run.at(identity)
    for iri in slot.candidates:
        found = make(run, iri, slot.type, identity)
        if isinstance(found, Dialogue):
            return Made(slot.index, found, tuple(rejected))
        rejected.append(found)
    return Made(slot.index, None, tuple(rejected))


def _reasons(rejected: Sequence[Rejected]) -> Iterator[str]:
    for one in rejected:
        yield f"{one.stage}: {one.problems[0].rule}" if one.problems else one.stage


def _warn(wanted: int, made: int, types: Sequence[NodeType], reasons: Counter[str]) -> None:
    """Say how many dialogues could not be made, and why."""
    causes = [f"{number} seeds rejected ({reason})" for reason, number in reasons.most_common(4)]
    causes += [f"{node.label}: {node.dropped}" for node in types if node.dropped][:4]
    if not types:
        causes.append("the KG has no typed entities")
    why = "; ".join(causes) or "no more entities"
    logger.warning("made %d of %d dialogues: the KG cannot give more (%s)", made, wanted, why)

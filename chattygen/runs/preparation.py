"""What is settled before the first dialogue: types and quotas (Algorithm 1), bounds of seeds, label predicates."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.option_specs import did_you_mean
from chattyshared.terms import local_name
from chattyshared.trace import TracedModel
from rdflib import URIRef

from chattygen.context.names import Naming, profile_naming
from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.options import Options
from chattygen.planning.planner import plan_single_dialogue
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.sampling import node_types, seeds
from chattygen.sampling.label_predicates import choose_label_predicates
from chattygen.sampling.node_types import NodeType
from chattygen.sampling.seeds import SeedPreview

logger = logging.getLogger(__name__)
MIN_PREDICATES = 3
"""The fewest usable predicates of a seed where no type has more and no plan can leave the seed; set by hand."""


@dataclass(frozen=True, slots=True)
class TypeSelection:
    """The types with their quotas, the bounds of seeds, and the most usable predicates of a sampled entity.

    ``naming`` is what the profile of the KG states. ``unaskable_predicates`` are those that no question asks about,
    without label predicates. A run computes both only here.
    """

    types: tuple[NodeType, ...]
    options: Options
    max_predicates: int
    naming: Naming
    unaskable_predicates: frozenset[str]

    @property
    def excluded_predicates(self) -> frozenset[str]:
        """The predicates that no question asks about, before a model has chosen label predicates."""
        return self.excluded_with(self.naming)

    def excluded_with(self, naming: Naming) -> frozenset[str]:
        """Return the predicates that no question asks about, the label predicates of a naming included."""
        return self.unaskable_predicates | frozenset(naming.by_type.values())


def choose_types(kg: KnowledgeGraph, options: Options, *, warn: bool = True) -> TypeSelection:
    """Select the types of a KG and give them their quotas; no model is asked.

    Types whose sampled entities cannot carry a dialogue are dropped. If no type has entities with enough predicates,
    seeds with fewer serve, with a warning if ``warn``. Given seeds are not sampled.

    Raises:
        ConfigError: the KG has no such type, predicate, language or seed as the options name.
        EndpointError: the endpoint fails.
    """
    types = node_types.select_types(kg, options)
    unaskable = unaskable_predicates(kg, ()) | find_blocked_predicates(kg, options.blocked)
    selection = TypeSelection(types, options, 0, profile_naming(kg), unaskable)
    if options.seeds:
        return selection
    previews = {
        node.iri: seeds.preview_seeds(kg, node, selection.naming, options, selection.excluded_predicates)
        for node in types
        if not node.dropped
    }
    wanted, fewest = options.min_predicates, _fewest_predicates(previews.values(), options)
    suitable = {iri: min(preview.max_suitable, wanted) for iri, preview in previews.items()}
    most = max(suitable.values(), default=0)
    if warn and fewest <= most < wanted:
        logger.warning("no type has entities with %d usable predicates: seeds with %d serve", wanted, most)
    bounds = {iri: max(fewest, previews[iri].median_suitable) for iri, n in suitable.items() if fewest <= n < wanted}
    drop_reasons = {iri: previews[iri].drop_reason(fewest) for iri, number in suitable.items() if number < fewest}
    return replace(
        selection,
        types=node_types.drop_unsuitable(types, drop_reasons, options),
        options=replace(options, class_bounds=tuple(bounds.items())),
        max_predicates=max((preview.max_predicates for preview in previews.values()), default=0),
    )


def drop_without_plans(kg: KnowledgeGraph, selection: TypeSelection) -> tuple[NodeType, ...]:
    """Return the types with the quotas that the embedded rules can meet, by the plans of sampled entities.

    A type whose sampled entities have questions for too few turns is dropped, and none gets more dialogues than it has
    entities: seeds are distinct.

    Raises:
        EndpointError: the endpoint fails.
    """
    options, kept = selection.options, [node for node in selection.types if not node.dropped]
    run = RunContext(kg, selection.naming, options, selection.excluded_predicates, RuleModel({}))
    reasons, given = dict[str, str](), {node.iri: node.count for node in kept}
    for node in kept if options.approach == "planned" and options.context != "full" else ():
        entities = seeds.sample_preview(kg, node, options)
        planned = (iri for iri in entities if _has_plan(run, iri, node.iri))
        number = len(list(planned if len(entities) == node.count else islice(planned, 1)))
        if len(entities) == node.count:
            given[node.iri] = number
        if entities and not number:
            turns = max(run.cache.reached_turns, default=0)
            reasons[node.iri] = f"none of {len(entities)} sampled entities can carry {options.turns} turns" + (
                f"; --turns {turns} asks for less" if turns else ""
            )
        run.cache.reached_turns.clear()
    types = node_types.drop_unsuitable(selection.types, reasons, options)
    weights = {node.iri: node_types.type_weight(node, options) for node in types if not node.dropped}
    missing = {node.iri: node.quota for node in types if not node.dropped}
    quotas = seeds.remaining_quotas(missing, {iri: [URIRef(iri)] * number for iri, number in given.items()}, weights)
    return tuple(replace(node, quota=quotas.get(node.iri, 0)) for node in types)


def _has_plan(run: RunContext, iri: URIRef, type_iri: str) -> bool:
    try:
        plan_single_dialogue(run, iri, type_iri, {})
    except SeedRejected:
        return False
    return True


def _fewest_predicates(previews: Iterable[SeedPreview], options: Options) -> int:
    """Return how many usable predicates some entity of a type must have: one, where a plan can leave the seed.

    Elsewhere it is the number of the options, or down to ``MIN_PREDICATES`` what the best type has.
    """
    if options.approach == "planned" and options.allows_two_hops:
        return 1
    most = max((preview.max_suitable for preview in previews), default=0)
    return most if MIN_PREDICATES <= most < options.min_predicates else options.min_predicates


@in_stage("labels")
def choose_labels(run: RunContext, selection: TypeSelection, types: Collection[str]) -> RunContext:
    """Return the run with the label predicates of more types, by IRI; no question asks about these.

    Raises:
        EndpointError, ModelError: the endpoint or the model fails.
    """
    known = run.naming.decided_types
    new_types = [(node.iri, node.label) for node in selection.types if node.iri in types and node.iri not in known]
    model = TracedModel(run.model, run.trace, "labels")
    naming = choose_label_predicates(
        run.kg, model, new_types, theta=run.options.theta, known=run.naming, workers=run.options.workers
    )
    return replace(run, naming=naming, excluded_predicates=selection.excluded_with(naming))


def find_blocked_predicates(kg: KnowledgeGraph, names: Sequence[str]) -> frozenset[str]:
    """Return the IRIs of the predicates that a user names by IRI, or by label or local name in any case.

    Raises:
        ConfigError: the KG uses no such predicate; the message names similar ones.
    """
    blocked: set[str] = set()
    predicates = kg.vocabulary.predicates
    for name in names:
        bare = name.removeprefix("<").removesuffix(">")
        matches = {bare} & predicates.keys() or {
            iri
            for iri, entry in predicates.items()
            if bare.casefold() in (entry.label.casefold(), local_name(iri).casefold())
        }
        if not matches:
            labels = tuple(entry.label for entry in predicates.values() if not entry.is_metadata)
            raise ConfigError(f"block: {kg.name} uses no predicate {name!r}{did_you_mean(name, labels)}")
        blocked |= matches
    return frozenset(blocked)

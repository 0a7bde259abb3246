"""What is settled before the first dialogue: the types and their quotas, the bounds of seeds, names, hidden predicates.

Node types come first (Algorithm 1), then the naming predicate of those that shall have dialogues.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.option_specs import did_you_mean
from chattyshared.terms import local_name
from chattyshared.trace import TracedModel

from chattygen.options import Options
from chattygen.run import RunContext
from chattygen.sampling import label_predicates, node_types, seeds
from chattygen.sampling.node_types import NodeType
from chattygen.subgraph.extraction import unaskable_predicates_of

logger = logging.getLogger(__name__)
MIN_PREDICATES = 3
"""The fewest usable predicates of a seed, in a KG none of whose types has more; a plan may lead on from just one."""


@dataclass(frozen=True, slots=True)
class TypeSelection:
    """The types with their quotas, the bounds that seeds must keep, and the most usable predicates that were seen."""

    types: tuple[NodeType, ...]
    options: Options
    max_predicates: int

    @property
    def types_with_quota(self) -> tuple[tuple[str, str], ...]:
        """IRI and label of the types that shall have dialogues."""
        return tuple((node.iri, node.label) for node in self.types if node.quota)


def choose_types(kg: KnowledgeGraph, options: Options) -> TypeSelection:
    """Select the types of a KG and give them their quotas; no model is asked.

    Types whose sampled entities cannot carry a dialogue are dropped; where no type could, fewer predicates are asked
    for, with a warning: down to ``FEWEST``, and one where plans tell whether the things around a seed suffice. Given
    seeds are taken as they are.

    Raises:
        ConfigError: a type, a predicate, a language or a seed that the options name is none of the KG's.
        EndpointError: the endpoint cannot be asked.
    """
    types, hidden = node_types.select_types(kg, options), excluded_predicates(kg, options)
    if options.seeds:
        return TypeSelection(types, options, 0)
    kept = [node for node in types if not node.dropped]
    first: dict[str, str] = {}
    wanted, most = options.min_predicates, 0
    for number in _bounds(options):
        if number < wanted and most < number:
            continue
        bounds = replace(options, min_predicates=number, min_triples=min(number, options.min_triples))
        looks = {
            node.iri: seeds.preview_seeds(kg, node, label_predicates.profile_naming(kg), bounds, hidden)
            for node in kept
        }
        most = max([most, *(look.max_predicates for look in looks.values())])
        barren = {iri: look.drop_reason for iri, look in looks.items() if look.drop_reason}
        first = first or barren
        if len(barren) < len(kept):
            if number < wanted:
                logger.warning("no type has entities with %d usable predicates: seeds with %d serve", wanted, number)
            return TypeSelection(node_types.drop_unsuitable(types, barren, options.dialogues), bounds, most)
    return TypeSelection(node_types.drop_unsuitable(types, first, options.dialogues), options, most)


def _bounds(options: Options) -> Iterator[int]:
    """Yield how many usable predicates seeds shall have, and less and less where none have."""
    wanted = options.min_predicates
    yield from range(wanted, min(MIN_PREDICATES, wanted) - 1, -1)
    if options.approach == "planned" and options.allows_two_hops and wanted > 1:
        yield 1


def name_types(run: RunContext, types: Iterable[tuple[str, str]]) -> RunContext:
    """Have the naming predicates of types (IRI and label) chosen, as far as they are not yet; they are hidden then.

    Raises:
        EndpointError, ModelError: the world cannot be asked.
    """
    new = [(iri, label) for iri, label in types if iri not in run.naming.decided_types]
    model = TracedModel(run.model, run.trace, "labels")
    naming = label_predicates.choose_label_predicates(
        run.kg, model, new, theta=run.options.theta, known=run.naming, workers=run.options.workers
    )
    return replace(
        run,
        naming=naming,
        excluded_predicates=unaskable_predicates_of(run.kg, naming)
        | find_blocked_predicates(run.kg, run.options.blocked),
    )


def excluded_predicates(kg: KnowledgeGraph, options: Options) -> frozenset[str]:
    """Return the predicates that are never asked about, before names are chosen.

    Raises:
        ConfigError: a predicate that the options block is none of the KG's.
    """
    return unaskable_predicates_of(kg, label_predicates.profile_naming(kg)) | find_blocked_predicates(
        kg, options.blocked
    )


def find_blocked_predicates(kg: KnowledgeGraph, names: Sequence[str]) -> frozenset[str]:
    """Return the IRIs of the predicates that a user means, by IRI, or by label or local name in any case.

    Raises:
        ConfigError: the KG uses no such predicate; names near ones.
    """
    found: set[str] = set()
    known = kg.vocabulary.predicates
    for name in names:
        bare = name.removeprefix("<").removesuffix(">")
        meant = {bare} & known.keys() or {
            iri
            for iri, entry in known.items()
            if bare.casefold() in (entry.label.casefold(), local_name(iri).casefold())
        }
        if not meant:
            labels = tuple(entry.label for entry in known.values() if not entry.is_metadata)
            raise ConfigError(f"--block: {kg.name} uses no predicate {name!r}{did_you_mean(name, labels)}")
        found |= meant
    return frozenset(found)

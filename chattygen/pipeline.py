"""The pipeline of Chatty-Gen: from a knowledge graph to dialogues with gold answers, stage by stage as in the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace

from chattygen.dialogue_language import prefer_labels
from chattygen.options import Options
from chattygen.run import RunContext
from chattygen.runs.preparation import choose_labels, choose_types
from chattygen.runs.slots import SlotResult, fill_slots
from chattygen.sampling.seeds import draw_seeds


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
    """Yield the result of each slot as soon as it is finished; with several workers, not in the order of the indexes.

    ``done`` maps the indexes that an earlier run has finished to the IRI of the accepted seed (empty: none); these are
    not made again. ``runner`` makes the dialogues (default: threads of this process). Equal arguments give equal
    results by index, with any runner and any number of workers. If the KG cannot give all dialogues, a warning says how
    many are missing and why.

    Raises:
        ConfigError: the options name a type, a predicate, a language or a seed that the KG does not have.
        EndpointError: the endpoint fails.
        ModelError: the model fails.
        BudgetSpent: ``stop`` was set; the dialogues in progress are lost.
        WorkersLost: the runner has no workers left.
    """
    kg, trace = prefer_labels(kg, options.lang), trace or Trace()
    # Node type selection (Algorithm 1): types, and how many dialogues each of them gets.
    with trace.stage("extraction"):
        selection = choose_types(kg, options)
    run = RunContext(kg, selection.naming, selection.options, selection.excluded_predicates, model, trace)
    # Textual entity representation: the label predicate of each type.
    run = choose_labels(run, selection, [node.iri for node in selection.types if node.quota])
    # Seed sampling (Algorithm 2): the entities that each type can try.
    with trace.stage("extraction"):
        pool = draw_seeds(kg, selection.types, run.options)
    # For each slot: the subgraph of a seed, its dialogue in each language (``write_dialogues``), and the result.
    yield from fill_slots(run, selection, pool, runner or ThreadRunner(options.workers), done or {}, stop)

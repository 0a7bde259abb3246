"""The options that commands of the generator share, as decorators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared import option_specs as specs
from chattyshared.commands.group import model_options, options_from_specs, print_warning
from chattyshared.endpoint.connection_options import ENDPOINT_OPTIONS
from chattyshared.model.option_specs import BUDGET_OPTIONS, DRY_RUN_OPTION, SERVER_OPTIONS
from chattyshared.option_specs import OptionSpec
from chattyshared.runs.runner import RUNNER_OPTIONS

from chattygen.option_specs import FACTS, OPTION_SPECS, RUN, SEEDS, TURNS, TYPES

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel

FILE = click.Path(path_type=Path, dir_okay=False)
TYPE_OPTION_NAMES = frozenset(
    "dialogues lang seed seeds min_triples max_triples min_predicates max_label_words".split()
    + "approach hops direction shape block".split()
)
"""The options outside the section of types that also decide about the types and their quotas."""


_FOLDERS = (specs.STORE_OPTION, specs.CACHE_OPTION)

cache_options = options_from_specs(replace(spec, section=RUN) for spec in _FOLDERS)
"""Folders that keep a graph, its indexes and cached replies."""

run_options = options_from_specs(
    replace(spec, section=RUN)
    for spec in (specs.WORKERS_OPTION, *_FOLDERS, specs.MODEL_TIMEOUT_OPTION, specs.TRACE_OPTION)
)
"""Options of a run and of its models."""

endpoint_options = options_from_specs(ENDPOINT_OPTIONS)
"""Options of SPARQL endpoints."""

graph_options = options_from_specs((*_FOLDERS, *ENDPOINT_OPTIONS))
"""Options of a graph that is only read."""

cost_options = options_from_specs((*BUDGET_OPTIONS, DRY_RUN_OPTION, *SERVER_OPTIONS))
"""Options of budgets, of the dry run, and of model servers."""

runner_options = options_from_specs(RUNNER_OPTIONS)
"""Options of runners: threads or a cluster."""

basic_options = options_from_specs(setting for setting in OPTION_SPECS if not setting.section)
"""The options that come first in the help: number, length and approach of the dialogues."""

advanced_options = options_from_specs(
    setting for setting in OPTION_SPECS if setting.section in (TYPES, SEEDS, FACTS, TURNS, RUN)
)
"""The options in sections, which most users do not need."""

type_options = options_from_specs(
    setting for setting in OPTION_SPECS if setting.section == TYPES or setting.name in TYPE_OPTION_NAMES
)
"""The options that decide about the types and their quotas."""

stage_model_options = model_options("Who writes", "stages questions=MODEL, queries=..., dialogues=..., labels=...")
"""Options of language models, one for all stages or one for each."""


def reader_specs(section: str) -> tuple[OptionSpec, ...]:
    """Return the options of a model that reads what a command judges: attempts, timeout, trace, budget and server."""
    theta = OptionSpec("theta", "Attempts that the model has at each reply.", "integer", specs.THETA, "N", minimum=1)
    own = (replace(spec, section=section) for spec in (theta, specs.MODEL_TIMEOUT_OPTION, specs.TRACE_OPTION))
    return (*own, *(spec for spec in BUDGET_OPTIONS if spec.name != "max_queries"), *SERVER_OPTIONS)


@contextmanager
def open_reader(options: Mapping[str, Any], span: str) -> Iterator[LanguageModel | None]:
    """Open the model that a command names by --model; none, or the rules, is None. ``span`` names it in the trace.

    Raises:
        ConfigError: it cannot be opened.
    """
    from chattyshared.model.option_specs import parse_model_assignments
    from chattyshared.model.registry import model_session
    from chattyshared.resources import open_model_factory, secrets
    from chattyshared.trace import Trace, TracedModel

    if options["models"] in ((), ("rules",)):
        if options["models"]:
            click.echo(f"{span}: the rule model judges no English; the other checks go on", err=True)
        yield None
        return
    spec, _ = parse_model_assignments(options["models"], ())
    with model_session(options) as settings, Trace(options["trace"], secrets=secrets()) as trace:
        yield TracedModel(open_model_factory(options, settings)(spec, {}), trace, span)


def warn_of_other_graph(name: str, header: Mapping[str, Any], kg: KnowledgeGraph, hint: str = "") -> None:
    """Warn if the header of a benchmark names a graph with other content."""
    if not kg.is_source(header.get("kg", {}).get("fingerprint", "")):
        print_warning(f"{name} was made from another graph than {kg.name}, or from another state of it{hint}")

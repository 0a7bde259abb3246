"""The options that commands of the generator share, as decorators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from chattyshared import option_specs as specs
from chattyshared.commands.group import KG_HELP, Command, kg_option, model_options, options_from_specs, print_warning
from chattyshared.endpoint.connection_options import GRAPH_SPECS
from chattyshared.model.option_specs import MODEL_SPECS
from chattyshared.option_specs import OptionSpec

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel

FIRST = 3
"""Findings of each kind that are listed without --verbose."""
REPORT_SPECS = (
    OptionSpec("verbose", f"List every finding, not the first {FIRST} of each kind.", "switch", False),
    OptionSpec("strict", "Exit with 1 if anything is found.", "switch", False),
    specs.JSON_OPTION,
)
"""What a command that judges a file prints."""
STAGE_MODELS = "stages questions=MODEL, queries=..., dialogues=..., labels=..."


def graph_options(*own: OptionSpec, required: bool = True) -> Callable[[Command], Command]:
    """Return a decorator that adds the graph and its options to a command, with its own between them."""
    return lambda command: kg_option(KG_HELP, required=required)(options_from_specs(*own, *GRAPH_SPECS)(command))


def reader_options(purpose: str) -> Callable[[Command], Command]:
    """Return a decorator that adds a model that reads what a command judges, its attempts, budget and server."""
    limits = (spec for spec in MODEL_SPECS if spec.name != "max_queries")
    own = options_from_specs(specs.MODEL_TIMEOUT_OPTION, specs.TRACE_SETTING, specs.THETA_SETTING, *limits)
    return lambda command: model_options(purpose)(own(command))


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

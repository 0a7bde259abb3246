"""Opens the knowledge graph and the model that a Python caller names.

Keys and the defaults of addresses come from the environment, as for the commands; it is read here alone.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from chattyshared.commands.exit_codes import require_distinct_paths
from chattyshared.commands.progress import show_progress as show_bar
from chattyshared.endpoint.connection_options import ConnectionOptions, read_connection_options
from chattyshared.errors import ConfigError
from chattyshared.jsonlines import output_path
from chattyshared.kg import KnowledgeGraph, factory
from chattyshared.kg.factory import KGSource
from chattyshared.model import LanguageModel
from chattyshared.model.registry import ModelFactory, collect_secrets
from chattyshared.model.rules import ChatFunction, FunctionModel, Rule
from chattyshared.model.target import ModelOptions
from chattyshared.progress import ShowProgress, hide_progress

logger = logging.getLogger(__name__)

ModelSource = str | ChatFunction | LanguageModel
"""What a model is opened from: a spec such as ``openai:gpt-5-mini``, a function of messages, or a model."""
BASE_URL_VARIABLE = "OPENAI_BASE_URL"


def open_kg(
    source: KGSource | Iterable[KGSource],
    *,
    store: Path | None = None,
    cache_dir: Path | None = None,
    connection: ConnectionOptions | None = None,
    show_progress: ShowProgress = hide_progress,
) -> KnowledgeGraph:
    """Open a knowledge graph: "demo", a file or several, a URL, a graph of rdflib, a store of pyoxigraph.

    As ``chattyshared.kg.factory.open_kg``, but without ``connection`` the credentials of a SPARQL endpoint come from
    the environment (CHATTY_KG_USER and CHATTY_KG_PASSWORD, or CHATTY_KG_TOKEN).

    Raises:
        ConfigError: the source is missing, broken, empty, or no such thing.
        EndpointError: the server does not answer.
    """
    connection = connection or read_connection_options({}, os.environ)
    kg = factory.open_kg(source, store=store, cache_dir=cache_dir, connection=connection, show_progress=show_progress)
    if not kg.profile.has_labels and kg is not source:
        logger.warning("%s has no labels: things are called by the local names of their IRIs", kg.name)
    return kg


def open_graph(options: Mapping[str, Any]) -> KnowledgeGraph:
    """Open the graph of a command's options; raises what ``open_kg`` raises."""
    connection = read_connection_options(options, os.environ)
    return open_kg(
        options["sources"],
        store=options["store"],
        cache_dir=options["cache_dir"],
        connection=connection,
        show_progress=show_bar,
    )


def open_model(model: ModelSource, rulebook: Mapping[str, Rule], *, base_url: str | None = None) -> LanguageModel:
    """Return a language model from a spec, from a function of messages, or a model as it is.

    The key of a spec comes from the environment (OPENAI_API_KEY, GEMINI_API_KEY), and without ``base_url`` the address
    from OPENAI_BASE_URL. ``rulebook`` is that of the model ``rules``.

    Raises:
        ConfigError: it is none of these, the spec is unknown, or something that the model needs is missing.
    """
    if isinstance(model, str):
        return ModelFactory({"base_url": base_url or os.environ.get(BASE_URL_VARIABLE)}, os.environ)(model, rulebook)
    if base_url:
        raise ConfigError("base_url goes with a model spec such as 'openai:NAME', not with a model of your own")
    is_model = hasattr(model, "complete") and hasattr(model, "name")
    if isinstance(model, type) or not (is_model or callable(model)):
        kinds = "a spec such as 'openai:NAME', a function of messages that returns text, or a LanguageModel"
        raise ConfigError(f"no language model: {model!r:.200} (give {kinds})")
    return cast(LanguageModel, model) if is_model else FunctionModel(cast(ChatFunction, model))


def check_output(path: str | os.PathLike[str] | None, *inputs: object) -> Path | None:
    """Return the file that a run writes (None: none); ``inputs`` are what it reads: paths, several paths, or objects.

    Raises:
        ConfigError: it is no path, a folder, or one of the inputs.
    """
    if path is None:
        return None
    file = output_path(path)
    parts = [part for each in inputs for part in (each if isinstance(each, list | tuple) else [each])]
    require_distinct_paths(file, [os.fspath(part) for part in parts if isinstance(part, str | os.PathLike)])
    return file


def warn_of_failures(failures: str, model: LanguageModel) -> None:
    """Warn of the unexpected errors of a run, with what a function of the caller's raised first; "": of none."""
    error = model.first_error if isinstance(model, FunctionModel) else None
    if failures:
        logger.warning("%s%s", failures, "" if error is None else f" ({model.name} raised {error!r:.300})")


def describe_model(model: ModelSource, opened: LanguageModel, base_url: str | None = None) -> str:
    """Return the name of a model for a manifest: its spec with the address, or the name of a model of the caller."""
    if not isinstance(model, str):
        return opened.name
    return describe_address(model.strip(), base_url or os.environ.get(BASE_URL_VARIABLE))


def describe_address(names: str, base_url: str | None) -> str:
    """Return the names of models with the address of their server, without its credentials."""
    return f"{names} at {re.sub('//[^/@]*@', '//', base_url)}" if base_url else names


def secrets() -> tuple[str, ...]:
    """Return the secret texts of the environment, which no trace may hold."""
    return collect_secrets(os.environ)


def open_model_factory(options: Mapping[str, Any], model_options: ModelOptions) -> ModelFactory:
    """Return the factory of the models of a command's options, with the keys of the environment."""
    return ModelFactory(options, os.environ, model_options)

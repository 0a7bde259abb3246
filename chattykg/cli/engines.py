"""From ``--engine`` to an engine: what it needs is opened, what does not go with it is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.errors import ConfigError
from chattyshared.option_specs import QUERY_LIMIT, SHOWN_ANSWERS, THETA, VERTEX_LIMIT

from chattykg.cli import resources
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.from_options import ModelFactory
    from chattyshared.model.target import ModelOptions
    from chattyshared.trace import Trace

    from chattykg.engine import Engine
    from chattykg.engines.specs import EngineSpec
    from chattykg.runs.answer_run import ManifestSource

_OF_CHATTY = {"strategy": "auto", "embeddings": "off", "threshold": 0.3, "vertex_limit": VERTEX_LIMIT,
               "query_limit": QUERY_LIMIT, "dry_run": False}  # fmt: skip
_OF_MODELS = {"theta": THETA, "shown_answers": SHOWN_ANSWERS}
_PROMPTS = {"llm-only": "baseline/llm_only", "rag": "baseline/subgraph_rag", "openai": "baseline/endpoint"}

engine_option = click.option(
    "--engine", metavar="ENGINE", default="chatty", show_default=True,
    help='Who answers: "chatty"; "llm-only" (the model alone, without a graph); "rag" (the model picks from the '
    'triples around what is mentioned); "remote:text2sparql:URL" (its queries are run on the graph), '
    '"remote:chattykg:URL", "remote:openai:URL" (a chat endpoint); or "file:PREDICTIONS", in any format that '
    '"chattykg evaluate" reads.',
)  # fmt: skip
context_option = click.option(
    "--context", type=click.Choice(["none", "questions", "answers"]), default="answers", show_default=True,
    help="What llm-only, rag and remote:openai are shown of the turns before: nothing, the questions, or the answers "
    "as well.",
)  # fmt: skip
dataset_option = click.option(
    "--dataset", metavar="NAME", default="", help="What a remote engine calls the graph; the graph's name unless said."
)


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What a manifest says of an engine that is not the default one."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""

    def to_manifest(self) -> dict[str, Any]:
        """Return what a manifest says of it."""
        return dict(self.parameters)

    def prompt_names(self) -> list[str]:
        """Return the names of its prompts."""
        return [self.prompt] if self.prompt else []


@dataclass(frozen=True, slots=True)
class OpenedEngine:
    """An engine, ready to be made with a trace: its graph and its model, if it has any, and what a manifest says."""

    open_engine_with: Callable[[Trace], Engine]
    manifest_source: ManifestSource
    kg: KnowledgeGraph | None = None
    model: LanguageModel | None = None
    model_names: str = ""


def select_engine_kind(options: Mapping[str, Any]) -> EngineSpec:
    """Read ``--engine``, and refuse what does not go with it.

    Raises:
        ConfigError: there is no such engine.
        UsageError: an option is for another one; or the graph is missing.
    """
    from chattykg.engines.specs import parse_engine_spec

    kind = parse_engine_spec(options["engine"])
    if kind.needs_kg and not options["sources"]:
        raise click.UsageError(f"the engine {kind.kind} needs --kg (or CHATTY_KG in the environment)")
    strangers = [name for name, usual in _OF_CHATTY.items() if kind.kind != "chatty" and options[name] != usual]
    if kind.kind != "chatty" and not kind.uses_model:
        strangers += [name for name, usual in _OF_MODELS.items() if options[name] != usual]
    if options["context"] != "answers" and not kind.uses_model:
        strangers.append("context")
    if options["dataset"] and kind.kind not in ("text2sparql", "chattykg"):
        strangers.append("dataset")
    if strangers:
        raise click.UsageError(f"--{strangers[0].replace('_', '-')} does not go with --engine {kind.kind}")
    if kind.keeps_history and options["history"] == "gold":
        raise click.UsageError("this engine keeps the conversation itself: --history gold cannot reach it")
    if kind.keeps_history and (options["workers"] > 1 or options.get("scheduler")):
        raise click.UsageError("this engine holds one conversation at a time: leave out --workers and --runner")
    return kind


def open_selected_engine(
    kind: EngineSpec, options: Mapping[str, Any], access: ModelOptions, model_factory: ModelFactory
) -> OpenedEngine:
    """Open what an engine of a kind needs.

    Raises:
        ConfigError: the graph, the model or the file cannot be opened; or there is no model where one is needed.
    """
    choice = ModelChoice.from_options(options)
    if kind.kind == "chatty":
        return _chatty(choice, options, access, model_factory)
    kg = resources.open_graph(options, access) if options["sources"] else None
    if kind.uses_model:
        return _with_model(
            kind, choice, options, kg, model_factory if kind.kind != "openai" else _opener(kind, options, access)
        )
    if kind.kind == "file":
        return _recorded(kind, kg)
    return _remote(kind, options, kg)


def retry_hint(model_names: str) -> str:
    """Say what helps where questions ended in errors, by what a manifest says of the models (empty: none)."""
    if "replay:" in model_names:
        return "the trace holds no replies to them: ask a model itself, or take the options that the trace was made by"
    return "the same command asks them again"


def _chatty(choice: ModelChoice, given: Mapping[str, Any], access: ModelOptions, opened: ModelFactory) -> OpenedEngine:
    from chattykg.runs.answer_run import open_engine

    model, outfit = resources.open_model_and_config(choice, given, opened)
    kg = resources.open_graph(given, access)
    return OpenedEngine(lambda trace: open_engine(kg, model, trace, outfit), outfit, kg, model, choice.describe())


def _with_model(
    kind: EngineSpec, choice: ModelChoice, given: Mapping[str, Any], kg: KnowledgeGraph | None, opened: ModelFactory
) -> OpenedEngine:
    from chattykg.engines.chat_endpoint import ChatEndpoint
    from chattykg.engines.llm_only import LLMOnly
    from chattykg.engines.subgraph_rag import SubgraphRAG

    if kind.kind == "openai":
        spec = choice.spec if choice.is_promptable else "openai:default"
        choice = ModelChoice(spec, kind.target)
    if not choice.is_promptable or choice.agents:
        raise ConfigError(
            f"the engine {kind.kind} is one language model: name it by --model, such as openai:gpt-4o-mini"
        )
    model = opened(choice.spec, {})
    context, settings = given["context"], resources.engine_settings(given)
    about = _about(kind, context=context, theta=settings.theta, shown_answers=settings.shown_answers)
    stated = ManifestEntry(about, _PROMPTS[kind.kind])
    if kind.kind == "rag":
        assert kg is not None
        return OpenedEngine(
            lambda trace: SubgraphRAG(kg, model, history_view=context, settings=settings, trace=trace),
            stated, kg, model, choice.describe(),
        )  # fmt: skip
    engine = LLMOnly if kind.kind == "llm-only" else ChatEndpoint
    return OpenedEngine(
        lambda trace: engine(model, history_view=context, settings=settings, trace=trace),
        stated, kg, model, choice.describe(),
    )  # fmt: skip


def _opener(kind: EngineSpec, given: Mapping[str, Any], access: ModelOptions) -> ModelFactory:
    """Return what opens the model behind a chat endpoint's address."""
    from chattyshared.model.from_options import ModelFactory

    return ModelFactory({**given, "base_url": kind.target}, os.environ, access)


def _recorded(kind: EngineSpec, kg: KnowledgeGraph | None) -> OpenedEngine:
    import hashlib

    from chattyshared.formats.predictions import read_predictions

    from chattykg.engines.predictions_file import PredictionsFile

    path = Path(kind.target)
    engine = PredictionsFile(read_predictions(path, kg), path.name)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return OpenedEngine(lambda _: engine, ManifestEntry(_about(kind, place=path.name, digest=digest)), kg)


def _remote(kind: EngineSpec, given: Mapping[str, Any], kg: KnowledgeGraph | None) -> OpenedEngine:
    from chattykg.engines.chatty_kg import ChattyKGService
    from chattykg.engines.http import SystemClient
    from chattykg.engines.text2sparql import Text2Sparql

    dataset = given["dataset"] or (kg.name if kg else "")
    if not dataset:
        raise click.UsageError("name the graph as the engine calls it: --dataset NAME")
    system = SystemClient(kind.target, timeout=given["model_timeout"])
    stated = ManifestEntry(_about(kind, place=kind.redacted_target(), dataset=dataset))
    if kind.kind == "chattykg":
        engine = ChattyKGService(system, dataset)
        return OpenedEngine(lambda _: engine, stated, kg)
    assert kg is not None
    return OpenedEngine(lambda trace: Text2Sparql(system, dataset, kg, trace=trace), stated, kg)


def _about(kind: EngineSpec, **more: str | int) -> dict[str, Any]:
    """Return what a manifest says; ``says`` tells ``chattykg evaluate`` that names are scored against labels."""
    return {"kind": kind.kind, **more, "says": "names" if kind.answers_in_names else "iris"}

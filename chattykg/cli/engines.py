"""Opens the engine of ``--engine`` with its resources, and refuses options that do not fit it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import flag_of
from chattyshared.errors import ConfigError

from chattykg.cli import resources
from chattykg.cli.resources import ModelChoice
from chattykg.engines.switches import MemorizedSwitches
from chattykg.settings import ENGINE_SPECS

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.registry import ModelFactory
    from chattyshared.model.target import ModelOptions
    from chattyshared.runs.remote_worker import WorkerResources
    from chattyshared.sparql.gold_queries import QueryRunner
    from chattyshared.trace import Trace

    from chattykg.engine import Engine
    from chattykg.engines.given_answers import CandidateSource
    from chattykg.engines.specs import EngineSpec
    from chattykg.runs.answer_run import ManifestSource

ENGINE_WORKER, QUERY_WORKER = "chattykg.cli.engines:open_engine_worker", "chattykg.cli.engines:open_query_worker"
"""The names by which the jobs of a cluster open what a worker needs."""
_CHATTY_DEFAULTS = {
    **{name: spec.default for name, spec in ENGINE_SPECS.items() if name not in ("theta", "shown_answers", "clarify")},
    "experience": (), "examples": "auto", "dry_run": False, "verify": None, "labels": "name",
}  # fmt: skip
_MODEL_DEFAULTS = {name: ENGINE_SPECS[name].default for name in ("theta", "shown_answers")}
_PROMPTS = {"llm-only": "baseline/llm_only", "rag": "baseline/subgraph_rag", "openai": "baseline/endpoint"}


@dataclass(frozen=True, slots=True)
class OpenedEngine:
    """A function that makes an engine with a trace, its manifest entry, and its graph and model (or None)."""

    open_engine_with: Callable[[Trace], Engine]
    manifest_source: ManifestSource
    kg: KnowledgeGraph | None = None
    model: LanguageModel | None = None
    model_names: str = ""


def select_engine_kind(options: Mapping[str, Any]) -> EngineSpec:
    """Parse ``--engine``, and refuse options that do not fit it.

    Raises:
        ConfigError: the engine is unknown, or needs a language model and has none.
        UsageError: an option is for another engine, or the graph is missing.
    """
    from chattykg.engines.specs import parse_engine_spec

    spec = parse_engine_spec(options["engine"])
    if spec.needs_kg and not options["sources"]:
        raise click.UsageError(f"the engine {spec.kind} needs --kg (or CHATTY_KG in the environment)")
    judged = ("verify", "labels") if spec.lists_candidates else ()
    unfit = () if spec.kind == "chatty" else ("strategy", "dry_run") if spec.runs_agents else tuple(_CHATTY_DEFAULTS)
    misplaced = [name for name in unfit if name not in judged and options[name] != _CHATTY_DEFAULTS[name]]
    if not (spec.runs_agents or spec.uses_model or spec.lists_candidates):
        misplaced += [name for name, default in _MODEL_DEFAULTS.items() if options[name] != default]
    if options["history_view"] != "answers" and not spec.uses_model:
        misplaced.append("history_view")
    if options["dataset"] and spec.kind not in ("text2sparql", "chattykg"):
        misplaced.append("dataset")
    if misplaced:
        raise click.UsageError(f"{flag_of(misplaced[0])} does not go with --engine {spec.kind}")
    if spec.kind == "mkgqagent" or spec.kind == "triad":
        _check_asked_model(spec.kind, ModelChoice.from_options(options))
    if spec.keeps_history and options["history"] == "gold":
        raise click.UsageError("this engine keeps the conversation itself: --history gold cannot reach it")
    if spec.keeps_history and (options["workers"] > 1 or options.get("scheduler")):
        raise click.UsageError("this engine holds one conversation at a time: leave out --workers and scheduler=")
    return spec


def _check_asked_model(kind: str, choice: ModelChoice) -> None:
    """Check that the agents of another system's strategy have a language model.

    Raises:
        ConfigError: the embedded rules would have to reply in its place.
    """
    from chattykg.graph import TRIAD_AGENTS

    agents = TRIAD_AGENTS if kind == "triad" else ("",)
    if not all(choice.of_agent(agent).is_promptable for agent in agents):
        raise ConfigError(
            f"the engine {kind} needs a language model, which the embedded rules do not play: "
            "name it by --model, such as openai:gpt-4o-mini"
        )


def open_selected_engine(
    spec: EngineSpec, options: Mapping[str, Any], model_options: ModelOptions, model_factory: ModelFactory
) -> OpenedEngine:
    """Open an engine with its resources.

    Raises:
        ConfigError: the graph, the model or the file cannot be opened, or the engine needs a model and has none.
    """
    choice = ModelChoice.from_options(options)
    if spec.kind == "chatty" or spec.kind == "mkgqagent" or spec.kind == "triad":  # mypy narrows only by comparisons
        return _open_chatty(choice, options, model_options, model_factory)
    kg = resources.open_graph(options, model_options) if options["sources"] else None
    match spec.kind:  # mypy demands a case for every kind
        case "llm-only" | "rag":
            return _open_with_model(spec, choice, options, kg, model_factory)
        case "openai":
            return _open_with_model(spec, choice, options, kg, _endpoint_model_factory(spec, options, model_options))
        case "file":
            return _open_predictions(spec, kg)
        case "chattykg":
            return _open_remote(spec, options, kg)
        case "text2sparql" | "memorized" | "candidates":
            assert kg is not None
            return _open_lists(spec, choice, options, kg, model_factory)


@contextmanager
def open_engine_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[Engine]]:
    """Open the engine of a command's options in a worker of a cluster, with the keys in its environment.

    Raises:
        ConfigError: a file, a key or another resource of the options is missing on this machine.
        EndpointError: the endpoint does not answer this machine.
    """
    from chattyshared.model import close_model
    from chattyshared.runs.cluster_job import job_stamp
    from chattyshared.runs.remote_worker import WorkerResources

    with resources.open_model_session(options) as (model_options, model_factory):
        opened = open_selected_engine(select_engine_kind(options), options, model_options, model_factory)
        assert model_options.meter is not None
        stamp = job_stamp(opened.kg, opened.manifest_source.to_manifest())
        try:
            yield WorkerResources(opened.open_engine_with, model_options.meter, stamp, resources.secrets())
        finally:
            if opened.model is not None:
                close_model(opened.model)


@contextmanager
def open_query_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[QueryRunner]]:
    """Open the graph of a command's options for untrusted queries, in a worker of a cluster.

    Raises:
        ConfigError: a file is missing on this machine.
        EndpointError: the endpoint does not answer this machine.
    """
    from chattyshared.runs.cluster_job import job_stamp
    from chattyshared.runs.remote_worker import WorkerResources
    from chattyshared.sparql.gold_queries import QueryRunner

    kg = resources.open_graph(options)
    runner = QueryRunner.from_kg(kg)
    yield WorkerResources(lambda _: runner, stamp=job_stamp(kg))


def retry_hint(model_names: str) -> str:
    """Return advice for questions that ended in errors; ``model_names`` are those of the manifest (empty: none)."""
    if "replay:" in model_names:
        return "the trace holds no replies to them: ask a model itself, or take the options that the trace was made by"
    return "the same command asks them again"


def _open_chatty(
    choice: ModelChoice, options: Mapping[str, Any], model_options: ModelOptions, model_factory: ModelFactory
) -> OpenedEngine:
    from chattykg.runs.answer_run import open_engine

    model, config = resources.open_model_and_config(choice, options, model_factory)
    kg = resources.open_graph(options, model_options)
    config = resources.with_experience(
        config, choice, kg, options["experience"], options.get("held_out"), options.get("examples", "off")
    )
    return OpenedEngine(lambda trace: open_engine(kg, model, trace, config), config, kg, model, choice.describe())


def _open_with_model(
    spec: EngineSpec,
    choice: ModelChoice,
    options: Mapping[str, Any],
    kg: KnowledgeGraph | None,
    model_factory: ModelFactory,
) -> OpenedEngine:
    from chattykg.engines.llm_only import ChatEndpoint, LLMOnly
    from chattykg.engines.subgraph_rag import SubgraphRAG
    from chattykg.runs.answer_run import ManifestEntry

    if spec.kind == "openai":
        model_spec = choice.spec if choice.is_promptable else "openai:default"
        choice = ModelChoice(model_spec, spec.target)
    if not choice.is_promptable or choice.agents:
        raise ConfigError(
            f"the engine {spec.kind} is one language model: name it by --model, such as openai:gpt-4o-mini"
        )
    model = model_factory(choice.spec, {})
    context, settings = options["history_view"], resources.engine_settings(options)
    parameters = _manifest_parameters(spec, context=context, theta=settings.theta, shown_answers=settings.shown_answers)
    entry = ManifestEntry(parameters, _PROMPTS[spec.kind])
    if spec.kind == "rag":
        assert kg is not None
        return OpenedEngine(
            lambda trace: SubgraphRAG(kg, model, history_view=context, settings=settings, trace=trace),
            entry, kg, model, choice.describe(),
        )  # fmt: skip
    engine = LLMOnly if spec.kind == "llm-only" else ChatEndpoint
    return OpenedEngine(
        lambda trace: engine(model, history_view=context, settings=settings, trace=trace),
        entry, kg, model, choice.describe(),
    )  # fmt: skip


def _endpoint_model_factory(spec: EngineSpec, options: Mapping[str, Any], model_options: ModelOptions) -> ModelFactory:
    """Return the factory of the model at a chat endpoint's address."""
    from chattyshared.model.registry import ModelFactory

    return ModelFactory({**options, "base_url": spec.target}, os.environ, model_options)


def _open_predictions(spec: EngineSpec, kg: KnowledgeGraph | None) -> OpenedEngine:
    from chattyshared.certificates import digest_of_file
    from chattyshared.formats.predictions import read_predictions

    from chattykg.engines.given_answers import PredictionsFile
    from chattykg.runs.answer_run import ManifestEntry

    path = Path(spec.target)
    engine = PredictionsFile(read_predictions(path, kg), path.name)
    entry = ManifestEntry(_manifest_parameters(spec, place=path.name, digest=digest_of_file(path)))
    return OpenedEngine(lambda _: engine, entry, kg)


def _open_remote(spec: EngineSpec, options: Mapping[str, Any], kg: KnowledgeGraph | None) -> OpenedEngine:
    from chattykg.engines.chatty_kg import ChattyKGService
    from chattykg.engines.system_client import SystemClient
    from chattykg.runs.answer_run import ManifestEntry

    dataset = _dataset_of(options, kg)
    engine = ChattyKGService(SystemClient(spec.target, timeout=options["model_timeout"]), dataset)
    entry = ManifestEntry(_manifest_parameters(spec, place=spec.redacted_target(), dataset=dataset))
    return OpenedEngine(lambda _: engine, entry, kg)


def _open_lists(
    spec: EngineSpec, choice: ModelChoice, options: Mapping[str, Any], kg: KnowledgeGraph, model_factory: ModelFactory
) -> OpenedEngine:
    """Open an engine that is given candidate queries, by a file, a simulator, or another system."""
    from chattyshared.resources import describe_address

    from chattykg.engines.given_answers import CandidateEngine
    from chattykg.rulebook import RULEBOOK
    from chattykg.runs.answer_run import ManifestEntry

    settings, judge = resources.engine_settings(options), resources.open_verification(options)
    models = {agent: model_factory(model, RULEBOOK) for agent, model in choice.agents}
    source, entry = _open_source(spec, options, kg)
    entry |= asdict(settings.switches) | ({"theta": settings.theta} | judge.to_manifest() if judge else {})
    return OpenedEngine(
        lambda trace: CandidateEngine(kg, source, settings, models, judge, trace),
        ManifestEntry(_manifest_parameters(spec, **entry), "answer/verification" if models else ""), kg,
        model_names=describe_address(judge.name, choice.base_url) if judge else "",
    )  # fmt: skip


def _open_source(
    spec: EngineSpec, options: Mapping[str, Any], kg: KnowledgeGraph
) -> tuple[CandidateSource, dict[str, Any]]:
    """Open a source of candidate queries, and return its part of the manifest entry."""
    from chattyshared.certificates import digest_of_file
    from chattyshared.formats.gold import read_gold

    from chattykg.engines.given_answers import MemorizedQueries, find_candidates
    from chattykg.engines.system_client import SystemClient, Text2Sparql

    if spec.kind == "text2sparql":
        dataset, system = _dataset_of(options, kg), SystemClient(spec.target, timeout=options["model_timeout"])
        return Text2Sparql(system, dataset), {"place": spec.redacted_target(), "dataset": dataset}
    path = Path(spec.target)
    questions = read_gold(path, lang=options.get("lang", ""), repair_queries=False).questions
    entry = {"place": path.name, "digest": digest_of_file(path)}
    if spec.kind == "candidates":
        return find_candidates(questions, str(path)), entry
    switches = resources.engine_settings(options).switches_of(MemorizedSwitches)
    return MemorizedQueries(questions, switches), entry


def _dataset_of(options: Mapping[str, Any], kg: KnowledgeGraph | None) -> str:
    dataset: str = options["dataset"] or (kg.name if kg else "")
    if not dataset:
        raise click.UsageError("name the graph as the engine calls it: --set dataset=NAME")
    return dataset


def _manifest_parameters(spec: EngineSpec, **parameters: str | int) -> dict[str, Any]:
    """Return the manifest entry; its key ``says`` makes ``chattykg evaluate`` score names against labels."""
    return {"kind": spec.kind, **parameters, "says": "names" if spec.answers_in_names else "iris"}

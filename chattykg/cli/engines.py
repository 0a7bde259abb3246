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
    from chattyshared.model.from_options import Opener
    from chattyshared.model.registry import Access
    from chattyshared.trace import Trace

    from chattykg.engine import Engine
    from chattykg.engines.specs import EngineKind
    from chattykg.runs.answer_run import Fitted

_OF_CHATTY = {"strategy": "auto", "embeddings": "off", "threshold": 0.3, "vertex_limit": VERTEX_LIMIT,
               "query_limit": QUERY_LIMIT, "dry_run": False}  # fmt: skip
_OF_MODELS = {"theta": THETA, "shown_answers": SHOWN_ANSWERS}
_PROMPTS = {"llm-only": "baseline/alone", "rag": "baseline/neighbourhood", "openai": "baseline/endpoint"}

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
class Stated:
    """What a manifest says of an engine that is not the default one."""

    about: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""

    def stated(self) -> dict[str, Any]:
        """Return what a manifest says of it."""
        return dict(self.about)

    def prompts(self) -> list[str]:
        """Return the names of its prompts."""
        return [self.prompt] if self.prompt else []


@dataclass(frozen=True, slots=True)
class Seat:
    """An engine, ready to be made with a trace: its graph and its model, if it has any, and what a manifest says."""

    engine_with: Callable[[Trace], Engine]
    fitted: Fitted
    kg: KnowledgeGraph | None = None
    model: LanguageModel | None = None
    named: str = ""


def chosen(given: Mapping[str, Any]) -> EngineKind:
    """Read ``--engine``, and refuse what does not go with it.

    Raises:
        ConfigError: there is no such engine.
        UsageError: an option is for another one; or the graph is missing.
    """
    from chattykg.engines.specs import parse

    kind = parse(given["engine"])
    if kind.needs_kg and not given["sources"]:
        raise click.UsageError(f"the engine {kind.kind} needs --kg (or CHATTY_KG in the environment)")
    strangers = [name for name, usual in _OF_CHATTY.items() if kind.kind != "chatty" and given[name] != usual]
    if kind.kind != "chatty" and not kind.asks_model:
        strangers += [name for name, usual in _OF_MODELS.items() if given[name] != usual]
    if given["context"] != "answers" and not kind.asks_model:
        strangers.append("context")
    if given["dataset"] and kind.kind not in ("text2sparql", "chattykg"):
        strangers.append("dataset")
    if strangers:
        raise click.UsageError(f"--{strangers[0].replace('_', '-')} does not go with --engine {kind.kind}")
    if kind.keeps_history and given["history"] == "gold":
        raise click.UsageError("this engine keeps the conversation itself: --history gold cannot reach it")
    if kind.keeps_history and (given["workers"] > 1 or given.get("scheduler")):
        raise click.UsageError("this engine holds one conversation at a time: leave out --workers and --runner")
    return kind


def seat(kind: EngineKind, given: Mapping[str, Any], access: Access, opened: Opener) -> Seat:
    """Open what an engine of a kind needs.

    Raises:
        ConfigError: the graph, the model or the file cannot be opened; or there is no model where one is needed.
    """
    choice = ModelChoice.of(given)
    if kind.kind == "chatty":
        return _chatty(choice, given, access, opened)
    kg = resources.open_graph(given, access) if given["sources"] else None
    if kind.asks_model:
        return _with_model(kind, choice, given, kg, opened if kind.kind != "openai" else _opener(kind, given, access))
    if kind.kind == "file":
        return _recorded(kind, kg)
    return _remote(kind, given, kg)


def after_errors(named: str) -> str:
    """Say what helps where questions ended in errors, by what a manifest says of the models (empty: none)."""
    if "replay:" in named:
        return "the trace holds no replies to them: ask a model itself, or take the options that the trace was made by"
    return "the same command asks them again"


def _chatty(choice: ModelChoice, given: Mapping[str, Any], access: Access, opened: Opener) -> Seat:
    from chattykg.runs.answer_run import open_engine

    model, outfit = resources.equipped(choice, given, opened)
    kg = resources.open_graph(given, access)
    return Seat(lambda trace: open_engine(kg, model, trace, outfit), outfit, kg, model, choice.stated())


def _with_model(
    kind: EngineKind, choice: ModelChoice, given: Mapping[str, Any], kg: KnowledgeGraph | None, opened: Opener
) -> Seat:
    from chattykg.engines.chat_endpoint import ChatEndpoint
    from chattykg.engines.llm_only import Alone
    from chattykg.engines.subgraph_rag import Neighbourhood

    if kind.kind == "openai":
        spec = choice.spec if choice.spec != "rules" else "openai:default"
        choice = ModelChoice(spec, kind.place)
    if choice.spec == "rules" or choice.agents:
        raise ConfigError(
            f"the engine {kind.kind} is one language model: name it by --model, such as openai:gpt-4o-mini"
        )
    model = opened(choice.spec, {})
    context, settings = given["context"], resources.engine_settings(given)
    about = _about(kind, context=context, theta=settings.theta, shown_answers=settings.shown_answers)
    stated = Stated(about, _PROMPTS[kind.kind])
    if kind.kind == "rag":
        assert kg is not None
        return Seat(
            lambda trace: Neighbourhood(kg, model, context=context, settings=settings, trace=trace),
            stated, kg, model, choice.stated(),
        )  # fmt: skip
    engine = Alone if kind.kind == "llm-only" else ChatEndpoint
    return Seat(
        lambda trace: engine(model, context=context, settings=settings, trace=trace),
        stated, kg, model, choice.stated(),
    )  # fmt: skip


def _opener(kind: EngineKind, given: Mapping[str, Any], access: Access) -> Opener:
    """Return what opens the model behind a chat endpoint's address."""
    from chattyshared.model.from_options import Opener

    return Opener({**given, "base_url": kind.place}, os.environ, access)


def _recorded(kind: EngineKind, kg: KnowledgeGraph | None) -> Seat:
    import hashlib

    from chattyshared.formats.predictions import read_predictions

    from chattykg.engines.predictions_file import Recorded

    path = Path(kind.place)
    engine = Recorded(read_predictions(path, kg), path.name)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return Seat(lambda _: engine, Stated(_about(kind, place=path.name, digest=digest)), kg)


def _remote(kind: EngineKind, given: Mapping[str, Any], kg: KnowledgeGraph | None) -> Seat:
    from chattykg.engines.chatty_kg import ChattyKg
    from chattykg.engines.http import System
    from chattykg.engines.text2sparql import Text2Sparql

    dataset = given["dataset"] or (kg.name if kg else "")
    if not dataset:
        raise click.UsageError("name the graph as the engine calls it: --dataset NAME")
    system = System(kind.place, timeout=given["model_timeout"])
    stated = Stated(_about(kind, place=kind.address(), dataset=dataset))
    if kind.kind == "chattykg":
        engine = ChattyKg(system, dataset)
        return Seat(lambda _: engine, stated, kg)
    assert kg is not None
    return Seat(lambda trace: Text2Sparql(system, dataset, kg, trace=trace), stated, kg)


def _about(kind: EngineKind, **more: str | int) -> dict[str, Any]:
    """Return what a manifest says; ``says`` tells ``chattykg evaluate`` that names are scored against labels."""
    return {"kind": kind.kind, **more, "says": "names" if kind.says_names else "iris"}

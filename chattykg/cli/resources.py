"""From options to a knowledge graph and a model; what cannot be reached at the start is bad input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.commands.group import print_status, print_warning

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.from_options import ModelFactory
    from chattyshared.model.target import ModelOptions

    from chattykg.runs.answer_run import EngineConfig
    from chattykg.state import Settings


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user said about the model."""

    spec: str = "rules"
    base_url: str | None = None
    agents: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_options(cls, options: Mapping[str, Any], specs: Sequence[str] = ()) -> ModelChoice:
        """Read the options of ``options.model_options``; ``specs`` in place of ``--model``, if given.

        Raises:
            ConfigError: an agent is unknown or named twice, or two models are for all.
        """
        from chattyshared.model.option_specs import parse_model_assignments

        from chattykg.graph import MODEL_AGENTS

        spec, agents = parse_model_assignments(specs or options["models"], MODEL_AGENTS, "agent")
        return cls(spec, options["base_url"], tuple(sorted(agents.items())))

    def describe(self) -> str:
        """Return what a manifest says of the models; credentials that stand in an address are left out."""
        said = ", ".join([self.spec, *(f"{agent}={spec}" for agent, spec in self.agents)])
        return f"{said} at {re.sub('//[^/@]*@', '//', self.base_url)}" if self.base_url else said

    @property
    def specs(self) -> tuple[str, ...]:
        """Every model that is asked, each once."""
        return tuple(dict.fromkeys((self.spec, *(spec for _, spec in self.agents))))

    @property
    def is_promptable(self) -> bool:
        """Whether the model replies to any prompt; see ``strategies.ModelStrategy``."""
        from chattykg.strategies import find_model_strategy

        return find_model_strategy(self.spec).is_promptable


@contextmanager
def open_model_session(
    options: Mapping[str, Any], output: Path | None = None
) -> Iterator[tuple[ModelOptions, ModelFactory]]:
    """Open what ``options.cost_options`` say for one run into ``output``: its costs, and what opens its models.

    Raises:
        ConfigError: a price is mistyped; the file of replies or of what was spent cannot be used.
    """
    from chattyshared.model.from_options import ModelFactory, model_session

    with model_session(options, output=output, on_progress=print_status) as access:
        yield access, ModelFactory(options, os.environ, access)


def open_graph(options: Mapping[str, Any], access: ModelOptions | None = None) -> KnowledgeGraph:
    """Open the knowledge graph as ``options.kg_options`` say; warn if nothing in it has a label.

    With ``access`` its queries are counted.

    Raises:
        ConfigError: there is no such file, it does not parse, it is empty; or the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.endpoint.connection_options import read_connection_options
    from chattyshared.kg.factory import open_kg
    from chattyshared.model.from_options import with_query_budget

    asked = read_connection_options(options, os.environ)
    with startup_errors():
        kg = open_kg(options["sources"], store=options["store"], cache_dir=options["cache_dir"], connection=asked)
    if not kg.profile.has_labels:
        print_warning(f"{kg.name} has no labels at all: things are called by the local names of their IRIs")
    return with_query_budget(kg, access) if access is not None else kg


def open_model_and_config(
    choice: ModelChoice, options: Mapping[str, Any], model_factory: ModelFactory
) -> tuple[LanguageModel, EngineConfig]:
    """Open the model that was chosen, and fit an engine out, with models for single agents.

    Raises:
        ConfigError: a model cannot be opened; there is no sentence encoder where one shall be.
    """
    from chattykg.rulebook import RULEBOOK

    model = model_factory(choice.spec, RULEBOOK)
    return model, build_engine_config(
        choice, options, {agent: model_factory(spec, RULEBOOK) for agent, spec in choice.agents}
    )


def build_engine_config(
    choice: ModelChoice, options: Mapping[str, Any], models: Mapping[str, LanguageModel] | None = None
) -> EngineConfig:
    """Fit an engine out as ``options.engine_options`` say, with these models of single agents.

    Raises:
        ConfigError: there is no sentence encoder where one shall be.
    """
    from chattykg.engine import Components
    from chattykg.linking.embedding_similarity import OFF, open_similarity
    from chattykg.runs.answer_run import EngineConfig

    direct_spec = dict(choice.agents).get("direct", choice.spec)
    if options["strategy"] == "direct" and not ModelChoice(direct_spec).is_promptable:
        print_warning("the rules write no queries: they answer in stages, whatever --strategy says")
    # On texts so short, threads wait for each other longer than they work; numpy hears of it only before it loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    similarity, name = open_similarity(options["embeddings"], options["cache_dir"])
    if name == OFF != options["embeddings"]:
        print_warning(
            "no sentence encoder is installed, so names are compared by their words alone: --embeddings DIR names one"
        )
    crew = Components(models=dict(models or {}), similarity=similarity)
    return EngineConfig(engine_settings(options), crew, name)


def engine_settings(options: Mapping[str, Any]) -> Settings:
    """Return the settings of an engine as ``options.engine_options`` and theta say."""
    from chattykg.state import Settings

    names = ("theta", "shown_answers", "vertex_limit", "query_limit", "threshold", "strategy")
    return Settings(**{name: options[name] for name in names})


def secrets() -> tuple[str, ...]:
    """Return what no trace may hold."""
    from chattyshared.model.from_options import collect_secrets

    return collect_secrets(os.environ)

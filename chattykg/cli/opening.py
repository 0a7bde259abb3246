"""From options to a knowledge graph and a model; what cannot be reached at the start is bad input."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chattyshared.commands import warn

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.rules import Rule

    from chattykg.answer_files import Outfit

KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user said about the model."""

    spec: str = "rules"
    base_url: str | None = None
    timeout: float = 120.0
    agents: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], specs: Sequence[str] = ()) -> ModelChoice:
        """Read the options of ``options.model_options``; ``specs`` in place of ``--model``, if given.

        Raises:
            ConfigError: an agent is unknown or named twice, or two models are for all.
        """
        from chattyshared.model.assigning import assigned

        from chattykg.graph import ASKING

        spec, agents = assigned(specs or given["models"], ASKING, "agent")
        return cls(spec, given["base_url"], given["model_timeout"], tuple(sorted(agents.items())))

    def stated(self) -> str:
        """Return what a manifest says of the models."""
        said = ", ".join([self.spec, *(f"{agent}={spec}" for agent, spec in self.agents)])
        return f"{said} at {self.base_url}" if self.base_url else said


def open_graph(given: Mapping[str, Any]) -> KnowledgeGraph:
    """Open the knowledge graph as ``options.kg_options`` say; warn if nothing in it has a label.

    Raises:
        ConfigError: there is no such file, it does not parse, it is empty; or the endpoint does not answer.
    """
    from chattyshared.endpoint.reaching import reach
    from chattyshared.exits import starting
    from chattyshared.opening import open_kg

    asked = reach(given, os.environ)
    with starting():
        kg = open_kg(given["sources"], store=given["store"], cache_dir=given["cache_dir"], reach=asked)
    if not kg.profile.has_labels:
        warn(f"{kg.name} has no labels at all: things are called by the local names of their IRIs")
    return kg


def open_model(choice: ModelChoice, rulebook: Mapping[str, Rule] | None = None) -> LanguageModel:
    """Open the model that was chosen, with the QA engine's rulebook unless said otherwise.

    The key comes from the environment, and nothing below reads the environment.

    Raises:
        ConfigError: the model is unknown, or lacks a key.
    """
    from chattyshared.model import opening

    from chattykg.rulebook import RULEBOOK

    return opening.open_model(
        choice.spec,
        rulebook=RULEBOOK if rulebook is None else rulebook,
        base_url=choice.base_url,
        timeout=choice.timeout,
        api_key=os.environ.get(KEY),
    )


def outfit(choice: ModelChoice, given: Mapping[str, Any]) -> Outfit:
    """Fit an engine out as ``options.engine_options`` say, with models for single agents.

    Raises:
        ConfigError: a model cannot be opened; there is no sentence encoder where one shall be.
    """
    from chattykg.answer_files import Outfit
    from chattykg.engine import Crew, Settings
    from chattykg.linking.opening import open_similarity

    if given["strategy"] == "direct" and dict(choice.agents).get("direct", choice.spec) == "rules":
        warn("the rules write no queries: they answer in stages, whatever --strategy says")
    single = {spec: open_model(replace(choice, spec=spec, agents=())) for _, spec in choice.agents}
    # On texts so short, threads wait for each other longer than they work; numpy hears of it only before it loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    similarity, name = open_similarity(given["embeddings"], given["cache_dir"])
    crew = Crew(models={agent: single[spec] for agent, spec in choice.agents}, similarity=similarity)
    return Outfit(Settings(strategy=given["strategy"], threshold=given["threshold"]), crew, name)


def secrets() -> tuple[str, ...]:
    """Return what no trace may hold."""
    from chattyshared.endpoint import reaching

    return tuple(filter(None, [os.environ.get(KEY), *reaching.secrets(os.environ)]))

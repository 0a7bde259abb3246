"""From options to a knowledge graph and a model; what cannot be reached at the start is bad input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.commands.group import say, warn

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.from_options import Opener
    from chattyshared.model.registry import Access

    from chattykg.runs.answer_run import Outfit
    from chattykg.state import Settings


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What the user said about the model."""

    spec: str = "rules"
    base_url: str | None = None
    agents: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], specs: Sequence[str] = ()) -> ModelChoice:
        """Read the options of ``options.model_options``; ``specs`` in place of ``--model``, if given.

        Raises:
            ConfigError: an agent is unknown or named twice, or two models are for all.
        """
        from chattyshared.model.assignment import assigned

        from chattykg.graph import ASKING

        spec, agents = assigned(specs or given["models"], ASKING, "agent")
        return cls(spec, given["base_url"], tuple(sorted(agents.items())))

    def stated(self) -> str:
        """Return what a manifest says of the models; credentials that stand in an address are left out."""
        said = ", ".join([self.spec, *(f"{agent}={spec}" for agent, spec in self.agents)])
        return f"{said} at {re.sub('//[^/@]*@', '//', self.base_url)}" if self.base_url else said

    @property
    def specs(self) -> tuple[str, ...]:
        """Every model that is asked, each once."""
        return tuple(dict.fromkeys((self.spec, *(spec for _, spec in self.agents))))


@contextmanager
def accessed(given: Mapping[str, Any], output: Path | None = None) -> Iterator[tuple[Access, Opener]]:
    """Open what ``options.cost_options`` say for one run into ``output``: its costs, and what opens its models.

    Raises:
        ConfigError: a price is mistyped; the file of replies or of what was spent cannot be used.
    """
    from chattyshared.model.from_options import Opener, accessing

    with accessing(given, os.environ, output=output, tell=say) as access:
        yield access, Opener(given, os.environ, access)


def open_graph(given: Mapping[str, Any], access: Access | None = None) -> KnowledgeGraph:
    """Open the knowledge graph as ``options.kg_options`` say; warn if nothing in it has a label.

    With ``access`` its queries are counted.

    Raises:
        ConfigError: there is no such file, it does not parse, it is empty; or the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import starting
    from chattyshared.endpoint.connection_options import reach
    from chattyshared.kg.factory import open_kg
    from chattyshared.model.from_options import counted

    asked = reach(given, os.environ)
    with starting():
        kg = open_kg(given["sources"], store=given["store"], cache_dir=given["cache_dir"], reach=asked)
    if not kg.profile.has_labels:
        warn(f"{kg.name} has no labels at all: things are called by the local names of their IRIs")
    return counted(kg, access) if access is not None else kg


def equipped(choice: ModelChoice, given: Mapping[str, Any], opened: Opener) -> tuple[LanguageModel, Outfit]:
    """Open the model that was chosen, and fit an engine out, with models for single agents.

    Raises:
        ConfigError: a model cannot be opened; there is no sentence encoder where one shall be.
    """
    from chattykg.rulebook import RULEBOOK

    model = opened(choice.spec, RULEBOOK)
    return model, fitted(choice, given, {agent: opened(spec, RULEBOOK) for agent, spec in choice.agents})


def fitted(choice: ModelChoice, given: Mapping[str, Any], models: Mapping[str, LanguageModel] | None = None) -> Outfit:
    """Fit an engine out as ``options.engine_options`` say, with these models of single agents.

    Raises:
        ConfigError: there is no sentence encoder where one shall be.
    """
    from chattykg.engine import Crew
    from chattykg.linking.similarity import OFF, open_similarity
    from chattykg.runs.answer_run import Outfit

    if given["strategy"] == "direct" and dict(choice.agents).get("direct", choice.spec) == "rules":
        warn("the rules write no queries: they answer in stages, whatever --strategy says")
    # On texts so short, threads wait for each other longer than they work; numpy hears of it only before it loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    similarity, name = open_similarity(given["embeddings"], given["cache_dir"])
    if name == OFF != given["embeddings"]:
        warn("no sentence encoder is installed, so names are compared by their words alone: --embeddings DIR names one")
    crew = Crew(models=dict(models or {}), similarity=similarity)
    return Outfit(engine_settings(given), crew, name)


def engine_settings(given: Mapping[str, Any]) -> Settings:
    """Return the settings of an engine as ``options.engine_options`` and theta say."""
    from chattykg.state import Settings

    names = ("theta", "shown_answers", "vertex_limit", "query_limit", "threshold", "strategy")
    return Settings(**{name: given[name] for name in names})


def secrets() -> tuple[str, ...]:
    """Return what no trace may hold."""
    from chattyshared.model.from_options import secrets

    return secrets(os.environ)

"""Opens the graph and the models of a command's options, and estimates costs; failures at the start are bad input."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import print_status, print_warning

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.model.cost_estimate import ModelCostEstimate
    from chattyshared.model.prices import Price
    from chattyshared.model.registry import ModelFactory
    from chattyshared.model.target import ModelOptions
    from chattyshared.runs.runner import Runner
    from chattyshared.trace import Trace

    from chattykg.experience.leak_guard import HeldOutQuestion
    from chattykg.runs.answer_run import EngineConfig, RunOptions
    from chattykg.runs.question_sets import Conversation
    from chattykg.service.datasets import ServedDataset
    from chattykg.settings import Settings
    from chattykg.state import Verification


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models that the user chose."""

    spec: str = "rules"
    base_url: str | None = None
    agents: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_options(cls, options: Mapping[str, Any], specs: Sequence[str] = ()) -> ModelChoice:
        """Parse the options of ``options.model_options``; ``specs`` replace ``--model``, if given.

        Raises:
            ConfigError: an agent is unknown or named twice, or two models are for all agents.
        """
        from chattyshared.model.option_specs import parse_model_assignments

        from chattykg.graph import MODEL_AGENTS

        spec, agents = parse_model_assignments(specs or options["models"], MODEL_AGENTS, "agent")
        judges = {"verification": judge} if (judge := options.get("verify")) else {}
        return cls(spec, options["base_url"], tuple(sorted({**agents, **judges}.items())))

    def describe(self) -> str:
        """Return the manifest entry of the models, without the credentials of an address."""
        from chattyshared.resources import describe_address

        names = ", ".join([self.spec, *(f"{agent}={spec}" for agent, spec in self.agents)])
        return describe_address(names, self.base_url)

    @property
    def specs(self) -> tuple[str, ...]:
        """The distinct specs of all models."""
        return tuple(dict.fromkeys((self.spec, *(spec for _, spec in self.agents))))

    def of_agent(self, agent: str) -> ModelChoice:
        """Return the agent's own model, else that of all agents."""
        return ModelChoice(dict(self.agents).get(agent, self.spec))

    @property
    def is_promptable(self) -> bool:
        """Whether the model replies to any prompt; see ``strategies.ModelStrategy``."""
        from chattykg.strategies import find_model_strategy

        return find_model_strategy(self.spec).is_promptable


@contextmanager
def open_model_session(
    options: Mapping[str, Any], output: Path | None = None
) -> Iterator[tuple[ModelOptions, ModelFactory]]:
    """Open the model options of one run into ``output``, and the factory of its models.

    Raises:
        ConfigError: a price cannot be parsed; the file of replies or of spent costs cannot be used.
    """
    from chattyshared.model.registry import model_session
    from chattyshared.resources import open_model_factory

    with model_session(options, output=output, on_progress=print_status) as model_options:
        yield model_options, open_model_factory(options, model_options)


def open_graph(options: Mapping[str, Any], model_options: ModelOptions | None = None) -> KnowledgeGraph:
    """Open the knowledge graph of ``options.kg_options``; warn if it has no labels.

    With ``model_options``, its queries count towards the budget.

    Raises:
        ConfigError: a file does not exist, cannot be parsed or is empty; or the endpoint does not answer.
    """
    from chattyshared import resources
    from chattyshared.commands.exit_codes import startup_errors
    from chattyshared.model.registry import with_query_budget

    with startup_errors():
        kg = resources.open_graph(options)
    return with_query_budget(kg, model_options) if model_options is not None else kg


def open_model_and_config(
    choice: ModelChoice, options: Mapping[str, Any], model_factory: ModelFactory
) -> tuple[LanguageModel, EngineConfig]:
    """Open the chosen model, and build the configuration of an engine with the models of single agents.

    Raises:
        ConfigError: a model cannot be opened.
    """
    from chattykg.rulebook import RULEBOOK

    model = model_factory(choice.spec, RULEBOOK)
    return model, build_engine_config(
        choice, options, {agent: model_factory(spec, RULEBOOK) for agent, spec in choice.agents}
    )


def build_engine_config(
    choice: ModelChoice, options: Mapping[str, Any], models: Mapping[str, LanguageModel] | None = None
) -> EngineConfig:
    """Build the configuration of an engine from ``options.engine_options`` and the models of single agents.

    Raises:
        ConfigError: as ``engine_settings``.
    """
    from chattyshared.model.rules import RuleModel

    from chattykg.engine import Components
    from chattykg.rulebook import RULEBOOK
    from chattykg.runs.answer_run import EngineConfig

    if options["strategy"] in ("direct", "agent") and not choice.of_agent("direct").is_promptable:
        print_warning("the rules write no queries: they answer in stages, whatever --strategy says")
    rules = RuleModel(RULEBOOK)
    components = Components(dict(models or {}), verification=open_verification(options), second_opinion=rules)
    return EngineConfig(engine_settings(options, choice), components)


def open_verification(options: Mapping[str, Any]) -> Verification | None:
    """Return the judge of ``verify``; None without it."""
    from chattykg.state import Verification

    spec = options.get("verify")
    return Verification(spec, options["labels"]) if spec else None


def usable_experience(choice: ModelChoice, kg: KnowledgeGraph, paths: Sequence[Path]) -> Sequence[Path]:
    """Check the files of ``--experience``, and return those that the chosen models use: the rules use none.

    Raises:
        ConfigError: a file cannot be read, or is of another graph.
    """
    if not paths:
        return ()
    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.experience.experience_file import read_experience_of

    with startup_errors():
        read_experience_of(paths, kg)
    if any(ModelChoice(spec).is_promptable for spec in choice.specs):
        return paths
    print_warning("the rules use no examples: they answer alike with and without --experience")
    return ()


def with_experience(
    config: EngineConfig,
    choice: ModelChoice,
    kg: KnowledgeGraph,
    paths: Sequence[Path],
    held_out: Sequence[HeldOutQuestion] | None = None,
    examples: str = "off",
) -> EngineConfig:
    """Return the configuration with the examples of ``--experience`` for a graph, or else with its own.

    With ``examples`` ``auto`` a small model gets those that are made from the graph itself, if that is no endpoint.
    Nothing that they share with the questions under test stays among them (None: nothing is under test).

    Raises:
        ConfigError: a file cannot be read, or is of another graph.
    """
    from chattykg.experience.learning import select_own_examples
    from chattykg.experience.retrieval import select_examples
    from chattykg.strategies import find_model_strategy

    paths, writer = usable_experience(choice, kg, paths), find_model_strategy(choice.of_agent("direct").spec)
    if paths:
        selected = select_examples(paths, kg, held_out)
    elif examples == "auto" and writer.prompt == "lean" and kg.is_indexed:
        print_status("solved questions are made from the graph, as examples (--set examples=off: none)")
        selected = select_own_examples(kg, held_out)
    else:
        return config
    if not selected.guarded.items:
        print_warning("all examples share something with the questions that are asked: none is shown")
    return config.with_examples(selected)


def open_served(
    options: Mapping[str, Any],
    graphs: Mapping[str, Mapping[str, Any]],
    opened: tuple[ModelOptions, ModelFactory],
    trace: Trace,
    *,
    says_by_default: bool = True,
) -> dict[str, ServedDataset]:
    """Open what a command talks about: by name each graph (of its options) with its engine, and the model that says
    answers in sentences, as ``say`` wants it (default: if it can, and with ``says_by_default``).

    Raises:
        ConfigError: a graph, a model or a file of examples cannot be opened, or is of none of the graphs.
    """
    from chattyshared.trace import TracedModel

    from chattykg.experience.experience_file import assign_to_graphs
    from chattykg.runs.answer_run import open_engine
    from chattykg.service.datasets import ServedDataset

    choice, (model_options, model_factory) = ModelChoice.from_options(options), opened
    model, config = open_model_and_config(choice, options, model_factory)
    is_said = (says_by_default and choice.is_promptable) if options["say"] is None else options["say"]
    verbalizer = TracedModel(model, trace, "say") if is_said else None
    kgs = {name: open_graph(of_graph, model_options) for name, of_graph in graphs.items()}
    files = assign_to_graphs(options["experience"], kgs) if options["experience"] else dict.fromkeys(kgs, ())
    served = {}
    for name, kg in kgs.items():
        kg.build_indexes()
        own = with_experience(config, choice, kg, files[name], examples=options["examples"])
        served[name] = ServedDataset(name, kg, open_engine(kg, model, trace, own), verbalizer)
    return served


def engine_settings(options: Mapping[str, Any], choice: ModelChoice | None = None) -> Settings:
    """Return the settings of an engine from ``options.engine_options``, ``theta``, ``clarify`` and ``switches``.

    Raises:
        ConfigError: the engine has no such switch, or a value is none that it takes; or the models (``choice``, by
            default those of ``options``) have no use for a setting: none translates, or none answers in stages.
    """
    from chattyshared.errors import ConfigError

    from chattykg.engines.specs import parse_engine_spec
    from chattykg.engines.switches import ChattySwitches, make_switches
    from chattykg.settings import ENGINE_SPECS, Settings
    from chattykg.strategies import ENGINE_STRATEGIES, order_strategies

    kind = parse_engine_spec(options.get("engine", "chatty")).kind
    switches = make_switches(kind, options)
    strategy = {"strategy": kind} if kind in ENGINE_STRATEGIES else {}
    settings = Settings(**{name: options[name] for name in ENGINE_SPECS} | strategy, switches=switches)
    choice = choice or ModelChoice.from_options(options)
    if settings.translate == "always" and not choice.of_agent("translator").is_promptable:
        raise ConfigError("the rules cannot translate each question; --model translator=MODEL names a translator")
    if settings.switches_of(ChattySwitches).needs_stages:
        strategies = order_strategies(settings.strategy, choice.of_agent("direct").spec)
        if "staged" not in strategies:
            raise ConfigError(
                "without stages no switch turns off card, selection or validators: take --strategy staged"
            )
    return settings


def run_options(
    options: Mapping[str, Any],
    on_progress: Callable[[int], object],
    model_options: ModelOptions,
    runner: Runner | None = None,
) -> RunOptions:
    """Return the options of a run that answers conversations into a file, in place of threads by ``runner``.

    Raises:
        ConfigError: the profile cannot be read.
    """
    from chattyshared.kg.profile_file import profile_file_to_json

    from chattykg.runs.answer_run import RunOptions

    return RunOptions(
        **{name: options[name] for name in ("history", "wording", "workers", "overwrite", "trace")},
        secrets=secrets(), on_progress=on_progress, stop=model_options.meter,
        profile=profile_file_to_json(options["profile"]), runner=runner,
    )  # fmt: skip


def warn_of_other_graph(kg: KnowledgeGraph | None, fingerprint: str) -> None:
    """Warn of a benchmark that was not made from this graph, by the fingerprint that it states."""
    if kg and not kg.is_source(fingerprint):
        print_warning(f"the benchmark was made from another graph than {kg.name}, or from another state of it")


def secrets() -> tuple[str, ...]:
    """Return the secret texts that no trace may hold."""
    from chattyshared.model.registry import collect_secrets

    return collect_secrets(os.environ)


def print_estimate(
    options: Mapping[str, Any], conversations: Sequence[Conversation], *, is_verbalized: bool = False
) -> None:
    """Print the estimated cost of answering conversations."""
    kg = open_graph(options)
    estimate = estimate_answers(
        kg, options, ModelChoice.from_options(options), conversations, is_verbalized=is_verbalized
    )
    count = sum(len(conversation.items) for conversation in conversations)
    if options["json"]:
        click.echo(json.dumps({"questions": count, **asdict(estimate)}))
    else:
        click.echo(f"{count} questions: {estimate.render_summary()}")


def estimate_answers(
    kg: KnowledgeGraph,
    options: Mapping[str, Any],
    choice: ModelChoice,
    conversations: Sequence[Conversation],
    *,
    question_count: int = 0,
    is_verbalized: bool = False,
) -> ModelCostEstimate:
    """Estimate the cost of ``question_count`` questions (0: all) from these conversations.

    Raises:
        ConfigError: a price cannot be parsed, there is no question, or the endpoint does not answer.
    """
    from chattyshared.commands.exit_codes import startup_errors

    from chattykg.runs.cost_estimate import estimate_answering

    config = build_engine_config(choice, options)
    config = with_experience(config, choice, kg, options.get("experience", ()), examples=options.get("examples", "off"))
    with startup_errors():
        return estimate_answering(
            kg, conversations, (choice.spec, dict(choice.agents)),
            open_prices(options), config, question_count=question_count, is_verbalized=is_verbalized,
        )  # fmt: skip


def open_prices(options: Mapping[str, Any]) -> Callable[[str], Price | None]:
    """Return the function that gives the price of a model's tokens, from the options.

    Raises:
        ConfigError: a price cannot be parsed.
    """
    from chattyshared.model.prices import Prices

    prices = Prices.parse(options["price"])
    return lambda spec: prices.price_of_model(spec, options["base_url"])

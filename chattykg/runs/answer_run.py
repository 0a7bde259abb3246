"""A run that answers conversations into a file: its manifest, its trace, and the resumption of an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from chattyshared.commands.exit_codes import startup_errors
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.prompt import prompt_digests
from chattyshared.runs.manifest import program_versions
from chattyshared.runs.output import Output
from chattyshared.runs.runner import Runner, ThreadRunner
from chattyshared.runs.threads import StopSignal
from chattyshared.trace import Trace, open_run_trace, trace_path_of

from chattykg.engine import ChattyEngine, Components, Engine, Settings
from chattykg.engines.switches import ChattySwitches
from chattykg.experience.retrieval import SelectedExamples
from chattykg.runs.batch import BatchCounts, HistoryKind, RetryFilter, answer_conversations
from chattykg.runs.question_sets import Conversation, Wording
from chattykg.strategies import ENGINE_STRATEGIES
from chattykg.triad.template import digest_of_shots


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a run: whose answers are in the history, the wording of a benchmark, how many conversations at a
    time, and whether to start again.

    ``trace`` is the file to which calls and queries are appended (default: next to the answers). ``on_progress``
    receives the number of questions that were finished since its last call. ``secrets`` are texts, for example keys,
    that no trace may hold. Once ``stop`` is set, nothing new begins. ``profile`` is the profile of the KG that the user
    stated. ``runner`` asks the questions, in place of threads of this process.
    """

    history: HistoryKind = "own"
    wording: Wording = "follow-up"
    workers: int = 1
    overwrite: bool = False
    trace: Path | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    on_progress: Callable[[int], object] = lambda _: None
    stop: StopSignal | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    runner: Runner | None = None


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """The configuration of an engine except its graph and its model.

    ``experience`` is the manifest entry of the examples (None: there are none).
    """

    settings: Settings = field(default_factory=Settings)
    components: Components = field(default_factory=Components)
    experience: Mapping[str, Any] | None = None

    def with_examples(self, selected: SelectedExamples | None) -> EngineConfig:
        """Return the configuration with examples (None: without)."""
        if selected is None:
            return self
        components = replace(self.components, examples=selected.pool)
        return replace(self, components=components, experience=selected.to_manifest())

    def to_manifest(self) -> dict[str, Any]:
        """Return the entry of the engine in a manifest."""
        return {
            "strategy": self.settings.strategy,
            "max_steps": self.settings.max_steps,
            "prompt": self.settings.prompt,
            "threshold": self.settings.threshold,
            "theta": self.settings.theta,
            "shown_answers": self.settings.shown_answers,
            "vertex_limit": self.settings.vertex_limit,
            "query_limit": self.settings.query_limit,
            "clarify": self.settings.clarify,
            "translate": self.settings.translate,
            **({"switches": switches} if (switches := self.settings.switches.to_manifest()) else {}),
            **(verification.to_manifest() if (verification := self.components.verification) else {}),
            **({"experience": dict(self.experience)} if self.experience else {}),
            **({"shots": digest_of_shots()} if self.settings.strategy == "triad" else {}),
        }

    def prompt_names(self) -> list[str]:
        """Return the names of the prompts that the engine may use."""
        rooms = ("answer", *({self.settings.strategy} & {*ENGINE_STRATEGIES}))
        names = [(room, file.name) for room in rooms for file in files("chattyprompts").joinpath(room).iterdir()]
        advisor = ["baseline/llm_only"] if self.settings.strategy == "triad" else []
        return advisor + [f"{room}/{name.removesuffix('.md')}" for room, name in names if name.endswith(".md")]


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """The manifest entry of an engine that is not the default one, and its prompt."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""

    def to_manifest(self) -> dict[str, Any]:
        """Return the entry of the engine in a manifest."""
        return dict(self.parameters)

    def prompt_names(self) -> list[str]:
        """Return the names of its prompts."""
        return [self.prompt] if self.prompt else []


class ManifestSource(Protocol):
    """The entry of an engine in a manifest, and the names of its prompts."""

    def to_manifest(self) -> dict[str, Any]:
        """Return the entry of the engine in a manifest."""

    def prompt_names(self) -> list[str]:
        """Return the names of its prompts."""


def build_manifest(
    kg: KnowledgeGraph | None,
    model: str,
    inputs: Mapping[str, Any],
    run_options: RunOptions,
    manifest_source: ManifestSource | None = None,
) -> dict[str, Any]:
    """Return the manifest of a file of answers: KG, model, engine, questions, prompts and program versions; no time.

    ``kg`` is None for engines without a graph. Options that cannot change an answer (workers, trace) are not in it.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    manifest_source = manifest_source or EngineConfig()
    profile = {"profile": dict(run_options.profile)} if run_options.profile else {}
    kg_entry = (
        {"name": kg.name, "fingerprint": kg.fingerprint(), "triples": kg.count_triples(), **profile} if kg else None
    )
    return {
        "answers": {
            "kg": kg_entry,
            "asked": dict(inputs),
            "history": run_options.history,
            "wording": run_options.wording,
            "model": model,
            "engine": manifest_source.to_manifest(),
            "prompts": prompt_digests(manifest_source.prompt_names()),
            "versions": program_versions(),
        }
    }


def answer_to_file(
    path: Path,
    conversations: Sequence[Conversation],
    open_engine_with: Callable[[Trace], Engine],
    manifest: Mapping[str, Any],
    run_options: RunOptions,
) -> BatchCounts:
    """Answer conversations into a file; ``open_engine_with`` makes the engine that records into a trace.

    A complete file is kept; the file of an unfinished run with the same manifest is continued.

    Raises:
        ConfigError: the file belongs to another run or cannot be written, or nothing answers at the start.
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stopped; what is finished is on disk.
    """
    indexes = [item.index for conversation in conversations for item in conversation.items]
    trace_path = run_options.trace or trace_path_of(path)
    with Output(
        path, manifest, overwrite=run_options.overwrite, needs_retry=RetryFilter(conversations, run_options.history)
    ) as output:
        if output.is_complete:
            run_options.on_progress(len(indexes))
            return BatchCounts(kept=len(indexes))
        with (
            open_trace(trace_path, run_options) as trace,
            startup_errors(lambda: any(map(output.is_finished, indexes))),
        ):

            def commit_and_report(count: int) -> None:
                if count:
                    trace.commit()
                run_options.on_progress(count)

            counts = answer_conversations(
                open_engine_with(trace),
                conversations,
                output,
                history=run_options.history,
                runner=run_options.runner or ThreadRunner(run_options.workers),
                trace=trace,
                stop=run_options.stop,
                on_progress=commit_and_report,
            )
            trace.commit()
            return counts


def open_engine(
    kg: KnowledgeGraph, model: LanguageModel, trace: Trace, config: EngineConfig | None = None
) -> ChattyEngine:
    """Return the QA engine over a graph; its agent graph is compiled now and not at the first question."""
    config = config or EngineConfig()
    mode = config.settings.switches_of(ChattySwitches).mode
    engine = ChattyEngine(kg, model, mode=mode, settings=config.settings, components=config.components, trace=trace)
    assert engine.graph is not None
    return engine


def open_trace(path: Path, run_options: RunOptions) -> Trace:
    """Open the trace of a run; one that the user named is never overwritten."""
    return open_run_trace(
        path,
        is_named=run_options.trace is not None,
        overwrite=run_options.overwrite,
        secrets=run_options.secrets,
    )

"""Files of answers: what made one, and the run that fills it and goes on where an earlier one stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from chattyshared.trace import Trace, file_exists

from chattykg.engine import ChattyEngine, Components, Engine, Settings
from chattykg.runs.batch import BatchCounts, HistoryKind, RetryFilter, answer_conversations
from chattykg.runs.question_sets import Conversation, Wording


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes: whose answers make the history, which wording of a benchmark is asked, how many conversations
    at a time, whether to start anew.

    ``trace`` is where calls and queries are recorded, behind what is there; beside the answers unless said. ``told``
    hears how many questions are done. ``secrets`` are texts, such as keys, that no trace may hold. Once ``stop`` is
    set, nothing new begins. ``profile`` is what the user has stated of the KG. ``runner`` is who asks, in place of
    threads of this process.
    """

    history: HistoryKind = "own"
    wording: Wording = "follow-up"
    workers: int = 1
    overwrite: bool = False
    trace: Path | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    on_progress: Callable[[int], None] = lambda _: None
    stop: StopSignal | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    runner: Runner | None = None


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """What an engine works with besides its graph and its model; ``embeddings`` names the sentence encoder."""

    settings: Settings = field(default_factory=Settings)
    components: Components = field(default_factory=Components)
    embeddings: str = "off"

    def to_manifest(self) -> dict[str, Any]:
        """Return what a manifest says of it."""
        return {
            "strategy": self.settings.strategy,
            "threshold": self.settings.threshold,
            "theta": self.settings.theta,
            "shown_answers": self.settings.shown_answers,
            "vertex_limit": self.settings.vertex_limit,
            "query_limit": self.settings.query_limit,
            "embeddings": self.embeddings,
        }

    def prompt_names(self) -> list[str]:
        """Return the names of the prompts that it may ask."""
        folder = files("chattyprompts").joinpath("answer")
        return [f"answer/{file.name.removesuffix('.md')}" for file in folder.iterdir() if file.name.endswith(".md")]


class ManifestSource(Protocol):
    """What a manifest says of an engine, and which prompts it may ask."""

    def to_manifest(self) -> dict[str, Any]:
        """Return what a manifest says of it."""

    def prompt_names(self) -> list[str]:
        """Return the names of its prompts."""


def build_manifest(
    kg: KnowledgeGraph | None,
    model: str,
    inputs: Mapping[str, Any],
    run_options: RunOptions,
    manifest_source: ManifestSource | None = None,
) -> dict[str, Any]:
    """Return what makes a file of answers what it is: KG, model, engine, what is asked, prompts, programs; no clock.

    Without a KG it says nothing of one. What cannot change an answer (workers, trace) is not in it.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    manifest_source = manifest_source or EngineConfig()
    profile = {"profile": dict(run_options.profile)} if run_options.profile else {}
    known = {"name": kg.name, "fingerprint": kg.fingerprint(), "triples": kg.count_triples(), **profile} if kg else None
    return {
        "answers": {
            "kg": known,
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
    """Answer conversations into a file; ``engine_with`` makes the engine that records into a trace.

    A file that is complete is left as it is; one that an earlier run of the same manifest began is gone on with.

    Raises:
        ConfigError: another run's file lies there, it cannot be written, or nobody answers at the very start.
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stopped; what is finished is on disk.
    """
    places = [asked.index for each in conversations for asked in each.items]
    trace_path = run_options.trace or trace_path_of(path)
    with Output(
        path, manifest, overwrite=run_options.overwrite, needs_retry=RetryFilter(conversations, run_options.history)
    ) as output:
        if output.is_complete:
            run_options.on_progress(len(places))
            return BatchCounts(kept=len(places))
        with open_trace(trace_path, run_options) as trace, startup_errors(lambda: any(map(output.is_finished, places))):

            def told(number: int) -> None:
                if number:
                    trace.commit()
                run_options.on_progress(number)

            tally = answer_conversations(
                open_engine_with(trace),
                conversations,
                output,
                history=run_options.history,
                runner=run_options.runner or ThreadRunner(run_options.workers),
                trace=trace,
                stop=run_options.stop,
                on_progress=told,
            )
            trace.commit()
            return tally


def open_engine(
    kg: KnowledgeGraph, model: LanguageModel, trace: Trace, config: EngineConfig | None = None
) -> ChattyEngine:
    """Make the QA engine over a graph, compiled now, so that the first question does not pay for it."""
    config = config or EngineConfig()
    engine = ChattyEngine(kg, model, settings=config.settings, components=config.components, trace=trace)
    assert engine.graph is not None
    return engine


def open_trace(path: Path, run_options: RunOptions) -> Trace:
    """Open the trace of a run: behind what is there, or anew in place of one that is to be overwritten.

    A trace whose place the user chose is never overwritten.
    """
    return Trace(
        path,
        secrets=run_options.secrets,
        replace_existing=not file_exists(path) or (run_options.overwrite and run_options.trace is None),
    )


def trace_path_of(path: Path) -> Path:
    """Return where the trace of a file lies: ``answers.jsonl.trace.jsonl`` beside ``answers.jsonl``."""
    return path.with_name(f"{path.name}.trace.jsonl")

"""Files of answers: what made one, and the run that fills it and goes on where an earlier one stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from chattyshared.commands.exit_codes import starting
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.prompt import digests
from chattyshared.runs.manifest import versions
from chattyshared.runs.output import Output
from chattyshared.runs.runner import Runner, Threads
from chattyshared.runs.threads import Stop
from chattyshared.trace import Trace, is_there

from chattykg.engine import ChattyEngine, Crew, Engine, Settings
from chattykg.runs.batch import HistoryKind, Redo, Tally, answer_all
from chattykg.runs.question_sets import Conversation, Wording


@dataclass(frozen=True, slots=True)
class Way:
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
    told: Callable[[int], None] = lambda _: None
    stop: Stop | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    runner: Runner | None = None


@dataclass(frozen=True, slots=True)
class Outfit:
    """What an engine works with besides its graph and its model; ``embeddings`` names the sentence encoder."""

    settings: Settings = field(default_factory=Settings)
    crew: Crew = field(default_factory=Crew)
    embeddings: str = "off"

    def stated(self) -> dict[str, Any]:
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

    def prompts(self) -> list[str]:
        """Return the names of the prompts that it may ask."""
        folder = files("chattyprompts").joinpath("answer")
        return [f"answer/{file.name.removesuffix('.md')}" for file in folder.iterdir() if file.name.endswith(".md")]


class Fitted(Protocol):
    """What a manifest says of an engine, and which prompts it may ask."""

    def stated(self) -> dict[str, Any]:
        """Return what a manifest says of it."""

    def prompts(self) -> list[str]:
        """Return the names of its prompts."""


def manifest(
    kg: KnowledgeGraph | None, model: str, asked: Mapping[str, Any], way: Way, fitted: Fitted | None = None
) -> dict[str, Any]:
    """Return what makes a file of answers what it is: KG, model, engine, what is asked, prompts, programs; no clock.

    Without a KG it says nothing of one. What cannot change an answer (workers, trace) is not in it.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    fitted = fitted or Outfit()
    profile = {"profile": dict(way.profile)} if way.profile else {}
    known = {"name": kg.name, "fingerprint": kg.fingerprint(), "triples": kg.size(), **profile} if kg else None
    return {
        "answers": {
            "kg": known,
            "asked": dict(asked),
            "history": way.history,
            "wording": way.wording,
            "model": model,
            "engine": fitted.stated(),
            "prompts": digests(fitted.prompts()),
            "versions": versions(),
        }
    }


def answer_into(
    path: Path,
    conversations: Sequence[Conversation],
    engine_with: Callable[[Trace], Engine],
    made: Mapping[str, Any],
    way: Way,
) -> Tally:
    """Answer conversations into a file; ``engine_with`` makes the engine that records into a trace.

    A file that is complete is left as it is; one that an earlier run of the same manifest began is gone on with.

    Raises:
        ConfigError: another run's file lies there, it cannot be written, or nobody answers at the very start.
        EndpointUnavailable, ModelUnavailable, BudgetSpent, WorkersLost: the run stopped; what is finished is on disk.
    """
    places = [asked.place for each in conversations for asked in each.asked]
    trace_path = way.trace or trace_beside(path)
    with Output(path, made, overwrite=way.overwrite, redo=Redo(conversations, way.history)) as output:
        if output.is_complete:
            way.told(len(places))
            return Tally(kept=len(places))
        with open_trace(trace_path, way) as trace, starting(lambda: any(map(output.finished, places))):

            def told(number: int) -> None:
                if number:
                    trace.keep()
                way.told(number)

            tally = answer_all(
                engine_with(trace), conversations, output, history=way.history,
                runner=way.runner or Threads(way.workers), trace=trace, stop=way.stop, told=told,
            )  # fmt: skip
            trace.keep()
            return tally


def open_engine(kg: KnowledgeGraph, model: LanguageModel, trace: Trace, outfit: Outfit | None = None) -> ChattyEngine:
    """Make the QA engine over a graph, compiled now, so that the first question does not pay for it."""
    outfit = outfit or Outfit()
    engine = ChattyEngine(kg, model, settings=outfit.settings, crew=outfit.crew, trace=trace)
    assert engine.graph is not None
    return engine


def open_trace(path: Path, way: Way) -> Trace:
    """Open the trace of a run: behind what is there, or anew in place of one that is to be overwritten.

    A trace whose place the user chose is never overwritten.
    """
    return Trace(path, secrets=way.secrets, anew=not is_there(path) or (way.overwrite and way.trace is None))


def trace_beside(path: Path) -> Path:
    """Return where the trace of a file lies: ``answers.jsonl.trace.jsonl`` beside ``answers.jsonl``."""
    return path.with_name(f"{path.name}.trace.jsonl")

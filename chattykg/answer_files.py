"""Files of answers: what made one, and the run that fills it and goes on where an earlier one stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from chattyshared.errors import ConfigError, EndpointUnavailable, ModelUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.manifest import versions
from chattyshared.output import Output
from chattyshared.prompt import digests
from chattyshared.trace import Trace

from chattykg.answering import HistoryKind, Redo, Tally, answer_all
from chattykg.conversations import Conversation
from chattykg.engine import Engine


@dataclass(frozen=True, slots=True)
class Way:
    """How a run goes: whose answers make the history, how many conversations at a time, whether to start anew.

    ``trace`` is where calls and queries are recorded; beside the answers unless said. ``told`` hears how many
    questions are done.
    """

    history: HistoryKind = "own"
    workers: int = 1
    overwrite: bool = False
    trace: Path | None = None
    told: Callable[[int], None] = lambda _: None


def manifest(kg: KnowledgeGraph, model: str, asked: Mapping[str, Any], history: HistoryKind) -> dict[str, Any]:
    """Return what makes a file of answers what it is: KG, model, what is asked, prompts and programs; no clock.

    Raises:
        EndpointError: the KG's endpoint does not answer.
    """
    return {
        "answers": {
            "kg": {"name": kg.name, "fingerprint": kg.fingerprint(), "triples": kg.size()},
            "asked": dict(asked),
            "history": history,
            "model": model,
            "prompts": digests(_prompts()),
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
        EndpointUnavailable, ModelUnavailable, BudgetSpent: the run stopped; what is finished is on disk.
    """
    places = [asked.place for each in conversations for asked in each.asked]
    trace_path = way.trace or path.with_name(f"{path.name}.trace.jsonl")
    with Output(path, made, overwrite=way.overwrite, redo=Redo(conversations, way.history)) as output:
        if output.is_complete:
            way.told(len(places))
            return Tally(kept=len(places))
        fresh = way.overwrite or not trace_path.exists()
        if way.overwrite:
            trace_path.unlink(missing_ok=True)
        try:
            with open_trace(trace_path) as trace:
                engine = engine_with(trace)
                return answer_all(
                    engine, conversations, output, history=way.history, workers=way.workers, told=way.told
                )
        except (EndpointUnavailable, ModelUnavailable) as error:
            if any(map(output.finished, places)):
                raise
            if fresh:
                trace_path.unlink()
            raise ConfigError(str(error)) from error


def open_trace(path: Path | None) -> Trace:
    """Open a trace; what is recorded is appended. Without a path nothing is.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        return Trace(path)
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error


def _prompts() -> list[str]:
    folder = files("chattyprompts").joinpath("answer")
    return [f"answer/{file.name.removesuffix('.md')}" for file in folder.iterdir() if file.name.endswith(".md")]

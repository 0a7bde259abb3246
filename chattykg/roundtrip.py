"""Generate, answer, score in one go: a knowledge graph in, a folder with benchmark, answers and scores out."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chattyshared import benchmark
from chattyshared.commands.exit_codes import startup_errors
from chattyshared.errors import ConfigError, EndpointError, ModelError
from chattyshared.jsonlines import write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.lock import OutputLock
from chattyshared.runs.runner import Runner
from chattyshared.trace import Trace

import chattygen
from chattykg.engine import Engine
from chattykg.evaluation.evaluate import evaluate
from chattykg.evaluation.metrics import Scores
from chattykg.evaluation.report import scores_to_json
from chattykg.runs.answer_run import (
    EngineConfig,
    RunOptions,
    answer_to_file,
    build_manifest,
    open_engine,
    open_trace,
    trace_path_of,
)
from chattykg.runs.question_sets import conversations_from_dialogues, link_gold_answers


@dataclass(frozen=True, slots=True)
class RoundtripModels:
    """Who words the questions, who answers them, what a manifest says of the latter, and what the engine works with.

    ``makers`` make the dialogues, in place of threads of this process.
    """

    generate: LanguageModel
    answer: LanguageModel
    model_names: str
    config: EngineConfig = field(default_factory=EngineConfig)
    generation_runner: Runner | None = None


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where the files of one round trip lie."""

    path: Path

    @property
    def benchmark(self) -> Path:
        """The dialogues with their gold."""
        return self.path / "benchmark.jsonl"

    @property
    def answers(self) -> Path:
        """What the engine said."""
        return self.path / "answers.jsonl"

    @property
    def scores(self) -> Path:
        """The figures."""
        return self.path / "scores.json"

    @property
    def traces(self) -> tuple[Path, Path]:
        """Every model call and every query: of the generation, of the answering."""
        return trace_path_of(self.benchmark), trace_path_of(self.answers)


@dataclass(frozen=True, slots=True)
class RoundtripResult:
    """What came of a round trip: the scores, the number of dialogues, and of questions that ended in an error.

    ``unexpected`` counts unexpected errors, by type and place, of seeds and of questions; the latter are in ``errors``.
    """

    scores: Scores
    dialogues: int
    errors: int
    unexpected: Mapping[str, Counter[str]] = field(default_factory=dict)


def roundtrip(
    kg: KnowledgeGraph,
    models: RoundtripModels,
    generate_options: chattygen.Options,
    folder: RunFolder,
    run_options: RunOptions,
    on_progress: Callable[[int], None] = lambda _: None,
) -> RoundtripResult:
    """Generate a benchmark, answer it, score the answers; each half goes on where an earlier run stopped.

    ``watch`` hears how many dialogues are made, ``way.told`` how many questions are answered.

    Raises:
        ConfigError: the folder holds another run, or cannot be written; nobody answers at the start.
        EndpointError, ModelError, BudgetSpent: the run stopped; what is finished is on disk.
    """
    with OutputLock(folder.path / "roundtrip"):
        benchmark_tally = _generate(kg, models, generate_options, folder, run_options, on_progress)
        dialogues = benchmark.read_benchmark(folder.benchmark).dialogues
        digest = hashlib.sha256(folder.benchmark.read_bytes()).hexdigest()[:16]
        made = build_manifest(kg, models.model_names, {"benchmark": digest}, run_options, models.config)
        asked = conversations_from_dialogues(dialogues, run_options.wording)
        if run_options.history == "gold":
            asked = link_gold_answers(asked, kg)

        def engine_with(trace: Trace) -> Engine:
            return open_engine(kg, models.answer, trace, models.config)

        try:
            tally = answer_to_file(folder.answers, asked, engine_with, made, run_options)
        except ConfigError as error:
            if isinstance(error.__cause__, (EndpointError, ModelError)):
                raise error.__cause__ from None  # half of the way is done: the run is stopped, not refused
            raise
        scores = evaluate(folder.benchmark, folder.answers).scores
        write_atomically(folder.scores, [json.dumps(scores_to_json(scores), indent=2)])
        unexpected = {"seed": benchmark_tally.unexpected, "question": tally.unexpected}
        return RoundtripResult(scores, len(dialogues), tally.errors, unexpected)


def _generate(
    kg: KnowledgeGraph,
    models: RoundtripModels,
    options: chattygen.Options,
    folder: RunFolder,
    way: RunOptions,
    watch: Callable[[int], None],
) -> chattygen.GenerationCounts:
    """Make the benchmark; a run that fails before its first dialogue leaves nothing behind, and loses nothing."""
    with open_trace(way.trace or folder.traces[0], way) as trace, startup_errors(lambda: trace.is_committed):

        def watched(tally: chattygen.GenerationCounts) -> None:
            if way.overwrite and not trace.is_committed:
                folder.scores.unlink(missing_ok=True)  # they are of what is being overwritten
            trace.commit()
            watch(tally.dialogues)

        found = chattygen.record_run(
            kg, models.generate, options, folder.benchmark, runner=models.generation_runner,
            overwrite=way.overwrite, trace=trace, stop=way.stop, profile=way.profile, on_progress=watched,
        )  # fmt: skip
        trace.commit()
        return found


def run_folder_name(sources: Sequence[str]) -> str:
    """Return what to call the folder of a graph's runs: the files' names without their ends, or the URL's host."""
    names = [
        re.sub(r"^https?://", "", source)
        if "://" in source
        else re.sub(r"(\.[A-Za-z0-9]+){1,2}$", "", Path(source).name)
        for source in sources
    ]
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(names)).strip("-")[:60] or "graph"

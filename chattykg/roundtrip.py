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
from chattyshared.commands.exit_codes import starting
from chattyshared.errors import ConfigError, EndpointError, ModelError
from chattyshared.jsonlines import write_whole
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.runs.lock import Lock
from chattyshared.runs.runner import Runner
from chattyshared.trace import Trace

import chattygen
from chattykg.engine import Engine
from chattykg.evaluation.evaluate import evaluate
from chattykg.evaluation.metrics import Scores
from chattykg.evaluation.report import as_json
from chattykg.runs.answer_run import Outfit, Way, answer_into, manifest, open_engine, open_trace, trace_beside
from chattykg.runs.question_sets import of_dialogues, with_links


@dataclass(frozen=True, slots=True)
class Models:
    """Who words the questions, who answers them, what a manifest says of the latter, and what the engine works with.

    ``makers`` make the dialogues, in place of threads of this process.
    """

    generate: LanguageModel
    answer: LanguageModel
    stated: str
    outfit: Outfit = field(default_factory=Outfit)
    makers: Runner | None = None


@dataclass(frozen=True, slots=True)
class Folder:
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
        return trace_beside(self.benchmark), trace_beside(self.answers)


@dataclass(frozen=True, slots=True)
class Round:
    """What came of a round trip: the scores, the number of dialogues, and of questions that ended in an error.

    ``unexpected`` counts unexpected errors, by type and place, of seeds and of questions; the latter are in ``errors``.
    """

    scores: Scores
    dialogues: int
    errors: int
    unexpected: Mapping[str, Counter[str]] = field(default_factory=dict)


def roundtrip(
    kg: KnowledgeGraph,
    models: Models,
    options: chattygen.Options,
    folder: Folder,
    way: Way,
    watch: Callable[[int], None] = lambda _: None,
) -> Round:
    """Generate a benchmark, answer it, score the answers; each half goes on where an earlier run stopped.

    ``watch`` hears how many dialogues are made, ``way.told`` how many questions are answered.

    Raises:
        ConfigError: the folder holds another run, or cannot be written; nobody answers at the start.
        EndpointError, ModelError, BudgetSpent: the run stopped; what is finished is on disk.
    """
    with Lock(folder.path / "roundtrip"):
        benchmark_tally = _generate(kg, models, options, folder, way, watch)
        dialogues = benchmark.read(folder.benchmark).dialogues
        digest = hashlib.sha256(folder.benchmark.read_bytes()).hexdigest()[:16]
        made = manifest(kg, models.stated, {"benchmark": digest}, way, models.outfit)
        asked = of_dialogues(dialogues, way.wording)
        if way.history == "gold":
            asked = with_links(asked, kg)

        def engine_with(trace: Trace) -> Engine:
            return open_engine(kg, models.answer, trace, models.outfit)

        try:
            tally = answer_into(folder.answers, asked, engine_with, made, way)
        except ConfigError as error:
            if isinstance(error.__cause__, (EndpointError, ModelError)):
                raise error.__cause__ from None  # half of the way is done: the run is stopped, not refused
            raise
        scores = evaluate(folder.benchmark, folder.answers).scores
        write_whole(folder.scores, [json.dumps(as_json(scores), indent=2)])
        unexpected = {"seed": benchmark_tally.unexpected, "question": tally.unexpected}
        return Round(scores, len(dialogues), tally.errors, unexpected)


def _generate(
    kg: KnowledgeGraph,
    models: Models,
    options: chattygen.Options,
    folder: Folder,
    way: Way,
    watch: Callable[[int], None],
) -> chattygen.Tally:
    """Make the benchmark; a run that fails before its first dialogue leaves nothing behind, and loses nothing."""
    with open_trace(way.trace or folder.traces[0], way) as trace, starting(lambda: trace.is_kept):

        def watched(tally: chattygen.Tally) -> None:
            if way.overwrite and not trace.is_kept:
                folder.scores.unlink(missing_ok=True)  # they are of what is being overwritten
            trace.keep()
            watch(tally.dialogues)

        found = chattygen.record(
            kg, models.generate, options, folder.benchmark, runner=models.makers,
            overwrite=way.overwrite, trace=trace, stop=way.stop, profile=way.profile, watch=watched,
        )  # fmt: skip
        trace.keep()
        return found


def folder_name(sources: Sequence[str]) -> str:
    """Return what to call the folder of a graph's runs: the files' names without their ends, or the URL's host."""
    names = [
        re.sub(r"^https?://", "", source)
        if "://" in source
        else re.sub(r"(\.[A-Za-z0-9]+){1,2}$", "", Path(source).name)
        for source in sources
    ]
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(names)).strip("-")[:60] or "graph"

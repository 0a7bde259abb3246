"""The round trip: generates a benchmark from a knowledge graph, answers it, and scores the answers, in one folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chattyshared import benchmark
from chattyshared.commands.exit_codes import startup_errors
from chattyshared.errors import ConfigError, EndpointError, ModelError
from chattyshared.formats.gold import read_gold
from chattyshared.jsonlines import write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel
from chattyshared.pages.samples import Sample
from chattyshared.runs.lock import OutputLock
from chattyshared.runs.runner import Runner
from chattyshared.trace import Trace, trace_path_of

import chattygen
from chattykg.engine import Engine
from chattykg.evaluation.evaluate import Evaluation, score_answers
from chattykg.evaluation.samples import samples_of_systems
from chattykg.evaluation.system_runs import read_system_run
from chattykg.experience.closed_loop import LearningGain, learn_from_file, measure_gain, split_dialogues
from chattykg.experience.retrieval import select_examples
from chattykg.runs.answer_run import (
    EngineConfig,
    RunOptions,
    answer_to_file,
    build_manifest,
    open_engine,
    open_trace,
)
from chattykg.runs.batch import BatchCounts
from chattykg.runs.inputs import held_out_turns
from chattykg.runs.question_sets import conversations_from_dialogues, link_gold_answers


@dataclass(frozen=True, slots=True)
class RoundtripModels:
    """The models that generate and answer, the names of the latter for the manifest, and the engine's configuration.

    ``generation_runner`` makes the dialogues, in place of threads of this process.
    """

    generate: LanguageModel
    answer: LanguageModel
    model_names: str
    config: EngineConfig = field(default_factory=EngineConfig)
    generation_runner: Runner | None = None


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The paths of the files of one round trip."""

    path: Path

    @property
    def benchmark(self) -> Path:
        """The dialogues with their gold."""
        return self.path / "benchmark.jsonl"

    @property
    def answers(self) -> Path:
        """The engine's answers."""
        return self.path / "answers.jsonl"

    @property
    def all_dialogues(self) -> Path:
        """The dialogues for training together with those of the benchmark."""
        return self.path / "dialogues.jsonl"

    @property
    def training(self) -> Path:
        """The dialogues that are learned from."""
        return self.path / "training.jsonl"

    @property
    def experience(self) -> Path:
        """The solved questions of the training dialogues."""
        return self.path / "experience.jsonl"

    @property
    def answers_with_examples(self) -> Path:
        """The engine's answers with the experience."""
        return self.path / "answers-experience.jsonl"

    @property
    def scores(self) -> Path:
        """The scores."""
        return self.path / "scores.json"

    @property
    def traces(self) -> tuple[Path, Path]:
        """The traces of the generation and of the answering: every model call and every query."""
        return trace_path_of(self.benchmark), trace_path_of(self.answers)


@dataclass(frozen=True, slots=True)
class RoundtripResult:
    """The evaluation of a round trip, and the numbers of dialogues and of questions that ended in an error.

    ``unexpected`` counts the unexpected errors of seeds and of questions by type and place; those of questions are
    included in ``errors``. ``gain`` is what learning changed (None: nothing was learned). ``sample`` is the first
    dialogue with its answers.
    """

    evaluation: Evaluation
    dialogues: int
    errors: int
    unexpected: Mapping[str, Counter[str]] = field(default_factory=dict)
    gain: LearningGain | None = None
    sample: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True)
class ExperienceOptions:
    """The experience files of a round trip, or whether it learns from as many dialogues as it answers.

    ``is_used``: the model is shown examples; the rules are not.
    """

    files: tuple[Path, ...] = ()
    learns: bool = False
    is_used: bool = True


def roundtrip(  # noqa: PLR0913
    kg: KnowledgeGraph,
    models: RoundtripModels,
    generate_options: chattygen.Options,
    folder: RunFolder,
    run_options: RunOptions,
    on_progress: Callable[[int], None] = lambda _: None,
    *,
    experience: ExperienceOptions | None = None,
) -> RoundtripResult:
    """Generate a benchmark, answer it and score the answers; each half continues where an earlier run stopped.

    ``on_progress`` receives the number of all dialogues made so far; ``run_options.on_progress`` the number of
    questions that were finished since its last call. A round trip that learns makes twice as many dialogues; it answers
    one half without and with examples from the other.

    Raises:
        ConfigError: the folder holds another run or cannot be written, or nothing answers at the start.
        EndpointError, ModelError, BudgetSpent: the run stopped; what is finished is on disk.
    """
    experience = experience or ExperienceOptions()
    with OutputLock(folder.path / "roundtrip"):
        output = folder.all_dialogues if experience.learns else folder.benchmark
        generation = _generate(kg, models, generate_options, folder, run_options, on_progress, output)
        if experience.learns:
            split_dialogues(output, folder.training, folder.benchmark, overwrite=run_options.overwrite)
        config = _with_examples(models.config, experience.files, kg, folder)
        counts = [_answer(kg, models, config, folder, folder.answers, run_options)]
        gold = read_gold(folder.benchmark)
        evaluation = score_answers(gold, read_system_run(folder.answers, with_trace=False))
        gain, scores = None, evaluation.figures
        if experience.learns:
            gain = LearningGain(evaluation, items=learn_from_file(folder.training, folder.experience, kg))
            if experience.is_used:
                config = _with_examples(models.config, (folder.experience,), kg, folder)
                counts.append(_answer(kg, models, config, folder, folder.answers_with_examples, run_options))
                answers = read_system_run(folder.answers_with_examples, with_trace=False)
                barred = (config.experience or {})["barred"]
                gain = measure_gain(evaluation, score_answers(gold, answers), gain.items, barred)
            scores["experience"] = gain.to_json()
        write_atomically(folder.scores, [json.dumps(scores, indent=2)])
        unexpected = {"seed": generation.unexpected, "question": sum((c.unexpected for c in counts), Counter[str]())}
        dialogues = benchmark.read_benchmark(folder.benchmark)
        sample = samples_of_systems(replace(gold, content=dialogues[:1]), [("", evaluation.card.system)])
        errors = sum(c.errors for c in counts)
        return RoundtripResult(evaluation, len(dialogues), errors, unexpected, gain, sample)


def _with_examples(config: EngineConfig, files: Sequence[Path], kg: KnowledgeGraph, folder: RunFolder) -> EngineConfig:
    """Return the configuration with the examples of files, without what they share with the benchmark."""
    if not files:
        return config
    held_out = held_out_turns(benchmark.read_benchmark(folder.benchmark))
    return config.with_examples(select_examples(files, kg, held_out))


def _answer(
    kg: KnowledgeGraph,
    models: RoundtripModels,
    config: EngineConfig,
    folder: RunFolder,
    output: Path,
    run_options: RunOptions,
) -> BatchCounts:
    """Answer the benchmark into a file."""
    dialogues = benchmark.read_benchmark(folder.benchmark).dialogues
    digest = hashlib.sha256(folder.benchmark.read_bytes()).hexdigest()[:16]
    manifest = build_manifest(kg, models.model_names, {"benchmark": digest}, run_options, config)
    conversations = conversations_from_dialogues(dialogues, run_options.wording)
    if run_options.history == "gold":
        conversations = link_gold_answers(conversations, kg)

    def engine_with(trace: Trace) -> Engine:
        return open_engine(kg, models.answer, trace, config)

    try:
        return answer_to_file(output, conversations, engine_with, manifest, run_options)
    except ConfigError as error:
        if isinstance(error.__cause__, (EndpointError, ModelError)):
            raise error.__cause__ from None  # the benchmark is made: the run is stopped, not refused
        raise


def _generate(  # noqa: PLR0913
    kg: KnowledgeGraph,
    models: RoundtripModels,
    options: chattygen.Options,
    folder: RunFolder,
    run_options: RunOptions,
    on_progress: Callable[[int], None],
    output: Path,
) -> chattygen.GenerationCounts:
    """Make the benchmark; a run that fails before its first dialogue changes no file."""
    with (
        open_trace(run_options.trace or folder.traces[0], run_options) as trace,
        startup_errors(lambda: trace.is_committed),
    ):

        def commit_and_report(counts: chattygen.GenerationCounts) -> None:
            if run_options.overwrite and not trace.is_committed:
                folder.scores.unlink(missing_ok=True)  # the scores belong to the overwritten answers
            trace.commit()
            on_progress(counts.dialogues)

        counts = chattygen.record_run(
            kg, models.generate, options, output, runner=models.generation_runner,
            overwrite=run_options.overwrite, trace=trace, stop=run_options.stop, profile=run_options.profile,
            on_progress=commit_and_report,
        )  # fmt: skip
        trace.commit()
        return counts


def run_folder_name(sources: Sequence[str]) -> str:
    """Return the name of the folder for runs on a graph: the files' names without extensions, or the URL."""
    names = [
        re.sub(r"^https?://", "", source)
        if "://" in source
        else re.sub(r"(\.[A-Za-z0-9]+){1,2}$", "", Path(source).name)
        for source in sources
    ]
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(names)).strip("-")[:60] or "graph"

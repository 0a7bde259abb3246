"""Answers questions from Python, as the command ``chattykg answer`` does."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chattyshared.benchmark import Benchmark
from chattyshared.jsonlines import read_lines
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import KGSource
from chattyshared.model import LanguageModel
from chattyshared.model.rules import RuleModel
from chattyshared.option_specs import WORKERS_OPTION, check_value
from chattyshared.resources import (
    ModelSource,
    check_output,
    describe_model,
    open_kg,
    open_model,
    secrets,
    warn_of_failures,
)
from chattyshared.runs.containment import summarize_failures
from chattyshared.trace import Trace, trace_path_of

from chattykg.engine import Components, Engine
from chattykg.evaluation.system_runs import Answers, read_system_run
from chattykg.experience.retrieval import ExperienceSource, examples_from
from chattykg.rulebook import RULEBOOK
from chattykg.runs.answer_run import (
    EngineConfig,
    ManifestEntry,
    RunOptions,
    answer_to_file,
    build_manifest,
    open_engine,
)
from chattykg.runs.batch import BatchCounts, HistoryKind
from chattykg.runs.inputs import AnswerInput, make_input
from chattykg.runs.question_sets import Conversation, Wording, link_gold_answers
from chattykg.settings import HISTORY_OPTION, WORDING_OPTION, ClarifyMode, Settings, TranslateMode, make_settings
from chattykg.strategies import StrategyOption

logger = logging.getLogger(__name__)


def answer(  # noqa: PLR0913
    questions: Benchmark | str | os.PathLike[str] | Iterable[str],
    kg: KGSource | Iterable[KGSource],
    *,
    model: ModelSource = "rules",
    base_url: str | None = None,
    path: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    workers: int = 1,
    history: HistoryKind = "own",
    wording: Wording = "follow-up",
    clarify: ClarifyMode = "best",
    threshold: float = Settings().threshold,
    strategy: StrategyOption = "auto",
    max_steps: int = Settings().max_steps,
    translate: TranslateMode = "auto",
    experience: ExperienceSource = None,
    engine: Engine | None = None,
    on_progress: Callable[[int], object] = lambda _: None,
) -> Answers:
    """Answer the questions of a benchmark, of a file in any known format, or of a list of texts, each asked alone.

    ``kg``, ``model`` and ``engine`` are as in ``Chat``, as are the options that are not named here; only ``clarify`` is
    "best", since nobody is there to reply to a question. ``workers`` conversations are asked at a time. ``history``
    says whose answers a follow-up builds on, ``wording`` how it is worded. No example of ``experience`` shares
    question, query or facts with what is asked. ``on_progress`` gets the number of new answers.

    With ``path`` each answer is on disk as soon as it is there, beside it what made them and a trace; the same call
    goes on with an interrupted run, and asks again what ended in an error. A file of another run is replaced with
    ``overwrite`` alone.

    Raises:
        ConfigError: an option has no such value, the questions, the graph or the model cannot be opened, the file
        belongs to another run, or nothing answers at the start.
        EndpointUnavailable, ModelUnavailable: the run stopped; what is finished is in the file of ``path``.
    """
    for spec, value in ((WORKERS_OPTION, workers), (HISTORY_OPTION, history), (WORDING_OPTION, wording)):
        check_value(spec, value)
    settings = make_settings(
        clarify=clarify, threshold=threshold, strategy=strategy, max_steps=max_steps, translate=translate
    )
    asked = make_input(questions, wording)
    file = check_output(path, kg, asked.source)
    run_options = RunOptions(history, wording, workers, overwrite, secrets=secrets(), on_progress=on_progress)
    opened_model, opened_kg = open_model(model, RULEBOOK, base_url=base_url), open_kg(kg)
    examples = examples_from(experience, opened_kg, opened_model.name, asked.held_out)
    config = EngineConfig(settings, Components(second_opinion=RuleModel(RULEBOOK))).with_examples(examples)
    names = describe_model(model, opened_model, base_url)
    own = None if engine is None else ManifestEntry({"kind": f"{type(engine).__module__}.{type(engine).__qualname__}"})
    manifest = build_manifest(opened_kg, names, asked.manifest_entry, run_options, own or config)
    conversations = _prepare_conversations(asked, opened_kg, history)

    def open_engine_with(trace: Trace) -> Engine:
        return engine if engine is not None else open_engine(opened_kg, opened_model, trace, config)

    answers, counts = _answer_into(file, conversations, open_engine_with, manifest, run_options)
    _warn_of_errors(counts, file, opened_model)
    return answers


def _prepare_conversations(asked: AnswerInput, kg: KnowledgeGraph, history: HistoryKind) -> tuple[Conversation, ...]:
    """Warn of what is odd about the questions; return their conversations, with gold answers linked if they count."""
    _warn_of_input(asked, kg)
    return link_gold_answers(asked.conversations, kg) if history == "gold" else asked.conversations


def _warn_of_errors(counts: BatchCounts, file: Path | None, model: LanguageModel) -> None:
    if expected := counts.errors - counts.unexpected.total():
        logger.warning("%d questions ended in an error; the same call with a path asks them again", expected)
    trace, hint = file and trace_path_of(file), "with a path, a trace has the tracebacks"
    warn_of_failures(summarize_failures({"question": counts.unexpected}, trace, hint), model)


def _answer_into(
    path: Path | None,
    conversations: Sequence[Conversation],
    open_engine_with: Callable[[Trace], Engine],
    manifest: Mapping[str, Any],
    run_options: RunOptions,
) -> tuple[Answers, BatchCounts]:
    """Answer into a file, which is temporary without a path, and read it."""
    with TemporaryDirectory(prefix="chattykg-", ignore_cleanup_errors=True) as folder:
        file = path or Path(folder) / "answers.jsonl"
        counts = answer_to_file(file, conversations, open_engine_with, manifest, run_options)
        records = tuple(record for _, record in read_lines(file))
        answers = replace(read_system_run(file), records=records) if records else Answers(file, {}, manifest["answers"])
        return answers if path else replace(answers, path=Path("the answers")), counts


def _warn_of_input(asked: AnswerInput, kg: KnowledgeGraph) -> None:
    if not kg.is_source(asked.fingerprint):
        logger.warning("the benchmark was made from another graph than %s, or from another state of it", kg.name)
    for note in asked.notes if asked.question_count else ("there is no question to answer",):
        logger.warning(note)

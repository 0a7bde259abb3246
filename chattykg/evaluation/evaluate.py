"""Scores files of answers against a file of gold: pairs them by id, and compares the systems."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from chattyshared.answers import AnswerLine
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import digest_of_file
from chattyshared.errors import ConfigError
from chattyshared.formats import gold as formats
from chattyshared.formats.data_frames import make_data_frame
from chattyshared.jsonlines import output_path, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.runner import Runner

from chattykg.evaluation.candidate_metrics import CandidateRuns, run_candidates
from chattykg.evaluation.comparison import (
    EvaluationSet,
    compare_with_first,
    measure_condition_effects,
)
from chattykg.evaluation.gold import add_bands, add_label_keys, describe_uncertain, gold_of_file, run_gold_queries
from chattykg.evaluation.memorization import Memorization, check_twin, measure_memorization
from chattykg.evaluation.metrics import GroupScore, Scores, TurnScore, score_run, score_turn
from chattykg.evaluation.scorecard import score_system
from chattykg.evaluation.system_runs import Answers, find_gold, name_systems, read_system_run

if TYPE_CHECKING:
    from chattyshared.formats.data_frames import DataFrame

logger = logging.getLogger(__name__)
MISMATCH = "by their manifests these answers are to another file, or another state of it"
_COLUMNS = (
    "id", "dialogue", "turn", "question", "form", "link", "answerable", "answered", "precision", "recall", "f1", "gold",
    "answers", "confidence", "sparql",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of the answers of one system, and the ids of answer lines without a question and of those with an
    error, in file order. With ``certain_only``, only questions with a certain certificate are scored."""

    scores: Scores
    gold: formats.GoldFile = field(repr=False)
    answers: Answers = field(repr=False)
    unknown_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()
    certain_only: bool = False

    @property
    def f1(self) -> float:
        """The mean F1 of the questions with gold."""
        return self.scores.f1

    @property
    def by_form(self) -> Mapping[str, GroupScore]:
        """The number of questions of each form, and their mean F1."""
        return self.scores.by_form

    def turns(self) -> tuple[TurnScore, ...]:
        """Return the scores of each question."""
        golds = (gold for gold in gold_of_file(self.gold, certain_only=self.certain_only) if gold.is_scored)
        return tuple(score_turn(gold, self.answers.answer_to(gold.id)) for gold in golds)

    def to_pandas(self) -> DataFrame:
        """Return a data frame with a line per question.

        Raises:
            ConfigError: pandas is not installed.
        """
        questions = {str(question.id): question for question in self.gold.questions}
        rows = (_cells(turn, questions[turn.gold.id], self.answers.lines.get(turn.gold.id)) for turn in self.turns())
        return make_data_frame((dict(zip(_COLUMNS, row, strict=True)) for row in rows), _COLUMNS)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page with all figures and plots; it opens offline.

        Raises:
            ConfigError: the file cannot be written.
        """
        from chattykg.evaluation.html_report import render_html_report

        evaluation = score_systems(self.gold, [self.answers], certain_only=self.certain_only)
        write_atomically(output_path(path), [render_html_report(evaluation)])

    def __repr__(self) -> str:
        return f"Evaluation({self.scores.questions} questions, f1={self.f1:.3f})"


def evaluate(
    gold: Benchmark | str | os.PathLike[str], answers: Answers | str | os.PathLike[str], *, certain: bool = False
) -> Evaluation:
    """Score answers against a benchmark, or a file of questions with gold; each may be an object or the path of a file.

    A question without an answer line, or with a line that holds an error, counts as unanswered. With ``certain``, only
    questions whose certificate says that they are certain are scored. A warning says which lines do not count, and
    whether the answers are to another state of the gold.

    Raises:
        ConfigError: a file does not exist or cannot be read; the answers are to other questions; or ``certain`` is
            asked for, and no question has a certificate.
        BenchmarkInvalid: a line has a wrong format; names file, line and JSON path.
    """
    for source, known in ((gold, Benchmark), (answers, Answers)):
        if not isinstance(source, str | os.PathLike | known):
            raise ConfigError(
                f"{type(source).__name__} cannot be scored: give a {known.__name__} or the path of a file"
            )
    file = (
        formats.GoldFile(Path("the benchmark"), "benchmark", gold)
        if isinstance(gold, Benchmark)
        else formats.read_gold(Path(gold))
    )
    system = answers if isinstance(answers, Answers) else read_system_run(Path(answers), with_trace=False)
    _check_ids(file, system)
    evaluation = score_answers(file, system, certain_only=certain)
    if certain and (note := describe_uncertain(gold_of_file(file))):
        logger.warning(note)
    for warning in describe_losses(file.path, system, evaluation.scores, evaluation.unknown_ids, evaluation.failed_ids):
        logger.warning(warning)
    if _is_mismatched(file, system):
        logger.warning(MISMATCH)
    return evaluation


def score_answers(gold: formats.GoldFile, answers: Answers, *, certain_only: bool = False) -> Evaluation:
    """Score the answers of one system: the headline only."""
    gold_turns = gold_of_file(gold, certain_only=certain_only)
    question_ids = {turn.id for turn in gold_turns}
    return Evaluation(
        score_run((turn, answers.answer_to(turn.id)) for turn in gold_turns),
        gold,
        answers,
        unknown_ids=tuple(id for id in answers.lines if id not in question_ids),
        failed_ids=tuple(id for id, line in answers.lines.items() if id in question_ids and line.error),
        certain_only=certain_only,
    )


def evaluate_systems(  # noqa: PLR0913
    gold: Path,
    answers: Sequence[Path],
    *,
    lang: str = "",
    seed: int = 0,
    kg: KnowledgeGraph | None = None,
    runner: Runner | None = None,
    certain_only: bool = False,
) -> EvaluationSet:
    """Score one or more files of answers on all measures and compare them; ``seed`` is that of the resampling.

    ``lang`` selects the language of a gold file with several. Queries without answers, in gold and in answer files, are
    run on ``kg`` (by ``runner``; default: the calling thread). ``kg`` also gives the labels of gold's vertices. With
    ``certain_only``, only questions whose certificate says that they are certain are scored.

    Raises:
        ConfigError: a file does not exist or cannot be read; answers are only queries and there is no ``kg``; the ids
            show that the answers are to another file; or no question has a certificate.
        BenchmarkInvalid: a file has an unknown or a broken format; names file, line and JSON path.
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    file = formats.read_gold(gold, lang=lang)
    notes = file.user_notes()
    if certain_only and (note := describe_uncertain(gold_of_file(file))):
        notes = (*notes, note)
    if kg is not None:
        file, failures = run_gold_queries(file, kg, runner)
        notes = (*notes, *failures)
    systems = [read_system_run(path, kg, runner=runner) for path in answers]
    for system in systems:
        _check_ids(file, system)
    lines = [line for system in systems for line in system if line.candidates]
    runs = run_candidates(lines, kg, runner) if kg is not None else None
    if lines and runs is None:
        notes = (*notes, "the lists of candidate queries in the answers are scored if --kg names the graph")
    return score_systems(file, systems, seed=seed, kg=kg, notes=notes, runs=runs, certain_only=certain_only)


def compare_with_twin(gold: Path, answers: Path, twin: Path, twin_answers: Path, *, seed: int = 0) -> Memorization:
    """Compare the answers of one system to a benchmark with those to its twin; ``seed`` is that of the resampling.

    Raises:
        ConfigError: a file does not exist or cannot be read; it is no twin of the benchmark; or the ids show that the
            answers are to another file.
        BenchmarkInvalid: a file is broken.
    """
    file, twin_file = formats.read_gold(gold), formats.read_gold(twin)
    check_twin(file, twin_file)
    system, twin_system = read_system_run(answers, with_trace=False), read_system_run(twin_answers, with_trace=False)
    _check_ids(twin_file, twin_system)
    for each_file, each_system in ((file, system), (twin_file, twin_system)):
        if _is_mismatched(each_file, each_system):
            raise ConfigError(f"{each_system.path}: by its manifest, these are no answers to {each_file.path}")
    return measure_memorization(file, system, twin_file, twin_system, seed=seed)


def score_systems(  # noqa: PLR0913
    gold: formats.GoldFile,
    systems: Sequence[Answers],
    *,
    seed: int = 0,
    kg: KnowledgeGraph | None = None,
    notes: tuple[str, ...] = (),
    runs: CandidateRuns | None = None,
    certain_only: bool = False,
) -> EvaluationSet:
    """Score the answers of systems on all measures and compare them; ``kg`` gives the labels of gold's vertices and
    head, torso and tail, ``runs`` the results of candidate queries.

    Raises:
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    gold_turns = gold_of_file(gold, certain_only=certain_only)
    gold_turns = gold_turns if kg is None else add_bands(add_label_keys(gold_turns, kg), kg)
    names = name_systems([system.path for system in systems])
    scorecards = tuple(
        score_system(name, gold_turns, system, seed=seed, runs=runs)
        for name, system in zip(names, systems, strict=True)
    )
    return EvaluationSet(
        gold.path,
        scorecards,
        compare_with_first(scorecards, seed=seed),
        measure_condition_effects(scorecards, seed=seed),
        tuple(card.name for card in scorecards if _is_mismatched(gold, card.system)),
        notes,
        gold,
    )


def describe_losses(
    gold: Path, answers: Answers, scores: Scores, unknown_ids: Sequence[str], failed_ids: Sequence[str]
) -> Iterator[str]:
    """Yield sentences about answers that do not count and questions without a line."""
    missing = scores.missing - len(failed_ids)
    if unknown_ids:
        listed = list_first_ids(unknown_ids)
        yield f"{len(unknown_ids)} answers are to no question of {gold} and are not counted: {listed}"
    if failed_ids:
        yield (
            f"{len(failed_ids)} lines of {answers.path} hold errors and count as wrong: {list_first_ids(failed_ids)}"
        )
    if missing > 0:
        yield f"{missing} questions have no line in {answers.path} and count as wrong"


def read_asked_file(system: Answers, gold: Path | None, lang: str = "") -> formats.GoldFile | None:
    """Return the gold file of a system's answers: ``gold``, or the one that the manifest names; None if there is none.

    Raises:
        ConfigError: the file cannot be read, or the answers are to other questions.
    """
    path = gold or find_gold(system)
    if path is None:
        return None
    file = formats.read_gold(path, lang=lang)
    _check_ids(file, system)
    return file


def list_first_ids(ids: Sequence[str]) -> str:
    """Return the first ids of many as a text."""
    return ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")


def _is_mismatched(gold: formats.GoldFile, answers: Answers) -> bool:
    """Tell whether the manifest of the answers states another file of questions than this one."""
    if not answers.input_digest:
        return False
    digest = digest_of_file(gold.path) if gold.path.is_file() else ""
    content_digest = gold.content.digest() if isinstance(gold.content, Benchmark) else digest
    return answers.input_digest not in (digest, content_digest)


def _cells(turn: TurnScore, question: Question, line: AnswerLine | None) -> Iterator[object]:
    """Yield the cells of a data frame: of answers their labels, if they have any."""
    gold = turn.gold
    yield from (gold.id, gold.dialogue, gold.position, gold.question, gold.form, gold.link)
    yield from (turn.is_answerable, turn.is_answered, turn.precision, turn.recall, turn.f1)
    yield list(question.answer_labels or question.answers or question.answer_iris)
    yield list(line.labels or line.answers) if line else []
    yield from (line.confidence, line.sparql) if line else (0.0, "")


def _check_ids(gold: formats.GoldFile, system: Answers) -> None:
    """Check that at least half of the answers belong to a question of the gold file; a run may be unfinished.

    A benchmark states the wording of its questions: there, an answer to other words belongs to another benchmark, whose
    ids may be the same.

    Raises:
        ConfigError: the ids, or the questions, show that these are answers to other questions.
    """
    questions = {str(question.id): question for question in gold.questions}
    matches = system.lines.keys() & questions.keys()
    if 2 * len(matches) < len(system.lines):
        missing = [f"{id!r} there" for id in questions if id not in system.lines]
        unknown = [f"{id!r} here" for id in system.lines if id not in questions]
        examples = ", ".join((*unknown[:1], *missing[:1]))
        raise ConfigError(
            f"{system.path}: {len(matches)} ids match, of {len(system.lines)} here and {len(questions)} in {gold.path} "
            f"(without a match: {examples}); fewer than half are not scored"
        )
    if not isinstance(gold.content, Benchmark):
        return
    asked = [id for id in system.lines if id in matches and system.lines[id].question]
    foreign = [id for id in asked if not _is_asked(questions[id], system.lines[id].question)]
    if 2 * len(foreign) > len(asked):
        id = foreign[0]
        raise ConfigError(
            f"{system.path}: {len(foreign)} of {len(asked)} answers are to other questions than those of {gold.path}, "
            f"such as {id}: {system.lines[id].question!r:.100} here, {questions[id].question!r:.100} there"
        )


def _is_asked(question: Question, text: str) -> bool:
    """Tell whether a text is a question, in one of its wordings."""
    return " ".join(text.split()) in {" ".join(words.split()) for words in (question.question, question.standalone)}

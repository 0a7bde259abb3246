"""Scores files of answers against a file of gold: pairs them by id, and compares the systems."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chattyshared.benchmark import Benchmark
from chattyshared.certificates import digest_of_file
from chattyshared.errors import ConfigError
from chattyshared.figures import Values, values_to_json
from chattyshared.formats import gold as formats
from chattyshared.formats.data_frames import make_data_frame
from chattyshared.formats.qald import Wordings
from chattyshared.jsonlines import output_path, write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.runner import Runner

from chattykg.evaluation.candidate_metrics import CandidateRuns, run_candidates
from chattykg.evaluation.comparison import EvaluationSet, compare_with_first, measure_condition_effects
from chattykg.evaluation.gold import add_bands, add_label_keys, describe_uncertain, gold_of_file, run_gold_queries
from chattykg.evaluation.memorization import check_twin, measure_memorization
from chattykg.evaluation.metrics import GroupScore, TurnScore, mean_f1
from chattykg.evaluation.scorecard import DIGITS, Scorecard
from chattykg.evaluation.system_runs import Answers, find_gold, is_answers_file, name_systems, read_system_run

if TYPE_CHECKING:
    from chattyshared.formats.data_frames import DataFrame

logger = logging.getLogger(__name__)


class Evaluation(EvaluationSet):
    """The scores of one or more systems, turn by turn; the properties are those of the first."""

    @property
    def card(self) -> Scorecard:
        """The scores of the system."""
        return self.scorecards[0]

    @property
    def f1(self) -> float:
        """The mean F1 of the questions with gold."""
        return mean_f1(self.card.answerable)

    @property
    def by_form(self) -> Mapping[str, GroupScore]:
        """The number of questions of each form, and their mean F1."""
        return self.card.groups("form")

    @property
    def figures(self) -> dict[str, Any]:
        """The headline figures, by the keys of ``chattykg evaluate --json``."""
        return values_to_json(self.card.headline, DIGITS)

    def turns(self) -> tuple[TurnScore, ...]:
        """Return the scores of each question."""
        return self.card.turns

    def to_pandas(self) -> DataFrame:
        """Return a data frame with a line per question.

        Raises:
            ConfigError: pandas is not installed.
        """
        from chattykg.evaluation.export import turn_to_row

        return make_data_frame(turn_to_row(self.card, turn) for turn in self.card.turns)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page with all figures and plots; it opens offline.

        Raises:
            ConfigError: the file cannot be written.
        """
        from chattykg.evaluation.report import render_page

        write_atomically(output_path(path), [render_page(self)])

    def __repr__(self) -> str:
        return f"Evaluation({len(self.card.turns)} questions, f1={self.f1:.3f})"


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
        else _read_gold(Path(gold))
    )
    system = answers if isinstance(answers, Answers) else read_system_run(Path(answers), with_trace=False)
    evaluation = _score(file, [system], certain_only=certain)
    for warning in evaluation.warnings():
        logger.warning(warning)
    return evaluation


def score_answers(gold: formats.GoldFile, answers: Answers) -> Evaluation:
    """Score the answers of one system to the questions that were asked."""
    return _score(gold, [answers])


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
    file = _read_gold(gold, lang)
    systems = [read_system_run(path, kg, runner=runner) for path in answers]
    if any(system.wordings == "all" for system in systems):
        file = _read_gold(gold, lang, "all")
    notes = file.user_notes()
    if kg is not None:
        file, failures = run_gold_queries(file, kg, runner)
        notes = (*notes, *failures)
    runs = run_candidates((line for system in systems for line in system), kg, runner) if kg is not None else None
    if runs is None and any(system.lists_candidates for system in systems):
        notes = (*notes, "the lists of candidate queries in the answers are scored if --kg names the graph")
    return _score(file, systems, seed=seed, kg=kg, notes=notes, runs=runs, certain_only=certain_only)


def _score(
    file: formats.GoldFile,
    systems: Sequence[Answers],
    *,
    seed: int = 0,
    kg: KnowledgeGraph | None = None,
    notes: tuple[str, ...] = (),
    runs: CandidateRuns | None = None,
    certain_only: bool = False,
) -> Evaluation:
    """Score the answers of systems and compare them.

    Raises:
        ConfigError: there is nothing to score, or the ids show that answers are to another file.
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    for system in systems:
        _check_ids(file, system)
    golds = gold_of_file(file, certain_only=certain_only)
    if certain_only and (note := describe_uncertain(gold_of_file(file))):
        notes = (*notes, note)
    unscored = sum(not (turn.is_scored or turn.rows) for turn in golds)
    if unscored == len(golds):
        raise ConfigError(f"{file.path}: F1 -: {notes[-1] if certain_only else _describe_missing_gold(file, kg)}")
    if unscored and not certain_only:
        notes = (*notes, f"{unscored} of {len(golds)} questions state no answers: they are asked, and not scored")
    golds = golds if kg is None else add_bands(add_label_keys(golds, kg), kg)
    names = name_systems([system.path for system in systems])
    cards = tuple(
        Scorecard(name, system, tuple((gold, system.answer_to(gold.id)) for gold in golds), seed, runs)
        for name, system in zip(names, systems, strict=True)
    )
    mismatched = tuple(card.name for card in cards if _is_mismatched(file, card.system))
    effects = measure_condition_effects(cards, seed=seed)
    return Evaluation(file, cards, compare_with_first(cards, seed=seed), effects, mismatched, notes)


def _describe_missing_gold(gold: formats.GoldFile, kg: KnowledgeGraph | None) -> str:
    """Return why there is nothing to score, and the command that makes gold."""
    if kg is None and any(question.sparql for question in gold.questions):
        runs = f"chattykg evaluate --kg KG {gold.path} ANSWERS"
        return f"no question has an answer, only queries; they are run by: {runs}"
    return "no question has an answer or a query that can be run; gold is made by: chattygen generate --kg KG"


def compare_with_twin(gold: Path, answers: Path, twin: Path, twin_answers: Path, *, seed: int = 0) -> Values:
    """Compare the answers of one system to a benchmark with those to its twin; ``seed`` is that of the resampling.

    Raises:
        ConfigError: a file does not exist or cannot be read; it is no twin of the benchmark; or the ids show that the
            answers are to another file.
        BenchmarkInvalid: a file is broken.
    """
    file, twin_file = _read_gold(gold), _read_gold(twin)
    check_twin(file, twin_file)
    system, twin_system = read_system_run(answers, with_trace=False), read_system_run(twin_answers, with_trace=False)
    _check_ids(twin_file, twin_system)
    for each_file, each_system in ((file, system), (twin_file, twin_system)):
        if _is_mismatched(each_file, each_system):
            raise ConfigError(f"{each_system.path}: by its manifest, these are no answers to {each_file.path}")
    return measure_memorization(file, system, twin_file, twin_system, seed=seed)


def read_asked_file(system: Answers, gold: Path | None, lang: str = "") -> formats.GoldFile | None:
    """Return the gold file of a system's answers: ``gold``, or the one that the manifest names; None if there is none.

    Raises:
        ConfigError: the file cannot be read, or the answers are to other questions.
    """
    path = gold or find_gold(system)
    if path is None:
        return None
    file = _read_gold(path, lang, system.wordings)
    _check_ids(file, system)
    return file


def _read_gold(path: Path, lang: str = "", wordings: Wordings = "first") -> formats.GoldFile:
    """Read a gold file, and refuse answers in its place."""
    if is_answers_file(path):
        raise ConfigError(f"{path}: these are answers, not gold; the gold comes first: chattykg evaluate GOLD ANSWERS")
    return formats.read_gold(path, lang=lang, wordings=wordings)


def _is_mismatched(gold: formats.GoldFile, answers: Answers) -> bool:
    """Tell whether the manifest of the answers states another file of questions than this one."""
    if not answers.input_digest:
        return False
    digest = digest_of_file(gold.path) if gold.path.is_file() else ""
    content_digest = gold.content.digest() if isinstance(gold.content, Benchmark) else digest
    return answers.input_digest not in (digest, content_digest)


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

"""A file of gold against files of answers: what is paired with what, and what has no partner."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chattyshared.errors import ConfigError
from chattyshared.formats import gold as formats
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner

from chattykg.evaluation.comparison import (
    ConditionEffect,
    PairedComparison,
    compare_with_first,
    measure_condition_effects,
)
from chattykg.evaluation.gold import add_label_keys, gold_of_file, read_gold_turns, run_gold_queries
from chattykg.evaluation.metrics import Scores, score_run
from chattykg.evaluation.scorecard import Scorecard, score_system
from chattykg.evaluation.system_runs import SystemRun, name_systems, read_system_run


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores, the ids of answer lines that no question has, and of those that hold an error, in file order."""

    scores: Scores
    unknown_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """All systems on one file of gold.

    ``contests`` compare each system with the first; ``effects`` are what conditions cost, as manifests tell them;
    ``strange`` are the names of systems whose manifest says that another file was asked, ``remarks`` what reading the
    gold had to mend or leave out.
    """

    gold: Path
    scorecards: tuple[Scorecard, ...]
    comparisons: tuple[PairedComparison, ...] = ()
    effects: tuple[ConditionEffect, ...] = ()
    mismatched_systems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def evaluate(gold: Path, answers: Path) -> Evaluation:
    """Score a file of answers against a benchmark or a file of questions with gold: the headline alone.

    A question without an answer line, or with one that holds an error, counts as unanswered.

    Raises:
        ConfigError: a file is not there or cannot be read.
        BenchmarkInvalid: a line does not keep its format; names file, line and JSON path.
    """
    right = read_gold_turns(gold)
    system = read_system_run(answers, with_trace=False)
    asked = {turn.id for turn in right}
    return Evaluation(
        score_run((turn, system.answer_to(turn.id)) for turn in right),
        unknown_ids=tuple(id for id in system.lines if id not in asked),
        failed_ids=tuple(id for id, line in system.lines.items() if id in asked and line.error),
    )


def evaluate_systems(  # noqa: PLR0913
    gold: Path,
    answers: Sequence[Path],
    *,
    lang: str = "",
    seed: int = 0,
    kg: KnowledgeGraph | None = None,
    runner: Runner | None = None,
) -> EvaluationSet:
    """Score one or more files of answers on all measures and compare them; ``seed`` is that of the resampling.

    ``lang`` chooses among the languages of a file of gold that has several. On ``kg`` the queries are run that stand
    without answers, in gold and in answers (by ``runner``, the calling thread unless said); and it tells the names of
    gold's vertices.

    Raises:
        ConfigError: a file is not there or cannot be read; answers are queries alone, and no ``kg`` is given; or
            answers are to another file, by their ids.
        BenchmarkInvalid: a file is of no known format, or does not keep its own; names file, line and JSON path.
        EndpointUnavailable: nobody answers for ``kg``.
    """
    file = formats.read_gold(gold, lang=lang)
    remarks = file.user_notes()
    if kg is not None:
        file, failed = run_gold_queries(file, kg, runner)
        remarks = (*remarks, *failed)
    expected = gold_of_file(file) if kg is None else add_label_keys(gold_of_file(file), kg)
    systems = [read_system_run(path, kg, runner=runner) for path in answers]
    for system in systems:
        _check_ids(gold, [turn.id for turn in expected], system)
    called = name_systems([system.path for system in systems])
    sheets = tuple(
        score_system(name, expected, system, seed=seed) for name, system in zip(called, systems, strict=True)
    )
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()[:16]
    strange = tuple(one.name for one in sheets if one.system.input_digest not in ("", digest))
    return EvaluationSet(
        gold,
        sheets,
        compare_with_first(sheets, seed=seed),
        measure_condition_effects(sheets, seed=seed),
        strange,
        remarks,
    )


def _check_ids(gold: Path, asked: Sequence[str], system: SystemRun) -> None:
    """Make sure that at least half of the answers belong to a question of the gold file; a run may be unfinished.

    Raises:
        ConfigError: by their ids these are answers to other questions.
    """
    matches = len(system.lines.keys() & set(asked))
    if 2 * matches >= len(system.lines):
        return
    missing = [f"{id!r} there" for id in asked if id not in system.lines]
    unknown = [f"{id!r} here" for id in system.lines if id not in set(asked)]
    examples = ", ".join((*unknown[:1], *missing[:1]))
    raise ConfigError(
        f"{system.path}: {matches} ids match, of {len(system.lines)} here and {len(asked)} in {gold} (without a match: "
        f"{examples}); fewer than half are not scored"
    )

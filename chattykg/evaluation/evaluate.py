"""Scores files of answers against a file of gold: pairs them by id, and compares the systems."""

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
    """The scores, and the ids of answer lines without a question and of those with an error, in file order."""

    scores: Scores
    unknown_ids: tuple[str, ...] = ()
    failed_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """All systems on one file of gold.

    ``comparisons`` compare each other system with the first. ``effects`` are the costs of conditions that manifests
    state. ``mismatched_systems`` are the names of systems whose manifest states another question file. ``notes`` are
    what reading the gold repaired or left out.
    """

    gold: Path
    scorecards: tuple[Scorecard, ...]
    comparisons: tuple[PairedComparison, ...] = ()
    effects: tuple[ConditionEffect, ...] = ()
    mismatched_systems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def evaluate(gold: Path, answers: Path) -> Evaluation:
    """Score a file of answers against a benchmark or a file of questions with gold: the headline only.

    A question without an answer line, or with a line that holds an error, counts as unanswered.

    Raises:
        ConfigError: a file does not exist or cannot be read.
        BenchmarkInvalid: a line has a wrong format; names file, line and JSON path.
    """
    gold_turns = read_gold_turns(gold)
    system = read_system_run(answers, with_trace=False)
    question_ids = {turn.id for turn in gold_turns}
    return Evaluation(
        score_run((turn, system.answer_to(turn.id)) for turn in gold_turns),
        unknown_ids=tuple(id for id in system.lines if id not in question_ids),
        failed_ids=tuple(id for id, line in system.lines.items() if id in question_ids and line.error),
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

    ``lang`` selects the language of a gold file with several. Queries without answers, in gold and in answer files, are
    run on ``kg`` (by ``runner``; default: the calling thread). ``kg`` also gives the labels of gold's vertices.

    Raises:
        ConfigError: a file does not exist or cannot be read; answers are only queries and there is no ``kg``; or the
            ids show that the answers are to another file.
        BenchmarkInvalid: a file has an unknown or a broken format; names file, line and JSON path.
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    file = formats.read_gold(gold, lang=lang)
    notes = file.user_notes()
    if kg is not None:
        file, failures = run_gold_queries(file, kg, runner)
        notes = (*notes, *failures)
    gold_turns = gold_of_file(file) if kg is None else add_label_keys(gold_of_file(file), kg)
    systems = [read_system_run(path, kg, runner=runner) for path in answers]
    for system in systems:
        _check_ids(gold, [turn.id for turn in gold_turns], system)
    names = name_systems([system.path for system in systems])
    scorecards = tuple(
        score_system(name, gold_turns, system, seed=seed) for name, system in zip(names, systems, strict=True)
    )
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()[:16]
    mismatched = tuple(card.name for card in scorecards if card.system.input_digest not in ("", digest))
    return EvaluationSet(
        gold,
        scorecards,
        compare_with_first(scorecards, seed=seed),
        measure_condition_effects(scorecards, seed=seed),
        mismatched,
        notes,
    )


def _check_ids(gold: Path, question_ids: Sequence[str], system: SystemRun) -> None:
    """Check that at least half of the answers belong to a question of the gold file; a run may be unfinished.

    Raises:
        ConfigError: the ids show that these are answers to other questions.
    """
    matches = len(system.lines.keys() & set(question_ids))
    if 2 * matches >= len(system.lines):
        return
    missing = [f"{id!r} there" for id in question_ids if id not in system.lines]
    unknown = [f"{id!r} here" for id in system.lines if id not in set(question_ids)]
    examples = ", ".join((*unknown[:1], *missing[:1]))
    raise ConfigError(
        f"{system.path}: {matches} ids match, of {len(system.lines)} here and {len(question_ids)} in {gold} "
        f"(without a match: {examples}); fewer than half are not scored"
    )

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

from chattykg.evaluation.comparison import Contest, Effect, contests, effects
from chattykg.evaluation.gold import answered, gold_of, named, read_gold
from chattykg.evaluation.metrics import Scores, score
from chattykg.evaluation.scorecard import Sheet, sheet
from chattykg.evaluation.system_runs import System, names, read_system


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores, the ids of answer lines that no question has, and of those that hold an error, in file order."""

    scores: Scores
    unknown: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bench:
    """All systems on one file of gold.

    ``contests`` compare each system with the first; ``effects`` are what conditions cost, as manifests tell them;
    ``strange`` are the names of systems whose manifest says that another file was asked, ``remarks`` what reading the
    gold had to mend or leave out.
    """

    gold: Path
    sheets: tuple[Sheet, ...]
    contests: tuple[Contest, ...] = ()
    effects: tuple[Effect, ...] = ()
    strange: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def evaluate(gold: Path, answers: Path) -> Evaluation:
    """Score a file of answers against a benchmark or a file of questions with gold: the headline alone.

    A question without an answer line, or with one that holds an error, counts as unanswered.

    Raises:
        ConfigError: a file is not there or cannot be read.
        BenchmarkInvalid: a line does not keep its format; names file, line and JSON path.
    """
    right = read_gold(gold)
    system = read_system(answers, traced=False)
    asked = {turn.id for turn in right}
    return Evaluation(
        score((turn, system.said(turn.id)) for turn in right),
        unknown=tuple(id for id in system.lines if id not in asked),
        failed=tuple(id for id, line in system.lines.items() if id in asked and line.error),
    )


def measure(  # noqa: PLR0913
    gold: Path,
    answers: Sequence[Path],
    *,
    lang: str = "",
    seed: int = 0,
    kg: KnowledgeGraph | None = None,
    runner: Runner | None = None,
) -> Bench:
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
    remarks = file.remarks()
    if kg is not None:
        file, failed = answered(file, kg, runner)
        remarks = (*remarks, *failed)
    expected = gold_of(file) if kg is None else named(gold_of(file), kg)
    systems = [read_system(path, kg, runner=runner) for path in answers]
    for system in systems:
        _check_ids(gold, [turn.id for turn in expected], system)
    called = names([system.path for system in systems])
    sheets = tuple(sheet(name, expected, system, seed=seed) for name, system in zip(called, systems, strict=True))
    digest = hashlib.sha256(gold.read_bytes()).hexdigest()[:16]
    strange = tuple(one.name for one in sheets if one.system.asked not in ("", digest))
    return Bench(gold, sheets, contests(sheets, seed=seed), effects(sheets, seed=seed), strange, remarks)


def _check_ids(gold: Path, asked: Sequence[str], system: System) -> None:
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

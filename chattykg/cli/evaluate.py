"""``chattykg evaluate``: files of answers against a file of gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import KG_HELP, SettingsCommand, print_warning, sanitize_for_terminal
from chattyshared.commands.inputs import INPUT_FILE, restore_input_names, take_box_graph
from chattyshared.option_specs import JSON_OPTION, WORKERS_OPTION, OptionSpec
from chattyshared.runs.runner import SCHEDULER_SETTING

from chattykg.cli import options, resources
from chattykg.cli.engines import QUERY_WORKER

if TYPE_CHECKING:
    from chattykg.evaluation.comparison import EvaluationSet

_MORE = "--all prints the other figures, --html FILE writes a page"


@click.command(cls=SettingsCommand)
@click.argument("gold", type=INPUT_FILE)
@click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True, type=INPUT_FILE)
@click.option("--twin", nargs=2, type=INPUT_FILE, metavar="TWIN ANSWERS",
              help='The benchmark of "chattygen twin" and the answers of the same system on its graph: how much of the '
              "score is memory, and how much grounding.")  # fmt: skip
@options.graph_options(
    OptionSpec("lang", "Of a GOLD file in several languages, the one that was asked.", default="", metavar="TAG"),
    OptionSpec("certain", "Score only questions whose certificate says that they are certain.", "switch", False),
    OptionSpec("all", "Print all figures, and the questions won and lost.", "switch", False),
    JSON_OPTION,
    OptionSpec("csv", "Write a line per question and system, for a spreadsheet.", "output"),
    OptionSpec("html", "Write a page with plots and a viewer of the turns; opens offline.", "output"),
    OptionSpec("seed", "Of the resampling behind intervals and tests.", "integer", 0, is_setting=True),
    replace(WORKERS_OPTION, help="How many queries to run on the graph at a time."), SCHEDULER_SETTING,
    required=False, text=f"{KG_HELP} Queries that stand without answers, in GOLD or ANSWERS, are run on it; it also "
    "tells head, torso and tail of the seeds and predicates. A box as GOLD is its own graph.",
)  # fmt: skip
def evaluate(gold: Path, answers: tuple[Path, ...], twin: tuple[Path, Path] | None, **options: Any) -> None:
    """Score ANSWERS against GOLD and print the main figures; of several files of answers, side by side.

    GOLD is a benchmark (of "chattygen generate"), a file of questions with gold answers, or a question set of others
    (QALD, LC-QuAD, TEXT2SPARQL, ConvQuestions, ...); ANSWERS is what "chattykg answer -o" wrote, or what another system
    did: answers.json or a result set of TEXT2SPARQL, or QALD JSON with its answers in place of gold. A question without
    an answer counts as wrong; where fewer than half of the ids of the answers are in GOLD, nothing is scored (exit 2).
    Turns that the graph cannot answer are left out of the rates; how many of them got an answer is said as "false
    answers". An answer that a certificate accepts counts as the gold element in whose place it stands.

    Each further file is tested against the first. Manifests beside the files tell what made them: runs that differ in
    wording or history alone show what follow-up language and error propagation cost.

    \b
    chattykg evaluate benchmark.jsonl answers.jsonl
    chattykg evaluate benchmark.jsonl ours.jsonl theirs.jsonl --html scores.html --csv scores.csv
    chattykg evaluate --kg corporate.ttl questions.yml answers.json
    chattykg evaluate benchmark.jsonl answers.jsonl --twin twin/benchmark.jsonl twin-answers.jsonl
    """
    from chattyshared.runs.cluster_job import open_cluster_runner
    from chattyshared.runs.dask import open_cluster
    from chattyshared.runs.runner import ThreadRunner

    from chattykg.evaluation.evaluate import compare_with_twin, evaluate_systems

    written = {"page": options["html"], "csv": options["csv"]}
    _check_files(written.values(), (gold, *answers), twin or ())
    with open_cluster(options) as cluster:
        kg = resources.open_graph(options) if take_box_graph(options, gold) else None
        runner = open_cluster_runner(cluster, QUERY_WORKER, options, kg, None, resources.secrets()) or ThreadRunner(
            options["workers"]
        )
        evaluation = evaluate_systems(
            gold, answers, lang=options["lang"], seed=options["seed"], kg=kg, runner=runner,
            certain_only=options["certain"],
        )  # fmt: skip
    if twin:
        evaluation = replace(evaluation, twin=compare_with_twin(gold, answers[0], *twin, seed=options["seed"]))
    for warning in evaluation.warnings():
        print_warning(warning)
    _write(evaluation, options["csv"], options["html"])
    _print(evaluation, written, shows_all=options["all"], as_json=options["json"])


def _check_files(outputs: Iterable[Path | None], inputs: Sequence[Path], twin: Sequence[Path]) -> None:
    """Refuse an output that is to be read, and a twin of several files of answers."""
    from chattyshared.commands.exit_codes import require_distinct_paths

    if twin and len(inputs) > 2:
        raise click.UsageError("--twin goes with one file of ANSWERS")
    for path in filter(None, outputs):
        require_distinct_paths(path, (*inputs, *twin))


def _write(evaluation: EvaluationSet, lines: Path | None, page: Path | None) -> None:
    """Write the CSV and HTML files, if their paths are given."""
    from chattyshared.jsonlines import write_atomically

    from chattykg.evaluation import export
    from chattykg.evaluation.report import render_page

    if lines is not None:
        write_atomically(lines, [export.evaluation_to_csv(evaluation).rstrip("\n")])
    if page is not None:
        write_atomically(page, [render_page(evaluation)])


def _print(evaluation: EvaluationSet, written: Mapping[str, Path | None], *, shows_all: bool, as_json: bool) -> None:
    """Print the figures and the files that were written, or the figures as JSON."""
    import json

    from chattykg.evaluation import export, report

    if as_json:
        click.echo(restore_input_names(json.dumps(export.evaluation_to_json(evaluation), indent=2)))
        return
    if shows_all:
        text = report.render_all(evaluation)
    else:
        text = f"{report.render_screen(evaluation.scorecards, report.findings_of(evaluation))}\n\n{_MORE}"
    click.echo(sanitize_for_terminal(text))
    for kind, path in written.items():
        if path is not None:
            click.echo(f"{kind}  {path}")

"""``chattykg export``: writes the answers of a system in a format of the field."""

from __future__ import annotations

import json
from pathlib import Path

import click
from chattyshared.commands.inputs import INPUT_FILE

from chattykg.cli.options import FILE, gold_option


@click.command()
@click.argument("answers", metavar="ANSWERS", type=INPUT_FILE)
@click.option("--to", type=click.Choice(["qald"]), required=True, help="The format.")
@gold_option
@click.option("-o", "--output", type=FILE, help="The file to write (default: named after ANSWERS, in its folder).")
@click.option("--dataset", metavar="NAME", default="", help="The name of the data set (default: that of the gold).")
@click.option(
    "--lang", metavar="TAG", default="", help="The language of the questions, where the gold holds several or none."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
def export(  # noqa: PLR0913
    answers: Path, *, to: str, gold: Path | None, output: Path | None, dataset: str, lang: str, overwrite: bool
) -> None:
    """Write ANSWERS in another format, for the tools of others.

    \b
    qald  QALD-9 JSON with the system's queries and answers in place of gold, as GERBIL takes it

    The ids and the wordings are those of "chattygen export --to qald", so that both files go together.

    \b
    chattykg export --to qald answers.jsonl --gold benchmark.jsonl -o answers.qald.json
    """
    from chattyshared.commands.exit_codes import require_distinct_paths
    from chattyshared.formats.qald import answers_to_qald
    from chattyshared.jsonlines import write_atomically

    from chattykg.evaluation.evaluate import read_asked_file
    from chattykg.evaluation.system_runs import read_system_run

    system = read_system_run(answers, with_trace=False)
    file = read_asked_file(system, gold, lang)
    if file is None:
        raise click.UsageError("name the file of the questions with --gold")
    output = output or answers.with_name(f"{answers.stem}.{to}.json")
    require_distinct_paths(output, [answers, file.path], overwrite=overwrite)
    content = answers_to_qald(file.questions, system.lines, dataset=dataset or file.path.stem, language=lang or "en")
    write_atomically(output, [json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)])
    click.echo(output)
